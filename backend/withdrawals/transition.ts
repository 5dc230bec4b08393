/**
 * How every verb changes a withdrawal's status: one conditional UPDATE, with its row of the history and what it sends in the
 * same commit; if it matches nothing, the same unit reads why.
 */
import type { ChainKeys, Client, Hmac, LeasedEvent, Service, Terminal } from "../context.ts";
import type { Actor, EventKind } from "../contract/history.ts";
import { isTransactionId } from "../contract/ids.ts";
import { formatAmount } from "../contract/money.ts";
import { toNullableTime, toTime } from "../contract/times.ts";
import { isFinal, type Status, type Transaction } from "../contract/transaction.ts";
import { isEventStatus, type StatusEvent } from "../contract/webhook-events.ts";
import type { Merchant } from "../merchants/merchants.ts";
import { insertEvent, ownTry } from "../partner/events.ts";
import { insertOrder, type Order } from "../partner/orders.ts";
import { type Partner, partnerById } from "../partner/partners.ts";
import { leaseMs } from "../partner/queue.ts";
import { ServiceError } from "../service-error.ts";
import type { RowOf } from "../store/schema.ts";
import { type Query, type Tx, UniqueViolation, type Written } from "../store/store.ts";
import { closeAllEnded, closeEnded, firstOf, holdShown, shownOrArchived } from "./closed.ts";
import {
  hashedColumns,
  hashOfEvent,
  insertConfirmedRow,
  insertHistoryRow,
  insertRequestRow,
  type NewHistoryRow,
} from "./history.ts";
import { eventSequence, eventSequenceAfterRestore, expiredFrom, expiryAt } from "./lifecycle.ts";
import {
  expireOne,
  expireThese,
  holdDue,
  type Row,
  type RowAfterEvent,
  type ShownRow,
  type ToSettle,
  type UpdatedRow,
} from "./store.ts";

/** A verb's change of a withdrawal's status. */
export interface Transition {
  readonly transactionId: string;
  /** Whether the caller may see it; if not, the answer is "unknown". */
  readonly isVisibleTo: (row: ShownRow) => boolean;
  /** The UPDATE … RETURNING; its WHERE decides, also about `deadline_at > now`. */
  readonly update: (now: number) => Query<UpdatedRow>;
  /** The status before the transition, read from the row after it. */
  readonly from: (updated: Row) => Status;
  /** The cause, for the history. */
  readonly cause: Cause;
  /** The checked terms, for the history. */
  readonly terms?: (updated: UpdatedRow) => string | null;
  /** See `Change`. */
  readonly setsReference?: true;
  /** The bank whose call orders the payment: its row is read along with the UPDATE, for the order that follows. Default: not known. */
  readonly bank?: string;
  /** Further writes in the same commit. */
  readonly inSameTransaction?: (tx: Tx, updated: UpdatedRow, now: number) => Promise<void>;
  /** Writes in the same commit of a call that changes no status. */
  readonly whenNotApplied?: (tx: Tx, row: ShownRow, now: number) => Promise<void>;
  /** Whether the same call was answered before; it then gets the current transaction. */
  readonly isReplay: (row: ShownRow) => boolean;
}

/** A terminal sees its shop's withdrawals unless another device has confirmed them. */
export const isVisibleToTerminal =
  ({ merchantId, deviceId }: Terminal): Transition["isVisibleTo"] =>
  (row) =>
    row.merchant_id === merchantId && (row.device_id === null || row.device_id === deviceId);

/** The result of a transition. */
type Outcome =
  | {
      readonly kind: "applied";
      readonly row: Row;
      readonly event: LeasedEvent | null;
      readonly order: Order | null;
    }
  | { readonly kind: "repeated" | "conflict"; readonly row: ShownRow; readonly expired: boolean }
  | { readonly kind: "unknown" };

/** 404, alike for what does not exist and what the caller may not see. */
export const unknownTransaction = (): ServiceError =>
  new ServiceError("transaction_not_found", "There is no such transaction.");

/** 409 with the current transaction. @param detail a sentence for the caller. */
export const conflict = (row: ShownRow, detail = `The transaction is ${row.status}.`): ServiceError =>
  new ServiceError("transaction_conflict", detail, { transaction: toTransaction(row) });

/** Call it after the commit of a transition: counts it and sends its status event. */
export const countTransition = (service: Service, from: Status | null, row: ShownRow, event: LeasedEvent | null) => {
  service.telemetry.transition(from, row.status, row.reason);
  if (event) service.statusEvents.send(event);
};

