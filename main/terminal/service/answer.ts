/** Reads the service's answers, and classifies what they say about whether a request was carried out. */
import { z } from "zod";
import { type ErrorCode, errorTable } from "../../../backend/contract/errors.ts";
import { formatAmount, isCurrencyCode, minorDigits } from "../../../backend/contract/money.ts";
import { reasons } from "../../../backend/contract/reasons.ts";
import { statuses } from "../../../backend/contract/transaction.ts";
import { type JournalHealth, type ShopProfile, shopProfileSchema } from "../../../preload/contract.ts";
import { backOffFirstMs } from "../bounds.ts";
import type { ServiceAnswer } from "../ports.ts";

/** A service answer, or `unauthorized`: there was no token, so the request was not sent. */
export type Answer = (
  | ServiceAnswer
  | {
      readonly kind: "unauthorized";
      readonly why: "invalid_client" | "throttled" | "unavailable";
      readonly retryAfterMs: number | null;
    }
) & {
  /** Sent with a credential that was replaced meanwhile: the answer says nothing about the new one. */
  readonly ofEarlierKey?: true;
};

/** What an answer says about its request. */
export type AnswerClass =
  /** Success; the body may lack fields. */
  | "done"
  /** Not done, and repeating it will not help. */
  | "conflict"
  | "missing"
  | "refused"
  /** Not done; the same request may succeed later. */
  | "later"
  /** Unknown whether it was done. */
  | "unknown"
  /** A proxy's page instead of the service's answer: treated as unknown, but only for a limited time. */
  | "misrouted";

/** Classifies by the status code and by whether the body is the service's own (JSON or empty). */
export const classifyAnswer = (answer: Answer): AnswerClass => {
  if (answer.kind === "unauthorized") return "later";
  if (answer.kind === "silence") return "unknown";
  const { status, body } = answer;
  if (status >= 200 && status < 300) return "done";
  // The operator can restore the credential's scope; the request was not carried out.
  if (codeOf(answer) === "insufficient_scope") return "later";
  if (status === 401 || status === 408 || status === 425 || status === 429) return "later";
  if (status === 501) return "refused";
  if (status >= 500 || status < 400) return "unknown";
  if (body === undefined) return "misrouted";
  // The withdrawal is unchanged, and no other terminal has it.
  if (codeOf(answer) === "limit_reached") return "refused";
  if (status === 409) return "conflict";
  return status === 404 || status === 410 ? "missing" : "refused";
};

/** See `UnsafeService`. */
export const isUnsafeService = (answer: Answer): boolean =>
  answer.kind === "silence" && (answer.because === "sandbox" || answer.because === "plain_http");

/** The service's error code; null for other servers' and gateways' errors. */
export const codeOf = (answer: Answer): ErrorCode | null => {
  const { code } = fieldsOf(bodyOf(answer));
  return typeof code === "string" && Object.hasOwn(errorTable, code) ? (code as ErrorCode) : null;
};

/** The body of an answer; undefined if there was none or it was not JSON. */
export const bodyOf = (answer: Answer): unknown => (answer.kind === "answer" ? answer.body : undefined);
/** The fields of a body; empty if it is not an object. */
export const fieldsOf = (body: unknown): Readonly<Record<string, unknown>> =>
  typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
/** The HTTP status of an answer, or null. */
export const httpOf = (answer: Answer): number | null => (answer.kind === "answer" ? answer.status : null);

/** Exponential back-off up to `maxMs`, its upper half jittered; at least Retry-After (at most four times `maxMs`). */
export const backOffMs = (
  failures: number,
  maxMs: number,
  fraction: number,
  answer: Answer | null,
  firstMs = backOffFirstMs,
): number => {
  const fullMs = Math.min(maxMs, firstMs * 2 ** Math.min(Math.max(failures - 1, 0), 20));
  const retryAfterMs = answer === null || answer.kind === "silence" ? 0 : (answer.retryAfterMs ?? 0);
  return Math.max(fullMs * (0.5 + fraction / 2), Math.min(retryAfterMs, maxMs * 4));
};

/** The readable fields of a Transaction (interface 3.1). */
export type Reading = NonNullable<ReturnType<typeof readTransaction>>;

