/** Everything the service can be told, parsed once (conventions, "The service's address and how it starts"). */
import { z } from "zod";
import { orderTtlSeconds, scaTimeoutSeconds } from "./contract/pos.ts";
import { isProxyRange } from "./network.ts";
import { type DatabaseAddress, databaseUrlForm, readDatabaseUrl } from "./store/database-url.ts";

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
  /** `null`: in the sandbox its own bank, elsewhere only partners with an address of their own are called. */
  readonly partnerUrl: string | null;
  /** In the form of Standard Webhooks, `whsec_` and base64. */
  readonly partnerSecret: string;
  /** `null`: generated once and kept beside the SQLite file or in the PostgreSQL database. */
  readonly tokenSecret: string | null;
  /** `null`: the listening address. */
  readonly publicUrl: string | null;
  /** Addresses and networks of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly scaTimeoutMs: number;
  readonly orderTtlMs: number;
  readonly logLevel: (typeof logLevels)[number];
}

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly string[] };

export const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export const defaultDatabaseUrl = "sqlite:./data/service.db";
const sandboxPartnerSecret = `whsec_${Buffer.from("tillcash sandbox: known to all, worth nothing").toString("base64")}`;

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

/** Base64 as Standard Webhooks has it, with or without `whsec_`; any other text is taken as the key's own bytes. */
const partnerSecretSchema = z
  .string()
  .min(16, "must have at least 16 characters")
  .transform((text) => {
    if (/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text)) return text;
    const base64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0;
    return `whsec_${base64 ? text : Buffer.from(text).toString("base64")}`;
  });

const proxiesSchema = z
  .string()
  .transform((text) => text.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()])))
  .refine((proxies) => proxies.every(isProxyRange), "must be addresses or networks (10.0.0.0/8), parted by commas");

const environmentSchema = z.object({
  HOST: z.string().min(1).default("127.0.0.1"),
  PORT: wholeNumber(0, 65_535).default(8787),
  DATABASE_URL: databaseUrlSchema.prefault(defaultDatabaseUrl),
  DATABASE_CONNECTIONS: wholeNumber(1, 1_000).default(16),
  DATABASE_CONNECT_TIMEOUT_SECONDS: wholeNumber(1, 60).default(5),
  DATABASE_STATEMENT_TIMEOUT_SECONDS: wholeNumber(1, 600).default(10),
  SANDBOX: switchSchema.default(false),
  PARTNER_URL: baseUrlSchema.optional(),
  PARTNER_SECRET: partnerSecretSchema.optional(),
  TOKEN_SECRET: z.string().min(16, "must have at least 16 characters").optional(),
  PUBLIC_URL: baseUrlSchema.optional(),
  TRUSTED_PROXIES: proxiesSchema.prefault(""),
  SCA_TIMEOUT_SECONDS: wholeNumber(1, 3600).default(scaTimeoutSeconds),
  ORDER_TTL_SECONDS: wholeNumber(1, 86_400).default(orderTtlSeconds),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(", ")}`).default("info"),
});

export type SettingName = keyof z.input<typeof environmentSchema>;
export const settingNames = Object.keys(environmentSchema.shape) as SettingName[];

type Settings = Readonly<Record<string, string | undefined>>;

/** An empty variable counts as absent, as a shell or a compose file leaves it. */
const present = (settings: Settings): Record<string, string> =>
  Object.fromEntries(
    settingNames.flatMap((name) => {
      const value = settings[name];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );

const problemsOf = (error: z.ZodError): string[] =>
  error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);

/** What the service needs to start. Every problem is one sentence that begins with the variable's name. */
export const parseConfig = (settings: Settings): ConfigResult => {
  const parsed = environmentSchema.safeParse(present(settings));
  if (!parsed.success) return { ok: false, problems: problemsOf(parsed.error) };
  const value = parsed.data;
  const partnerSecret = value.PARTNER_SECRET ?? (value.SANDBOX ? sandboxPartnerSecret : null);
  if (partnerSecret === null) {
    const problem = "PARTNER_SECRET is required: it signs the calls to the bank (or start the sandbox with --sandbox)";
    return { ok: false, problems: [problem] };
  }
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
      partnerUrl: value.PARTNER_URL ?? null,
      partnerSecret,
      tokenSecret: value.TOKEN_SECRET ?? null,
      publicUrl: value.PUBLIC_URL ?? null,
      trustedProxies: value.TRUSTED_PROXIES,
      scaTimeoutMs: value.SCA_TIMEOUT_SECONDS * 1000,
      orderTtlMs: value.ORDER_TTL_SECONDS * 1000,
      logLevel: value.LOG_LEVEL,
    },
  };
};

/** What a command that only touches the database needs. */
export const parseDatabaseUrl = (
  settings: Settings,
): { readonly url: string } | { readonly problems: readonly string[] } => {
  const parsed = environmentSchema.pick({ DATABASE_URL: true }).safeParse(present(settings));
  if (!parsed.success) return { problems: problemsOf(parsed.error) };
  return { url: settings.DATABASE_URL || defaultDatabaseUrl };
};
