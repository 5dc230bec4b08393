/** The example withdrawal in each of its statuses, with the times that this installation gives it. */
import { example } from "../../contract/example.ts";
import type { Status, Transaction } from "../../contract/transaction.ts";

/** What an installation may set (SCA_TIMEOUT_SECONDS, ORDER_TTL_SECONDS). */
export interface Timing {
  readonly scaSeconds: number;
  readonly orderTtlSeconds: number;
}

const createdMs = Date.parse(example.createdAt);
const offsetOf = (time: string, from: string): number => Date.parse(time) - Date.parse(from);
const text = (epochMs: number): string => new Date(epochMs).toISOString();

/** The instants of its life. Shorter deadlines than the usual ones draw what lies before them nearer. */
const instantsOf = ({ scaSeconds, orderTtlSeconds }: Timing) => {
  const [scaMs, ttlMs] = [scaSeconds * 1000, orderTtlSeconds * 1000];
  const confirmed = createdMs + Math.min(offsetOf(example.confirmedAt, example.createdAt), ttlMs / 2);
  const approved = confirmed + Math.min(offsetOf(example.approvedAt, example.confirmedAt), scaMs / 2);
  const settled = approved + offsetOf(example.settledAt, example.approvedAt);
  return {
    expires: createdMs + ttlMs,
    confirmed,
    scaExpires: confirmed + scaMs,
    approved,
    settled,
    linked: settled + offsetOf(example.linkedAt, example.settledAt),
  };
};

/** The example withdrawal: in every status, and the other ways to some of them. */
export interface WithdrawalStory {
  readonly as: Readonly<Record<Exclude<Status, "requested">, Transaction>>;
  /** Settling right after the confirmation: no approval was needed. */
  readonly unapproved: Transaction;
  /** Canceled: the customer said no in the bank's app. */
  readonly denied: Transaction;
  /** Canceled: the customer gave up before the cashier confirmed. */
  readonly givenUp: Transaction;
  /** Rejected by a terminal whose own time-out ran out. */
  readonly rejectedLate: Transaction;
  /** When the Settle order begins. */
  readonly approvedAt: string;
}

/** @param timing as the service runs; the usual one gives the times of `example`. */
export const tellWithdrawal = (timing: Timing): WithdrawalStory => {
  const at = instantsOf(timing);
  const asked: Transaction = {
    transaction_id: example.transactionId,
    status: "ready",
    amount: example.amount,
    currency: example.currency,
    store: example.store,
    store_name: example.storeName,
    transaction_id_partner: null,
    partner_reference: example.partnerReference,
    sca_required: true,
    created_at: text(createdMs),
    expires_at: text(at.expires),
    confirmed_at: null,
    sca_expires_at: null,
    settled_at: null,
    linked_at: null,
    closed_at: null,
    reason: null,
  };
  const confirmed = {
    ...asked,
    transaction_id_partner: example.transactionIdPartner,
    confirmed_at: text(at.confirmed),
    sca_expires_at: text(at.scaExpires),
  };
  const paid = { ...confirmed, settled_at: text(at.settled) };
  const ended = (before: Transaction, status: Status, endedAt: number, reason: string): Transaction => ({
    ...before,
    status,
    closed_at: text(endedAt),
    reason,
  });
  return {
    as: {
      ready: asked,
      awaiting_sca: { ...confirmed, status: "awaiting_sca" },
      settling: { ...confirmed, status: "settling" },
      settled: { ...paid, status: "settled" },
      linked: { ...paid, status: "linked", linked_at: text(at.linked) },
      undelivered: ended(paid, "undelivered", at.linked, "till_short"),
      declined: ended(asked, "declined", createdMs + 400, "partner_declined"),
      rejected: ended(asked, "rejected", at.confirmed, "cashier_rejected"),
      canceled: ended(confirmed, "canceled", at.scaExpires, "sca_timeout"),
      expired: ended(asked, "expired", at.expires, "order_expired"),
      failed: ended(confirmed, "failed", at.settled, "settle_declined"),
    },
    unapproved: { ...confirmed, status: "settling", sca_required: false, sca_expires_at: null },
    denied: ended(confirmed, "canceled", at.approved, "sca_denied"),
    givenUp: ended(asked, "canceled", at.confirmed, "user_canceled"),
    rejectedLate: ended(confirmed, "rejected", at.scaExpires - 500, "sca_timeout"),
    approvedAt: text(at.approved),
  };
};
