/** The command line and what each command takes of it: flags are the environment's names in lower case, `--database-url` for DATABASE_URL, and win over it. */
import { closeSync, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { parseArgs } from "node:util";
import { scopesOfKind } from "../access/credentials.ts";
import { type SettingName, settingNames } from "../config.ts";
import { orderTtlSeconds } from "../contract/pos.ts";
import { scaTimeoutSeconds } from "../contract/sca.ts";
import { defaultRetentionDays as days } from "../retention.ts";

/** A wrong command line; its message is printed with exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** Names of the wrong words and flags (`id`, `url`, `events-url`), for a form that marks them. */
  readonly fields: readonly string[];
  constructor(message?: string, fields: readonly string[] = []) {
    super(message);
    this.fields = fields;
  }
}

/** A parsed command line. */
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

/** May come from files (`TOKEN_SECRET_FILE`; `/dev/stdin` is one) but never from flags. */
const secretSettings = ["TOKEN_SECRET", "SERVICE_KEY", "SERVICE_KEY_BEFORE", "PARTNER_SECRET"] as const;

/** Refuses a secret's file that others can use, or a group can write. Pipes are private, and Windows has no such modes. */
const refuseUsableByOthers = (file: Stats): void => {
  if (process.platform === "win32" || !file.isFile() || (file.mode & 0o026) === 0) return;
  const mode = (file.mode & 0o777).toString(8);
  throw new Error(`others on this machine can use it (mode ${mode}); make another secret, and: chmod 600`);
};

