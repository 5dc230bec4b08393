/** What the answers to the outbox's reports mean. Taken, refused for good with a line for the manager, or tried again. */

import { isGivenUp, isRefusedForGood } from "../effects/permanent-errors.ts";
import { backOffMs, bodyOf, classifyAnswer, httpOf } from "../service/classify-answer.ts";
import { isAboutAnother, namesOtherHandOut, readTransaction } from "../service/reading.ts";
import { backOffMaxMs, misroutedReportTriesMax } from "../state/bounds.ts";
import type { Event } from "../state/events.ts";
import { type Answer, accept, type Decision, type Fresh, type Internal, refuse } from "../state/inputs.ts";
import {
  type Facts,
  factsOf,
  type Moment,
  pendingReport,
  type Report,
  type State,
  type Withdrawal,
} from "../state/state.ts";
import { pauseMs } from "./confirm.ts";
import { contactEvents, requestStateChanged, silenceAbout } from "./contact.ts";
import { discrepancy } from "./discrepancy.ts";
import { closedOutcome, confirmOwner, eventsFromStatus } from "./status.ts";

type ReportAnswered = Extract<Internal, { type: "report_answered" }>;

/**
 * Decides about the answer to a link, a reject or an undelivered report (interface 4.6 and 4.7, conventions'
 * undelivered).
 */
export const decideReport = (state: State, input: ReportAnswered, moment: Moment, fresh: Fresh): Decision => {
  const withdrawal = state.open.get(input.withdrawalId);
  const contact = contactEvents(state, input.answer, silenceAbout(withdrawal));
  if (
    withdrawal === undefined ||
    pendingReport(withdrawal) !== input.report ||
    withdrawal.requestState.number !== input.number
  )
    return { events: contact, reply: refuse("stale").reply };
  const events =
    input.report === "reject"
      ? rejectAnswered(state, withdrawal, input, moment, fresh)
      : cashReportAnswered(withdrawal, input, moment, fresh);
  return accept(...contact, ...events);
};

/** Link or undelivered: the cash is where it is; only whether the service knows is open. */
const cashReportAnswered = (
  withdrawal: Withdrawal,
  input: ReportAnswered,
  moment: Moment,
  fresh: Fresh,
): readonly Event[] => {
  const { answer, report } = input;
  const of = factsOf(withdrawal);
  const failures = withdrawal.requestState.failures + 1;
  const isTaken = classifyAnswer(answer) === "done" && !isAboutAnother(bodyOf(answer), withdrawal.transactionId);
  if (isTaken || confirmsReport(withdrawal.transactionId, report, answer))
    return [...otherHandOut(of, answer, withdrawal.handOutId), { type: "report_accepted", of, report }];
  if (isGivenUp(withdrawal, report, answer, moment))
    return [{ type: "report_refused", of, report, http: httpOf(answer) ?? 0 }];
  const notBeforeMs = moment.monotonicMs + backOffMs(failures, backOffMaxMs, fresh.fraction, answer);
  return [requestStateChanged(withdrawal, { failures, notBeforeMs })];
};

/** Cash that another program with this identity gave as well, as the answer to a link tells. */
export const otherHandOut = (of: Facts, answer: Answer, handOutId: string | null): readonly Event[] =>
  namesOtherHandOut(bodyOf(answer), handOutId) ? [discrepancy(of, "linked_by_another")] : [];

/** A conflict whose own body says that the report had been taken before. */
export const confirmsReport = (transactionId: string, report: Report, answer: Answer): boolean => {
  const body = bodyOf(answer);
  if (classifyAnswer(answer) !== "conflict" || typeof body !== "object" || body === null) return false;
  const inside = "transaction" in body ? readTransaction(body.transaction, transactionId) : null;
  return inside?.status === (report === "link" ? "linked" : "undelivered");
};

/** A reject can be overtaken by the customer's approval: then the truth is followed, whatever the cashier wished. */
const rejectAnswered = (
  state: State,
  withdrawal: Withdrawal,
  input: ReportAnswered,
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
      if (reading !== null && reading.status === null && reading.hasStatus)
        return [requestStateChanged(withdrawal, { failures, checkFirst: true, rejectRefused: true, notBeforeMs })];
      if (reading === null || reading.status === null) {
        const why = withdrawal.stage.kind === "rejecting" ? withdrawal.stage.why : null;
        return [{ type: "closed", of: factsOf(withdrawal), outcome: closedOutcome("rejected", null, why) }];
      }
      const learned = eventsFromStatus(state, withdrawal, reading, moment);
      const unsaid = learned.length === 0 && confirmOwner(withdrawal, reading) === "unsaid";
      return [
        ...learned,
        requestStateChanged(withdrawal, { failures, ...(unsaid ? { rejectRefused: true } : {}), notBeforeMs }),
      ];
    }
    case "conflict":
    case "missing":
    case "refused":
      if (!isRefusedForGood("reject", input.answer) && failures < misroutedReportTriesMax)
        return [requestStateChanged(withdrawal, { failures, notBeforeMs })];
      return [
        requestStateChanged(withdrawal, {
          failures,
          checkFirst: true,
          rejectRefused: true,
          notBeforeMs: moment.monotonicMs,
        }),
      ];
    default:
      return [requestStateChanged(withdrawal, { failures, notBeforeMs })];
  }
};
