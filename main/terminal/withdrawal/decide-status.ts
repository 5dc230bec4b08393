/** Decides what a status means for an open withdrawal. The only place that can make cash payable. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { decidedByOperator } from "../../../backend/contract/reasons.ts";
import { isClosed, type Status } from "../../../backend/contract/transaction.ts";
import type { Discrepancy, Outcome } from "../../../preload/contract.ts";
import {
  approvalMarginMs,
  backOffActiveMaxMs,
  clockResolutionMs,
  confirmRepeatWindowMs,
  confirmsMax,
  heldOpenMs,
  pollPauseMs,
  requestBackOffMaxMs,
  unclearPatienceMs,
} from "../bounds.ts";
import {
  type Answer,
  backOffMs,
  bodyOf,
  classifyAnswer,
  codeOf,
  httpOf,
  isAboutAnother,
  isSameAmount,
  isSameCurrency,
  type Reading,
  readTransaction,
} from "../service/answer.ts";
import { askedHandOut } from "./decide-cashier.ts";
import { duplicateDeviceEvents, requestStateChanged } from "./decide-service.ts";
import type { Event } from "./events.ts";
import { accept, type Decision, type Decisions, type EffectResult, type Input, refuse, type Turn } from "./inputs.ts";
import { putBackWithService } from "./problems.ts";
import { withServiceClock } from "./recovery.ts";
import {
  activeWithdrawal,
  type Moment,
  mayBeGiven,
  restoreSince,
  type State,
  serviceNowMs,
  waitsForRestore,
} from "./state.ts";
import {
  awaitsService,
  type Facts,
  offersCash,
  type RejectWhy,
  type RequestState,
  type Withdrawal,
} from "./withdrawal.ts";

/** A problem of a withdrawal for the books. `http`: the service's status if its refusal is the reason. */
export const discrepancy = (of: Facts, about: Discrepancy, http: number | null = null) =>
  ({ type: "discrepancy", withdrawal: of, about, http }) as const;

/** Outcome shown to the cashier by reason, of `canceled` and of `rejected`; null: depends on the terminal's own reject. */
const byReason: Readonly<Record<NonNullable<Reading["reason"]>, readonly [Outcome, Outcome | null]>> = {
  sca_denied: ["sca_denied", null],
  user_canceled: ["user_canceled", null],
  sca_timeout: ["sca_timeout", "sca_timeout"],
  order_expired: ["canceled", null],
  partner_declined: ["canceled", null],
  partner_unreachable: ["canceled", null],
  cashier_rejected: ["canceled", null],
  settle_declined: ["canceled", null],
  decided_by_operator: ["canceled", null],
  unknown: ["canceled", null],
  // The service has lost the outcome: the bank may have paid.
  restored: ["unclear", null],
};
const byOwnReject = { cashier: "rejected", time_out: "sca_timeout", given_up: "given_up" } as const;

/** Outcome of a closed order for the cashier. `why`: reason of this terminal's own reject, if any. */
export const closedOutcome = (status: Status, reason: Reading["reason"], why: RejectWhy | null): Outcome => {
  if (status === "expired") return "order_expired";
  if (status === "declined") return "declined";
  if (status === "failed") return "settle_declined";
  // A server of the plain specification gives no reason; a time-out is known only if it happened here.
  const [canceled, rejected]: readonly [Outcome, Outcome | null] =
    reason === null ? [why === "time_out" ? "sca_timeout" : "canceled", null] : byReason[reason];
  if (status === "canceled") return canceled;
  return rejected ?? (why === null ? "rejected_before" : byOwnReject[why]);
};

/**
 * The events that can follow from a status, and whether each moves the withdrawal on: only then does a late answer
 * count. `eventsFromStatus` cannot return other events.
 */
const isMoving = {
  closed: true,
  settled: true,
  not_handed_out: true,
  phase_seen: true,
  reject_overtaken: true,
  confirm_accepted: true,
  approval_deadline_known: false,
  discrepancy: false,
  duplicate_device_found: false,
} as const satisfies Partial<Record<Event["type"], boolean>>;

type StatusEvent = Extract<Event, { readonly type: keyof typeof isMoving }>;
type StatusEvents = readonly StatusEvent[];

