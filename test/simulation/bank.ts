/**
 * A partner's bank with a ledger that survives everything. As Standard Webhooks ask, it drops a repeat by its `webhook-id`
 * and by that alone: a service that repeats a Settle order under a new id pays twice, and the checker sees it.
 */
import {
  settleOrderPath,
  settleOrderSchema,
  startOrderPath,
  startOrderSchema,
} from "../../backend/contract/partner.ts";
import { type StatusEvent, statusEventSchema } from "../../backend/contract/status-events.ts";
import { isClosed } from "../../backend/contract/transaction.ts";
import type { PartnerRequest } from "../../backend/ports.ts";
import type { FaultInjector } from "./fault-injector.ts";
import type { BankWay } from "./plan.ts";

/** Money that a Start order has secured; times are virtual milliseconds unless said otherwise. */
export interface Hold {
  readonly reference: string;
  readonly amount: string;
  readonly atMs: number;
  /** As the Start order names it, by the service's clock. */
  readonly expiresAtMs: number;
}

/** Money that a Settle order has paid. */
export interface Payment {
  readonly reference: string;
  readonly webhookId: string;
  readonly amount: string;
  readonly atMs: number;
}

/** All that the bank did; it survives every crash. */
export interface Ledger {
  readonly holds: ReadonlyMap<string, Hold>;
  readonly payments: readonly Payment[];
  /** Holds that were neither paid nor released: the customer's money that nobody asks for. */
  readonly openHolds: ReadonlySet<string>;
  /** References whose Settle order the bank refused for good. */
  readonly declined: ReadonlySet<string>;
}

/** The bank behind the network. */
export interface SimulatedBank {
  readonly ledger: Ledger;
  /** One call as it arrives; null when the bank hangs. */
  receive(request: PartnerRequest): { readonly status: number; readonly body: string } | null;
}

/** Where the bank takes status events. */
export const eventsPath = "/events";

const accepted = { status: 200, body: JSON.stringify({ status: "accepted" }) };
const declined = { status: 200, body: JSON.stringify({ status: "declined", reason: "simulated" }) };
const unavailable = { status: 503, body: "busy" };

const unsigned = { status: 401, body: "the signature's time is off" };
/** How far a call's time may be off the bank's own. */
const signedWithinMs = 2 * 3_600_000;

/**
 * `wayOf` says how the bank treats a customer, by user id.
 * @param calendarMs the bank's own clock, epoch milliseconds: what is signed far off it is refused, and a hold ends by it.
 * Null for a bank that looks at no clock.
 */
export const createBank = (
  now: () => number,
  injector: FaultInjector,
  wayOf: (userId: string) => BankWay,
  onPayment: (payment: Payment) => void,
  calendarMs: (() => number) | null = null,
): SimulatedBank => {
  const holds = new Map<string, Hold>();
  const payments: Payment[] = [];
  const openHolds = new Set<string>();
  /** What has ended without money: a Start order that comes after that holds nothing any more. */
  const ended = new Set<string>();
  const refused = new Set<string>();
  const answered = new Map<string, typeof accepted>();

  const isOver = (atMs: number): boolean => calendarMs !== null && atMs <= calendarMs();
  const isSignedNow = (signedSeconds: string | undefined): boolean =>
    calendarMs === null || Math.abs(Number(signedSeconds) * 1_000 - calendarMs()) <= signedWithinMs;

  const release = ({ transaction }: StatusEvent): typeof accepted => {
    if (isClosed(transaction.status)) {
      openHolds.delete(transaction.transaction_id);
      ended.add(transaction.transaction_id);
    }
    return accepted;
  };

  const decide = (request: PartnerRequest, webhookId: string): typeof accepted => {
    const { url } = request;
    if (url.endsWith(startOrderPath)) {
      const order = startOrderSchema.parse(JSON.parse(request.body));
      const reference = order.svcTransactionReferenceId;
      const expiresAtMs = Date.parse(order.expiryTimeOfTheOrder);
      if (wayOf(order.userId) === "declines_start" || ended.has(reference) || isOver(expiresAtMs)) return declined;
      openHolds.add(reference);
      holds.set(reference, { reference, amount: order.amount, atMs: now(), expiresAtMs });
      return accepted;
    }
    if (url.endsWith(eventsPath)) return release(statusEventSchema.parse(JSON.parse(request.body)));
    if (!url.endsWith(settleOrderPath)) return { status: 404, body: "no such path" };
    const order = settleOrderSchema.parse(JSON.parse(request.body));
    const reference = order.SvcTransactionReferenceId;
    const hold = holds.get(reference);
    if (!hold || isOver(hold.expiresAtMs) || wayOf(order.userId) === "declines_settle") {
      refused.add(reference);
      return declined;
    }
    const payment = { reference, webhookId, amount: hold.amount, atMs: now() };
    payments.push(payment);
    openHolds.delete(reference);
    onPayment(payment);
    return accepted;
  };

  return {
    ledger: { holds, payments, openHolds, declined: refused },
    receive: (request) => {
      const webhookId = request.headers["webhook-id"] ?? "";
      if (!isSignedNow(request.headers["webhook-timestamp"])) return unsigned;
      const faults = injector.of(`bank ${webhookId}`);
      if (faults.occurs("bankFails")) return unavailable;
      const answer = answered.get(webhookId) ?? decide(request, webhookId);
      answered.set(webhookId, answer);
      return faults.occurs("bankSilentAfterBooking") ? null : answer;
    },
  };
};
