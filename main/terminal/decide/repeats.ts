/** After the service was put back to a copy: what it may have forgotten is reported again, one after the other. */
import { isRefusedForGood } from "../effects/permanent-errors.ts";
import { backOffMs, bodyOf, classifyAnswer, httpOf } from "../service/classify-answer.ts";
import { isAboutAnother } from "../service/reading.ts";
import { backOffMaxMs, misroutedReportTriesMax } from "../state/bounds.ts";
import type { Event } from "../state/events.ts";
import { accept, type Decision, type Fresh, type Internal, refuse } from "../state/inputs.ts";
import type { Moment, State } from "../state/state.ts";
import { contactEvents } from "./contact.ts";
import { discrepancy } from "./discrepancy.ts";
import { confirmsReport, otherHandOut } from "./reports.ts";

type Collected = Extract<Internal, { type: "reports_collected" }>;
type Repeated = Extract<Internal, { type: "report_repeated" }>;

/** Decides about what the journal has to repeat. */
export const decideCollected = (state: State, { restoredAt, reports }: Collected): Decision => {
  if (state.serviceRestore?.restoredAt !== restoredAt) return refuse("stale");
  return accept(
    reports.length === 0
      ? { type: "restore_answered", restoredAt }
      : { type: "repeats_begun", restoredAt, left: reports },
  );
};

/** Decides about the answer to one of them: what the service refuses for good is a manager's. */
export const decideRepeated = (state: State, input: Repeated, moment: Moment, fresh: Fresh): Decision => {
  const { repeats } = state;
  const { answer } = input;
  const contact = contactEvents(state, answer, "doubtful");
  const [one, ...rest] = repeats?.left ?? [];
  if (repeats === null || one === undefined || repeats.number !== input.number)
    return { events: contact, reply: refuse("stale").reply };
  const ended: readonly Event[] = [
    { type: "repeat_ended" },
    ...(rest.length === 0 ? [{ type: "restore_answered", restoredAt: repeats.restoredAt } as const] : []),
  ];
  const { facts, report } = one;
  const answerClass = classifyAnswer(answer);
  const isTaken = answerClass === "done" && !isAboutAnother(bodyOf(answer), facts.transactionId);
  if (isTaken || confirmsReport(facts.transactionId, report, answer))
    return accept(...contact, ...otherHandOut(facts, answer, one.handOutId), ...ended);
  const failures = repeats.failures + 1;
  const isRefused = answerClass === "missing" || answerClass === "refused";
  if (isRefusedForGood(report, answer) || (isRefused && failures >= misroutedReportTriesMax))
    return accept(...contact, discrepancy(facts, "forgotten", httpOf(answer)), ...ended);
  const notBeforeMs = moment.monotonicMs + backOffMs(failures, backOffMaxMs, fresh.fraction, answer);
  return accept(...contact, { type: "repeat_postponed", notBeforeMs });
};
