/** What the answer to a question about an open withdrawal means: the truth, or another try. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { isClosed } from "../../../backend/contract/transaction.ts";
import type { Discrepancy } from "../../../preload/contract.ts";
import { bodyOf, classifyAnswer, codeOf, httpOf } from "../service/classify-answer.ts";
import { type Reading, readTransaction } from "../service/reading.ts";
import { confirmRepeatWindowMs, confirmsMax, heldOpenMs, pollPauseMs, unclearPatienceMs } from "../state/bounds.ts";
import { withServiceClock } from "../state/connection-state.ts";
import type { Event } from "../state/events.ts";
import { type Answer, accept, type Decision, type Fresh, type Internal, refuse } from "../state/inputs.ts";
import {
  awaitsService,
  factsOf,
  type Moment,
  offersCash,
  restoreSince,
  type State,
  type Withdrawal,
} from "../state/state.ts";
import { pauseMs } from "./confirm.ts";
import { contactEvents, duplicateDeviceEvents, requestStateChanged, silenceAbout } from "./contact.ts";
import { discrepancy } from "./discrepancy.ts";
import { askedHandOut } from "./hand-out.ts";
import { confirmOwner, eventsFromStatus, isDecisive, isSameMoney, takenOutcome, usedOutcome } from "./status.ts";

type StatusAnswered = Extract<Internal, { type: "status_answered" }>;
const missesMax = 5;

/**
 * Decides about the answer to `GET /transaction` for an open withdrawal (interface 4.8). An old question's answer
 * counts only when it is decisive.
 */
export const decideStatusAnswer = (state: State, input: StatusAnswered, moment: Moment, fresh: Fresh): Decision => {
  const withdrawal = state.open.get(input.withdrawalId);
  const contact = contactEvents(state, input.answer, silenceAbout(withdrawal));
  if (withdrawal?.stage.kind === "payable")
    return accept(...contact, ...recheckPayable(state, withdrawal, input, moment, fresh));
  if (withdrawal === undefined || !awaitsService(withdrawal.stage))
    return { events: contact, reply: refuse("stale").reply };
  const current = withdrawal.requestState.number === input.number;
  const notBeforeMs = moment.monotonicMs + pauseMs(state, withdrawal, input.answer, fresh);
  const reading =
    classifyAnswer(input.answer) === "done" ? readTransaction(bodyOf(input.answer), withdrawal.transactionId) : null;
  if (reading === null && !current) return accept(...contact);
  if (reading === null) {
    const failed = requestStateChanged(withdrawal, { failures: withdrawal.requestState.failures + 1, notBeforeMs });
    return accept(...contact, ...(notFoundEvents(withdrawal, input, moment) ?? [failed]));
  }
  const learned = [
    ...duplicateDeviceEvents(state, reading, moment),
    ...eventsFromStatus(withServiceClock(state, input.answer, moment), withdrawal, reading, moment),
  ];
  if (!current) return accept(...contact, ...(isDecisive(learned) ? learned : []));
  if (isDecisive(learned)) {
    const answered = requestStateChanged(withdrawal, {
      failures: 0,
      checkFirst: false,
      notBeforeMs: moment.monotonicMs,
    });
    return accept(...contact, ...learned, answered);
  }
  const next = unclear(withdrawal, reading, moment);
  if (next !== null) return accept(...contact, ...learned, ...next);
  switch (withdrawal.stage.kind) {
    case "confirming":
      return accept(
        ...contact,
        ...learned,
        requestStateChanged(withdrawal, { checkFirst: false, notBeforeMs: moment.monotonicMs }),
      );
    case "waiting": {
      const held = input.tookMs >= heldOpenMs ? 0 : pollPauseMs;
      return accept(
        ...contact,
        ...learned,
        requestStateChanged(withdrawal, {
          failures: 0,
          checkFirst: false,
          notBeforeMs: moment.monotonicMs + held,
        }),
      );
    }
    case "rejecting": {
      const again = reading.status === "ready" || reading.status === "awaiting_sca";
      return accept(
        ...contact,
        ...learned,
        requestStateChanged(withdrawal, {
          failures: withdrawal.requestState.failures + 1,
          ...(again ? { rejectRefused: false } : {}),
          notBeforeMs,
        }),
      );
    }
    default:
      return assertNever(withdrawal.stage);
  }
};