const isDecisive = (events: StatusEvents): boolean => events.some(({ type }) => isMoving[type]);

type At = Pick<Turn, "state" | "moment">;

/** Whose confirm the service accepted; `unsaid` if the body does not say. */
export const confirmOwner = (withdrawal: Withdrawal, reading: Reading): "ours" | "none" | "other" | "unsaid" => {
  if (reading.terminalReference === undefined) return withdrawal.confirmed ? "ours" : "unsaid";
  if (reading.terminalReference === null) return withdrawal.confirmed ? "unsaid" : "none";
  return reading.terminalReference === withdrawal.terminalReference ? "ours" : "other";
};

/** Whether amount and currency are still those that the cashier confirmed. */
const isSameMoney = (withdrawal: Withdrawal, reading: Reading): boolean =>
  !reading.isAmountUnread &&
  isSameAmount(reading.amount, withdrawal.amount) &&
  isSameCurrency(reading.currency, withdrawal.currency);

const rejectWhy = (withdrawal: Withdrawal): RejectWhy | null =>
  withdrawal.stage.kind === "rejecting" ? withdrawal.stage.why : null;

/**
 * The events that follow from the status of a withdrawal in `confirming`, `waiting` or `rejecting`. Empty if nothing
 * can be concluded: the status is unknown, or it is unclear whose confirm was accepted.
 */
export const eventsFromStatus = ({ state, moment }: At, withdrawal: Withdrawal, reading: Reading): StatusEvents => {
  const { status } = reading;
  if (status === null) return [];
  const why = rejectWhy(withdrawal);
  if (isClosed(status)) return [{ type: "closed", withdrawal, outcome: closedOutcome(status, reading.reason, why) }];
  const owner = confirmOwner(withdrawal, reading);
  if (owner === "other") return [{ type: "closed", withdrawal, outcome: takenOutcome(status) }];
  if (status === "requested" || status === "ready") return [];
  if (owner === "none") return [];
  if (owner === "unsaid" && !withdrawal.confirmed)
    return withdrawal.confirmAttempted ? [] : [{ type: "closed", withdrawal, outcome: takenOutcome(status) }];

  const accepted: StatusEvents = withdrawal.confirmed ? [] : [{ type: "confirm_accepted", withdrawal, status }];
  switch (status) {
    case "awaiting_sca":
      return [...accepted, ...approvalDeadline({ state, moment }, withdrawal, reading)];
    case "settling":
      if (why !== null)
        return [...accepted, { type: "reject_overtaken", withdrawalId: withdrawal.withdrawalId, to: "payment" }];
      if (withdrawal.stage.kind === "waiting" && withdrawal.stage.phase === "approval")
        return [...accepted, { type: "phase_seen", withdrawalId: withdrawal.withdrawalId, phase: "payment" }];
      return accepted;
    case "settled":
      if (isSameMoney(withdrawal, reading)) return [...accepted, { type: "settled", withdrawal }];
      return [
        ...accepted,
        discrepancy(withdrawal, "amount_changed"),
        mayBeGiven(state, withdrawal)
          ? { type: "closed", withdrawal, outcome: "unclear" }
          : { type: "not_handed_out", withdrawal, reason: "other" },
      ];
    case "linked":
    case "undelivered":
      if (reading.reason === decidedByOperator) {
        if (withdrawal.handOutBegun || waitsForRestore(state, withdrawal)) return accepted;
        return [
          ...accepted,
          withdrawal.doubtful
            ? { type: "settled", withdrawal }
            : { type: "not_handed_out", withdrawal, reason: "other" },
        ];
      }
      return [
        ...accepted,
        discrepancy(withdrawal, `${status}_by_another`),
        { type: "closed", withdrawal, outcome: usedOutcome(status) },
      ];
    default:
      return assertNever(status);
  }
};

/** Whether the customer may already have the cash: an earlier run, or the machine before, may have handed it out. */
const mayHaveLeft = ({ handOutBegun, doubtful, recovered }: Withdrawal): boolean =>
  handOutBegun || doubtful || recovered;

/** Outcome shown for another terminal's order: over, or perhaps in progress, so that a new order could charge the customer twice. */
export const takenOutcome = (status: Status | null): Outcome =>
  status === "linked" || status === "undelivered" ? "already_used" : "in_use_elsewhere";

