/** What a status means for a withdrawal that this terminal has under way. The only place that can make cash payable. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { isClosed, type Status } from "../../../backend/contract/transaction.ts";
import type { Outcome } from "../../../preload/contract.ts";
import { isSameAmount, isSameCurrency, type Reading } from "../service/reading.ts";
import { approvalMarginMs, clockResolutionMs } from "../state/bounds.ts";
import type { Event } from "../state/events.ts";
import { factsOf, type Moment, type RejectWhy, type State, serviceNowMs, type Withdrawal } from "../state/state.ts";
import { discrepancy } from "./discrepancy.ts";

const canceledOutcome = (reason: Reading["reason"], why: RejectWhy | null): Outcome => {
  switch (reason) {
    case "sca_denied":
    case "user_canceled":
    case "sca_timeout":
      return reason;
    // A service of the interface alone gives no reason: that the time was over is known where it was over here.
    case null:
      return why === "time_out" ? "sca_timeout" : "canceled";
    case "order_expired":
    case "partner_declined":
    case "partner_unreachable":
    case "cashier_rejected":
    case "settle_declined":
    case "unknown":
      return "canceled";
    // The service has forgotten what came of it: the bank may have paid.
    case "restored":
      return "unclear";
    default:
      return assertNever(reason);
  }
};

const rejectedOutcome = (reason: Reading["reason"], why: RejectWhy | null): Outcome => {
  switch (reason) {
    case "sca_timeout":
      return reason;
    case "cashier_rejected":
    case "sca_denied":
    case "user_canceled":
    case "order_expired":
    case "partner_declined":
    case "partner_unreachable":
    case "settle_declined":
    case "restored":
    case "unknown":
    case null:
      break;
    default:
      return assertNever(reason);
  }
  switch (why) {
    case "cashier":
      return "rejected";
    case "time_out":
      return "sca_timeout";
    case "given_up":
      return "given_up";
    case null:
      return "rejected_before";
    default:
      return assertNever(why);
  }
};

/** How a closed order ended, for the cashier. `why` is this terminal's own reject, if there was one. */
export const closedOutcome = (status: Status, reason: Reading["reason"], why: RejectWhy | null): Outcome => {
  if (status === "expired") return "order_expired";
  if (status === "declined") return "declined";
  if (status === "failed") return "settle_declined";
  if (status === "canceled") return canceledOutcome(reason, why);
  return rejectedOutcome(reason, why);
};

/**
 * The events that a service's word about a withdrawal can bring, and whether each moves the withdrawal on: only then does
 * the answer to an old question count. An event that is not here cannot be returned by `eventsFromStatus`.
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

/** One of those events. */
export type Learned = Extract<Event, { readonly type: keyof typeof isMoving }>;

/** Whether the service's word moved the withdrawal on. */
export const isDecisive = (events: readonly Learned[]): boolean => events.some(({ type }) => isMoving[type]);

/** Whose confirm the service took: `unsaid` when the body does not tell. */
export const confirmOwner = (withdrawal: Withdrawal, reading: Reading): "ours" | "none" | "other" | "unsaid" => {
  if (reading.partnerId === undefined) return withdrawal.confirmed ? "ours" : "unsaid";
  if (reading.partnerId === null) return withdrawal.confirmed ? "unsaid" : "none";
  return reading.partnerId === withdrawal.partnerId ? "ours" : "other";
};

/** Whether the service still speaks of the amount and currency that the cashier confirmed. */
export const isSameMoney = (withdrawal: Withdrawal, reading: Reading): boolean =>
  isSameAmount(reading.amount, withdrawal.amount) && isSameCurrency(reading.currency, withdrawal.currency);

const rejectWhy = (withdrawal: Withdrawal): RejectWhy | null =>
  withdrawal.stage.kind === "rejecting" ? withdrawal.stage.why : null;

/**
 * The events that follow from a service's word about a withdrawal in `confirming`, `waiting` or `rejecting`. Empty when
 * nothing can be concluded: the status is unknown, or it does not tell whose confirm was taken.
 */