/** What the service says of money that the journal has as settled. */
type SaidOfPaid =
  /** As the journal has it; also where the service was put back to a copy and forgot it. */
  | { readonly kind: "paid" }
  /** It cannot be asked now. */
  | { readonly kind: "silent" }
  | { readonly kind: "over"; readonly about: Discrepancy; readonly end: Extract<Event, { of: unknown }> }
  /** A contradiction that says no more: it is asked again before anybody believes it. */
  | { readonly kind: "contradicted"; readonly about: Discrepancy };

const saidOfPaid = (state: State, withdrawal: Withdrawal, answer: Answer): SaidOfPaid => {
  const of = factsOf(withdrawal);
  const answerClass = classifyAnswer(answer);
  if (codeOf(answer) === "transaction_not_found" && restoreSince(state, withdrawal) !== null) return { kind: "paid" };
  if (answerClass === "missing") return { kind: "contradicted", about: "not_found" };
  if (answerClass === "refused" && !offersCash(withdrawal)) return { kind: "contradicted", about: "not_found" };
  const reading = answerClass === "done" ? readTransaction(bodyOf(answer), withdrawal.transactionId) : null;
  if (reading === null) return { kind: "silent" };
  const { status, reason } = reading;
  const isOthers = confirmOwner(withdrawal, reading) === "other";
  if (status === "linked" || status === "undelivered")
    return { kind: "over", about: `${status}_by_another`, end: { type: "closed", of, outcome: usedOutcome(status) } };
  const isForgotten = status === "canceled" && reason === "restored";
  if (isOthers || (status !== null && isClosed(status) && !isForgotten))
    return { kind: "over", about: "not_settled_any_more", end: { type: "closed", of, outcome: "unclear" } };
  if (status !== "settled" && !isForgotten) return { kind: "contradicted", about: "status_unclear" };
  return isSameMoney(withdrawal, reading)
    ? { kind: "paid" }
    : { kind: "over", about: "amount_changed", end: amountChanged(withdrawal) };
};

/**
 * What the journal has as payable, asked about after a restart, while it waits and before its cash leaves the drawer. Cash
 * that another journal has handed out, or declared not handed out, is not offered here; what is contradictory is asked
 * about, then left to the books.
 */
const recheckPayable = (
  state: State,
  withdrawal: Withdrawal,
  input: StatusAnswered,
  moment: Moment,
  fresh: Fresh,
): readonly Event[] => {
  if (withdrawal.requestState.number !== input.number) return [];
  const { handOutAsked, withdrawalId } = withdrawal;
  const of = factsOf(withdrawal);
  const said = saidOfPaid(state, withdrawal, input.answer);
  const isAsked = handOutAsked !== null;
  const order = askedHandOut(state, withdrawal);
  const notBeforeMs = moment.monotonicMs + pauseMs(state, withdrawal, input.answer, fresh);
  const failed = requestStateChanged(withdrawal, { failures: withdrawal.requestState.failures + 1, notBeforeMs });
  const http = classifyAnswer(input.answer) === "done" ? null : httpOf(input.answer);
  switch (said.kind) {
    case "paid":
      // An entry that cannot be read may have been its hand-out: a manager says what became of it.
      if (withdrawal.doubtful) return [failed];
      if (isAsked) return order;
      return [requestStateChanged(withdrawal, { checkFirst: false, failures: 0, notBeforeMs: moment.monotonicMs })];
    case "silent":
      return isAsked ? order : [failed];
    case "over":
      return [discrepancy(of, said.about), said.end];
    case "contradicted":
      if (isAsked) return [{ type: "recheck_needed", withdrawalId, notBeforeMs }];
      if (offersCash(withdrawal)) return [failed];
      if (moment.monotonicMs - withdrawal.stageSinceMs <= unclearPatienceMs) return [failed];
      return [discrepancy(of, said.about, http), { type: "closed", of, outcome: "unclear" }];
    default:
      return assertNever(said);
  }
};