/** Outcome shown for this terminal's own order if another program has reported its cash. */
const usedOutcome = (status: "linked" | "undelivered"): Outcome =>
  status === "linked" ? "handed_out_before" : "already_used";

/** Time left for the customer's approval by the service's clock, else its whole allowance; null if it states none. */
const approvalLeftMs = ({ state, moment }: At, { approvalEndsAtMs, confirmedAtMs }: Reading): number | null => {
  if (approvalEndsAtMs === null) return null;
  if (state.serviceClock !== null) return approvalEndsAtMs - serviceNowMs(state, moment);
  return confirmedAtMs === null ? null : approvalEndsAtMs - confirmedAtMs;
};

/** The service's deadline replaces the terminal's own time-out. Afterwards it can only get earlier, so that the countdown does not jump. */
const approvalDeadline = (at: At, withdrawal: Withdrawal, reading: Reading): StatusEvents => {
  const { approval, withdrawalId } = withdrawal;
  const serviceLeftMs = approvalLeftMs(at, reading);
  if (approval === null || serviceLeftMs === null) return [];
  const { confirmedAtMs, approvalEndsAtMs } = reading;
  const leftMs = Math.max(0, serviceLeftMs - approvalMarginMs);
  const totalMs =
    confirmedAtMs === null || approvalEndsAtMs === null
      ? leftMs
      : Math.max(0, approvalEndsAtMs - confirmedAtMs - approvalMarginMs);
  // The service confirmed after the terminal started: counting from that start is never too long, however slow the answer.
  const latestMs = approval.untilMs - approval.totalMs + totalMs;
  const untilMs = Math.min(at.moment.monotonicMs + leftMs, approval.isService ? approval.untilMs : latestMs);
  if (approval.isService && untilMs > approval.untilMs - clockResolutionMs) return [];
  return [{ type: "approval_deadline_known", withdrawalId, untilMs, totalMs }];
};

type ConfirmAnswered = Extract<EffectResult, { type: "confirm_answered" }>;

/** A refused connection means that nothing was done; any other silence may hide a success. */
const mayBeDone = (answer: Answer): boolean =>
  answer.kind === "answer" || (answer.kind === "silence" && answer.why !== "refused" && answer.why !== "unreachable");

/** A call failed: schedules the next one after a pause, which is short while the withdrawal is on the screen. */
export const failed = (
  { state, moment, fresh }: Turn,
  withdrawal: Withdrawal,
  answer: Answer,
  changes: Partial<RequestState> = {},
): Event => {
  const failures = withdrawal.requestState.failures + 1;
  const maxMs = activeWithdrawal(state) === withdrawal ? backOffActiveMaxMs : requestBackOffMaxMs;
  const notBeforeMs = moment.monotonicMs + backOffMs(failures, maxMs, fresh.fraction, answer);
  return requestStateChanged(withdrawal, { failures, notBeforeMs, ...changes });
};

const refusedOutcome = (answer: Answer): Outcome =>
  codeOf(answer) === "limit_reached" ? "limit_reached" : "service_refused";

/** The answer to a confirm (interface 4.5); a late answer to an earlier attempt counts only if it is a success. */
const decideConfirmAnswer = (turn: Turn, input: ConfirmAnswered): Decision => {
  const { state } = turn;
  const withdrawal = state.open.get(input.withdrawalId);
  if (withdrawal === undefined || !awaitsService(withdrawal.stage)) return refuse("stale");
  if (withdrawal.requestState.number !== input.number && classifyAnswer(input.answer) !== "done") return accept();
  return accept(...confirmAnswered(turn, withdrawal, input.answer));
};