/** Counts an expiry that this process wrote, and wakes the sender of status events. */
export const countExpiry = (service: Service, row: ShownRow): void => {
  service.telemetry.transition(expiredFrom(row), row.status, row.reason);
  service.statusEvents.wake();
};

/**
 * The steps of a transition. A refusal is returned rather than thrown, so that an expiry is committed with it; an error
 * in `inSameTransaction` rolls everything back.
 */
async function transitionUnit(tx: Tx, service: Service, transition: Transition): Promise<Outcome> {
  const now = service.clock.now();
  const [updated, bank] = await Promise.all([
    tx.first(transition.update(now)),
    transition.bank === undefined ? undefined : tx.first(partnerById({ id: transition.bank })),
  ]);
  if (updated) {
    if (transition.inSameTransaction) await transition.inSameTransaction(tx, updated, now);
    const terms = transition.terms?.(updated) ?? null;
    const { cause, setsReference } = transition;
    const change = { tx, keys: service.keys, now, cause, terms, setsReference };
    const { workerId } = service.settleQueue;
    const order = updated.status === "settling" ? await insertOrder(tx, updated as ToSettle, now, workerId) : null;
    const event = await recordTransition(change, updated, transition.from(updated), "us");
    return { kind: "applied", row: updated, event, order: order && { ...order, bank } };
  }
  const row = await shownOrArchived(tx, transition.transactionId, now);
  if (!row || !transition.isVisibleTo(row)) return { kind: "unknown" };
  if (tx.dialect === "postgres") await firstOf(tx, holdShown, { id: row.id, askedAt: row.created_at });
  if (transition.whenNotApplied) await transition.whenNotApplied(tx, row, now);
  const late = expiryAt(row, now) ? await writeExpiry(tx, service, row.id, now) : undefined;
  if (late) return { kind: transition.isReplay(late) ? "repeated" : "conflict", row: late, expired: true };
  return { kind: transition.isReplay(row) ? "repeated" : "conflict", row, expired: false };
}

/** Applies a transition, and sends what its commit has queued. @returns the row. */
export const applyTransition = async (service: Service, transition: Transition): Promise<ShownRow> => {
  if (!isTransactionId(transition.transactionId)) throw unknownTransaction();
  const outcome = await service.store.write((tx) => transitionUnit(tx, service, transition), transition.transactionId);
  if (outcome.kind === "unknown") throw unknownTransaction();
  if (outcome.kind === "applied") {
    countTransition(service, transition.from(outcome.row), outcome.row, outcome.event);
    if (outcome.order) service.settleQueue.send(outcome.order);
  } else if (outcome.expired) countExpiry(service, outcome.row);
  if (outcome.kind === "conflict") throw conflict(outcome.row);
  return outcome.row;
};

/** Applies a transition and answers with the transaction. @throws as `applyTransition`. */
export const replyAfterTransition = async (service: Service, transition: Transition): Promise<Transaction> =>
  toTransaction(await applyTransition(service, transition));

const writeTransition = async (
  change: Change,
  row: UpdatedRow,
  from: Status,
  sender?: "us",
): Promise<LeasedEvent | null> => {
  const { tx, now } = change;
  const hash = await recordHistory(change, row, from);
  const event = row.wants_events === 1 ? statusEventOf(row, change.restoredAt ?? row.restored_at) : null;
  const sending =
    sender === "us" ? { dueAt: now + leaseMs, attempts: ownTry.attempts } : ({ dueAt: now, attempts: 0 } as const);
  if (event) tx.runUnawaited(insertEvent({ ...event, now, ...sending }));
  tx.changed(row.id, row, inHistory(row, hash));
  return event;
};

/**
 * Records a transition, and writes its status event.
 * @param row after the transition, with `incrementHistoryLength` set.
 * @param from the status before.
 * @param sender `us`: this process sends the event itself after the commit (`countTransition`), others may after its lease. Default: anybody.
 * @returns the event; null where the bank is not notified.
 */
export async function recordTransition(
  change: Change,
  row: UpdatedRow,
  from: Status,
  sender?: "us",
): Promise<LeasedEvent | null> {
  const event = await writeTransition(change, row, from, sender);
  if (isFinal(row.status)) closeEnded(change.tx, { id: row.id, now: change.now });
  return event;
}

