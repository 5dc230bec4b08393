/**
 * A partner's bank with a ledger that survives everything. As Standard Webhooks ask, it drops a repeat by its `webhook-id`
 * and by that alone: a service that repeats a Settle order under a new id pays twice, and the checker sees it.
 */
import {
  type PartnerAnswers,
  settleOrderPath,
  settleOrderSchema,
  startOrderPath,
  startOrderSchema,
} from "../../backend/contract/partner.ts";
import { isClosed } from "../../backend/contract/transaction.ts";
import { type StatusEvent, statusEventSchema } from "../../backend/contract/webhook-events.ts";
import { webhookOf } from "../../backend/partner/send.ts";
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

/** Definite words about one Settle order. */
export interface Words {
  readonly yes: boolean;
  readonly no: boolean;
}

/** All that the bank did; it survives every crash. */
export interface Ledger {
  readonly holds: ReadonlyMap<string, Hold>;
  readonly payments: readonly Payment[];
  /** Holds that were neither paid nor released: the customer's money that nobody asks for. */
  readonly openHolds: ReadonlySet<string>;
  /** References of Settle orders to which the bank has said no, whatever it booked. */
  readonly denied: ReadonlySet<string>;
  /** What a service has heard and had the time to write down, of orders to which the bank has said no. */
  readonly heard: ReadonlyMap<string, Words>;
  /** The newest status event that the bank has taken of each withdrawal; null for a bank without an address for them. */
  readonly told: ReadonlyMap<string, StatusEvent> | null;
  /** Payments that the bank took back when an operator asked for it. */
  readonly returned: ReadonlySet<string>;
}

/** The bank behind the network. */
export interface SimulatedBank {
  readonly ledger: Ledger;
  /** One call as it arrives; null when the bank hangs. */
  receive(request: PartnerRequest): BankReply | null;
  /** A service has got this reply, and lived on for long enough to write down what it says. */
  wasHeard(request: PartnerRequest, reply: BankReply): void;
  /** A service has forgotten what it heard. */
  forgetHeard(): void;
  /** Called when a service says that a restore has ended a withdrawal, with whether the bank has paid it. */
  onRestored(run: (reference: string, hasPaid: boolean) => void): void;
  /** What the bank tells an operator on the telephone: what it has not paid by then it will not pay any more. */
  hasPaid(reference: string): boolean;
  /** An operator asks for a payment back that no book has. */
  payBack(reference: string): void;
  /** The keys of which one must have signed a call; the newest last. */
  takeKeys(keys: readonly string[]): void;
  /** The hosts at which it listens. */
  listenAt(hosts: readonly string[]): void;
}

/** What the bank answers. */
export interface BankReply {
  readonly status: number;
  readonly body: string;
}

/** Where the bank takes status events. */
export const eventsPath = "/events";
/** Where the bank listens at first. */
export const bankHost = "bank.simulated";

const word = (status: string, reason?: string): BankReply => ({
  status: 200,
  body: JSON.stringify({ status, reason }),
});
/** How a bank of each kind says yes and no. */
const replies: Readonly<Record<PartnerAnswers, { readonly yes: BankReply; readonly no: BankReply }>> = {
  "by-status-word": { yes: word("accepted"), no: word("declined", "simulated") },
  "by-status-code": { yes: { status: 204, body: "" }, no: { status: 422, body: "" } },
};
/** What speaks of a failure beside a yes: nothing was done. */
const failures = [{ error: "system" }, { success: false }, { errors: ["system"] }, { ok: false }];

const taken: BankReply = { status: 204, body: "" };
const unavailable: BankReply = { status: 503, body: "busy" };
const unsigned: BankReply = { status: 401, body: "the signature is none of ours" };
const untimely: BankReply = { status: 401, body: "the signature's time is off" };
const elsewhere: BankReply = { status: 404, body: "no such path" };
/** How far a call's time may be off the bank's own. */
const signedWithinMs = 2 * 3_600_000;

/** The transaction of a Settle order. */
const referenceOf = (request: PartnerRequest): string =>
  settleOrderSchema.parse(JSON.parse(request.body)).SvcTransactionReferenceId;

/** What a bank is made of. */
export interface BankOptions {
  readonly now: () => number;
  readonly injector: FaultInjector;
  /** How it treats a withdrawal, by its partner reference. */
  readonly wayOf: (partnerReference: string) => BankWay;
  readonly onPayment: (payment: Payment) => void;
  /** Default: by a word. */
  readonly answers?: PartnerAnswers;
  /**
   * The bank's own clock, epoch milliseconds: what is signed far off it is refused, and a hold ends by it. A bank without one
   * looks at no clock.
   */
  readonly calendarMs?: (() => number) | null;
}

