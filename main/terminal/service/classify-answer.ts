/** What an answer means for the question whether something was done. */
import { type ErrorCode, errorTable } from "../../../backend/contract/errors.ts";
import { backOffFirstMs } from "../state/bounds.ts";
import type { Answer } from "../state/inputs.ts";

/** What can be said about the request from its answer. */
export type AnswerClass =
  /** Success; the body may still be thin. */
  | "done"
  /** Certainly not done, and never will be as asked. */
  | "conflict"
  | "missing"
  | "refused"
  /** Certainly not done now; the same request may succeed later. */
  | "later"
  /** No telling whether it was done. */
  | "unknown"
  /** A proxy's page instead of the service's word: as unknown, but not for ever. */
  | "misrouted";

/** Judges by status code, and by whether the body was the service's own (JSON or empty). */
export const classifyAnswer = (answer: Answer): AnswerClass => {
  if (answer.kind === "unauthorized") return "later";
  if (answer.kind === "silence") return "unknown";
  const { status, body } = answer;
  if (status >= 200 && status < 300) return "done";
  // The manager can give the credential its scope back; what was asked for is as it was.
  if (codeOf(answer) === "insufficient_scope") return "later";
  if (status === 401 || status === 408 || status === 425 || status === 429) return "later";
  if (status === 501) return "refused";
  if (status >= 500 || status < 400) return "unknown";
  if (body === undefined) return "misrouted";
  // The withdrawal is as it was, and nobody else has it.
  if (codeOf(answer) === "limit_reached") return "refused";
  if (status === 409) return "conflict";
  return status === 404 || status === 410 ? "missing" : "refused";
};

/** Whether nothing may be sent there where money is real (`UnsafeService`). */
export const isUnsafeService = (answer: Answer): boolean =>
  answer.kind === "silence" && (answer.because === "sandbox" || answer.because === "plain_http");

/** The service's own error code; null for every other server's and every gateway's words. */
export const codeOf = (answer: Answer): ErrorCode | null => {
  const body = bodyOf(answer);
  if (typeof body !== "object" || body === null || !("code" in body) || typeof body.code !== "string") return null;
  return Object.hasOwn(errorTable, body.code) ? (body.code as ErrorCode) : null;
};

/** The body of an answer; undefined when there was no answer, or it was not JSON. */
export const bodyOf = (answer: Answer): unknown => (answer.kind === "answer" ? answer.body : undefined);
/** The HTTP status of an answer; null when there was none. */
export const httpOf = (answer: Answer): number | null => (answer.kind === "answer" ? answer.status : null);

/** Doubles from the first pause to the most, spread over its upper half by `fraction`; never before the service's Retry-After. */
export const backOffMs = (failures: number, maxMs: number, fraction: number, answer: Answer): number => {
  const fullMs = Math.min(maxMs, backOffFirstMs * 2 ** Math.min(Math.max(failures - 1, 0), 20));
  const retryAfterMs = answer.kind === "silence" ? 0 : (answer.retryAfterMs ?? 0);
  return Math.max(fullMs * (0.5 + fraction / 2), Math.min(retryAfterMs, maxMs * 4));
};
