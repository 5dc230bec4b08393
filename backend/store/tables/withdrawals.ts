/** Tables of withdrawals: the rows, their history, and the calls to banks that a commit owes. */
import type { Actor, EventKind } from "../../contract/history.ts";
import type { Reason } from "../../contract/reasons.ts";
import type { Status } from "../../contract/transaction.ts";

/** The withdrawals that run, and those that ended lately. */
export interface WithdrawalsTable {
  id: string;
  partner_id: string;
  merchant_id: string;
  user_id: string;
  amount: number;
  currency: string;
  sca_required: number;
  status: Status;
  reason: Reason | null;
  /** When the present status expires; null when only a call can end it. The sweeper has an index on it. */
  deadline_at: number | null;
  device_id: string | null;
  transaction_id_partner: string | null;
  created_at: number;
  expires_at: number;
  confirmed_at: number | null;
  sca_expires_at: number | null;
  settled_at: number | null;
  linked_at: number | null;
  closed_at: number | null;
  undelivered_reason: string | null;
  /** Calls of Settle order until the definite answer; those before it are counted in the outbox. */
  settle_attempts: number;
  /** Unique with the partner; committed with the row, so a repeat finds the first answer or waits for it. */
  idempotency_key: string;
  request_hash: string;
  /** The bank's own name for it, echoed in answers, orders and events. */
  partner_reference: string | null;
  /** Rows of this withdrawal in `withdrawal_events`: the sequence of the newest. 0 for one from before there was a history. */
  history_length: number;
  /** When the bank contradicted its first definite answer; null when it never did, or when an operator closed the dispute. */
  disputed_at: number | null;
  /** What a person called the shop when the withdrawal was asked for; null: of a release that did not keep it. */
  store_name: string | null;
  /** The code of whoever said at the terminal what became of the cash; null where it did not say. */
  cashier: string | null;
  /** The terminal's name for the hand-out that was linked; null before it, and where the terminal gave none. */
  hand_out_id: string | null;
  /** The name of another hand-out that the same device reported: cash may have left twice. */
  other_hand_out_id: string | null;
}

/** Withdrawals that ended long ago: what the report and a look at one still need. */
export interface ArchivedWithdrawalsTable extends WithdrawalsTable {
  archived_at: number;
}

/** The history of the withdrawals; a row is written in the commit of the change that it describes, and never changed. */
export interface WithdrawalEventsTable {
  transaction_id: string;
  /** From 1 for each withdrawal, without gaps. */
  sequence: number;
  kind: EventKind;
  at: number;
  from_status: Status | null;
  to_status: Status;
  actor: Actor;
  actor_id: string | null;
  request_id: string | null;
  reason: string | null;
  attempt: number | null;
  /** The code of whoever said so at the terminal, never a name. */
  cashier: string | null;
  /** HMAC over the row, what its withdrawal is about and the hash of the row before; null: of a release that made none. */
  hash: string | null;
  /** The audit's entry whose digest holds this row; null until the next one is made. */
  seal: number | null;
}

/**
 * What a terminal reported again after a restore and no withdrawal can take: one that the copy does not know, or one that
 * another terminal has. A line of the reconciliation report.
 */
export interface RestoredReportsTable {
  /** Puts lines of one moment in order; made by us. */
  id: string;
  transaction_id: string;
  merchant_id: string;
  device_id: string;
  status: "linked" | "undelivered";
  undelivered_reason: string | null;
  transaction_id_partner: string;
  amount: number;
  currency: string;
  /** By the terminal, as `settled_at`, within what the restore has forgotten; the first time that it names where it does not say. */
  confirmed_at: number;
  settled_at: number | null;
  reported_at: number;
  cashier: string | null;
  /** When it came. */
  created_at: number;
  /** When an operator closed it; null: open. */
  closed_at: number | null;
  /** As of a withdrawal. */
  hand_out_id: string | null;
  other_hand_out_id: string | null;
}

/** One Settle order that has no definite answer yet. */
export interface OutboxTable {
  /** The `webhook-id`, stable over all repeats. */
  id: string;
  transaction_id: string;
  partner_id: string;
  body: string;
  attempts: number;
  /** When it may be claimed: the end of a lease or of a pause. */
  due_at: number;
  /** Who holds the lease; a worker that lost it may no longer move `due_at`. */
  claimed_by: string;
  created_at: number;
  last_error: string | null;
  /** Goes along as the header `Partner-Reference`. */
  partner_reference: string | null;
  /** Equal to `attempts` as long as none of them was sent; anything else: one may have reached the bank. */
  unsent_attempts: number;
}

/** One status event that the bank has not taken yet; columns as in the outbox. */
export type StatusEventsTable = Omit<OutboxTable, "unsent_attempts">;
