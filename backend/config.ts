/** All settings of the service, parsed once (conventions, "The service's address and how it starts"). */

import { z } from "zod";
import { type OutboundProxy, proxyFrom, proxyProblem } from "../outbound/proxy.ts";
import { isOwnerId } from "./contract/ids.ts";
import { orderTtlSeconds } from "./contract/pos.ts";
import { scaTimeoutBounds, scaTimeoutSeconds } from "./contract/sca.ts";
import { isServiceUrl } from "./contract/service-url.ts";
import { isProxyRange } from "./network.ts";
import { newKeyProblem, sandboxKey, sandboxPartnerId } from "./partner/keys.ts";
import { addressProblem } from "./partner/partners.ts";
import { defaultRetentionDays, periodMs, type RetentionPeriods } from "./retention.ts";
import type { BackupPlan } from "./store/copy.ts";
import { type DatabaseAddress, databaseUrlForm, readDatabaseUrl } from "./store/database-url.ts";

/** What the service runs with, parsed and checked. */
export interface Config {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly database: DatabaseAddress;
  readonly databaseUrl: string;
  /** For PostgreSQL alone. */
  readonly databasePool: {
    /** Connections of one process, beside one that listens. Default 16. */
    readonly connectionsMax: number;
    /** Milliseconds to wait for a connection. Default 5,000. */
    readonly connectTimeoutMs: number;
    /** Milliseconds after which the database ends a statement; migrations have no bound. Default 10,000. */
    readonly statementTimeoutMs: number;
  };
  readonly sandbox: boolean;
  /** PARTNER_ID, PARTNER_URL and PARTNER_SECRET; `null`: every partner's address comes from `partners add`. */
  readonly partner: { readonly id: string; readonly url: string; readonly secret: string } | null;
  /** `null`: generated once and kept beside the SQLite file or in the PostgreSQL database. */
  readonly tokenSecret: string | null;
  /** The root of the audit's key and of those that encrypt; `null`: as the token secret, and then nothing is encrypted. */
  readonly serviceKey: string | null;
  /** `null`: the listening address. */
  readonly publicUrl: string | null;
  /** Addresses and networks of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Between this machine and the banks; `null`: none. */
  readonly proxy: OutboundProxy | null;
  readonly retention: RetentionPeriods;
  /** Daily copies of an SQLite database; `null`: none. */
  readonly backups: BackupPlan | null;
  readonly scaTimeoutMs: number;
  readonly orderTtlMs: number;
  /** PEM files; the service then speaks HTTPS itself and sends HSTS. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  /** Where `/metrics` is; `null`: nowhere but, in the sandbox, on the API's port. */
  readonly metrics: { readonly host: string; readonly port: number; readonly isAsked: boolean } | null;
  /** Answers that one credential may hold open; `null`: 16 a terminal, 1,000 a bank's server. */
  readonly heldReadsMax: number | null;
  readonly logLevel: (typeof logLevels)[number];
}

/** The settings, or every problem in them as a sentence that begins with the variable's name. */
export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly string[] };

const backupsFrom = ({
  BACKUP_DIR: folder,
  BACKUPS_KEPT: kept,
}: Pick<ParsedSettings, "BACKUP_DIR" | "BACKUPS_KEPT">) => (folder === undefined ? null : { folder, kept });

/** Prometheus' own range; a second service on one machine goes on without, unless the port was asked for. */
const defaultMetricsPort = 9_464;

const metricsFrom = ({
  METRICS_PORT: asked,
  METRICS_HOST: host,
  SANDBOX: sandbox,
}: ParsedSettings): Config["metrics"] => {
  const port = asked ?? (sandbox ? 0 : defaultMetricsPort);
  return port === 0 ? null : { host, port, isAsked: asked !== undefined };
};