const text = (value: unknown, lengthMax = 200): string | null =>
  typeof value === "string" && value.length > 0 && value.length <= lengthMax ? value : null;

const time = (value: unknown): number | null => {
  const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
};

const plainDecimal = /^(0|[1-9]\d{0,12})(\.\d{1,4})?$/;

/** Removes trailing zeros: `"50.00"`, `"50.0"` and `"50"` are the same amount. */
const withoutTrailingZeros = (amount: string): string =>
  amount.includes(".") ? amount.replace(/0+$/, "").replace(/\.$/, "") : amount;

/** `"50"`, `"50.0"` → `"50.00"`. Must not round away digits: an amount that has more than the currency stays as it is. */
const withDigitsOf = (currency: string, amount: string): string => {
  const digits = minorDigits(currency);
  const [whole = "", fraction = ""] = withoutTrailingZeros(amount).split(".");
  if (fraction.length > digits) return amount;
  return digits === 0 ? whole : `${whole}.${fraction.padEnd(digits, "0")}`;
};

/**
 * An amount of a body (interface, 4.8, gives it no type) in the one form that `parseAmount` counts; a currency that
 * nobody knows has two digits there. Null if it is none.
 */
export const readAmount = (value: unknown, currency: string | null): string | null => {
  const code = currency ?? noCurrency;
  if (typeof value === "string")
    return plainDecimal.test(value) && Number(value) > 0 ? withDigitsOf(code, value) : null;
  if (typeof value !== "number" || !(value > 0)) return null;
  const digits = minorDigits(code);
  const minor = Math.round(value * 10 ** digits);
  if (!Number.isSafeInteger(minor)) return null;
  const isExact = Math.abs(minor / 10 ** digits - value) < 1e-9;
  return isExact ? formatAmount(minor, code) : readAmount(String(value), code);
};

/** Whether two amounts are equal, however they are written; null (not stated) equals any. */
export const isSameAmount = (one: string | null, other: string | null): boolean =>
  one === null || other === null || withoutTrailingZeros(one) === withoutTrailingZeros(other);

/** Whether two currencies may be the same; one that was not stated equals any. */
export const isSameCurrency = (one: string | null, other: string | null): boolean =>
  [one, other].some((code) => code === null || code === noCurrency) || one === other;

/** Whether a body is about another transaction, as from a cache or a confused server. */
export const isAboutAnother = (body: unknown, transactionId: string): boolean => {
  const { transaction_id: id } = fieldsOf(body);
  return id !== undefined && id !== transactionId;
};

/** Whether the answer to a link has another hand-out id than ours: another program with this terminal's identity also handed out the cash. */
export const namesOtherHandOut = (body: unknown, handOutId: string | null): boolean => {
  const { hand_out_id: id } = fieldsOf(body);
  return handOutId !== null && typeof id === "string" && id !== handOutId;
};

const hasWord = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/** Not for what is open: its bodies go on being read as when it was confirmed. */
interface LookUp {
  /** The currency of a body that states none. */
  readonly usualCurrency: string | null;
}

/** The currency of a body, in a look-up also as "eur" or "EUR "; null where one is stated that cannot be read: the usual one may be wrong. */
const readCurrency = (value: unknown, lookUp: LookUp | null) => {
  const code = lookUp !== null && typeof value === "string" ? value.trim().toUpperCase() : value;
  if (!hasWord(code) || code === noCurrency)
    return { currency: lookUp?.usualCurrency ?? null, isCurrencyUnread: false };
  const currency = typeof code === "string" && isCurrencyCode(code) ? code : null;
  return { currency, isCurrencyUnread: currency === null };
};

