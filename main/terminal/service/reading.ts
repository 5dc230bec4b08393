/**
 * Reads what a service sent, leniently: the service may be any server that follows the specification, with bodies thinner
 * than ours, amounts as numbers and status words of its own. What cannot be read is `null`, never a guess.
 */
import { formatAmount, isCurrencyCode, minorDigits } from "../../../backend/contract/money.ts";
import { type Reason, reasons } from "../../../backend/contract/reasons.ts";
import { type Status, statuses } from "../../../backend/contract/transaction.ts";

/**
 * What could be read of a Transaction (interface 3.1). Times in milliseconds since the epoch; null for what is missing
 * or unreadable.
 */
export interface Reading {
  /** A status word of the conventions, exactly; null for any other word and for none. */
  readonly status: Status | null;
  /** Whether the body says a status at all, in whatever word. */
  readonly hasStatus: boolean;
  /** A word of the conventions; `unknown` for any other, as a newer service may have; null for none. */
  readonly reason: Reason | "unknown" | null;
  /** Undefined when the body does not say whose confirm was taken. */
  readonly partnerId: string | null | undefined;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly store: string | null;
  /** What a person calls the shop (an extension). */
  readonly storeName: string | null;
  readonly createdAtMs: number | null;
  readonly expiresAtMs: number | null;
  readonly confirmedAtMs: number | null;
  readonly approvalEndsAtMs: number | null;
}

const text = (value: unknown, lengthMax = 200): string | null =>
  typeof value === "string" && value.length > 0 && value.length <= lengthMax ? value : null;

const time = (value: unknown): number | null => {
  const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
};

const plainDecimal = /^(0|[1-9]\d{0,12})(\.\d{1,4})?$/;

const amountText = (value: unknown, currency: string | null): string | null => {
  if (typeof value === "string") return plainDecimal.test(value) && Number(value) > 0 ? value : null;
  if (typeof value !== "number" || !(value > 0)) return null;
  const code = currency ?? "";
  const digits = minorDigits(code);
  const minor = Math.round(value * 10 ** digits);
  if (!Number.isSafeInteger(minor)) return null;
  const isExact = Math.abs(minor / 10 ** digits - value) < 1e-9;
  // Without a currency nobody knows how many digits belong there: none of them is rounded away.
  return isExact || currency !== null ? formatAmount(minor, code) : amountText(String(value), null);
};

/** Without the zeros that only a currency's spelling adds: `"50.00"`, `"50.0"` and `"50"` are one amount. */
const withoutTrailingZeros = (amount: string): string =>
  amount.includes(".") ? amount.replace(/0+$/, "").replace(/\.$/, "") : amount;

/** Whether two amounts are the same money, however they are spelt; null is an amount that nobody said. */
export const isSameAmount = (one: string | null, other: string | null): boolean =>
  one === null || other === null || withoutTrailingZeros(one) === withoutTrailingZeros(other);

/** Whether two currencies may be the same: one that nobody said is any. */
export const isSameCurrency = (one: string | null, other: string | null): boolean =>
  [one, other].some((code) => code === null || code === noCurrency) || one === other;

/** Whether a body is about another transaction: a cache's or a mixed-up server's, which says nothing about this one. */
export const isAboutAnother = (body: unknown, transactionId: string): boolean =>
  typeof body === "object" &&
  body !== null &&
  "transaction_id" in body &&
  body.transaction_id !== undefined &&
  body.transaction_id !== transactionId;

/** Whether the answer to a link names another hand-out than ours: another program with this terminal's identity gave the cash as well. */
export const namesOtherHandOut = (body: unknown, handOutId: string | null): boolean =>
  handOutId !== null &&
  typeof body === "object" &&
  body !== null &&
  "hand_out_id" in body &&
  typeof body.hand_out_id === "string" &&
  body.hand_out_id !== handOutId;

const hasWord = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/** Reads a Transaction; null when the body is none, or one of another transaction. */
export const readTransaction = (body: unknown, transactionId: string): Reading | null => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return null;
  if (isAboutAnother(body, transactionId)) return null;
  const fields = body as Record<string, unknown>;
  const currency = typeof fields.currency === "string" && isCurrencyCode(fields.currency) ? fields.currency : null;
  const partner = fields.transaction_id_partner;
  return {
    status: statuses.find((word) => word === fields.status) ?? null,
    hasStatus: fields.status !== undefined && fields.status !== null,
    reason: reasons.find((word) => word === fields.reason) ?? (hasWord(fields.reason) ? "unknown" : null),
    partnerId: partner === null ? null : (text(partner) ?? undefined),
    amount: amountText(fields.amount, currency),
    currency,
    store: text(fields.store),
    storeName: text(fields.store_name),
    createdAtMs: time(fields.created_at),
    expiresAtMs: time(fields.expires_at),
    confirmedAtMs: time(fields.confirmed_at),
    approvalEndsAtMs: time(fields.sca_expires_at),
  };
};

/** ISO 4217's code for "no currency": shown when a thin body names none. */
export const noCurrency = "XXX";
