/** Whether a refused notice can still be taken one day: only what will be refused in the same way for ever is given up. */
import type { ErrorCode } from "../../../backend/contract/errors.ts";
import { classifyAnswer, codeOf } from "../service/classify-answer.ts";
import { misroutedNoticeTriesMax, noticePatienceMs } from "../state/bounds.ts";
import type { Answer } from "../state/inputs.ts";
import type { Moment, Notice, Withdrawal } from "../state/state.ts";

/**
 * `request`: this very request is refused for ever. `call`: the service does not have the call, which of ours only an
 * extension may lack. `passing`: people can mend it (scope, password, load), and then the notice must still be there.
 */
const lasting: Readonly<Record<ErrorCode, "request" | "call" | "passing">> = {
  validation_failed: "request",
  transaction_not_found: "request",
  transaction_conflict: "request",
  payload_too_large: "request",
  unsupported_media_type: "request",
  idempotency_key_reused: "request",
  not_found: "call",
  method_not_allowed: "call",
  unauthenticated: "passing",
  insufficient_scope: "passing",
  too_many_requests: "passing",
  internal_error: "passing",
  unavailable: "passing",
};

/** What a refusal in words that are not ours may be: any gateway's, which says nothing about the withdrawal. */
const refusals: readonly string[] = ["missing", "refused", "misrouted"];

/** Whether the service itself has refused it, in its own words, for good. */
export const isRefusedForGood = (notice: Notice, answer: Answer): boolean => {
  const verdict = classifyAnswer(answer);
  if (verdict === "conflict") return true;
  const code = codeOf(answer);
  if (code === null || (verdict !== "missing" && verdict !== "refused")) return false;
  return lasting[code] === "request" || (lasting[code] === "call" && notice === "undelivered");
};

/**
 * Whether to stop trying a notice about cash and leave it to the manager. A server of the plain specification has no call
 * for `undelivered` and refuses it in words of its own: a few tries are enough. Anything else is kept for days.
 */
export const isGivenUp = (withdrawal: Withdrawal, notice: Notice, answer: Answer, moment: Moment): boolean => {
  if (isRefusedForGood(notice, answer)) return true;
  if (!refusals.includes(classifyAnswer(answer)) || withdrawal.requestState.failures + 1 < misroutedNoticeTriesMax)
    return false;
  if (notice === "undelivered" && codeOf(answer) === null) return true;
  return moment.monotonicMs - (withdrawal.owedSinceMs ?? withdrawal.beganMs) > noticePatienceMs;
};
