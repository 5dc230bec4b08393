/** Whether a refused report can still be taken one day: only what will be refused in the same way for ever is given up. */
import type { ErrorCode } from "../../../backend/contract/errors.ts";
import { classifyAnswer, codeOf } from "../service/classify-answer.ts";
import { misroutedReportTriesMax, reportPatienceMs } from "../state/bounds.ts";
import type { Answer } from "../state/inputs.ts";
import type { Moment, Report, Withdrawal } from "../state/state.ts";

/**
 * `request`: this very request is refused for ever. `call`: the service does not have the call, which of ours only an
 * extension may lack. `temporary`: people can fix it (scope, password, load), and then the report must still be there.
 */
const permanence: Readonly<Record<ErrorCode, "request" | "call" | "temporary">> = {
  validation_failed: "request",
  amount_out_of_range: "request",
  amount_step: "request",
  currency_mismatch: "request",
  store_unknown: "request",
  journal_forked: "request",
  limit_reached: "temporary",
  partner_not_configured: "temporary",
  transaction_not_found: "request",
  transaction_conflict: "request",
  payload_too_large: "request",
  unsupported_media_type: "request",
  idempotency_key_reused: "request",
  user_blocked: "temporary",
  cross_site_request: "temporary",
  not_found: "call",
  method_not_allowed: "call",
  unauthenticated: "temporary",
  insufficient_scope: "temporary",
  too_many_requests: "temporary",
  internal_error: "temporary",
  unavailable: "temporary",
};

/** What a refusal in words that are not ours may be: any gateway's, which says nothing about the withdrawal. */
const refusals: readonly string[] = ["missing", "refused", "misrouted"];

/** Whether the service itself has refused it, in its own words, for good. */
export const isRefusedForGood = (report: Report, answer: Answer): boolean => {
  const answerClass = classifyAnswer(answer);
  if (answerClass === "conflict") return true;
  const code = codeOf(answer);
  if (code === null || (answerClass !== "missing" && answerClass !== "refused")) return false;
  return permanence[code] === "request" || (permanence[code] === "call" && report === "undelivered");
};

/**
 * Whether to stop trying a report about cash and leave it to the manager. A server of the plain specification has no call
 * for `undelivered` and refuses it in words of its own: a few tries are enough. Anything else is kept for days.
 */
export const isGivenUp = (withdrawal: Withdrawal, report: Report, answer: Answer, moment: Moment): boolean => {
  if (isRefusedForGood(report, answer)) return true;
  if (!refusals.includes(classifyAnswer(answer)) || withdrawal.requestState.failures + 1 < misroutedReportTriesMax)
    return false;
  if (report === "undelivered" && codeOf(answer) === null) return true;
  return moment.monotonicMs - (withdrawal.reportDueSinceMs ?? withdrawal.beganMs) > reportPatienceMs;
};