type Keyed = Pick<Service, "keys">;

/** Records expiries of these rows. @returns the rows. */
export async function recordExpiries(
  tx: Tx,
  { keys }: Keyed,
  rows: readonly UpdatedRow[],
  now: number,
): Promise<readonly UpdatedRow[]> {
  for (const row of rows) await writeTransition({ tx, keys, now, cause: bySweeper }, row, expiredFrom(row));
  if (rows.length > 1)
    await closeAllEnded(
      tx,
      rows.map(({ id }) => id),
      now,
    );
  else for (const { id } of rows) closeEnded(tx, { id, now });
  return rows;
}

/** How many expiries a unit writes at most: others wait for its commit. */
export const expiriesPerUnitMax = 500;

/** Writes the expiries of those among these that are due and that no other process is writing. @returns their rows. */
export const expireDue = async (tx: Tx, service: Keyed, ids: readonly string[], now: number) => {
  const due = (await tx.all(holdDue(ids, now))).map(({ id }) => id);
  return due.length === 0 ? [] : recordExpiries(tx, service, await tx.all(expireThese(due, now)), now);
};

/** Writes a withdrawal's expiry; returns the row only if this unit did it. */
export async function writeExpiry(tx: Tx, service: Keyed, id: string, now: number): Promise<UpdatedRow | undefined> {
  return (await recordExpiries(tx, service, await tx.all(expireOne({ id, now })), now))[0];
}

/**
 * The status event of a transition.
 * @param row after the transition, with `incrementHistoryLength` set.
 * @param restoredAt the newest restore, if it may have forgotten earlier events: the event's number is then above all that the bank
 * has seen.
 * @returns null for a status that banks are not notified of (`requested`, `settling`).
 */
export const statusEventOf = (row: Row, restoredAt: number | null = null): LeasedEvent | null => {
  if (!isEventStatus(row.status)) return null;
  const sequence = restoredAt === null ? eventSequence(row) : eventSequenceAfterRestore(row, restoredAt);
  const event: StatusEvent = { type: `withdrawal.${row.status}`, sequence, transaction: toTransaction(row) };
  return {
    id: `event_${row.id}_${sequence}`,
    transaction_id: row.id,
    partner_id: row.partner_id,
    body: JSON.stringify(event),
    partner_reference: row.partner_reference,
  };
};

/** A withdrawal as it is shown, without the user's id. */
export const toTransaction = (row: ShownRow): Transaction => ({
  transaction_id: row.id,
  status: row.status,
  amount: formatAmount(row.amount, row.currency),
  currency: row.currency,
  store: row.merchant_id,
  store_name: row.store_name ?? row.merchant_id,
  transaction_id_partner: row.transaction_id_partner,
  partner_reference: row.partner_reference,
  sca_required: row.sca_required === 1,
  created_at: toTime(row.created_at),
  expires_at: toTime(row.expires_at),
  confirmed_at: toNullableTime(row.confirmed_at),
  sca_expires_at: toNullableTime(row.sca_expires_at),
  settled_at: toNullableTime(row.settled_at),
  linked_at: toNullableTime(row.linked_at),
  closed_at: toNullableTime(row.closed_at),
  reason: row.status === "undelivered" ? row.undelivered_reason : row.reason,
});

/** A row of the history without its proof. */
export type HashedEvent = Readonly<Omit<RowOf<"withdrawal_events">, "hash" | "seal" | "asked_at" | "day">>;

/** A withdrawal's immutable columns, covered by its rows' hashes; not the user's id, which can be erased. */
export type HashedWithdrawal = Readonly<
  Pick<RowOf<"withdrawals">, "partner_id" | "merchant_id" | "amount" | "currency" | "created_at">
>;

/** The hash of a row. @param previous the previous row's hash; empty for the first row, and after a row without one. */
export const historyHash = (hmac: Hmac, previous: string, e: HashedEvent, w: HashedWithdrawal): string =>
  // Later columns are included only where not null, so that older rows keep their hash.
  hmac(
    JSON.stringify([
      previous,
      ...hashedColumns.map((column) => e[column]),
      ...[w.partner_id, w.merchant_id, w.amount, w.currency, w.created_at],
      ...(e.terms === null && e.address === null ? [] : [e.terms, e.address]),
    ]),
  );

