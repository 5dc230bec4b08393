/** Interprets a bank's reply (conventions, "Partner calls"): only a definite word decides about money. Pure. */

import { notJson, parseStrictJson } from "../contract/ambiguity.ts";
import { isCurrency, minorDigits } from "../contract/money.ts";
import type { PartnerAnswers } from "../contract/partner.ts";

/** The outcome of one call to a bank. */
export type PartnerAnswer =
  /** `address`: the bank's address that answered; empty for PARTNER_URL. */
  | { readonly kind: "accepted"; readonly address?: string }
  | { readonly kind: "declined"; readonly reason: string | null; readonly address?: string }
  /** No definite answer: the order is sent again. `why` is for log and metrics. */
  | { readonly kind: "none"; readonly why: string; readonly retryAfterMs?: number };

/** Answers that decide something. */
export type DefiniteAnswer = Exclude<PartnerAnswer["kind"], "none">;

/** A no after an earlier try went unanswered, which may have been booked. */
export const noAfterSilence = "no_after_silence";
/** No answer to an order that a failover has forgotten, so that nobody repeats it. */
export const unanswered = "unanswered";
/** Why somebody has to ask the bank: its answer contradicts its first one, or is a no after silence, or there is none. */
export type Dispute = DefiniteAnswer | typeof noAfterSilence | typeof unanswered;

/** What was ordered. `amount` in minor units. */
export interface Ordered {
  readonly transactionId: string;
  readonly amount: number;
  readonly currency: string;
}

/** How to interpret a bank's replies to an order. */
interface AnswerRules {
  /** An answer that names another order, or a yes to another amount or currency, is none. Default: not compared. */
  readonly ordered?: Ordered | undefined;
  readonly answers: PartnerAnswers;
  /** Whether an earlier try may have reached the bank; a status code alone then says nothing about that try. */
  readonly afterUnansweredTry: boolean;
}

const positiveHttp: readonly number[] = [200, 201];
const noContent = 204;
const negativeHttp: readonly number[] = [400, 402, 410, 422];
const negativeWordHttp: readonly number[] = [200, ...negativeHttp];
/** Words for yes in `status`. */
export const positiveWords: ReadonlySet<string> = new Set([
  ...["accepted", "approved", "authorised", "authorized", "booked", "completed", "confirmed", "created", "executed"],
  ...["ok", "paid", "posted", "reserved", "secured", "settled", "success", "successful", "succeeded"],
]);
/** Words for no in `status`. */
export const negativeWords: ReadonlySet<string> = new Set(["declined", "rejected", "denied", "refused"]);

/**
 * Interprets one reply. Yes: 200 or 201, a known word as `status` and no sign of a failure. No: a known word with 200,
 * 400, 402, 410 or 422. Anything else, also ambiguous JSON, what is about another order, and a yes to another amount, is
 * no answer. A bank declared `by-status-code` may omit the word, unless an earlier try went unanswered.
 */
export const readPartnerAnswer = (httpStatus: number, body: string, rules: AnswerRules): PartnerAnswer => {
  const { json, fault } = parseObject(body);
  if (fault === "ambiguous_json") return none(httpStatus, fault);
  const reason = typeof json?.reason === "string" ? json.reason.slice(0, 200).toWellFormed() : null;
  const word = json === null ? null : statusOf(json);
  const isPositiveHttp = positiveHttp.includes(httpStatus);
  const isYes = isPositiveHttp && (word === null || positiveWords.has(word));
  if (json !== null && rules.ordered !== undefined && isOfAnother(json, rules.ordered, isYes))
    return { kind: "none", why: "other_order" };
  if (isYes && json !== null && reportsFailure(json))
    return none(httpStatus, word === null ? "no_status" : "error_beside_status");
  if (word !== null) {
    if (positiveWords.has(word) && isPositiveHttp) return { kind: "accepted" };
    if (negativeWords.has(word) && negativeWordHttp.includes(httpStatus)) return { kind: "declined", reason };
    return none(httpStatus, httpStatus === 200 ? "status_unknown" : `http_${httpStatus}`);
  }
  if (rules.answers === "by-status-code" && !rules.afterUnansweredTry) {
    if (httpStatus === noContent || (isPositiveHttp && json !== null)) return { kind: "accepted" };
    if (negativeHttp.includes(httpStatus)) return { kind: "declined", reason };
  }
  return none(httpStatus, fault ?? "no_status");
};

