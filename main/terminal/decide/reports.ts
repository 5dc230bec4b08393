/** What the answers to the outbox's notices mean. Taken, refused for good with a line for the manager, or tried again. */

import { isGivenUp, isRefusedForGood } from "../effects/permanent-errors.ts";
import { backOffMs, bodyOf, classifyAnswer, httpOf } from "../service/classify-answer.ts";
import { isAboutAnother, readTransaction } from "../service/reading.ts";
import { backOffMaxMs, misroutedNoticeTriesMax } from "../state/bounds.ts";
import type { Event } from "../state/events.ts";
import { accept, type Decision, type Fresh, type Internal, refuse } from "../state/inputs.ts";
import { factsOf, type Moment, pendingNotice, type State, type Withdrawal } from "../state/state.ts";
import { pauseMs } from "./confirm.ts";
import { contactEvents, requestStateChanged } from "./contact.ts";
import { closedOutcome, confirmOwner, eventsFromStatus } from "./status.ts";

type NoticeAnswered = Extract<Internal, { type: "notice_answered" }>;

export const decideNotice = (state: State, input: NoticeAnswered, moment: Moment, fresh: Fresh): Decision => {
  const contact = contactEvents(state, input.answer);
  const withdrawal = state.open.get(input.withdrawalId);
  if (
    withdrawal === undefined ||
    pendingNotice(withdrawal) !== input.notice ||
    withdrawal.requestState.number !== input.number
  )
    return { events: contact, reply: refuse("stale").reply };
  const events =
    input.notice === "reject"
      ? rejectAnswered(state, withdrawal, input, moment, fresh)
      : cashNoticeAnswered(withdrawal, input, moment, fresh);
  return accept(...contact, ...events);
};

/** Link or undelivered: the cash is where it is; only whether the service knows is open. */
const cashNoticeAnswered = (
  withdrawal: Withdrawal,
  input: NoticeAnswered,
  moment: Moment,
  fresh: Fresh,
): readonly Event[] => {
  const { answer, notice } = input;
  const of = factsOf(withdrawal);
  const failures = withdrawal.requestState.failures + 1;
  const isTaken = classifyAnswer(answer) === "done" && !isAboutAnother(bodyOf(answer), withdrawal.transactionId);
  if (isTaken || saysSo(withdrawal, input)) return [{ type: "notice_taken", of, notice }];
  if (isGivenUp(withdrawal, notice, answer, moment))
    return [{ type: "notice_refused", of, notice, http: httpOf(answer) ?? 0 }];
  const notBeforeMs = moment.monotonicMs + backOffMs(failures, backOffMaxMs, fresh.fraction, answer);
  return [requestStateChanged(withdrawal, { failures, notBeforeMs })];
};

/** A conflict whose own body says that the notice had been taken before. */
const saysSo = (withdrawal: Withdrawal, input: NoticeAnswered): boolean => {
  const body = bodyOf(input.answer);
  if (classifyAnswer(input.answer) !== "conflict" || typeof body !== "object" || body === null) return false;
  const inside = "transaction" in body ? readTransaction(body.transaction, withdrawal.transactionId) : null;
  return inside?.status === (input.notice === "link" ? "linked" : "undelivered");
};

/** A reject can be overtaken by the customer's approval: then the truth is followed, whatever the cashier wished. */
const rejectAnswered = (
  state: State,
  withdrawal: Withdrawal,
  input: NoticeAnswered,
  moment: Moment,
  fresh: Fresh,
): readonly Event[] => {
  const failures = withdrawal.requestState.failures + 1;
  const notBeforeMs = moment.monotonicMs + pauseMs(state, withdrawal, input.answer, fresh);
  switch (classifyAnswer(input.answer)) {
    case "done": {
      const body = bodyOf(input.answer);
      if (isAboutAnother(body, withdrawal.transactionId))
        return [requestStateChanged(withdrawal, { failures, notBeforeMs })];
      const reading = readTransaction(body, withdrawal.transactionId);
      // A word nobody here knows may be that server's word for "paid": only asking can tell.
      if (reading !== null && reading.status === null && reading.saysStatus)
        return [requestStateChanged(withdrawal, { failures, ask: true, rejectRefused: true, notBeforeMs })];
      if (reading === null || reading.status === null) {
        const why = withdrawal.stage.kind === "rejecting" ? withdrawal.stage.why : null;
        return [{ type: "closed", of: factsOf(withdrawal), outcome: closedOutcome("rejected", null, why) }];
      }
      const learnt = eventsFromStatus(state, withdrawal, reading, moment);
      const unsaid = learnt.length === 0 && confirmOwner(withdrawal, reading) === "unsaid";
      return [
        ...learnt,
        requestStateChanged(withdrawal, { failures, ...(unsaid ? { rejectRefused: true } : {}), notBeforeMs }),
      ];
    }
    case "conflict":
    case "missing":
    case "refused":
      if (!isRefusedForGood("reject", input.answer) && failures < misroutedNoticeTriesMax)
        return [requestStateChanged(withdrawal, { failures, notBeforeMs })];
      return [
        requestStateChanged(withdrawal, { failures, ask: true, rejectRefused: true, notBeforeMs: moment.monotonicMs }),
      ];
    default:
      return [requestStateChanged(withdrawal, { failures, notBeforeMs })];
  }
};