const readSecretFile = (name: string, path: string | undefined): string | undefined => {
  if (path === undefined || path === "") return undefined;
  try {
    // One descriptor, so that the checked file is the one that is read.
    const file = openSync(path, "r");
    try {
      refuseUsableByOthers(fstatSync(file));
      const secret = readFileSync(file, "utf8").trim();
      // Taken for none, another one would be made in its place, or another database begun.
      if (secret === "") throw new Error("it is empty");
      return secret;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new UsageError(`${name}_FILE cannot be read: ${error instanceof Error ? error.message : error}`);
  }
};

const flagOf = (name: SettingName): string => name.toLowerCase().replaceAll("_", "-");

interface Shape {
  /** Maximum number of words after the command's name. */
  readonly words: number;
  readonly flags?: readonly string[];
}

const amounts = ["smallest", "largest", "step"];
const bankPages = ["name", "logo", "color"];

/** Shapes by the command's name, as in `commands`, and of those on a closed database. */
export const shapes: Readonly<Record<string, Shape>> = {
  "merchants add": { words: 1, flags: ["name", "currency", ...amounts] },
  "merchants set": {
    words: 1,
    flags: ["name", ...amounts, "shop-day", "terminal-hour", "support-text", "support-phone", "opening", "time-zone"],
  },
  "merchants disable": { words: 1 },
  "merchants enable": { words: 1 },
  "merchants import": { words: 1, flags: ["dry-run"] },
  "merchants list": { words: 0 },
  "partners add": { words: 1, flags: ["url"] },
  "partners set-url": { words: 2 },
  "partners set": {
    words: 1,
    flags: ["answers", "events-url", "sca-url", "user-day", "currency", "slots", ...bankPages],
  },
  "partners rotate": { words: 1, flags: ["hours", "force"] },
  "partners set-key": { words: 1 },
  "partners encrypt-keys": { words: 0 },
  "partners allow": { words: 2, flags: ["all"] },
  "partners disallow": { words: 2, flags: ["all"] },
  "partners test": { words: 1 },
  "partners list": { words: 0 },
  "credentials add": { words: 3, flags: ["enrol", "days", "scope", "shops"] },
  "credentials rotate": { words: 3, flags: ["enrol", "days"] },
  "credentials revoke": { words: 3 },
  "credentials shops": { words: 1, flags: ["add", "remove"] },
  "credentials import": { words: 1, flags: ["out", "sheet", "language", "days", "renew", "revoke", "dry-run"] },
  "credentials reset-manager": { words: 3 },
  "credentials list": { words: 0 },
  "terminals list": { words: 0, flags: ["shop", "silent", "older"] },
  "withdrawals list": { words: 0, flags: ["shop", "bank", "status", "older"] },
  "withdrawals show": { words: 1 },
  "withdrawals resolve": { words: 1, flags: ["note", "outcome", "seen", "force"] },
  "reports list": { words: 0 },
  "reports close": { words: 1, flags: ["note", "seen"] },
  "reports decide": { words: 1, flags: ["note", "outcome", "force"] },
  audit: { words: 0, flags: ["from", "to", "all"] },
  "audit days": { words: 0, flags: ["from", "to"] },
  "audit verify": { words: 0, flags: ["expect", "new"] },
  "audit accept": { words: 0, flags: ["note"] },
  backup: { words: 0 },
  restore: { words: 1, flags: ["force"] },
  restored: { words: 0, flags: ["since", "served", "long-ago", "correct"] },
  "service-key rotate": { words: 0, flags: ["lost"] },
  "service-key status": { words: 0 },
  "users block": { words: 2 },
  "users unblock": { words: 2 },
  "users erase": { words: 2 },
  migrate: { words: 0, flags: ["plan"] },
};

/** Flags that stand alone; given, their value is `"1"`. */
const switches = new Set([
  ...["all", "enrol", "force", "long-ago", "correct", "dry-run", "renew", "revoke", "lost", "plan", "silent", "new"],
]);
const commandFlags = Object.values(shapes).flatMap(({ flags = [] }) => flags);

/** @throws UsageError for a flag that does not exist or lacks its value. */
export const parseCommandLine = (
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): CommandLine => {
  const options = Object.fromEntries([
    ...settingNames.map((name) => [flagOf(name), { type: name === "SANDBOX" ? "boolean" : "string" }] as const),
    ...commandFlags.map((name) => [name, { type: switches.has(name) ? "boolean" : "string" }] as const),
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
  // DATABASE_URL may hold a password, so it can come from a file, and also as a flag.
  for (const name of [...secretSettings, "DATABASE_URL"]) {
    const file = environment[`${name}_FILE`];
    if (file && environment[name] && settings[name] === environment[name])
      throw new UsageError(`${name} and ${name}_FILE are both set: which one counts? Take one of them away`);
    // An empty variable counts as none, as everywhere.
    settings[name] ||= readSecretFile(name, file);
  }
  const flags: Record<string, string> = {};
  for (const name of commandFlags) {
    const value = values[name];
    if (value !== undefined) flags[name] = value === true ? "1" : String(value);
  }
  return {
    words: positionals,
    settings,
    flags,
    help: values.help === true,
    version: values.version === true,
    json: values.json === true,
  };
};

/** Everybody on the machine can see a program's arguments. @throws UsageError. */
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
    // Drops Node's advice on arguments that start with a hyphen, which does not apply here.
    throw new UsageError(String(error instanceof Error ? error.message : error).split(". To specify")[0]);
  }
};

/** What `--help` prints: every command, flag and setting. */
export const helpText = `The Tillcash service.

  npm run backend                      starts it; on a server its unit or container does
  npm run backend -- COMMAND           manages who may use it; on a server: tillcash COMMAND

Commands
  merchants add ID --name NAME [--currency EUR] [--smallest 10.00] [--largest 500.00] [--step 10.00]
  merchants set ID [--name NAME] [--smallest 10.00] [--largest 500.00] [--step 10.00]
                [--shop-day 5000.00|none] [--terminal-hour 1000.00|none]    the most in a day here, in an hour by one terminal
                [--support-text TEXT|none] [--support-phone NUMBER|none]    whom a cashier asks
                [--opening "mon-sat 08:00-20:00, sun 10:00-14:00"|none] [--time-zone Europe/Vienna|none]
                                                                            an alert counts the terminals that are silent in these hours
  merchants import FILE [--dry-run]    adds or changes shops, all or none: CSV with a column id, and name, currency, smallest, largest, step,
                                       shop-day, terminal-hour, support-text, support-phone, opening, time-zone as above; once more it changes nothing
  merchants disable|enable ID          nobody may ask for cash there; what was asked for before goes on
  merchants list
  partners add ID [--url URL]          a bank; with --url it gets an address and a key of its own
  partners set-url ID URL              another address; the key stays
  partners set ID [--answers by-status-word|by-status-code] [--events-url URL|none] [--sca-url URL|none]
               [--user-day 500.00 --currency EUR|--user-day none]           the most for one user in a day
               [--slots 64|none]       Settle orders in flight to it from each process: more for a bank that takes seconds for each
               [--name NAME|none] [--logo FILE|none] [--color #0a5bd3|none] how its customers' pages look (PNG or SVG, 64 KiB)
  partners rotate ID [--hours 24]      a new key; calls carry both signatures so long. --hours 0 ends one that leaked at once
               [--force]               also while the key before still runs, which ends that one at once
  partners set-key ID                  a key that the bank made, from PARTNER_SECRET or PARTNER_SECRET_FILE; counts at once
  partners encrypt-keys                encrypts the keys of banks from before SERVICE_KEY; first give it to every process
  partners allow ID SHOP, or --all     the shops that it may use: none until then
  partners test ID                     calls the addresses of orders and events with signed and wrongly signed pings; exit code 1 if one is answered wrong
  partners disallow ID SHOP, or --all
  partners list
  credentials add terminal MERCHANT DEVICE
  credentials add terminal MERCHANT DEVICE --enrol [--days 1]
                                       a one-time code for 24 h (up to 30 days) instead of a key, as text and as a QR code for the terminal's
                                       camera; needs PUBLIC_URL. "rotate" takes --enrol too, for a device that has a key
  credentials add client PARTNER DEVICE [--scope "checkin withdrawals reconciliation"]
                                       any of ${scopesOfKind.client.join(", ")}; all of them by default
  credentials add chain NAME --shops SHOP,SHOP [--scope "reports terminals"]
                                       a key for a head office: it reads what its shops hand out and how their terminals are, and changes nothing
  credentials shops CHAIN [--add SHOP,SHOP] [--remove SHOP,SHOP]
                                       the shops that it sees
  credentials rotate terminal|client OWNER DEVICE, or chain NAME
  credentials revoke terminal|client OWNER DEVICE, or chain NAME
  credentials import FILE [--out CODES] [--sheet FILE.html] [--language de] [--days 1] [--renew] [--revoke] [--dry-run]
                                       such codes for many: CSV with the columns shop and terminal. CODES is a new file with a line for each
                                       that has no key and no code yet, --sheet one to print, a page for each shop, in en, de, fr or it; --renew: also where a code waits; --revoke ends codes that wait
  credentials reset-manager terminal MERCHANT DEVICE
                                       a one-time code for 24 h, for a forgotten manager's PIN at that terminal
  credentials list
  terminals list [--shop ID] [--silent] [--older MINUTES]
                                       when each was last heard of (to five minutes), its version and its journal; --silent: those not heard of
                                       for 20 minutes while their shop is open; --older: for so long whatever the hour, or never
  withdrawals list [--shop ID] [--bank ID] [--status settled] [--older MINUTES]
                                       all that has not ended well, from its first moment: open, stuck, paid without word of the cash, disputed
  withdrawals show TRANSACTION         its history, calls to the bank, what terminals reported, and what it needs
  withdrawals resolve TRANSACTION --outcome paid|not-paid|handed-out|not-handed-out|closed --note TEXT [--force] [--seen TIME]
                                       after 15 minutes, and never leads to cash. paid, not-paid: what the bank says that never gave a definite
                                       answer; paid, the payment is due back. handed-out, not-handed-out: what the counted drawer says of a payment
                                       whose terminal is lost; not handed out, it is due back. --force: also where that terminal was heard in the
                                       last 20 minutes. closed: what was found out about a dispute; it takes --seen as "reports close" does
  reports list                         of these what money may have moved for. "reports decide" and "reports close" are as "withdrawals resolve"
  reports close TRANSACTION --note TEXT [--seen TIME]
                                       what was found out; the finding is then no longer "disputed" or "restored". Where more came since it
                                       was disputed nothing is closed without --seen, the time of the newest word that was cleared up
  reports decide TRANSACTION --outcome paid|not-paid|handed-out|not-handed-out --note TEXT [--force]
  audit [--from 2026-11-20] [--to 2026-11-21] [--all]
                                       who did what to access: sign-ins refused, keys, enrolments, settings, forked journals
  audit days [--from 2026-11-20] [--to 2026-11-21]
                                       the lines that were made in the time: for each day that is over, and each month in which its withdrawals
                                       were asked for, how many rows the history has and a digest of all. Give them to somebody else to keep
  audit verify [--expect NUMBER:HASH|LINE] [--new]
                                       whether an entry of the audit, or a row of the withdrawals' history, was changed, deleted or cut off;
                                       --expect: an entry from the log or a line of a day, which a database that was put back lacks; --new: of the
                                       history only what came after the newest day that an earlier --new found whole
  audit accept --note TEXT             takes rows of the history that are not chained, after a way back to an earlier release, which chains nothing
  backup --backup-dir DIR              copies the SQLite database, also while the service runs; the newest 7 copies stay (--backups-kept)
  restore FILE|FOLDER [--force]        puts a copy, or a folder's newest, in its place, with the service stopped; what was there is kept beside it;
                                       --force: also another installation's, or one from before a key that is lost
  restored --since TIME                after a database was put back otherwise (PostgreSQL's own tools, a file that was copied by hand), with
                                       every service stopped: what is open in it ends, terminals and banks repeat what happened since TIME;
                                       a TIME more than 90 days ago needs --long-ago too; --served TIME[,TIME]: of what time an older one was that
                                       was put back before this one and served
  restored --correct --since TIME      puts the newest restore's time right, also while the service runs: terminals repeat anew, nothing ends
  service-key rotate [--lost]          everything under SERVICE_KEY in place of SERVICE_KEY_BEFORE, while the service runs; every process has both
                                       by then. --lost: the one before is gone for good: banks' keys are made anew, the audit shows a break
  service-key status                   which of the two is in use, and what comes next
  migrate [--plan]                     brings a PostgreSQL database to this release, beside services of the release before: before this one is
                                       started, which only looks. --plan says what it would do. SQLite is migrated by the service's start
  users block PARTNER USER             neither asks for cash nor is confirmed from now on
  users unblock PARTNER USER
  users erase PARTNER USER             takes the user's id out of everything; the books stay, under a name that leads to nobody

  Secrets are printed once; those of credentials are kept only as hashes. Rotating or revoking ends all tokens within a second.
  --json prints lists and results as JSON. --version prints the version. --help prints this, "merchants --help" that group alone.

Settings, as variables or flags (--database-url for DATABASE_URL; flags win). Secrets (TOKEN_SECRET, SERVICE_KEY, PARTNER_SECRET)
are no flags, which everybody on the machine sees: set the variable, or TOKEN_SECRET_FILE to a file that nobody else can use (/dev/stdin is one); DATABASE_URL_FILE too
  HOST, PORT             127.0.0.1, 8787; PORT=0 picks a free one
  DATABASE_URL           sqlite:PATH (default sqlite:./data/service.db) or postgres://...
                         a fleet's standbys too: postgres://USER:PASSWORD@HOST1,HOST2/DATABASE?target_session_attrs=read-write
  DATABASE_CONNECTIONS   16: connections of this process to PostgreSQL, beside one that listens
  DATABASE_CONNECT_TIMEOUT_SECONDS, DATABASE_STATEMENT_TIMEOUT_SECONDS    5 and 10; migrations have no bound
  SANDBOX                1: a bank, a customer's phone and demo credentials to play with; a plain --sandbox does too
  PARTNER_ID, PARTNER_URL, PARTNER_SECRET
                         one bank, where its Start and Settle orders go and the key that signs them (whsec_ and base64);
                         further banks come from "partners add". A bank without an address can ask for nothing
  SERVICE_KEY            root of the audit's key and of the key that encrypts banks' keys; when absent kept like TOKEN_SECRET,
                         and banks' keys are not encrypted
  SERVICE_KEY_BEFORE     the one before, while a new SERVICE_KEY takes its place: "service-key status" says when it is needed no more
  TOKEN_SECRET           key for access tokens; when absent made once and kept beside the SQLite file, or in the
                         PostgreSQL database for all its processes
  PUBLIC_URL             what destination urls are built on, https outside the sandbox; default: the listening address
  TLS_CERT, TLS_KEY      PEM files: the service speaks HTTPS itself. Without them a proxy in front does
  METRICS_HOST, METRICS_PORT
                         127.0.0.1, 9464: where /metrics is; 0 for none. On the API's port in the sandbox alone,
                         under this machine's names, METRICS_HOST and the name in PUBLIC_URL
  TRUSTED_PROXIES        addresses or networks whose X-Forwarded-For is believed, as 10.0.0.0/8; needed behind a load balancer,
                         or one stranger who guesses secrets slows down everybody's sign-in
  HTTPS_PROXY, NO_PROXY  the proxy between this machine and the banks, as http://HOST:PORT, and names that need none;
                         a company's certificate authority: in the system's store, or a PEM file in NODE_EXTRA_CA_CERTS
  RETENTION_CHECKIN_DAYS, RETENTION_SIGN_IN_DAYS, RETENTION_IDEMPOTENCY_KEY_DAYS    ${days.checkins}, ${days.sign_ins} and ${days.idempotency_keys}; 0 keeps for ever
  RETENTION_WITHDRAWAL_DAYS, RETENTION_ARCHIVE_DAYS    ${days.withdrawals} and ${days.archive}: the days of both after its end a month of requests goes from the books;
                         0 in either: never. What a restore has ended can be reported again for the first
  BACKUP_DIR, BACKUPS_KEPT
                         a folder that gets a copy of the SQLite database every day, and 7: how many stay. Default: no copies
  SCA_TIMEOUT_SECONDS, ORDER_TTL_SECONDS    ${scaTimeoutSeconds} and ${orderTtlSeconds}; for tests and demos only
  DRAIN_SECONDS          how long calls are still taken after SIGTERM while /readyz says 503, so that a proxy goes elsewhere first;
                         default: 3 on PostgreSQL, 0 on SQLite, where there is no other process
  HELD_READS_PER_TOKEN   answers that one key may hold open with "wait"; default: 16 a terminal, 1000 a bank's server
  OTEL_EXPORTER_OTLP_ENDPOINT
                         http://HOST:4318: a collector of OpenTelemetry that gets a trace of each call, with its database units and calls to
                         banks; its exporter's other variables (OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER …) hold too
  LOG_LEVEL              info; debug adds a line for each read

Examples
  npm run backend -- --sandbox --port 0
  npm run backend -- merchants add corner-shop --name "Corner Shop" --currency EUR
  npm run backend -- credentials add terminal corner-shop till-1
  DATABASE_URL=postgres://tillcash@db/tillcash npm run backend -- credentials list --json
`;

const commandsOf = (group: string | undefined): readonly string[] => {
  const [, list = ""] = /\nCommands\n(.*?)\n\n/s.exec(helpText) ?? [];
  // Continuation lines are indented further.
  return list.split(/\n(?= {2}[a-z])/).filter((entry) => entry.trim().split(" ")[0] === group);
};

/** What `GROUP --help` prints: the commands of one group (`merchants`), or everything for an unknown group. */
export const helpOf = (group: string | undefined): string => {
  const own = commandsOf(group);
  if (own.length === 0) return helpText;
  return `${own.join("\n")}\n\n  --json prints lists and results as JSON. All commands and settings: npm run backend -- --help\n`;
};