export const eventsFromStatus = (
  state: State,
  withdrawal: Withdrawal,
  reading: Reading,
  moment: Moment,
): readonly Learned[] => {
  const { status } = reading;
  if (status === null) return [];
  const of = factsOf(withdrawal);
  const why = rejectWhy(withdrawal);
  if (isClosed(status)) return [{ type: "closed", of, outcome: closedOutcome(status, reading.reason, why) }];
  const owner = confirmOwner(withdrawal, reading);
  if (owner === "other") return [{ type: "closed", of, outcome: takenOutcome(status) }];
  if (status === "requested" || status === "ready") return [];
  if (owner === "none") return [];
  if (owner === "unsaid" && !withdrawal.confirmed)
    return withdrawal.intended ? [] : [{ type: "closed", of, outcome: takenOutcome(status) }];

  const accepted: readonly Learned[] = withdrawal.confirmed ? [] : [{ type: "confirm_accepted", of, status }];
  switch (status) {
    case "awaiting_sca":
      return [...accepted, ...approvalDeadline(state, withdrawal, reading, moment)];
    case "settling":
      if (why !== null)
        return [...accepted, { type: "reject_overtaken", withdrawalId: withdrawal.withdrawalId, to: "payment" }];
      if (withdrawal.stage.kind === "waiting" && withdrawal.stage.phase === "approval")
        return [...accepted, { type: "phase_seen", withdrawalId: withdrawal.withdrawalId, phase: "payment" }];
      return accepted;
    case "settled":
      if (isSameMoney(withdrawal, reading)) return [...accepted, { type: "settled", of }];
      return [...accepted, discrepancy(of, "amount_changed"), { type: "not_handed_out", of, reason: "other" }];
    case "linked":
    case "undelivered":
      return [
        ...accepted,
        discrepancy(of, `${status}_by_another`),
        { type: "closed", of, outcome: usedOutcome(status) },
      ];
    default:
      return assertNever(status);
  }
};

/** What another terminal's order is for the cashier here: over, or perhaps under way, so that a new one could charge the customer twice. */
export const takenOutcome = (status: Status | null): Outcome =>
  status === "linked" || status === "undelivered" ? "already_used" : "in_use_elsewhere";

/** What this terminal's own order is for the cashier where another program has reported its cash. */
export const usedOutcome = (status: "linked" | "undelivered"): Outcome =>
  status === "linked" ? "handed_out_before" : "already_used";

/** How long the customer may still approve, by the service's own times; null when it names none. At most what it allows in all. */
const approvalLeftMs = (state: State, reading: Reading, moment: Moment): number | null => {
  const { approvalEndsAtMs, confirmedAtMs } = reading;
  if (approvalEndsAtMs === null) return null;
  const byClock = state.serviceClock === null ? [] : [approvalEndsAtMs - serviceNowMs(state, moment)];
  const inAll = confirmedAtMs === null ? [] : [approvalEndsAtMs - confirmedAtMs];
  const known = [...byClock, ...inAll];
  return known.length === 0 ? null : Math.min(...known);
};

/**
 * The service's deadline takes the place of the terminal's own time-out; after that it only comes nearer, since its clock is
 * known to the second alone and a countdown must not jump about.
 */
const approvalDeadline = (
  state: State,
  withdrawal: Withdrawal,
  reading: Reading,
  moment: Moment,
): readonly Learned[] => {
  const { approval, withdrawalId } = withdrawal;
  const serviceLeftMs = approvalLeftMs(state, reading, moment);
  if (approval === null || serviceLeftMs === null) return [];
  const { confirmedAtMs, approvalEndsAtMs } = reading;
  const leftMs = Math.max(0, serviceLeftMs - approvalMarginMs);
  const totalMs =
    confirmedAtMs === null || approvalEndsAtMs === null
      ? leftMs
      : Math.max(0, approvalEndsAtMs - confirmedAtMs - approvalMarginMs);
  // The service confirmed after the terminal began to: counted from then, the time is never too long, however slow the answer.
  const latestMs = approval.untilMs - approval.totalMs + totalMs;
  const untilMs = Math.min(moment.monotonicMs + leftMs, approval.isService ? approval.untilMs : latestMs);
  if (approval.isService && untilMs > approval.untilMs - clockResolutionMs) return [];
  return [{ type: "approval_deadline_known", withdrawalId, untilMs, totalMs }];
};
