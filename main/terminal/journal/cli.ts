/** `npm run journal -- verify|export`: checks the chain, and writes the journal for those who must look into it. Changes nothing. */

import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { DamagedEntry } from "../ports.ts";
import { inspectJournal } from "./inspect.ts";
import { toCsv, toJson } from "./report.ts";

const usage = `Usage: npm run journal -- verify [--data FOLDER | --file PATH]
       npm run journal -- export [--format csv|json] [--data FOLDER | --file PATH]

  verify   checks every entry's place in the hash chain; ends with 1 when something is damaged
  export   writes all sound entries to standard output (default: json); what is damaged is named on standard
           error, and it ends with 1

  --data FOLDER   the till's data folder (default: data/till; of training: data/till/training)
  --file PATH     the journal itself

Examples:
  npm run journal -- verify
  npm run --silent journal -- export --format csv > journal.csv
`;

const fail = (message: string): number => {
  process.stderr.write(`${message}\n`);
  return 2;
};

const damageText = (damaged: readonly DamagedEntry[]): string =>
  damaged
    .map(({ sequence, why }) =>
      sequence === 0 ? "the file is no journal, or nothing of it can be read\n" : `entry ${sequence}: ${why}\n`,
    )
    .join("");

const write = async (lines: Iterable<string>): Promise<void> => {
  for (const line of lines) if (!process.stdout.write(line)) await once(process.stdout, "drain");
};

/** The exit code: 0 all is well, 1 the journal is damaged, 2 the command was wrong. */
const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: "string", default: join("data", "till") },
      file: { type: "string" },
      format: { type: "string", default: "json" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [what] = positionals;
  if (values.help || what === undefined) {
    process.stdout.write(usage);
    return values.help ? 0 : 2;
  }
  const path = resolve(values.file ?? join(values.data, "journal.db"));
  if (!existsSync(path)) return fail(`There is no journal at ${path}.`);
  if (what !== "verify" && what !== "export") return fail(`Unknown command: ${what}\n\n${usage}`);
  if (values.format !== "csv" && values.format !== "json") return fail(`Unknown format: ${values.format}`);
  const { entries, damaged } = inspectJournal(path);
  const count = `${entries.length} sound entries, ${damaged.length} damaged, in ${path}\n`;
  if (what === "verify") process.stdout.write(damageText(damaged) + count);
  else {
    await write(values.format === "csv" ? toCsv(entries) : toJson(entries));
    if (damaged.length > 0) process.stderr.write(damageText(damaged) + count);
  }
  return damaged.length === 0 ? 0 : 1;
};

const isWrongUse = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");

process.exitCode = await main().catch((error: unknown) =>
  // Node goes on about arguments that begin with a hyphen; there are none here.
  isWrongUse(error)
    ? fail(`${String(error.message).split(". To specify")[0]}.\n\n${usage}`)
    : fail(error instanceof Error ? error.message : String(error)),
);
