/** What the answer to a confirm means. After silence or conflict nothing is repeated before the service was asked. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { backOffMs, bodyOf, judge } from "../service/classify-answer.ts";
import { isAboutAnother, readTransaction } from "../service/reading.ts";
import { askBackOffMostMs, backOffFrontMostMs } from "../state/bounds.ts";
import { type Answer, accept, type Decision, type Fresh, type Internal, refuse } from "../state/inputs.ts";
import { awaitsService, factsOf, type Moment, type Stage, type State, type Withdrawal } from "../state/state.ts";
import { contactEvents, talked, twinEvents } from "./contact.ts";
import { learn, whose } from "./status.ts";

type ConfirmAnswered = Extract<Internal, { type: "confirm_answered" }>;

/** A request that was refused at the door was not taken; every other silence may hide a yes. */
const mayBeDone = (answer: Answer): boolean =>
  answer.kind === "answer" || (answer.kind === "silence" && answer.why !== "refused" && answer.why !== "unreachable");

/** Pause before the next call about a withdrawal: short while someone stands there. */
export const pauseMs = (state: State, withdrawal: Withdrawal, answer: Answer, fresh: Fresh): number => {
  const inFront = state.front.kind === "withdrawal" && state.front.withdrawalId === withdrawal.withdrawalId;
  const mostMs = inFront ? backOffFrontMostMs : askBackOffMostMs;
  return backOffMs(withdrawal.talk.failures + 1, mostMs, fresh.fraction, answer);
};

export const decideConfirmAnswer = (state: State, input: ConfirmAnswered, moment: Moment, fresh: Fresh): Decision => {
  const contact = contactEvents(state, input.answer);
  const withdrawal = state.open.get(input.withdrawalId);
  if (withdrawal === undefined || !awaitsService(withdrawal.stage))
    return { events: contact, reply: refuse("stale").reply };
  const { talk } = withdrawal;
  const current = talk.number === input.number;
  if (!current && judge(input.answer) !== "done") return accept(...contact);
  const of = factsOf(withdrawal);
  const confirms = talk.confirms + 1;
  const notBeforeMs = moment.monotonicMs + pauseMs(state, withdrawal, input.answer, fresh);
  const verdict = judge(input.answer);
  switch (verdict) {
    case "done":
      return accept(...contact, ...accepted(state, withdrawal, input.answer, moment, notBeforeMs));
    case "conflict":
      return accept(
        ...contact,
        talked(withdrawal, { confirms, ask: true, conflict: true, notBeforeMs: moment.monotonicMs }),
      );
    case "missing":
    case "refused":
      if (talk.silentConfirms === 0 && withdrawal.stage.kind === "confirming")
        return accept(...contact, {
          type: "closed",
          of,
          outcome: verdict === "missing" ? "unknown_barcode" : "service_refused",
        });
      return accept(...contact, talked(withdrawal, { confirms, failures: talk.failures + 1, ask: true, notBeforeMs }));
    case "later":
      return accept(...contact, talked(withdrawal, { confirms, failures: talk.failures + 1, notBeforeMs }));
    case "unknown":
    case "misrouted":
      return accept(
        ...contact,
        talked(withdrawal, {
          confirms,
          failures: talk.failures + 1,
          ask: true,
          silentConfirms: talk.silentConfirms + (mayBeDone(input.answer) ? 1 : 0),
          notBeforeMs,
        }),
      );
    default:
      return assertNever(verdict);
  }
};

/** A yes. A thin body says no more than that; one about another transaction or another till says nothing good. */
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
      talked(withdrawal, {
        failures: withdrawal.talk.failures + 1,
        ask: true,
        silentConfirms: withdrawal.talk.silentConfirms + 1,
        notBeforeMs,
      }),
    ];
  const of = factsOf(withdrawal);
  if (reading !== null && whose(withdrawal, reading) === "other")
    return [...twinEvents(state, reading, moment), { type: "closed", of, outcome: "already_used" }];
  const yes = { type: "confirm_accepted", of, status: reading?.status ?? null } as const;
  if (reading === null) return [yes];
  const stage: Stage =
    withdrawal.stage.kind === "confirming"
      ? { kind: "waiting", phase: reading.status === "settling" ? "payment" : "approval" }
      : withdrawal.stage;
  return [
    ...(withdrawal.confirmed ? [] : [yes]),
    ...learn(state, { ...withdrawal, stage, confirmed: true }, reading, moment),
  ];
};