/** Terms that a request was checked against: table and column, in this order. */
export const requestTermColumns = [
  ["merchants", "amount_min"],
  ["merchants", "amount_max"],
  ["merchants", "amount_step"],
  ["merchants", "shop_day_max"],
  ["partners", "user_day_max"],
  ["partners", "user_day_currency"],
] as const;

/** What a withdrawal's orders say of it. */
type Ordered = Pick<Row, "id" | "user_id" | "partner_reference" | "transaction_id_partner">;
const digestLength = 16;
/** A digest of it for the history, which must name no user, as that can be erased. */
export const orderDigest = (hmac: Hmac, { id, user_id, partner_reference, transaction_id_partner }: Ordered): string =>
  hmac(JSON.stringify(["order", id, user_id, partner_reference, transaction_id_partner])).slice(0, digestLength);
/** The digest at the end of a row's terms; undefined from releases that did not store it. */
export const digestIn = (terms: string): string | undefined => {
  const last = (JSON.parse(terms) as readonly unknown[]).at(-1);
  return typeof last === "string" && last.length === digestLength ? last : undefined;
};
/** Terms without it: what withdrawals may have in common. */
export const withoutDigest = (terms: string): string => terms.replace(/,"[\w-]{16}"\]$/, "]");

/** The terms as stored in the first row of the history, then whether the customer has to approve, and last the digest. */
export const requestTerms = (
  { merchant, bank }: { readonly merchant: Merchant; readonly bank: Partner },
  row: Ordered & Pick<Row, "sca_required">,
  hmac: Hmac,
): string =>
  JSON.stringify([
    merchant.amount_min,
    merchant.amount_max,
    merchant.amount_step,
    merchant.shop_day_max,
    bank.user_day_max,
    bank.user_day_currency,
    row.sca_required,
    orderDigest(hmac, row),
  ]);
/** Whether the customer had to approve, 1 or 0, by the terms of a request; undefined from releases that did not store it. */
export const neededApproval = (terms: string): number | undefined =>
  (JSON.parse(terms) as readonly number[])[requestTermColumns.length];

/** Terms of a confirmation, as above. */
export const confirmTermColumns = [["merchants", "terminal_hour_max"]] as const;
/** The terms of a confirmation for the history, and the digest. @param most the shop's limit. */
export const confirmTerms = (most: number | null, row: Ordered, hmac: Hmac): string =>
  JSON.stringify([most === null ? null : Number(most), orderDigest(hmac, row)]);
/** The same of an approval: the digest alone. */
export const approvalTerms = (row: Ordered, hmac: Hmac): string => JSON.stringify([orderDigest(hmac, row)]);
/** The same of a hand-out: its id, if the terminal has said one. */
export const handOutTerms = (handOutId: string | null): string | null =>
  handOutId === null ? null : JSON.stringify([handOutId]);

/** Who caused a transition. */
export interface Cause {
  readonly actor: Actor;
  /** The device's, the partner's or the operator's name; null for the sweeper. */
  readonly actorId: string | null;
  /** The `X-Request-Id` of the call; null without a call. */
  readonly requestId: string | null;
  /** The try of the call to the bank, from 1; null otherwise. */
  readonly attempt: number | null;
  /** Code of the person at the terminal. */
  readonly cashier?: string | null;
}

const withoutCall = { requestId: null, attempt: null } as const;

/** The cause of an expiry, whoever writes it. */
export const bySweeper: Cause = { actor: "sweeper", actorId: null, ...withoutCall };

/** The cause of a terminal's call. @param cashier code of the person at the terminal, if sent. */
export const byTerminal = ({ deviceId, requestId }: Terminal, cashier: string | null = null): Cause => ({
  actor: "device",
  actorId: deviceId,
  requestId: requestId ?? null,
  attempt: null,
  cashier,
});

/** The cause of an operator's command. @param operator null: unknown. */
export const byOperator = (operator: string | null): Cause => ({
  actor: "operator",
  actorId: operator,
  ...withoutCall,
});

/** The cause of a bank's answer or call. @param attempt the try that was answered; null for a call made by the bank. */
export const byPartner = ({ partnerId, requestId }: Client, attempt: number | null = null): Cause => ({
  actor: "partner",
  actorId: partnerId,
  requestId: requestId ?? null,
  attempt,
});

/**
 * The request id; null where it contains the user's id, ignoring case. User ids can be erased (`users erase`) but the history is never
 * rewritten, so it must not contain them. Short ids must match a whole word, as a random id may contain them by chance.
 */