/** Null if the body is not a transaction or is about another one. Times in milliseconds since the epoch, null if unreadable. */
export const readTransaction = (body: unknown, transactionId: string, lookUp: LookUp | null = null) => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return null;
  if (isAboutAnother(body, transactionId)) return null;
  const fields = fieldsOf(body);
  const { currency, isCurrencyUnread } = readCurrency(fields.currency, lookUp);
  const partner = fields.transaction_id_partner;
  const amount = readAmount(fields.amount, currency);
  return {
    /** A status of the conventions; null if unknown or missing. */
    status: statuses.find((word) => word === fields.status) ?? null,
    /** Whether the body has any status. */
    hasStatus: fields.status !== undefined && fields.status !== null,
    /** A reason of the conventions; `unknown` for others (of a newer service); null if missing. */
    reason: reasons.find((word) => word === fields.reason) ?? (hasWord(fields.reason) ? ("unknown" as const) : null),
    /** Undefined if the body does not say whose confirm was accepted. */
    terminalReference: partner === null ? null : (text(partner) ?? undefined),
    amount,
    /** The body states an amount that is none: it may be another one. */
    isAmountUnread: amount === null && hasWord(fields.amount),
    currency,
    /** The body states a currency in a form that cannot be read. */
    isCurrencyUnread,
    store: text(fields.store),
    /** The shop's name (an extension). */
    storeName: text(fields.store_name),
    createdAtMs: time(fields.created_at),
    expiresAtMs: time(fields.expires_at),
    confirmedAtMs: time(fields.confirmed_at),
    approvalEndsAtMs: time(fields.sca_expires_at),
  };
};

/** ISO 4217's code for "no currency": shown if a body has none. */
export const noCurrency = "XXX";

const { scaTimeoutSeconds, support } = shopProfileSchema.shape;
const decimal = z.string().regex(plainDecimal);
const limits = z
  .object({
    currency: z.string().refine(isCurrencyCode),
    amount_min: decimal,
    amount_max: decimal,
    amount_step: decimal,
  })
  .transform(({ currency, amount_min: min, amount_max: max, amount_step: step }) => ({ currency, min, max, step }));
const body = z.object({
  store_name: shopProfileSchema.shape.name,
  sca_timeout_seconds: scaTimeoutSeconds.catch(null),
  support: support.catch(null),
});

const restore = z
  .object({
    restored_at: z.iso.datetime().nullable(),
    forgot_since: z.iso.datetime().nullable().catch(null),
    kept_head: z
      .object({ seq: z.int().min(1), head: z.string() })
      .nullable()
      .catch(null),
  })
  .transform(({ restored_at: restoredAt, forgot_since: since, kept_head: kept }) => ({
    /** As written by the service; identifies the restore. */
    restoredAt,
    /** By the service's clock. */
    forgotSinceMs: since === null ? null : Date.parse(since),
    /** The newest link of this journal in the backup; null if none or not stated. */
    keptHead: kept && { sequence: kept.seq, hash: kept.head },
  }));
/** The service's last restore from a backup, and since when it may have lost data. */
export type ServiceRestore = Readonly<z.infer<typeof restore>>;

/** Reads the restore from a service's answer; null if the service does not support it. */
export const readRestore = (answer: unknown): ServiceRestore | null => restore.safeParse(answer).data ?? null;

/** Reads the shop's profile from a service's answer; null if there is none. */
export const readShop = (answer: unknown, merchantId: string): ShopProfile | null => {
  const read = body.safeParse(answer);
  if (!read.success) return null;
  return {
    merchantId,
    name: read.data.store_name,
    limits: limits.safeParse(answer).data ?? null,
    scaTimeoutSeconds: read.data.sca_timeout_seconds,
    support: read.data.support,
  };
};

const headsSchema = z.object({ heads: z.array(z.object({ seq: z.int().min(1), head: z.string() })) });

/** @param body of `GET /ext/v1/journal-heads`. @returns null if it has no list of links: from another server, or an error. */
export const compareAnchors = (
  body: unknown,
  linkOf: (sequence: number) => string | null,
): JournalHealth["anchors"] => {
  const heads = headsSchema.safeParse(body).data?.heads;
  if (heads === undefined) return null;
  const links = heads.map(({ seq, head }) => ({ seq, head, own: linkOf(seq) })).sort((a, b) => a.seq - b.seq);
  return {
    compared: heads.length,
    missing: links.filter(({ own }) => own === null).map(({ seq }) => seq),
    different: links.filter(({ own, head }) => own !== null && own !== head).map(({ seq }) => seq),
  };
};

/** The newest link; null if the body has no list of links: from another server, or an error. */
export const newestAnchor = (body: unknown) => {
  const heads = headsSchema.safeParse(body).data?.heads;
  if (heads === undefined) return null;
  const [newest] = heads;
  return newest === undefined
    ? ({ kind: "compared" } as const)
    : ({ kind: "known", sequence: newest.seq, hash: newest.head } as const);
};