const confirmAnswered = (turn: Turn, withdrawal: Withdrawal, answer: Answer): readonly Event[] => {
  const answerClass = classifyAnswer(answer);
  const { requestState, stage } = withdrawal;
  const confirms = requestState.confirms + 1;
  switch (answerClass) {
    case "done":
      return accepted(turn, withdrawal, answer);
    case "conflict": {
      const asked = { confirms, checkFirst: true, conflict: true, notBeforeMs: turn.moment.monotonicMs };
      return [requestStateChanged(withdrawal, asked)];
    }
    case "missing":
    case "refused": {
      if (requestState.silentConfirms > 0 || stage.kind !== "confirming")
        return [failed(turn, withdrawal, answer, { confirms, checkFirst: true })];
      const outcome = answerClass === "missing" ? "unknown_barcode" : refusedOutcome(answer);
      return [{ type: "closed", withdrawal, outcome }];
    }
    case "later":
      return [failed(turn, withdrawal, answer, { confirms })];
    case "unknown":
    case "misrouted": {
      const silentConfirms = requestState.silentConfirms + (mayBeDone(answer) ? 1 : 0);
      return [failed(turn, withdrawal, answer, { confirms, checkFirst: true, silentConfirms })];
    }
    default:
      return assertNever(answerClass);
  }
};

/** A confirm's success. The body may lack fields, or be about another transaction or terminal. */
const accepted = (turn: Turn, withdrawal: Withdrawal, answer: Answer): readonly Event[] => {
  const body = bodyOf(answer);
  if (isAboutAnother(body, withdrawal.transactionId)) {
    const silentConfirms = withdrawal.requestState.silentConfirms + 1;
    return [failed(turn, withdrawal, answer, { checkFirst: true, silentConfirms })];
  }
  const reading = readTransaction(body, withdrawal.transactionId);
  if (reading !== null && confirmOwner(withdrawal, reading) === "other")
    return [
      ...duplicateDeviceEvents(turn, reading),
      { type: "closed", withdrawal, outcome: takenOutcome(reading.status) },
    ];
  const yes = { type: "confirm_accepted", withdrawal, status: reading?.status ?? null } as const;
  if (reading === null) return [yes];
  return [
    ...(withdrawal.confirmed ? [] : [yes]),
    ...eventsFromStatus(withClock(turn, answer), { ...withdrawal, confirmed: true }, reading),
  ];
};

type StatusAnswered = Extract<EffectResult, { type: "status_answered" }>;

/** The turn with the service's clock set by the answer's Date. */
const withClock = (turn: Turn, answer: Answer): At => ({
  ...turn,
  state: withServiceClock(turn.state, answer, turn.moment),
});

const missesMax = 5;

/** The answer to `GET /transaction` for an open withdrawal (interface 4.8); a late answer counts only if it moves the withdrawal on. */
const decideStatusAnswer = (turn: Turn, input: StatusAnswered): Decision => {
  const { state, moment } = turn;
  const withdrawal = state.open.get(input.withdrawalId);
  if (withdrawal?.stage.kind === "payable") return accept(...recheckPayable(turn, withdrawal, input));
  if (withdrawal === undefined || !awaitsService(withdrawal.stage)) return refuse("stale");
  const { answer, number } = input;
  const isCurrent = withdrawal.requestState.number === number;
  const reading = classifyAnswer(answer) === "done" ? readTransaction(bodyOf(answer), withdrawal.transactionId) : null;
  if (reading === null)
    return accept(
      ...(isCurrent ? (notFoundEvents(withdrawal, answer, moment) ?? [failed(turn, withdrawal, answer)]) : []),
    );
  const learned = [
    ...duplicateDeviceEvents(turn, reading),
    ...eventsFromStatus(withClock(turn, answer), withdrawal, reading),
  ];
  if (isDecisive(learned)) return accept(...learned, ...(isCurrent ? [askedAtOnce(turn, withdrawal)] : []));
  if (!isCurrent) return accept();
  return accept(
    ...learned,
    ...(unclear(withdrawal, reading, moment) ?? [askedAgain(turn, withdrawal, reading, input)]),
  );
};

/** The service has answered: the next call may go out at once. */
const askedAtOnce = ({ state, moment }: At, withdrawal: Withdrawal): Event =>
  requestStateChanged(withdrawal, {
    failures: 0,
    checkFirst: mayBeGiven(state, withdrawal),
    notBeforeMs: moment.monotonicMs,
  });

/** When to ask again if the status changes nothing. */
const askedAgain = (
  turn: Turn,
  withdrawal: Withdrawal,
  { status }: Reading,
  { answer, tookMs }: StatusAnswered,
): Event => {
  const { monotonicMs } = turn.moment;
  switch (withdrawal.stage.kind) {
    case "confirming":
      return requestStateChanged(withdrawal, { checkFirst: false, notBeforeMs: monotonicMs });
    case "waiting": {
      const notBeforeMs = monotonicMs + (tookMs >= heldOpenMs ? 0 : pollPauseMs);
      return requestStateChanged(withdrawal, { failures: 0, checkFirst: false, notBeforeMs });
    }
    default: {
      const isOpen = status === "ready" || status === "awaiting_sca";
      return failed(turn, withdrawal, answer, isOpen ? { rejectRefused: false } : {});
    }
  }
};