const withoutUser = (requestId: string | null, userId: string): string | null => {
  if (requestId === null) return null;
  const [text, id] = [requestId.toLowerCase(), userId.toLowerCase()];
  const namesUser = id.length > 3 ? text.includes(id) : text.split(/[^\p{L}\p{N}]/u).includes(id);
  return namesUser ? null : requestId;
};

/** Context for writing a row of the history. */
export interface Change {
  readonly tx: Tx;
  readonly keys: ChainKeys;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly cause: Cause;
  /** The restore that makes the change, epoch milliseconds: no row knows it yet. */
  readonly restoredAt?: number;
  /** The UPDATE has set the terminal's own id. Default: it has not. */
  readonly setsReference?: true | undefined;
  /** The row's columns of the same names. Default: null. */
  readonly terms?: string | null;
  readonly address?: string | null;
}

/** The previous row's hash; empty for the first row, and after a row without one. */
async function previousHash(tx: Tx, row: RowAfterEvent): Promise<string> {
  const { id, history_length, previous_hash, created_at: askedAt } = row;
  if (previous_hash !== null || history_length <= 1) return previous_hash ?? "";
  return (await tx.first(hashOfEvent({ id, sequence: history_length - 1, askedAt })))?.hash ?? "";
}

/** A withdrawal's newest row of the history. */
const inHistory = ({ id, created_at: askedAt, history_length: sequence }: Row, hash: string | null): Written => ({
  find: hashOfEvent({ id, askedAt, sequence }),
  hash,
});

/** @param row as it is after the change. */
async function historyRow(
  { tx, keys, now, cause, terms = null, address = null }: Change,
  kind: EventKind,
  row: RowAfterEvent,
  from: Status | null,
  reason: string | null,
): Promise<NewHistoryRow> {
  const event: HashedEvent = {
    transaction_id: row.id,
    sequence: row.history_length,
    kind,
    at: now,
    from_status: from,
    to_status: row.status,
    actor: cause.actor,
    actor_id: cause.actorId,
    request_id: withoutUser(cause.requestId, row.user_id),
    reason,
    attempt: cause.attempt,
    cashier: cause.cashier ?? null,
    terms,
    address,
  };
  const hash = historyHash(keys.history, await previousHash(tx, row), event, row);
  return { ...event, hash, asked_at: row.created_at };
}

/**
 * Writes the first row of a request, if that was inserted; the two go to the database together.
 * @returns the ended withdrawal that has its idempotency key by now; null: none. If the INSERT waited for the commit that ended it, no
 * earlier statement has seen it.
 */
export async function recordRequest(change: Change, row: Row): Promise<string | null> {
  const first = await historyRow(change, "transition", { ...row, previous_hash: null }, null, null);
  const asked = { partner: row.partner_id, key: row.idempotency_key };
  return (await change.tx.first(insertRequestRow({ ...first, ...asked })))?.ended_id ?? null;
}

/**
 * Writes the row of a transition; its UPDATE must have set `history_length`.
 * @returns its hash. @throws UniqueViolation where an ended one has the terminal's id that was set. If the UPDATE waited for the commit
 * that ended it, no earlier statement has seen it.
 */
export async function recordHistory(change: Change, row: RowAfterEvent, from: Status): Promise<string | null> {
  const reason = row.status === "undelivered" ? row.undelivered_reason : row.reason;
  const written = await historyRow(change, "transition", row, from, reason);
  if (change.setsReference) {
    const { merchant_id: merchant, device_id: device, transaction_id_partner: terminalReference } = row;
    const added = await change.tx.first(insertConfirmedRow({ ...written, merchant, device, terminalReference }));
    if (added?.ended_id) throw new UniqueViolation(`of the ended ${added.ended_id}`);
  } else change.tx.runUnawaited(insertHistoryRow(written));
  return written.hash;
}

/** Writes an event that leaves the status unchanged; the row's UPDATE must have set `incrementHistoryLength`. */
export async function recordNote(change: Change, kind: EventKind, row: RowAfterEvent, reason: string): Promise<void> {
  const written = await historyRow(change, kind, row, row.status, reason);
  change.tx.runUnawaited(insertHistoryRow(written));
  // Remembered by this process, as a dispute that the database loses is a line less; whose end is lost is open again.
  if (kind !== "dispute_closed") change.tx.changed(row.id, row, inHistory(row, written.hash));
}