/** Takes calls at any host and with any signature until it is told otherwise. */
export const createBank = (options: BankOptions): SimulatedBank => {
  const { now, injector, wayOf, onPayment, answers = "by-status-word", calendarMs = null } = options;
  const { yes, no } = replies[answers];
  const holds = new Map<string, Hold>();
  const payments: Payment[] = [];
  const paid = new Set<string>();
  const openHolds = new Set<string>();
  /** What has ended without money: a Start order that comes after that holds nothing any more. */
  const ended = new Set<string>();
  /** What an operator was told that it is not paid. */
  const voided = new Set<string>();
  const denied = new Set<string>();
  const heard = new Map<string, Words>();
  const returned = new Set<string>();
  const told = new Map<string, StatusEvent>();
  const answered = new Map<string, BankReply>();
  /** Settle orders that arrived, also those of which nobody got an answer. */
  const tries = new Map<string, number>();
  let keys: readonly string[] | null = null;
  let hosts: readonly string[] | null = null;
  let restored: (reference: string, hasPaid: boolean) => void = () => {};

  const isOver = (atMs: number): boolean => calendarMs !== null && atMs <= calendarMs();
  const isSignedNow = (signedSeconds: string | undefined): boolean =>
    calendarMs === null || Math.abs(Number(signedSeconds) * 1_000 - calendarMs()) <= signedWithinMs;
  const isSignedByOne = ({ headers, body }: PartnerRequest, webhookId: string): boolean => {
    const at = new Date(Number(headers["webhook-timestamp"]) * 1_000);
    const signatures = (headers["webhook-signature"] ?? "").split(" ");
    return keys === null || keys.some((key) => signatures.includes(webhookOf(key).sign(webhookId, at, body)));
  };

  const release = (event: StatusEvent): BankReply => {
    const { transaction_id: reference, status, reason } = event.transaction;
    if (event.sequence > (told.get(reference)?.sequence ?? 0)) told.set(reference, event);
    if (isClosed(status)) {
      openHolds.delete(reference);
      ended.add(reference);
    }
    if (reason === "restored") restored(reference, paid.has(reference));
    return taken;
  };

  const start = (request: PartnerRequest, way: BankWay): BankReply => {
    const order = startOrderSchema.parse(JSON.parse(request.body));
    const reference = order.svcTransactionReferenceId;
    const expiresAtMs = Date.parse(order.expiryTimeOfTheOrder);
    if (way === "declines_start" || ended.has(reference) || isOver(expiresAtMs)) return no;
    openHolds.add(reference);
    holds.set(reference, { reference, amount: order.amount, atMs: now(), expiresAtMs });
    return yes;
  };

  const book = (hold: Hold, webhookId: string): BankReply => {
    const { reference, amount } = hold;
    const payment = { reference, webhookId, amount, atMs: now() };
    paid.add(reference);
    payments.push(payment);
    openHolds.delete(reference);
    onPayment(payment);
    return yes;
  };

  const settle = (request: PartnerRequest, webhookId: string, way: BankWay): BankReply => {
    const reference = referenceOf(request);
    const hold = holds.get(reference);
    const count = (tries.get(reference) ?? 0) + 1;
    tries.set(reference, count);
    const canPay = hold !== undefined && !voided.has(reference) && !isOver(hold.expiresAtMs);
    if (canPay && !(way === "no_then_yes" && ended.has(reference))) {
      if (way === "accepts" || (way === "yes_then_no" && count === 1)) return book(hold, webhookId);
      if (way === "no_then_yes" && count > 1) return paid.has(reference) ? yes : book(hold, webhookId);
    }
    denied.add(reference);
    return no;
  };

  const decide = (request: PartnerRequest, webhookId: string, way: BankWay): BankReply => {
    const { url } = request;
    if (url.endsWith(startOrderPath)) return start(request, way);
    if (url.endsWith(eventsPath)) return release(statusEventSchema.parse(JSON.parse(request.body)));
    return url.endsWith(settleOrderPath) ? settle(request, webhookId, way) : elsewhere;
  };

  /** It would have done it, and something went wrong on the way: nothing was done. */
  const failing = (failure: object): BankReply => ({
    status: 200,
    body: JSON.stringify(answers === "by-status-word" ? { status: "accepted", ...failure } : failure),
  });

  return {
    ledger: { holds, payments, openHolds, denied, heard, told, returned },
    receive: (request) => {
      const webhookId = request.headers["webhook-id"] ?? "";
      if (hosts?.includes(new URL(request.url).host) === false) return elsewhere;
      if (!isSignedByOne(request, webhookId)) return unsigned;
      if (!isSignedNow(request.headers["webhook-timestamp"])) return untimely;
      const faults = injector.of(`bank ${webhookId}`);
      if (faults.occurs("bankFails")) return unavailable;
      const isEvent = request.url.endsWith(eventsPath);
      const known = answered.get(webhookId);
      if (known === undefined && !isEvent && faults.occurs("bankFailsInAYes"))
        return failing(failures[faults.between(0, failures.length - 1)] ?? {});
      const ownReference = request.headers["partner-reference"] ?? "";
      const way = wayOf(ownReference);
      const wavers = way === "yes_then_no" || way === "no_then_yes";
      const reply = known ?? decide(request, webhookId, way);
      if (!wavers || !request.url.endsWith(settleOrderPath)) answered.set(webhookId, reply);
      // Every other one who will say otherwise is not heard at first; the one of a scripted course, the first, is.
      else if (tries.get(referenceOf(request)) === 1 && Number(/\d*$/.exec(ownReference)?.[0]) % 2 === 1) return null;
      return faults.occurs("bankSilentAfterBooking") ? null : reply;
    },
    wasHeard: (request, reply) => {
      // A code alone is definite only where no earlier try went unanswered: what it said does not bind the service.
      if (!request.url.endsWith(settleOrderPath) || answers === "by-status-code") return;
      const reference = referenceOf(request);
      const before = heard.get(reference) ?? { yes: false, no: false };
      heard.set(reference, { yes: before.yes || reply === yes, no: before.no || reply === no });
    },
    hasPaid: (reference) => {
      if (!paid.has(reference)) voided.add(reference);
      return paid.has(reference);
    },
    forgetHeard: () => heard.clear(),
    onRestored: (run) => {
      restored = run;
    },
    payBack: (reference) => void returned.add(reference),
    takeKeys: (next) => {
      keys = next;
    },
    listenAt: (next) => {
      hosts = next;
    },
  };
};
