/** Schemas for words and flags of commands; their messages name the word as it is typed. */
import { z } from "zod";
import { isOwnerId } from "../contract/ids.ts";
import { formatAmount, parseAmount } from "../contract/money.ts";
import { dayMs, isDay } from "../contract/times.ts";
import { defaultLimits } from "../merchants/merchants.ts";
import { UsageError } from "./arguments.ts";

/** A required text of 1 to `longest` characters; `word` is how the help names it: `"--name"`, `"the ID"`. */
export const textSchema = (word: string, longest: number) => {
  const wrong = { error: `${word} must be 1 to ${longest} characters long`, abort: true };
  return z.string({ error: word }).min(1, wrong).max(longest, wrong);
};

/** A one-line text for people: no control characters, and none that change direction or are invisible. */
export const nameSchema = (word: string, longest: number) =>
  textSchema(word, longest)
    .refine(
      (text) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/u.test(text),
      `${word} must hold no line breaks or invisible characters`,
    )
    .refine((text) => text.isWellFormed() && text.trim() === text, `${word} must not begin or end with a space`);

/** `none` (as null) removes a setting. */
export const noneOr = <T extends z.ZodType<string>>(schema: T) =>
  z.union([z.literal("none").transform(() => null), schema]);

/** The id of a shop, a bank or a device. */
export const idSchema = (word: string) =>
  z
    .string({ error: word })
    .refine(isOwnerId, `${word} must be 1 to 64 of letters, digits, . _ - and begin with a letter or a digit`);

/** Parses words and flags. `form` is the whole command as in the help. @throws UsageError with all problems. */
export const checked = <T>(schema: z.ZodType<T>, value: unknown, form: string): T => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  // Words and flags are strings, so a wrong type means missing; its message is just the word.
  const { missing = [], wrong = [] } = Object.groupBy(parsed.error.issues, ({ code }) =>
    code === "invalid_type" ? "missing" : "wrong",
  );
  const words = missing.map(({ message }) => message);
  const verb = words.length === 1 ? "is" : "are";
  const absent = words.length === 0 ? [] : [`${words.join(" and ")} ${verb} missing; name it as: ${form}`];
  const fields = new Set(parsed.error.issues.map(({ path }) => String(path[0] ?? "")));
  throw new UsageError([...absent, ...wrong.map(({ message }) => message)].join("\n"), [...fields]);
};

/** An amount in minor units. @throws UsageError that shows the currency's format; `field` is the flag. */
export const checkedAmount = (field: string, text: string, currency: string): number => {
  const amount = parseAmount(text, currency);
  if (amount !== null) return amount;
  const example = formatAmount(defaultLimits(currency).amount_min, currency);
  throw new UsageError(`${text} is no amount in ${currency}, as ${example} is`, [field]);
};

/** Lifetime of a one-time code: `--days`, 1 to 30, in milliseconds; a day by default. */
export const codeLifetime = z
  .string()
  .regex(/^([1-9]|[12]\d|30)$/, "--days must be 1 to 30")
  .transform((days) => Number(days) * dayMs)
  .default(dayMs);

/** Parses a time, or a day as its start (UTC), into epoch milliseconds. @throws UsageError; `flag` is its name without hyphens. */
export const timeOf = (flag: string, text: string): number => {
  const isTime = isDay(text) || /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text);
  const at = isTime ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new UsageError(`--${flag} must be a day (2026-11-20) or a time (2026-11-20T18:00:00Z)`);
  return at;
};