type EndEvent = Extract<Event, { withdrawal: unknown }>;
type Recheck =
  /** As in the journal; also if a restored service has lost it. */
  | { readonly kind: "paid" }
  /** The service cannot be asked now. */
  | { readonly kind: "silent" }
  | { readonly kind: "over"; readonly about: Discrepancy | null; readonly end: EndEvent }
  /** An operator has decided about cash that may have left this drawer: no more of it is handed out, and people here say what they know. */
  | { readonly kind: "decided" }
  /** A contradiction without details: asked again before it is believed. */
  | { readonly kind: "contradicted"; readonly about: Discrepancy };

const readRecheck = (state: State, withdrawal: Withdrawal, answer: Answer): Recheck => {
  const answerClass = classifyAnswer(answer);
  if (codeOf(answer) === "transaction_not_found" && restoreSince(state, withdrawal) !== null) return { kind: "paid" };
  if (answerClass === "missing") return { kind: "contradicted", about: "not_found" };
  if (answerClass === "refused" && !offersCash(withdrawal)) return { kind: "contradicted", about: "not_found" };
  const reading = answerClass === "done" ? readTransaction(bodyOf(answer), withdrawal.transactionId) : null;
  if (reading === null) return { kind: "silent" };
  const { status, reason } = reading;
  const isOthers = confirmOwner(withdrawal, reading) === "other";
  if ((status === "linked" || status === "undelivered") && reason === decidedByOperator)
    return mayHaveLeft(withdrawal)
      ? { kind: "decided" }
      : { kind: "over", about: null, end: { type: "not_handed_out", withdrawal, reason: "other" } };
  if (status === "linked" || status === "undelivered")
    return {
      kind: "over",
      about: `${status}_by_another`,
      end: { type: "closed", withdrawal, outcome: usedOutcome(status) },
    };
  const isForgotten = status === "canceled" && reason === "restored";
  if (isOthers || (status !== null && isClosed(status) && !isForgotten))
    return { kind: "over", about: "not_settled_any_more", end: { type: "closed", withdrawal, outcome: "unclear" } };
  if (status !== "settled" && !isForgotten) return { kind: "contradicted", about: "status_unclear" };
  if (isSameMoney(withdrawal, reading)) return { kind: "paid" };
  // An amount other than the confirmed one is never handed out. If cash may have left already, only the books can tell.
  const end: EndEvent =
    withdrawal.handOutBegun || mayBeGiven(state, withdrawal)
      ? { type: "closed", withdrawal, outcome: "unclear" }
      : { type: "not_handed_out", withdrawal, reason: "other" };
  return { kind: "over", about: "amount_changed", end };
};

/**
 * Rechecks a payable withdrawal at the service: after a restart, while it waits, and before its cash leaves the drawer.
 * Does not offer cash that another journal has declared about; a contradiction is asked again, then left to the books.
 */
const recheckPayable = (turn: Turn, withdrawal: Withdrawal, input: StatusAnswered): readonly Event[] => {
  const { state, moment } = turn;
  const { answer, number } = input;
  if (withdrawal.requestState.number !== number) return [];
  const said = readRecheck(state, withdrawal, answer);
  const isAsked = withdrawal.handOutAsked !== null;
  const contradicted: readonly Event[] = isAsked
    ? [{ type: "recheck_needed", withdrawalId: withdrawal.withdrawalId }]
    : [];
  const inVain = failed(turn, withdrawal, answer);
  switch (said.kind) {
    case "paid":
      // It may have been handed out: a manager has to decide, or the service has to say first whether it was put back.
      if (mayBeGiven(state, withdrawal)) return [inVain];
      // No decision is taken back: the service was put back and has forgotten it, and perhaps the cash that it was about.
      if (withdrawal.requestState.operatorDecided) return [discrepancy(withdrawal, putBackWithService), inVain];
      return isAsked ? askedHandOut(state, withdrawal) : [askedAtOnce(turn, withdrawal)];
    case "silent":
      return isAsked ? askedHandOut(state, withdrawal) : [inVain];
    case "decided":
      return [...contradicted, failed(turn, withdrawal, answer, { checkFirst: true, operatorDecided: true })];
    case "over":
      return [...(said.about === null ? [] : [discrepancy(withdrawal, said.about)]), said.end];
    case "contradicted":
      if (isAsked) return [...contradicted, failed(turn, withdrawal, answer, { checkFirst: true })];
      if (offersCash(withdrawal) || moment.monotonicMs - withdrawal.stageSinceMs <= unclearPatienceMs) return [inVain];
      return [
        discrepancy(withdrawal, said.about, classifyAnswer(answer) === "done" ? null : httpOf(answer)),
        { type: "closed", withdrawal, outcome: "unclear" },
      ];
    default:
      return assertNever(said);
  }
};

