/** What a bank's reply means (conventions, "Partner calls"): only a definite word decides about money. Pure. */

import { notJson, parseStrictJson } from "../contract/ambiguity.ts";
import type { PartnerAnswers } from "../contract/partner.ts";

/** What one call to a bank brought. */
export type PartnerAnswer =
  /** `address`: the bank's own that it came from; empty for PARTNER_URL. */
  | { readonly kind: "accepted"; readonly address?: string }
  | { readonly kind: "declined"; readonly reason: string | null; readonly address?: string }
  /** No answer: the order is sent again. `why` is for the log and the metrics. */
  | { readonly kind: "none"; readonly why: string; readonly retryAfterMs?: number };

/** The answers that decide something. */
export type DefiniteAnswer = Exclude<PartnerAnswer["kind"], "none">;

/** A no to a call of which an earlier try had no answer: that one may have been booked. */
export const noAfterSilence = "no_after_silence";
/** Why somebody has to ask the bank: an answer opposite to its first one, or a no after silence. */
export type Dispute = DefiniteAnswer | typeof noAfterSilence;

/** How the replies of one bank to one order are to be read. */
interface AnswerRules {
  readonly answers: PartnerAnswers;
  /** An earlier try of this order may have reached the bank; a code alone then says nothing about that try. */
  readonly afterUnansweredTry: boolean;
}

const positiveHttp: readonly number[] = [200, 201];
const noContent = 204;
const negativeHttp: readonly number[] = [400, 402, 410, 422];
const negativeWordHttp: readonly number[] = [200, ...negativeHttp];
/** What says yes as `status`. */
export const positiveWords: ReadonlySet<string> = new Set([
  ...["accepted", "approved", "authorised", "authorized", "booked", "completed", "confirmed", "created", "executed"],
  ...["ok", "paid", "posted", "reserved", "secured", "settled", "success", "successful", "succeeded"],
]);
/** What says no. */
export const negativeWords: ReadonlySet<string> = new Set(["declined", "rejected", "denied", "refused"]);

/**
 * Reads one reply. Yes: 200 or 201 with a known word for it as `status`, and nothing in it that speaks of a failure. No: a
 * known word, with 200, 400, 402, 410 or 422. Everything else is no answer, also JSON that says a thing twice. A bank
 * declared `by-status-code` may leave the word out, as long as no earlier try went unanswered.
 */
export const readPartnerAnswer = (httpStatus: number, body: string, rules: AnswerRules): PartnerAnswer => {
  const { json, fault } = parseObject(body);
  if (fault === "ambiguous_json") return none(httpStatus, fault);
  const reason = typeof json?.reason === "string" ? json.reason.slice(0, 200).toWellFormed() : null;
  const word = json === null ? null : statusOf(json);
  const isPositiveHttp = positiveHttp.includes(httpStatus);
  if (isPositiveHttp && json !== null && reportsFailure(json) && (word === null || positiveWords.has(word)))
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

/** A status event is taken by any status of success; nothing else of the reply counts. */
export const readEventAnswer = (httpStatus: number): PartnerAnswer =>
  httpStatus >= 200 && httpStatus < 300 ? { kind: "accepted" } : { kind: "none", why: `http_${httpStatus}` };

/** Where the code alone makes it no answer, the code is why. */
const none = (httpStatus: number, why: string): PartnerAnswer => ({
  kind: "none",
  why: positiveHttp.includes(httpStatus) ? why : `http_${httpStatus}`,
});

const retryAfterHttp: readonly number[] = [429, 503];
/** What `Retry-After` can ask for at most. */
export const retryAfterMaxMs = 60_000;

/**
 * What a 429 or 503 asks for with `Retry-After` (seconds or an HTTP date), in milliseconds: 60 s at most, 0 for none.
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

/** The word of the status, in lower case; `null` where there is none. What is no string, or there twice, is no known word. */
const statusOf = (json: Record<string, unknown>): string | null => {
  const [value, ...more] = valuesOf(json, "status");
  if (value === undefined) return null;
  return typeof value === "string" && more.length === 0 ? value.trim().toLowerCase() : "";
};

/** `""`, `[]` and `{}`: many servers send the field with nothing in it beside a yes. */
const isEmpty = (value: unknown): boolean =>
  value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** How servers write a no in a field that says yes or no. */
const saysNo = (value: unknown): boolean => ["false", "0", "no", ""].includes(String(value).trim().toLowerCase());

const reportsFailure = (json: Record<string, unknown>): boolean =>
  ["error", "errors"].some((field) => valuesOf(json, field).some((value) => !isEmpty(value))) ||
  ["success", "ok"].some((field) => valuesOf(json, field).some(saysNo));

interface ParsedObject {
  readonly json: Record<string, unknown> | null;
  readonly fault: "not_json" | "ambiguous_json" | null;
}

const parseObject = (body: string): ParsedObject => {
  const parsed = parseStrictJson(body);
  if (!parsed.ok) return { json: null, fault: parsed.why === notJson ? "not_json" : "ambiguous_json" };
  const { value } = parsed;
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? { json: value as Record<string, unknown>, fault: null }
    : { json: null, fault: "not_json" };
};
