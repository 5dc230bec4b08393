/** Flags of developers' programs: `--help` prints the usage; a wrong flag gives one sentence instead of a stack trace. */
import { type ParseArgsConfig, parseArgs } from "node:util";

type Options = NonNullable<ParseArgsConfig["options"]>;
const help = { type: "boolean", short: "h", default: false } as const;
const exitRefused = 2;

/** Prints a sentence and exits with code 2. */
export function refuse(sentence: string): never {
  console.error(`${sentence}\nSee --help.`);
  process.exit(exitRefused);
}

/**
 * Parses the program's arguments. Exits with `usage` for `--help`, and with a sentence for an unknown flag.
 * @param takesWords whether it takes words that are no flags; default: they are refused.
 */
export function readFlags<O extends Options>(usage: string, options: O, takesWords = false) {
  const read = () => parseArgs({ options: { ...options, help }, allowPositionals: takesWords });
  let parsed: ReturnType<typeof read>;
  try {
    parsed = read();
  } catch (error) {
    // Cuts off Node's advice about arguments that begin with a hyphen: these programs have none.
    return refuse(`${(error instanceof Error ? error.message : String(error)).split(". ")[0]}.`.replace(/\.\.$/, "."));
  }
  if ((parsed.values as { readonly help?: boolean }).help) {
    console.log(usage);
    process.exit(0);
  }
  return parsed;
}

/** A whole number from `least` on; exits with a sentence for any other text. */
export function wholeNumber(flag: string, text: string, least = 1): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least ? value : refuse(`${flag} must be a whole number from ${least} on, not "${text}".`);
}