/** Another amount than the one that was confirmed is never handed out. Where cash may have gone already, only the books can tell. */
const amountChanged = (withdrawal: Withdrawal): Extract<SaidOfPaid, { kind: "over" }>["end"] => {
  const of = factsOf(withdrawal);
  return withdrawal.handOutBegun
    ? { type: "closed", of, outcome: "unclear" }
    : { type: "not_handed_out", of, reason: "other" };
};

/** The service does not know it or will not say: believed only after several tries, and never without a line in the books. */
const notFoundEvents = (withdrawal: Withdrawal, input: StatusAnswered, moment: Moment): readonly Event[] | null => {
  const answerClass = classifyAnswer(input.answer);
  if (answerClass !== "missing" && answerClass !== "refused") return null;
  const of = factsOf(withdrawal);
  if (!withdrawal.intended) return [{ type: "closed", of, outcome: "rejected" }];
  const itsOwnWord = codeOf(input.answer) === "transaction_not_found" && !withdrawal.confirmed;
  const isBelieved = itsOwnWord
    ? withdrawal.requestState.failures >= missesMax
    : moment.monotonicMs - withdrawal.stageSinceMs > unclearPatienceMs;
  if (!isBelieved) return null;
  return [
    discrepancy(of, "not_found", httpOf(input.answer)),
    { type: "closed", of, outcome: itsOwnWord ? "unknown_barcode" : "unclear" },
  ];
};

/** Where the status alone does not say what became of this terminal's confirm, or is a word the terminal does not know. */
const unclear = (withdrawal: Withdrawal, reading: Reading, moment: Moment): readonly Event[] | null => {
  const of = factsOf(withdrawal);
  const { requestState, stage } = withdrawal;
  const untaken = reading.status === "ready" || reading.status === "requested";
  const elsewhere = confirmOwner(withdrawal, reading) === "unsaid" && reading.status !== null && !untaken;
  if (stage.kind === "confirming") {
    if (confirmOwner(withdrawal, reading) === "ours" && !withdrawal.confirmed)
      return [{ type: "confirm_accepted", of, status: null }];
    if (requestState.conflict)
      return [
        ...(untaken || requestState.silentConfirms > 0 ? [discrepancy(of, "confirm_conflict", 409)] : []),
        {
          type: "closed",
          of,
          outcome:
            requestState.silentConfirms > 0 ? "unclear" : untaken ? "service_refused" : takenOutcome(reading.status),
        },
      ];
    const tooOld = moment.monotonicMs - withdrawal.beganMs > confirmRepeatWindowMs;
    if (untaken && (tooOld || requestState.confirms >= confirmsMax))
      return [{ type: "reject_intended", of, why: "given_up", intended: true }];
    return null;
  }
  if (stage.kind === "rejecting" && elsewhere && withdrawal.intended && !withdrawal.confirmed)
    return requestState.conflict || requestState.confirms >= confirmsMax
      ? [discrepancy(of, "confirm_unclear"), { type: "closed", of, outcome: "unclear" }]
      : [{ type: "reject_overtaken", withdrawalId: withdrawal.withdrawalId, to: "confirming" }];
  const known = reading.status !== null && !untaken && !isClosed(reading.status);
  if (known || withdrawal.approval !== null) return null;
  if (moment.monotonicMs - withdrawal.stageSinceMs <= unclearPatienceMs) return null;
  return [discrepancy(of, "status_unclear"), { type: "closed", of, outcome: "unclear" }];
};
