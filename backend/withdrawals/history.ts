/**
 * The history of a withdrawal: one row for each transition, written in the transition's own commit (conventions,
 * "Extensions").
 */
import { sql } from "kysely";
import type { ChainKeys, Client, Hmac, Terminal } from "../context.ts";
import type { Actor, EventKind } from "../contract/history.ts";
import type { Status } from "../contract/transaction.ts";
import { columnsOf, type RowOf } from "../store/schema.ts";
import { adhoc, insertRow, statement, type Tx } from "../store/store.ts";
import type { RowAfterEvent } from "./store.ts";

/** What a transition writes of a row, in the order in which a seal holds it; the seal comes later. */
export const writtenColumns = columnsOf("withdrawal_events", "seal");
/** Every column of a row of the history. */
export const eventColumns = columnsOf("withdrawal_events");

/** Adds a row to the history. */
const insertEvent = statement("withdrawal_event_insert", (db, p: Omit<RowOf<"withdrawal_events">, "seal">) =>
  insertRow(db, "withdrawal_events", p, "seal"),
);

/** The history of one, the oldest first. */
export const eventsOf = statement("withdrawal_events_of", (db, p: { id: string }) =>
  db.selectFrom("withdrawal_events").select(eventColumns).where("transaction_id", "=", p.id).orderBy("sequence"),
);

/** The hash of one row. */
const hashOfEvent = statement("withdrawal_event_hash", (db, p: { id: string; sequence: number }) =>
  db
    .selectFrom("withdrawal_events")
    .select("hash")
    .where("transaction_id", "=", p.id)
    .where("sequence", "=", p.sequence),
);

/** Deletes the history of what leaves the archive. */
export const deleteEvents = (ids: readonly string[]) =>
  adhoc((db) => db.deleteFrom("withdrawal_events").where("transaction_id", "in", ids));

/** The seals that hold rows of these withdrawals. */
export const sealsOf = (ids: readonly string[]) =>
  adhoc((db) =>
    db
      .selectFrom("withdrawal_events")
      .select("seal")
      .distinct()
      .where("transaction_id", "in", ids)
      .where("seal", "is not", null)
      .orderBy("seal"),
  );

/** The rows of one seal. */
export const sealedRows = statement("withdrawal_events_sealed", (db, p: { seal: number }) =>
  db.selectFrom("withdrawal_events").select(eventColumns).where("seal", "=", p.seal),
);

/** Puts rows that have none under a seal, `limit` of them. */
export const sealRows = statement("withdrawal_events_seal", (db, p: { seal: number; limit: number }) =>
  db
    .updateTable("withdrawal_events")
    .set({ seal: p.seal })
    .where(
      sql<boolean>`(transaction_id, sequence) in
        (select transaction_id, sequence from withdrawal_events where seal is null limit ${p.limit})`,
    )
    .returning(eventColumns),
);

/** Puts what is left under one seal under another. */
export const moveSeal = statement("withdrawal_events_move_seal", (db, p: { from: number; to: number }) =>
  db.updateTable("withdrawal_events").set({ seal: p.to }).where("seal", "=", p.from).returning(eventColumns),
);

/** A row of the history without what proves it. */
export type HashedEvent = Readonly<Omit<RowOf<"withdrawal_events">, "hash" | "seal">>;

/** What a withdrawal is about and never changes, so that its rows prove it too; not the user's id, which can be erased. */
export type HashedWithdrawal = Readonly<
  Pick<RowOf<"withdrawals">, "partner_id" | "merchant_id" | "amount" | "currency" | "created_at">
>;

/** @param previous the hash of the row before; empty for the first, and after a row that has none. */
export const historyHash = (hmac: Hmac, previous: string, e: HashedEvent, w: HashedWithdrawal): string =>
  // A column of a later release goes in only where it is not null, so that rows from before it keep their hash.
  hmac(
    JSON.stringify([
      previous,
      e.transaction_id,
      e.sequence,
      e.kind,
      e.at,
      e.from_status,
      e.to_status,
      e.actor,
      e.actor_id,
      e.request_id,
      e.reason,
      e.attempt,
      e.cashier,
      w.partner_id,
      w.merchant_id,
      w.amount,
      w.currency,
      w.created_at,
    ]),
  );

