/** `npm run journal -- verify|export`: checks the chain, and writes the journal for those who must look into it. Changes nothing. */

import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openJournal } from "./journal.ts";
import { toCsv, toJson } from "./journal-report.ts";

const usage = `Usage: npm run journal -- verify [--data FOLDER | --file PATH]
       npm run journal -- export [--format csv|json] [--data FOLDER | --file PATH]

  verify   checks every entry's place in the hash chain; ends with 1 when something is damaged
  export   writes all sound entries to standard output (default: json)

  --data FOLDER   the till's data folder (default: data/till)
  --file PATH     the journal itself

Examples:
  npm run journal -- verify
  npm run --silent journal -- export --format csv > journal.csv
`;

const fail = (message: string): number => {
  process.stderr.write(`${message}\n`);
  return 2;
};

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
  const journal = openJournal(path, 0, "read");
  try {
    if (what === "verify") {
      const { entries, damaged } = journal.verify();
      for (const { sequence, why } of damaged) process.stdout.write(`entry ${sequence}: ${why}\n`);
      process.stdout.write(`${entries} sound entries, ${damaged.length} damaged, in ${path}\n`);
      return damaged.length === 0 ? 0 : 1;
    }
    if (what !== "export") return fail(`Unknown command: ${what}\n\n${usage}`);
    if (values.format !== "csv" && values.format !== "json") return fail(`Unknown format: ${values.format}`);
    const { entries } = journal.read(Number.MAX_SAFE_INTEGER);
    await write(values.format === "csv" ? toCsv(entries) : toJson(entries));
    return 0;
  } finally {
    journal.close();
  }
};

process.exitCode = await main().catch((error: unknown) =>
  fail(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`),
);