/** A status event is accepted by any 2xx; the body does not matter. */
export const readEventAnswer = (httpStatus: number): PartnerAnswer =>
  httpStatus >= 200 && httpStatus < 300 ? { kind: "accepted" } : { kind: "none", why: `http_${httpStatus}` };

/** The status code is the reason unless it is a success. */
const none = (httpStatus: number, why: string): PartnerAnswer => ({
  kind: "none",
  why: positiveHttp.includes(httpStatus) ? why : `http_${httpStatus}`,
});

const retryAfterHttp: readonly number[] = [429, 503];
/** Upper bound on `Retry-After`. */
export const retryAfterMaxMs = 60_000;

/**
 * `Retry-After` of a 429 or 503 (seconds or an HTTP date) in milliseconds: at most 60 s, 0 for none.
 * @param nowMs epoch milliseconds, for a date.
 */
export const retryAfterMs = (httpStatus: number, header: string | undefined, nowMs: number): number => {
  if (header === undefined || !retryAfterHttp.includes(httpStatus)) return 0;
  const askedMs = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isNaN(askedMs) ? 0 : Math.min(retryAfterMaxMs, Math.max(0, askedMs));
};

/** The values of a field, whatever its case (Settle order spells its fields with capitals); null counts as absent. */
const valuesOf = (json: Record<string, unknown>, field: string): readonly unknown[] =>
  Object.keys(json)
    .filter((name) => name.toLowerCase() === field && json[name] !== null)
    .map((name) => json[name]);

/** The status word in lower case; `null` where absent. A non-string or a duplicate becomes an unknown word. */
const statusOf = (json: Record<string, unknown>): string | null => {
  const [value, ...more] = valuesOf(json, "status");
  if (value === undefined) return null;
  return typeof value === "string" && more.length === 0 ? value.trim().toLowerCase() : "";
};

/** `""`, `[]` and `{}`: many servers send the field empty along with a yes. */
const isEmpty = (value: unknown): boolean =>
  value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** Whether a boolean-like field says no. */
const saysNo = (value: unknown): boolean => ["false", "0", "no", ""].includes(String(value).trim().toLowerCase());

const reportsFailure = (json: Record<string, unknown>): boolean =>
  ["error", "errors"].some((field) => valuesOf(json, field).some((value) => !isEmpty(value))) ||
  ["success", "ok"].some((field) => valuesOf(json, field).some(saysNo));

const sameText = (value: unknown): string => String(value).trim().toUpperCase();

/** Whether an amount may be the ordered one: as a decimal or in minor units, as a payment or a debit. What is no number says nothing. */
const mayBeAmount = (value: unknown, { amount, currency }: Ordered): boolean => {
  const said = typeof value === "object" ? Number.NaN : Math.abs(Number(value));
  const minor = said * 10 ** minorDigits(currency);
  const isMinor = said === amount && !String(value).includes(".");
  return Number.isNaN(said) || isMinor || Math.abs(minor - amount) < 1e-3;
};

/**
 * Whether it names another withdrawal than the order, as a cache's or a mixed-up answer does, or is a yes to another amount or currency.
 * Beside a no the amount may be anything, such as a limit: nothing was paid.
 */
const isOfAnother = (json: Record<string, unknown>, ordered: Ordered, isYes: boolean): boolean => {
  const said = (field: string) => valuesOf(json, field).filter((value) => !isEmpty(value));
  if (said("svctransactionreferenceid").some((value) => sameText(value) !== ordered.transactionId)) return true;
  if (!isYes) return false;
  const currencies = said("currency").map(sameText).filter(isCurrency);
  return (
    said("amount").some((value) => !mayBeAmount(value, ordered)) || currencies.some((code) => code !== ordered.currency)
  );
};

const parseObject = (body: string) => {
  const parsed = parseStrictJson(body);
  if (!parsed.ok) return { json: null, fault: parsed.why === notJson ? "not_json" : "ambiguous_json" };
  const { value } = parsed;
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? { json: value as Record<string, unknown>, fault: null }
    : { json: null, fault: "not_json" };
};
