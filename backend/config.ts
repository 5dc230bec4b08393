/** All settings of the service, parsed once (conventions, "The service's address and how it starts"). */
import { type OutboundProxy, proxyFrom } from "../outbound/proxy.ts";
import type { BackupPlan } from "./backups/copy.ts";
import { problemsBetween } from "./config/checks.ts";
import {
  defaultDatabaseUrl,
  environmentSchema,
  type logLevels,
  type ParsedSettings,
  present,
  problemsOf,
  type Settings,
} from "./config/environment.ts";
import { partnerFrom } from "./config/partner-settings.ts";
import { periodMs, type RetentionPeriods } from "./retention-periods.ts";
import type { DatabaseAddress } from "./store/database-url.ts";

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