/** What the service needs to start. Every problem is one sentence that begins with the variable's name. */
export const parseConfig = (settings: Settings): ConfigResult => {
  const parsed = environmentSchema.safeParse(present(settings));
  if (!parsed.success) return { ok: false, problems: problemsOf(parsed.error) };
  const value = parsed.data;
  const partner = partnerFrom(value);
  const problems = [...partner.problems, ...problemsBetween(value)];
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    config: {
      host: value.HOST,
      port: value.PORT,
      database: value.DATABASE_URL,
      databaseUrl: settings.DATABASE_URL || defaultDatabaseUrl,
      databasePool: {
        connectionsMax: value.DATABASE_CONNECTIONS,
        connectTimeoutMs: value.DATABASE_CONNECT_TIMEOUT_SECONDS * 1000,
        statementTimeoutMs: value.DATABASE_STATEMENT_TIMEOUT_SECONDS * 1000,
      },
      sandbox: value.SANDBOX,
      partner: partner.partner,
      tokenSecret: value.TOKEN_SECRET ?? null,
      serviceKey: value.SERVICE_KEY ?? null,
      publicUrl: value.PUBLIC_URL ?? null,
      trustedProxies: value.TRUSTED_PROXIES,
      proxy: proxyFrom(value),
      retention: {
        checkins: periodMs(value.RETENTION_CHECKIN_DAYS),
        sign_ins: periodMs(value.RETENTION_SIGN_IN_DAYS),
        idempotency_keys: periodMs(value.RETENTION_IDEMPOTENCY_KEY_DAYS),
        withdrawals: periodMs(value.RETENTION_WITHDRAWAL_DAYS),
        archive: periodMs(value.RETENTION_ARCHIVE_DAYS),
      },
      backups: backupsFrom(value),
      scaTimeoutMs: value.SCA_TIMEOUT_SECONDS * 1000,
      orderTtlMs: value.ORDER_TTL_SECONDS * 1000,
      tls: value.TLS_CERT && value.TLS_KEY ? { certFile: value.TLS_CERT, keyFile: value.TLS_KEY } : null,
      metrics: metricsFrom(value),
      heldReadsMax: value.HELD_READS_PER_TOKEN ?? null,
      logLevel: value.LOG_LEVEL,
    },
  };
};

/** What a command beside the service needs. */
export interface CommandSettings {
  readonly databaseUrl: string;
  readonly database: DatabaseAddress;
  readonly serviceKey: string | null;
  readonly backups: BackupPlan | null;
  /** The bank of PARTNER_ID, where its settings are at hand. */
  readonly partner: Config["partner"];
  /** PARTNER_SECRET alone, for a command that sets a bank's key; null without. */
  readonly partnerSecret: string | null;
  readonly proxy: Config["proxy"];
  /** Where terminals reach the service: PUBLIC_URL, or HOST and PORT. */
  readonly publicUrl: string;
}

/** Every problem is one sentence that begins with the variable's name. */
export const parseCommandSettings = (
  settings: Settings,
): CommandSettings | { readonly problems: readonly string[] } => {
  const needed = {
    DATABASE_URL: true,
    SERVICE_KEY: true,
    PUBLIC_URL: true,
    HOST: true,
    PORT: true,
    BACKUP_DIR: true,
    BACKUPS_KEPT: true,
    SANDBOX: true,
    PARTNER_ID: true,
    PARTNER_URL: true,
    PARTNER_SECRET: true,
    HTTPS_PROXY: true,
    NO_PROXY: true,
  } as const;
  const parsed = environmentSchema.pick(needed).safeParse(present(settings));
  if (!parsed.success) return { problems: problemsOf(parsed.error) };
  const { DATABASE_URL: database, SERVICE_KEY, PUBLIC_URL, HOST, PORT } = parsed.data;
  const { partner, problems } = partnerFrom(parsed.data);
  return {
    databaseUrl: settings.DATABASE_URL || defaultDatabaseUrl,
    database,
    serviceKey: SERVICE_KEY ?? null,
    backups: backupsFrom(parsed.data),
    // What is wrong with it is for the service to say.
    partner: problems.length === 0 ? partner : null,
    partnerSecret: parsed.data.PARTNER_SECRET ?? null,
    proxy: proxyFrom(parsed.data),
    publicUrl: PUBLIC_URL ?? `http://${HOST}:${PORT}`,
  };
};

/** Destination urls carry a customer's session: in the open only on this very machine. */
const publicUrlProblems = ({ SANDBOX: sandbox, PUBLIC_URL: url }: ParsedSettings): readonly string[] =>
  sandbox || url === undefined || isServiceUrl(url)
    ? []
    : ["PUBLIC_URL must be https (plain http is for this very machine alone)"];

