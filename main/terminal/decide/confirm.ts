/** What the answer to a confirm means. After silence or conflict nothing is repeated before the service was asked. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { Outcome } from "../../../preload/contract.ts";
import { backOffMs, bodyOf, classifyAnswer, codeOf } from "../service/classify-answer.ts";
import { isAboutAnother, readTransaction } from "../service/reading.ts";
import { backOffActiveMaxMs, requestBackOffMaxMs } from "../state/bounds.ts";
import { withServiceClock } from "../state/connection-state.ts";
import { type Answer, accept, type Decision, type Fresh, type Internal, refuse } from "../state/inputs.ts";
import { awaitsService, factsOf, type Moment, type State, type Withdrawal } from "../state/state.ts";
import { contactEvents, duplicateDeviceEvents, requestStateChanged, silenceAbout } from "./contact.ts";
import { confirmOwner, eventsFromStatus, takenOutcome } from "./status.ts";

type ConfirmAnswered = Extract<Internal, { type: "confirm_answered" }>;

/** A request that was refused at the door was not taken; every other silence may hide a yes. */
const mayBeDone = (answer: Answer): boolean =>
  answer.kind === "answer" || (answer.kind === "silence" && answer.why !== "refused" && answer.why !== "unreachable");

/** Pause before the next call about a withdrawal: short while someone stands there. */
export const pauseMs = (state: State, withdrawal: Withdrawal, answer: Answer, fresh: Fresh): number => {
  const isActive =
    state.activeScreen.kind === "withdrawal" && state.activeScreen.withdrawalId === withdrawal.withdrawalId;
  const maxMs = isActive ? backOffActiveMaxMs : requestBackOffMaxMs;
  return backOffMs(withdrawal.requestState.failures + 1, maxMs, fresh.fraction, answer);
};

const refusedOutcome = (answer: Answer): Outcome =>
  codeOf(answer) === "limit_reached" ? "limit_reached" : "service_refused";

/**
 * Decides about the answer to a confirm (interface 4.5); a late answer to an earlier try counts only when it is a yes.
 */
export const decideConfirmAnswer = (state: State, input: ConfirmAnswered, moment: Moment, fresh: Fresh): Decision => {
  const withdrawal = state.open.get(input.withdrawalId);
  const contact = contactEvents(state, input.answer, silenceAbout(withdrawal));
  if (withdrawal === undefined || !awaitsService(withdrawal.stage))
    return { events: contact, reply: refuse("stale").reply };
  const { requestState } = withdrawal;
  const current = requestState.number === input.number;
  if (!current && classifyAnswer(input.answer) !== "done") return accept(...contact);
  const of = factsOf(withdrawal);
  const confirms = requestState.confirms + 1;
  const notBeforeMs = moment.monotonicMs + pauseMs(state, withdrawal, input.answer, fresh);
  const answerClass = classifyAnswer(input.answer);
  switch (answerClass) {
    case "done":
      return accept(...contact, ...accepted(state, withdrawal, input.answer, moment, notBeforeMs));
    case "conflict":
      return accept(
        ...contact,
        requestStateChanged(withdrawal, {
          confirms,
          checkFirst: true,
          conflict: true,
          notBeforeMs: moment.monotonicMs,
        }),
      );
    case "missing":
    case "refused":
      if (requestState.silentConfirms === 0 && withdrawal.stage.kind === "confirming")
        return accept(...contact, {
          type: "closed",
          of,
          outcome: answerClass === "missing" ? "unknown_barcode" : refusedOutcome(input.answer),
        });
      return accept(
        ...contact,
        requestStateChanged(withdrawal, {
          confirms,
          failures: requestState.failures + 1,
          checkFirst: true,
          notBeforeMs,
        }),
      );
    case "later":
      return accept(
        ...contact,
        requestStateChanged(withdrawal, { confirms, failures: requestState.failures + 1, notBeforeMs }),
      );
    case "unknown":
    case "misrouted":
      return accept(
        ...contact,
        requestStateChanged(withdrawal, {
          confirms,
          failures: requestState.failures + 1,
          checkFirst: true,
          silentConfirms: requestState.silentConfirms + (mayBeDone(input.answer) ? 1 : 0),
          notBeforeMs,
        }),
      );
    default:
      return assertNever(answerClass);
  }
};

/** A yes. A thin body says no more than that; one about another transaction or another terminal says nothing good. */
const accepted = (
  state: State,
  withdrawal: Withdrawal,
  answer: Answer,
  moment: Moment,
  notBeforeMs: number,
): Decision["events"] => {
  const body = bodyOf(answer);
  const reading = readTransaction(body, withdrawal.transactionId);
  if (isAboutAnother(body, withdrawal.transactionId))
    return [
      requestStateChanged(withdrawal, {
        failures: withdrawal.requestState.failures + 1,
        checkFirst: true,
        silentConfirms: withdrawal.requestState.silentConfirms + 1,
        notBeforeMs,
      }),
    ];
  const of = factsOf(withdrawal);
  if (reading !== null && confirmOwner(withdrawal, reading) === "other")
    return [
      ...duplicateDeviceEvents(state, reading, moment),
      { type: "closed", of, outcome: takenOutcome(reading.status) },
    ];
  const yes = { type: "confirm_accepted", of, status: reading?.status ?? null } as const;
  if (reading === null) return [yes];
  return [
    ...(withdrawal.confirmed ? [] : [yes]),
    ...eventsFromStatus(withServiceClock(state, answer, moment), { ...withdrawal, confirmed: true }, reading, moment),
  ];
};
