/** `npm run journal -- verify|export`: checks the chain, or exports the entries. Changes nothing. */
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { credentialSchema } from "../../preload/contract.ts";
import { joinNetwork } from "../host/join-network.ts";
import { openCredentialFile, readJournalKeys } from "../host/secrets.ts";
import { createClock } from "../terminal/adapters.ts";
import type { DamagedEntry } from "../terminal/ports.ts";
import { bodyOf, compareAnchors } from "../terminal/service/answer.ts";
import { createServiceClient } from "../terminal/service/client.ts";
import { createKyTransport } from "../terminal/service/transport.ts";
import { type Inspected, inspectJournal, toCsv, toJson } from "./inspect.ts";

const usage = `Usage: npm run journal -- verify [--against-service [--credential PATH] [--allow-plain-http]] [--data FOLDER | --file PATH]
       npm run journal -- export [--format csv|json] [--data FOLDER | --file PATH]

  verify   checks every entry's place in the chain, archived years included, under the key beside the journal where one
           can be read; ends with 1 when something is damaged. Entries under a key that only the desktop program can use
           are counted: check those in the program, under Manager, Journal
  export   writes all sound entries to standard output (default: json); what is damaged is named on standard
           error, and it ends with 1

  --against-service   compares the links that the service was given: a journal that was cut, rewritten or put back
                      from a copy shows
  --credential PATH   the terminal's access key as JSON {serviceUrl, merchantId, deviceId, secret}; by default the
                      browser host's, in the data folder
  --allow-plain-http  calls a service of this machine by plain http, where any program can answer: for developers. The
                      service that a terminal runs itself compares the links whenever that terminal starts
  --data FOLDER       the terminal's data folder (default: data/till; of training: data/till/training)
  --file PATH         the journal itself, or one archived year (archive/journal-YEAR-….db), which is checked by itself

Examples:
  npm run journal -- verify
  npm run journal -- verify --against-service
  npm run journal -- verify --file data/till/archive/journal-2025-0123456789abcdef.db
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

/** Exit code: 0 when every link matches the service's, 1 when not, 2 when the service could not be asked. */
const verifyAgainstService = async (
  { links }: Inspected,
  folder: string,
  file: string | undefined,
  takesPlainHttp: boolean,
): Promise<number> => {
  const kept = (await openCredentialFile(folder, () => undefined, null)).load();
  const credential = file === undefined ? kept : credentialSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  if (credential === null)
    return fail("There is no access key that can be read here: give one with --credential PATH.");
  const { serviceUrl } = credential;
  if (!takesPlainHttp && URL.parse(serviceUrl)?.protocol === "http:")
    return fail(`${serviceUrl} is plain http, where any program can answer: add --allow-plain-http to call it.`);
  joinNetwork(process.env, () => undefined);
  const clock = createClock();
  const transport = createKyTransport(clock, { takesSandbox: true, takesPlainHttp });
  const secrets = { load: () => credential, save: async () => false };
  const answer = await createServiceClient({ clock, transport, secrets }).listJournalHeads();
  const anchors = compareAnchors(bodyOf(answer), (sequence) => links.get(sequence) ?? null);
  if (anchors === null) return fail(`The service at ${serviceUrl} did not answer with the links of this journal.`);
  for (const sequence of anchors.missing)
    process.stdout.write(`entry ${sequence}: missing; the service has its link\n`);
  for (const sequence of anchors.different)
    process.stdout.write(`entry ${sequence}: not the one the service was told of\n`);
  const wrong = anchors.missing.length + anchors.different.length;
  process.stdout.write(`${anchors.compared} links compared with the service, ${wrong} wrong\n`);
  return wrong === 0 ? 0 : 1;
};

/** The exit code: 0 all is well, 1 the journal is damaged, 2 the command was wrong or the service could not be asked. */
const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: "string", default: join("data", "till") },
      file: { type: "string" },
      format: { type: "string", default: "json" },
      "against-service": { type: "boolean", default: false },
      credential: { type: "string" },
      "allow-plain-http": { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [what] = positionals;
  if (values.help || what === undefined) {
    process.stdout.write(usage);
    return values.help ? 0 : 2;
  }
  const path = resolve(values.file ?? join(values.data, "journal.db"));
  if (!existsSync(path)) {
    const training = join(values.data, "training");
    const hint = existsSync(join(training, "journal.db")) ? ` That of training: --data ${training}` : "";
    return fail(`There is no journal at ${path}.${hint}`);
  }
  if (what !== "verify" && what !== "export") return fail(`Unknown command: ${what}\n\n${usage}`);
  if (values.format !== "csv" && values.format !== "json") return fail(`Unknown format: ${values.format}`);
  const inspected = inspectJournal(path, await readJournalKeys(keyFolder(path)));
  const { entries, damaged, unchecked } = inspected;
  const under = unchecked === 0 ? "" : `${unchecked} of them under a key that is not to be had here, `;
  const count = `${entries.length} sound entries, ${under}${damaged.length} damaged, in ${path}\n`;
  const code = damaged.length === 0 ? 0 : 1;
  if (what === "export") {
    await write(values.format === "csv" ? toCsv(entries) : toJson(entries));
    if (damaged.length > 0) process.stderr.write(damageText(damaged) + count);
    return code;
  }
  process.stdout.write(damageText(damaged) + count + uncheckedText(unchecked));
  if (!values["against-service"]) return code;
  const { credential, "allow-plain-http": takesPlainHttp } = values;
  return Math.max(code, await verifyAgainstService(inspected, dirname(path), credential, takesPlainHttp));
};

/** The keys lie beside the live journal, also those of archived years. */
const keyFolder = (path: string): string => {
  const folder = dirname(path);
  return basename(folder) === "archive" ? dirname(folder) : folder;
};

/** Only the operating system's key store opens a sealed key, and only for the program that sealed it. */
const uncheckedText = (unchecked: number): string =>
  unchecked === 0
    ? ""
    : `${unchecked} entries lie under a key that the desktop program has sealed. Their order was checked here, their\n` +
      "content was not: open the desktop program as the user who runs it, and sign in as a manager to open\n" +
      "Manager, Journal. --against-service compares them with what the service was told, without the key.\n";

const isWrongUse = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");

process.exitCode = await main().catch((error: unknown) =>
  // Cuts off Node's advice about arguments that begin with a hyphen: this command has none.
  isWrongUse(error)
    ? fail(`${String(error.message).split(". To specify")[0]}.\n\n${usage}`)
    : fail(error instanceof Error ? error.message : String(error)),
);
