/** The command line: flags are the environment's names in lower case, `--database-url` for DATABASE_URL, and win over it. */
import { closeSync, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { parseArgs } from "node:util";
import { type SettingName, settingNames } from "../config.ts";

/** Printed for the operator, with exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** The words and flags that are wrong, by their names (`id`, `url`, `events-url`), for a form that marks them. */
  readonly fields: readonly string[];
  constructor(message?: string, fields: readonly string[] = []) {
    super(message);
    this.fields = fields;
  }
}

/** A parsed command line: what to do, the settings with the flags over them, and the command's own flags. */
export interface CommandLine {
  /** `["merchants", "add", "corner-shop"]`. */
  readonly words: readonly string[];
  /** The environment with the flags over it. */
  readonly settings: Readonly<Record<string, string | undefined>>;
  /** Flags of single commands: `--name`, `--currency`; `--all` is `"1"`. */
  readonly flags: Readonly<Record<string, string>>;
  readonly help: boolean;
  readonly version: boolean;
  readonly json: boolean;
}

/** As files too (`TOKEN_SECRET_FILE`; `/dev/stdin` is one), never as flags. */
const secretSettings = ["TOKEN_SECRET", "SERVICE_KEY", "PARTNER_SECRET"] as const satisfies readonly SettingName[];

/** A group may read it; a pipe is nobody else's, and Windows keeps no such modes. */
const refuseUsableByOthers = (file: Stats): void => {
  if (process.platform === "win32" || !file.isFile() || (file.mode & 0o026) === 0) return;
  const mode = (file.mode & 0o777).toString(8);
  throw new Error(`others on this machine can use it (mode ${mode}); make another secret, and: chmod 600`);
};

const readSecretFile = (name: string, path: string | undefined): string | undefined => {
  if (path === undefined || path === "") return undefined;
  try {
    // One descriptor, so that the file that was looked at is the one that is read.
    const file = openSync(path, "r");
    try {
      refuseUsableByOthers(fstatSync(file));
      return readFileSync(file, "utf8").trim();
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new UsageError(`${name}_FILE cannot be read: ${error instanceof Error ? error.message : error}`);
  }
};

const flagOf = (name: SettingName): string => name.toLowerCase().replaceAll("_", "-");
const commandFlags = [
  ...["name", "currency", "smallest", "largest", "step", "shop-day", "terminal-hour", "support-text", "support-phone"],
  ...["url", "answers", "events-url", "sca-url", "user-day", "hours", "scope", "note", "outcome", "from", "to"],
  ...["logo", "color", "expect", "since", "shop", "bank", "status", "older"],
];
/** Flags that stand alone; given, their value is `"1"`. */
const commandSwitches = ["all", "enrol", "force", "long-ago", "correct"];

/** @throws UsageError for a flag that does not exist or lacks its value. */
export const parseCommandLine = (
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): CommandLine => {
  const options = Object.fromEntries([
    ...settingNames.map((name) => [flagOf(name), { type: name === "SANDBOX" ? "boolean" : "string" }] as const),
    ...commandFlags.map((name) => [name, { type: "string" }] as const),
    ...commandSwitches.map((name) => [name, { type: "boolean" }] as const),
    ["help", { type: "boolean", short: "h" }] as const,
    ["version", { type: "boolean" }] as const,
    ["json", { type: "boolean" }] as const,
  ]);
  refuseSecretFlags(args);
  const { values, positionals } = parse(args, options);
  const settings: Record<string, string | undefined> = { ...environment };
  for (const name of settingNames) {
    const value = values[flagOf(name)];
    if (value !== undefined) settings[name] = value === true ? "1" : String(value);
  }
  for (const name of secretSettings) settings[name] ??= readSecretFile(name, environment[`${name}_FILE`]);
  const flags: Record<string, string> = {};
  for (const name of commandFlags) if (typeof values[name] === "string") flags[name] = values[name];
  for (const name of commandSwitches) if (values[name] === true) flags[name] = "1";
  return {
    words: positionals,
    settings,
    flags,
    help: values.help === true,
    version: values.version === true,
    json: values.json === true,
  };
};

/** Everybody on the machine sees the arguments of a program. @throws UsageError. */
const refuseSecretFlags = (args: readonly string[]): void => {
  for (const name of secretSettings) {
    const flag = `--${flagOf(name)}`;
    if (args.some((arg) => arg === flag || arg.startsWith(`${flag}=`)))
      throw new UsageError(
        `${flag} would be seen in the list of processes; set ${name}, or ${name}_FILE to a file that holds it`,
      );
  }
};

type Options = Readonly<Record<string, { readonly type: "boolean" | "string"; readonly short?: string }>>;

const parse = (args: readonly string[], options: Options) => {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    // Node goes on about arguments that begin with a hyphen; there are none here.
    throw new UsageError(String(error instanceof Error ? error.message : error).split(". To specify")[0]);
  }
};