const tlsProblems = ({ TLS_CERT, TLS_KEY }: ParsedSettings): readonly string[] =>
  (TLS_CERT === undefined) === (TLS_KEY === undefined)
    ? []
    : [`${TLS_CERT === undefined ? "TLS_CERT" : "TLS_KEY"} is missing: HTTPS needs both files`];

/** A key is forgotten with its withdrawal: archived before its time, a repeat would be taken for a new request. */
const retentionProblems = ({
  RETENTION_WITHDRAWAL_DAYS: withdrawals,
  RETENTION_IDEMPOTENCY_KEY_DAYS: keys,
}: ParsedSettings): readonly string[] =>
  withdrawals === 0 || (keys !== 0 && keys <= withdrawals)
    ? []
    : ["RETENTION_WITHDRAWAL_DAYS must not be shorter than RETENTION_IDEMPOTENCY_KEY_DAYS (0: for ever)"];

/** A PostgreSQL has its own tools for it, which know its whole cluster. */
const backupProblems = ({ BACKUP_DIR, DATABASE_URL }: ParsedSettings): readonly string[] =>
  BACKUP_DIR !== undefined && (DATABASE_URL.kind !== "sqlite" || DATABASE_URL.path === ":memory:")
    ? ["BACKUP_DIR is for an SQLite file; back a PostgreSQL up with pg_basebackup or pg_dump"]
    : [];

/** Every problem that lies between settings. */
export const problemsBetween = (value: ParsedSettings): readonly string[] => [
  ...publicUrlProblems(value),
  ...tlsProblems(value),
  ...retentionProblems(value),
  ...backupProblems(value),
];

/** Values of LOG_LEVEL, the most talkative first. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;
/** Where the database is when nothing else is said: below the working directory. */
export const defaultDatabaseUrl = "sqlite:./data/service.db";

const databaseUrlSchema = z.string().transform((text, context): DatabaseAddress => {
  const address = readDatabaseUrl(text);
  if (address !== null) return address;
  context.addIssue(databaseUrlForm);
  return z.NEVER;
});

const baseUrlSchema = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), "must be an http or https address")
  .transform((text) => text.replace(/\/+$/, ""));

const switchSchema = z
  .enum(["1", "true", "yes", "on", "0", "false", "no", "off", ""], "must be 1 or 0")
  .transform((text) => ["1", "true", "yes", "on"].includes(text));

const wholeNumber = (from: number, to: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${from} to ${to}`)
    .transform(Number)
    .refine((value) => value >= from && value <= to, `must be a whole number from ${from} to ${to}`);

const proxiesSchema = z
  .string()
  .transform((text) => text.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()])))
  .refine((proxies) => proxies.every(isProxyRange), "must be addresses or networks (10.0.0.0/8), comma-separated");

/** All variables; a value that is missing gets its default. */
export const environmentSchema = z.object({
  HOST: z.string().min(1).default("127.0.0.1"),
  PORT: wholeNumber(0, 65_535).default(8787),
  DATABASE_URL: databaseUrlSchema.prefault(defaultDatabaseUrl),
  DATABASE_CONNECTIONS: wholeNumber(1, 1_000).default(16),
  DATABASE_CONNECT_TIMEOUT_SECONDS: wholeNumber(1, 60).default(5),
  DATABASE_STATEMENT_TIMEOUT_SECONDS: wholeNumber(1, 600).default(10),
  RETENTION_CHECKIN_DAYS: wholeNumber(0, 36_500).default(defaultRetentionDays.checkins),
  RETENTION_SIGN_IN_DAYS: wholeNumber(0, 36_500).default(defaultRetentionDays.sign_ins),
  RETENTION_IDEMPOTENCY_KEY_DAYS: wholeNumber(0, 36_500).default(defaultRetentionDays.idempotency_keys),
  RETENTION_WITHDRAWAL_DAYS: wholeNumber(0, 36_500).default(defaultRetentionDays.withdrawals),
  RETENTION_ARCHIVE_DAYS: wholeNumber(0, 36_500).default(defaultRetentionDays.archive),
  BACKUP_DIR: z.string().min(1).optional(),
  BACKUPS_KEPT: wholeNumber(1, 10_000).default(7),
  SANDBOX: switchSchema.default(false),
  PARTNER_ID: z.string().optional(),
  PARTNER_URL: z.string().optional(),
  PARTNER_SECRET: z.string().optional(),
  SERVICE_KEY: z.string().min(24, "must have at least 24 characters").optional(),
  TOKEN_SECRET: z.string().min(24, "must have at least 24 characters").optional(),
  PUBLIC_URL: baseUrlSchema.optional(),
  TLS_CERT: z.string().optional(),
  TLS_KEY: z.string().optional(),
  METRICS_HOST: z.string().min(1).default("127.0.0.1"),
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  TRUSTED_PROXIES: proxiesSchema.prefault(""),
  HTTPS_PROXY: z
    .string()
    .refine((text) => proxyProblem(text) === null, "must be http://HOST:PORT or https://HOST:PORT")
    .optional(),
  NO_PROXY: z.string().optional(),
  SCA_TIMEOUT_SECONDS: wholeNumber(scaTimeoutBounds.min, scaTimeoutBounds.max).default(scaTimeoutSeconds),
  ORDER_TTL_SECONDS: wholeNumber(1, 86_400).default(orderTtlSeconds),
  HELD_READS_PER_TOKEN: wholeNumber(1, 1_000_000).optional(),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(", ")}`).default("info"),
});

