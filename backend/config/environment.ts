/** The environment variables that the service reads: form, bounds and default of each. */
import { z } from "zod";
import { proxyProblem } from "../../outbound/proxy.ts";
import { orderTtlSeconds } from "../contract/pos.ts";
import { scaTimeoutBounds, scaTimeoutSeconds } from "../contract/sca.ts";
import { isProxyRange } from "../network.ts";
import { defaultRetentionDays } from "../retention-periods.ts";
import { type DatabaseAddress, databaseUrlForm, readDatabaseUrl } from "../store/database-url.ts";

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
