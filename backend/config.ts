/** All settings of the service, parsed once (conventions, "The service's address and how it starts"). */

import { z } from "zod";
import { proxyFrom, proxyProblem } from "../outbound/proxy.ts";
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

/** Daily copies of an SQLite database; `null`: none. */
const backupsFrom = ({
  BACKUP_DIR: folder,
  BACKUPS_KEPT: kept,
}: Pick<ParsedSettings, "BACKUP_DIR" | "BACKUPS_KEPT">): BackupPlan | null =>
  folder === undefined ? null : { folder, kept };

/** Prometheus' own range; where it is taken by a second service, this one runs without metrics unless the port was set. */
const defaultMetricsPort = 9_464;

/** Where `/metrics` listens; `null`: on the API's port in the sandbox, else nowhere. */
const metricsFrom = ({ METRICS_PORT: asked, METRICS_HOST: host, SANDBOX: sandbox }: ParsedSettings) => {
  const port = asked ?? (sandbox ? 0 : defaultMetricsPort);
  return port === 0 ? null : { host, port, isAsked: asked !== undefined };
};

const configFrom = (value: ParsedSettings, databaseUrl: string, partner: PartnerSetting) => ({
  host: value.HOST,
  /** 0 picks a free one. */
  port: value.PORT,
  database: value.DATABASE_URL,
  databaseUrl,
  /** PostgreSQL only. */
  databasePool: {
    /** Connections per process, plus one that listens. */
    connectionsMax: value.DATABASE_CONNECTIONS,
    /** Milliseconds to wait for a connection. */
    connectTimeoutMs: value.DATABASE_CONNECT_TIMEOUT_SECONDS * 1000,
    /** Milliseconds after which the database cancels a statement; migrations have no limit. */
    statementTimeoutMs: value.DATABASE_STATEMENT_TIMEOUT_SECONDS * 1000,
    /** Milliseconds to collect writes into one commit; saves half of the commits, unnoticeable at a counter (`npm run bench -- fleet`). */
    gatherMs: 6,
  },
  sandbox: value.SANDBOX,
  partner,
  /** `null`: generated once and kept beside the SQLite file or in the PostgreSQL database. */
  tokenSecret: value.TOKEN_SECRET ?? null,
  /** Root of the audit's and the encryption keys; `null`: generated like the token secret, and nothing is encrypted. */
  serviceKey: value.SERVICE_KEY ?? null,
  /** The earlier SERVICE_KEY during a rotation; `null`: none. */
  serviceKeyBefore: value.SERVICE_KEY_BEFORE ?? null,
  /** `null`: the listening address. */
  publicUrl: value.PUBLIC_URL ?? null,
  /** Addresses and networks of proxies whose X-Forwarded-For is believed. */
  trustedProxies: value.TRUSTED_PROXIES as readonly string[],
  /** HTTP proxy on the way to the banks; `null`: none. */
  proxy: proxyFrom(value),
  retention: {
    checkins: periodMs(value.RETENTION_CHECKIN_DAYS),
    sign_ins: periodMs(value.RETENTION_SIGN_IN_DAYS),
    idempotency_keys: periodMs(value.RETENTION_IDEMPOTENCY_KEY_DAYS),
    withdrawals: periodMs(value.RETENTION_WITHDRAWAL_DAYS),
    archive: booksMs(value),
  } satisfies RetentionPeriods as RetentionPeriods,
  backups: backupsFrom(value),
  scaTimeoutMs: value.SCA_TIMEOUT_SECONDS * 1000,
  orderTtlMs: value.ORDER_TTL_SECONDS * 1000,
  /** PEM files; the service then speaks HTTPS itself and sends HSTS. */
  tls: value.TLS_CERT && value.TLS_KEY ? { certFile: value.TLS_CERT, keyFile: value.TLS_KEY } : null,
  metrics: metricsFrom(value),
  /** Answers that one credential may hold open; `null`: 16 a terminal, 1,000 a bank's server. */
  heldReadsMax: value.HELD_READS_PER_TOKEN ?? null,
  /** Milliseconds between `/readyz` and the end of taking calls; 0 for SQLite, where no other process could take them. */
  drainMs: (value.DRAIN_SECONDS ?? (value.DATABASE_URL.kind === "postgres" ? defaultDrainSeconds : 0)) * 1000,
  logLevel: value.LOG_LEVEL,
  /** OTLP endpoint for traces; `null`: none are recorded. */
  tracesTo: value.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
});