/** Who caused a transition. */
export interface Cause {
  readonly actor: Actor;
  /** The device's, the partner's or the operator's name; null for the sweeper. */
  readonly actorId: string | null;
  /** The `X-Request-Id` of the call that did it; null for what no call did. */
  readonly requestId: string | null;
  /** The try of the call to the bank that brought the answer, from 1; null for everything else. */
  readonly attempt: number | null;
  /** The code of the person at the terminal who said so. */
  readonly cashier?: string | null;
}

/** The passing of a deadline, whoever wrote it. */
export const bySweeper: Cause = { actor: "sweeper", actorId: null, requestId: null, attempt: null };

/** A terminal's call. @param cashier the code of whoever stood there, where the terminal says it. */
export const byTerminal = ({ deviceId, requestId }: Terminal, cashier: string | null = null): Cause => ({
  actor: "device",
  actorId: deviceId,
  requestId: requestId ?? null,
  attempt: null,
  cashier,
});

/** @param attempt the try that a bank's answer belongs to; null for a call that the bank made. */
export const byPartner = ({ partnerId, requestId }: Client, attempt: number | null = null): Cause => ({
  actor: "partner",
  actorId: partnerId,
  requestId: requestId ?? null,
  attempt,
});

/**
 * Whether a caller's request id holds the user's id, in any case. History is never rewritten, so an id that can be erased
 * (`users erase`) stays out of it. A short id counts where it stands by itself alone: a random id may hold it by chance.
 */
const namesUser = (requestId: string | null, userId: string): boolean => {
  if (requestId === null) return false;
  const [text, id] = [requestId.toLowerCase(), userId.toLowerCase()];
  return id.length > 3 ? text.includes(id) : text.split(/[^\p{L}\p{N}]+/u).includes(id);
};

/** What a row of the history is written with: in which transaction, chained by which keys, when, and who caused it. */
export interface Change {
  readonly tx: Tx;
  readonly keys: ChainKeys;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly cause: Cause;
}

/** The hash to go on from; empty at the beginning, and after a row of a release that made none. */
async function previousHash(tx: Tx, { id, history_length, previous_hash }: RowAfterEvent): Promise<string> {
  if (previous_hash !== null || history_length <= 1) return previous_hash ?? "";
  return (await tx.first(hashOfEvent({ id, sequence: history_length - 1 })))?.hash ?? "";
}

/** @param row as it is after the change. */
async function write(
  { tx, keys, now, cause }: Change,
  kind: EventKind,
  row: RowAfterEvent,
  from: Status | null,
  reason: string | null,
): Promise<void> {
  const event: HashedEvent = {
    transaction_id: row.id,
    sequence: row.history_length,
    kind,
    at: now,
    from_status: from,
    to_status: row.status,
    actor: cause.actor,
    actor_id: cause.actorId,
    request_id: namesUser(cause.requestId, row.user_id) ? null : cause.requestId,
    reason,
    attempt: cause.attempt,
    cashier: cause.cashier ?? null,
  };
  const hash = historyHash(keys.history, await previousHash(tx, row), event, row);
  tx.runUnawaited(insertEvent({ ...event, hash }));
}

/** Writes the row of a transition; the UPDATE or INSERT that changed the withdrawal has set `history_length`. */
export const recordHistory = (change: Change, row: RowAfterEvent, from: Status | null): Promise<void> =>
  write(change, "transition", row, from, row.status === "undelivered" ? row.undelivered_reason : row.reason);

/** Writes what happened beside the transitions; the status stays. The row's UPDATE has set `incrementHistoryLength`. */
export const recordNote = (change: Change, kind: EventKind, row: RowAfterEvent, reason: string): Promise<void> =>
  write(change, kind, row, row.status, reason);