/** A variable of the environment that the service reads. */
export type SettingName = keyof z.input<typeof environmentSchema>;
/** All of them, for the flags and the help. */
export const settingNames = Object.keys(environmentSchema.shape) as SettingName[];

/** Most shells set them in small letters. */
const inBothSpellings: readonly SettingName[] = ["HTTPS_PROXY", "NO_PROXY"];

/** An environment, or what flags and a file add to it. */
export type Settings = Readonly<Record<string, string | undefined>>;

/** An empty variable counts as absent, as a shell or a compose file leaves it. */
export const present = (settings: Settings): Record<string, string> =>
  Object.fromEntries(
    settingNames.flatMap((name) => {
      const value = (inBothSpellings.includes(name) && settings[name.toLowerCase()]) || settings[name];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );

/** A sentence for each problem, beginning with the variable's name. */
export const problemsOf = (error: z.ZodError): string[] =>
  error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);

/** The variables, each parsed by itself. */
export type ParsedSettings = z.output<typeof environmentSchema>;

type PartnerSettings = Pick<ParsedSettings, "SANDBOX" | "PARTNER_ID" | "PARTNER_URL" | "PARTNER_SECRET">;

/** One bank needs all three of its settings; none of them is right too. In the sandbox the address alone is enough. */
export const partnerFrom = ({ SANDBOX: sandbox, ...value }: PartnerSettings) => {
  const three = { PARTNER_ID: value.PARTNER_ID, PARTNER_URL: value.PARTNER_URL, PARTNER_SECRET: value.PARTNER_SECRET };
  if (Object.values(three).every((text) => text === undefined)) return { partner: null, problems: [] };
  if (sandbox) {
    three.PARTNER_ID ??= sandboxPartnerId;
    three.PARTNER_SECRET ??= sandboxKey;
  }
  const { PARTNER_ID: id, PARTNER_URL: url, PARTNER_SECRET: secret } = three;
  const missing = Object.entries(three).flatMap(([name, text]) => (text === undefined ? [name] : []));
  if (id === undefined || url === undefined || secret === undefined)
    return {
      partner: null,
      problems: [
        `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} missing: one bank needs all of ${Object.keys(three).join(", ")}`,
      ],
    };
  const address = addressProblem(url, sandbox);
  const key = newKeyProblem(secret, sandbox);
  const problems = [
    ...(isOwnerId(id) ? [] : ["PARTNER_ID must be 1 to 64 of letters, digits, . _ -"]),
    ...(address === null ? [] : [`PARTNER_URL ${address}`]),
    ...(key === null ? [] : [`PARTNER_SECRET ${key}; make one with: partners add`]),
  ];
  return { partner: { id, url: url.replace(/\/+$/, ""), secret }, problems };
};