/** The service does not know the withdrawal or refuses to answer: believed only after several attempts, and always noted for the books. */
const notFoundEvents = (withdrawal: Withdrawal, answer: Answer, moment: Moment): readonly Event[] | null => {
  const answerClass = classifyAnswer(answer);
  if (answerClass !== "missing" && answerClass !== "refused") return null;
  if (!withdrawal.confirmAttempted) return [{ type: "closed", withdrawal, outcome: "rejected" }];
  const itsOwnWord = codeOf(answer) === "transaction_not_found" && !withdrawal.confirmed;
  const isBelieved = itsOwnWord
    ? withdrawal.requestState.failures >= missesMax
    : moment.monotonicMs - withdrawal.stageSinceMs > unclearPatienceMs;
  if (!isBelieved) return null;
  return [
    discrepancy(withdrawal, "not_found", httpOf(answer)),
    { type: "closed", withdrawal, outcome: itsOwnWord ? "unknown_barcode" : "unclear" },
  ];
};

/** If the status does not show what became of this terminal's confirm, or is unknown. */
const unclear = (withdrawal: Withdrawal, reading: Reading, moment: Moment): readonly Event[] | null => {
  const { requestState, stage } = withdrawal;
  const untaken = reading.status === "ready" || reading.status === "requested";
  const elsewhere = confirmOwner(withdrawal, reading) === "unsaid" && reading.status !== null && !untaken;
  if (stage.kind === "confirming") {
    if (confirmOwner(withdrawal, reading) === "ours" && !withdrawal.confirmed)
      return [{ type: "confirm_accepted", withdrawal, status: null }];
    if (requestState.conflict)
      return [
        ...(untaken || requestState.silentConfirms > 0 ? [discrepancy(withdrawal, "confirm_conflict", 409)] : []),
        {
          type: "closed",
          withdrawal,
          outcome:
            requestState.silentConfirms > 0 ? "unclear" : untaken ? "service_refused" : takenOutcome(reading.status),
        },
      ];
    const tooOld = moment.monotonicMs - withdrawal.beganMs > confirmRepeatWindowMs;
    if (untaken && (tooOld || requestState.confirms >= confirmsMax))
      return [{ type: "reject_intended", withdrawal, why: "given_up", intended: true }];
    return null;
  }
  if (stage.kind === "rejecting" && elsewhere && withdrawal.confirmAttempted && !withdrawal.confirmed)
    return requestState.conflict || requestState.confirms >= confirmsMax
      ? [discrepancy(withdrawal, "confirm_unclear"), { type: "closed", withdrawal, outcome: "unclear" }]
      : [{ type: "reject_overtaken", withdrawalId: withdrawal.withdrawalId, to: "confirming" }];
  const known = reading.status !== null && !untaken && !isClosed(reading.status);
  if (known || withdrawal.approval !== null) return null;
  if (moment.monotonicMs - withdrawal.stageSinceMs <= unclearPatienceMs) return null;
  return [discrepancy(withdrawal, "status_unclear"), { type: "closed", withdrawal, outcome: "unclear" }];
};

/** Decisions about answers on one withdrawal's status. */
export const statusDecisions = {
  confirm_answered: decideConfirmAnswer,
  status_answered: decideStatusAnswer,
} satisfies Partial<Decisions<Input>>;