/** Leaves time to exit within 10 s. */
const defaultDrainSeconds = 3;

/** What the service runs with, parsed and checked. */
export type Config = Readonly<ReturnType<typeof configFrom>>;

/** The settings, or every problem in them as a sentence that begins with the variable's name. */
type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Parses everything the service needs to start. */
export const parseConfig = (settings: Settings): ConfigResult => {
  const parsed = environmentSchema.safeParse(present(settings));
  if (!parsed.success) return { ok: false, problems: problemsOf(parsed.error) };
  const { partner, problems: ofPartner } = partnerFrom(parsed.data);
  const problems = [...ofPartner, ...problemsBetween(parsed.data)];
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, config: configFrom(parsed.data, settings.DATABASE_URL || defaultDatabaseUrl, partner) };
};

const commandSettings = [
  ...(["DATABASE_URL", "SERVICE_KEY", "SERVICE_KEY_BEFORE", "PUBLIC_URL", "HOST", "PORT"] as const),
  ...(["BACKUP_DIR", "BACKUPS_KEPT", "SANDBOX"] as const),
  ...(["PARTNER_ID", "PARTNER_URL", "PARTNER_SECRET", "HTTPS_PROXY", "NO_PROXY"] as const),
] as const;
const onlyThose = Object.fromEntries(commandSettings.map((name) => [name, true])) as Record<
  (typeof commandSettings)[number],
  true
>;

/** What a command beside the service needs. Every problem is one sentence that begins with the variable's name. */
export const parseCommandSettings = (settings: Settings) => {
  const parsed = environmentSchema.pick(onlyThose).safeParse(present(settings));
  if (!parsed.success) return { problems: problemsOf(parsed.error) };
  const { DATABASE_URL: database, SERVICE_KEY, SERVICE_KEY_BEFORE, PUBLIC_URL, HOST, PORT } = parsed.data;
  const keyProblems = problemsOfKeys(parsed.data);
  if (keyProblems.length > 0) return { problems: keyProblems };
  const { partner, problems } = partnerFrom(parsed.data);
  return {
    databaseUrl: settings.DATABASE_URL || defaultDatabaseUrl,
    database,
    serviceKey: SERVICE_KEY ?? null,
    serviceKeyBefore: SERVICE_KEY_BEFORE ?? null,
    backups: backupsFrom(parsed.data),
    /** The bank of PARTNER_ID; what is wrong with its settings is reported by the service. */
    partner: problems.length === 0 ? partner : null,
    /** PARTNER_SECRET alone, for a command that sets a bank's key. */
    partnerSecret: parsed.data.PARTNER_SECRET ?? null,
    proxy: proxyFrom(parsed.data),
    /** Address at which terminals reach the service. */
    publicUrl: PUBLIC_URL ?? `http://${HOST}:${PORT}`,
  };
};

const problemsOfKeys = (value: Pick<ParsedSettings, "SERVICE_KEY" | "SERVICE_KEY_BEFORE">): readonly string[] => {
  const { SERVICE_KEY, SERVICE_KEY_BEFORE: before } = value;
  if (before === undefined) return [];
  if (SERVICE_KEY === undefined) return ["SERVICE_KEY is missing: SERVICE_KEY_BEFORE stands beside a new one"];
  return SERVICE_KEY === before ? ["SERVICE_KEY_BEFORE must be another one than SERVICE_KEY"] : [];
};

/**
 * How long the books are kept after a withdrawal's end: the sum of both settings, so that none ends earlier than under
 * releases that archived in between.
 */
const booksMs = ({ RETENTION_WITHDRAWAL_DAYS: first, RETENTION_ARCHIVE_DAYS: then }: ParsedSettings) =>
  first === 0 || then === 0 ? null : periodMs(first + then);

/** Contradictions between settings. */
const problemsBetween = (value: ParsedSettings): readonly string[] => {
  const { SANDBOX, PUBLIC_URL, TLS_CERT, TLS_KEY, BACKUP_DIR, DATABASE_URL } = value;
  const { RETENTION_WITHDRAWAL_DAYS: withdrawals, RETENTION_IDEMPOTENCY_KEY_DAYS: keys } = value;
  const problems = [...problemsOfKeys(value)];
  // Destination urls carry a customer's session: plain http only on this machine.
  if (!SANDBOX && PUBLIC_URL !== undefined && !isServiceUrl(PUBLIC_URL))
    problems.push("PUBLIC_URL must be https (plain http is for this very machine alone)");
  if ((TLS_CERT === undefined) !== (TLS_KEY === undefined))
    problems.push(`${TLS_CERT === undefined ? "TLS_CERT" : "TLS_KEY"} is missing: HTTPS needs both files`);
  // A key is deleted with its withdrawal: if that went first, a repeat would count as a new request.
  if (withdrawals !== 0 && (keys === 0 || keys > withdrawals))
    problems.push("RETENTION_WITHDRAWAL_DAYS must not be shorter than RETENTION_IDEMPOTENCY_KEY_DAYS (0: for ever)");
  // PostgreSQL has its own backup tools, which know the whole cluster.
  if (BACKUP_DIR !== undefined && (DATABASE_URL.kind !== "sqlite" || DATABASE_URL.path === ":memory:"))
    problems.push("BACKUP_DIR is for an SQLite file; back a PostgreSQL up with pg_basebackup or pg_dump");
  return problems;
};

/** Values of LOG_LEVEL, most verbose first. */
const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;
/** Default database, relative to the working directory. */
const defaultDatabaseUrl = "sqlite:./data/service.db";

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

/** All environment variables with their defaults. */
const environmentSchema = z.object({
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
  SERVICE_KEY_BEFORE: z.string().min(24, "must have at least 24 characters").optional(),
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
  DRAIN_SECONDS: wholeNumber(0, 300).optional(),
  HELD_READS_PER_TOKEN: wholeNumber(1, 1_000_000).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrlSchema.optional(),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(", ")}`).default("info"),
});

/** A variable of the environment that the service reads. */
export type SettingName = keyof z.input<typeof environmentSchema>;
/** All variable names, for flags and help. */
export const settingNames = Object.keys(environmentSchema.shape) as SettingName[];

/** Also read in lower case, which most shells use. */
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
type ParsedSettings = z.output<typeof environmentSchema>;

type PartnerSettings = Pick<ParsedSettings, "SANDBOX" | "PARTNER_ID" | "PARTNER_URL" | "PARTNER_SECRET">;

/** The bank of PARTNER_ID; `null`: every partner's address comes from `partners add`. */
type PartnerSetting = { readonly id: string; readonly url: string; readonly secret: string } | null;

/** A bank needs all three settings, or none; in the sandbox the address alone is enough. */
const partnerFrom = (given: PartnerSettings) => {
  const { SANDBOX: sandbox, PARTNER_URL: url } = given;
  if ((given.PARTNER_ID ?? url ?? given.PARTNER_SECRET) === undefined) return { partner: null, problems: [] };
  const id = given.PARTNER_ID ?? (sandbox ? sandboxPartnerId : undefined);
  const secret = given.PARTNER_SECRET ?? (sandbox ? sandboxKey : undefined);
  if (id === undefined || url === undefined || secret === undefined) {
    const all = { PARTNER_ID: id, PARTNER_URL: url, PARTNER_SECRET: secret };
    const missing = Object.entries(all).flatMap(([name, text]) => (text === undefined ? [name] : []));
    const verb = missing.length === 1 ? "is" : "are";
    const names = Object.keys(all).join(", ");
    return { partner: null, problems: [`${missing.join(" and ")} ${verb} missing: one bank needs all of ${names}`] };
  }
  const address = addressProblem(url, sandbox);
  const key = newKeyProblem(secret, sandbox);
  const problems = [
    ...(isOwnerId(id) ? [] : ["PARTNER_ID must be 1 to 64 of letters, digits, . _ -"]),
    ...(address === null ? [] : [`PARTNER_URL ${address}`]),
    ...(key === null ? [] : [`PARTNER_SECRET ${key}; make one with: partners add`]),
  ];
  return { partner: { id, url: url.replace(/\/+$/, ""), secret }, problems };
};
