/** Statements on ended withdrawals and their archive: what moves there, what is disputed, renamed or forgotten in either. */
import { sql } from "kysely";
import { finalStatuses } from "../contract/transaction.ts";
import { adhoc, statement, type Tx } from "../store/store.ts";
import { holdsUser, isUser, type UserKey } from "../store/user-key.ts";
import { eventColumns } from "./history.ts";
import {
  type ById,
  incrementHistoryLength,
  laterAnswer,
  previousHashIn,
  type Row,
  type ShownRow,
  shownById,
  shownColumns,
  transition,
  updatedColumns,
  withdrawalById,
  withdrawalColumns,
} from "./store.ts";

/** A space keeps it apart from every key that a caller can send. */
const forgottenKey = sql<string>`'forgotten ' || id`;

type Oldest = { readonly before: number; readonly limit: number };

/** An archived one. */
const archivedById = statement("archived_by_id", (db, p: { id: string }) =>
  db.selectFrom("archived_withdrawals").select(withdrawalColumns).where("id", "=", p.id),
);

/** An archived one as far as it is shown. */
const archivedShownById = statement("archived_shown_by_id", (db, p: { id: string }) =>
  db.selectFrom("archived_withdrawals").select(shownColumns).where("id", "=", p.id),
);

/** When something happened to it last; the columns are for rows that have no history. */
const lastEventAt = sql<number>`coalesce((select at from withdrawal_events as last where last.transaction_id = withdrawals.id
  and last.sequence = withdrawals.history_length), linked_at, closed_at, created_at)`;

/**
 * Ended long ago, without an open dispute. They are locked until the commit: a dispute or an erasure that comes in between
 * waits, and then finds them in the archive.
 */
export const lockEnded = statement("withdrawals_ended", (db, p: Oldest, dialect) => {
  const ended = db
    .selectFrom("withdrawals")
    .select("id")
    .where("created_at", "<", p.before)
    .where("status", "in", [...finalStatuses])
    .where("disputed_at", "is", null)
    .where(lastEventAt, "<", p.before)
    .orderBy("created_at")
    .limit(p.limit);
  return dialect === "postgres" ? ended.forUpdate().skipLocked() : ended;
});

/** Copies locked ones into the archive. */
const copyToArchive = (ids: readonly string[], now: number) =>
  adhoc((db) =>
    db
      .insertInto("archived_withdrawals")
      .columns([...withdrawalColumns, "archived_at"])
      .expression(
        db
          .selectFrom("withdrawals")
          .select([...withdrawalColumns, sql<number>`cast(${now} as bigint)`.as("archived_at")])
          .where("id", "in", ids),
      )
      .onConflict((same) => same.column("id").doNothing()),
  );

/** Deletes from the running ones what was copied into the archive. */
export const removeArchived = (ids: readonly string[]) =>
  adhoc((db) => db.deleteFrom("withdrawals").where("id", "in", ids));

/** The oldest of the archive without an open dispute. */
export const oldestArchived = statement("archived_oldest", (db, p: Oldest) =>
  db
    .selectFrom("archived_withdrawals")
    .select("id")
    .where("archived_at", "<", p.before)
    .where("disputed_at", "is", null)
    .orderBy("archived_at")
    .limit(p.limit),
);

/** Deletes from the archive; `deleteEvents` in `history.ts` deletes their history. */
export const deleteArchived = (ids: readonly string[]) =>
  adhoc((db) => db.deleteFrom("archived_withdrawals").where("id", "in", ids));

type Table = "withdrawals" | "archived_withdrawals";

/** Of the running ones and of the archive, in the order in which to look: a withdrawal is archived and never comes back. */
const ofBoth = <Statement>(statementOf: (table: Table) => Statement) =>
  [statementOf("withdrawals"), statementOf("archived_withdrawals")] as const;

/** Marks one as disputed. */
export const openDispute = ofBoth((table) =>
  statement(`dispute_open_${table}`, (db, p: { id: string; now: number }) =>
    db
      .updateTable(table)
      .set({ disputed_at: p.now, ...incrementHistoryLength })
      .where("id", "=", p.id)
      .returning([...withdrawalColumns, previousHashIn(table)]),
  ),
);

/** Marks one of which a hand-out is reported beside the one, or the declaration, that it has: once, and again after it was closed. */
export const otherHandOut = ofBoth((table) =>
  statement(`hand_out_other_${table}`, (db, p: { id: string; handOutId: string; now: number }) =>
    db
      .updateTable(table)
      .set({
        other_hand_out_id: p.handOutId,
        disputed_at: sql<number>`coalesce(disputed_at, cast(${p.now} as bigint))`,
        ...incrementHistoryLength,
      })
      .where("id", "=", p.id)
      .where((or) =>
        or.or([or("status", "=", "undelivered"), or("status", "=", "linked").and("hand_out_id", "!=", p.handOutId)]),
      )
      .where((or) =>
        or.or([
          or("other_hand_out_id", "is", null),
          or("other_hand_out_id", "!=", p.handOutId).and("disputed_at", "is", null),
        ]),
      )
      .returning([...withdrawalColumns, previousHashIn(table)]),
  ),
);

/** Takes the mark away; while an order is under way it waits for that order's answer. */
export const endDispute = ofBoth((table) =>
  statement(`dispute_close_${table}`, (db, p: { id: string }) =>
    db
      .updateTable(table)
      .set({ disputed_at: null, ...incrementHistoryLength })
      .where("id", "=", p.id)
      .where("disputed_at", "is not", null)
      .where("status", "!=", "settling")
      .returning([...withdrawalColumns, previousHashIn(table)]),
  ),
);

/** The same where the bank's word ends it; a second hand-out stays disputed, which no bank can settle. */
export const endAgreed = statement("dispute_end_agreed", (db, p: { id: string }) =>
  db
    .updateTable("withdrawals")
    .set({ disputed_at: null, ...incrementHistoryLength })
    .where("id", "=", p.id)
    .where("disputed_at", "is not", null)
    .where("other_hand_out_id", "is", null)
    .where("status", "!=", "settling")
    .returning([...withdrawalColumns, previousHashIn("withdrawals")]),
);

/** Those that are marked, and whose order has ended. */
export const disputes = ofBoth((table) =>
  statement(`disputes_${table}`, (db) =>
    db
      .selectFrom(table)
      .select(withdrawalColumns)
      .select(laterAnswer(table))
      .where("disputed_at", "is not", null)
      .where("status", "!=", "settling"),
  ),
);

/** Until a withdrawal has ended its bank is called with the user's id that its Start order had. */
const openStatuses = ["requested", "ready", "awaiting_sca", "settling"] as const;

/** One of the user's that has not ended. */
export const openWithdrawal = statement("erase_open_withdrawal", (db, p: UserKey) =>
  db
    .selectFrom("withdrawals")
    .select("id")
    .where("partner_id", "=", p.partner)
    .where(isUser(p))
    .where("status", "in", openStatuses)
    .limit(1),
);

/**
 * Puts another name in the place of a user's id, in the `limit` first that have ended. The bank's own names for them stay
 * where they do not hold the id: the books are compared by them.
 */
export const renameUser = (table: Table, key: UserKey, name: string, limit: number) =>
  adhoc((db) =>
    db
      .updateTable(table)
      .set({
        user_id: name,
        partner_reference: sql`case when ${holdsUser("partner_reference", key)} then null else partner_reference end`,
        idempotency_key: sql`case when ${holdsUser("idempotency_key", key)} then ${forgottenKey} else idempotency_key end`,
        request_hash: sql`case when ${holdsUser("idempotency_key", key)} then '' else request_hash end`,
      })
      .where("id", "in", (some) =>
        some
          .selectFrom(table)
          .select("id")
          .where("partner_id", "=", key.partner)
          .where(isUser(key))
          // One that began after the erasure started: the next erasure renames it.
          .where("status", "not in", openStatuses)
          .limit(limit),
      ),
  );

/** From then on a repeat under the key is a request of its own. */
export const forgetKeys = statement("idempotency_keys_forget", (db, p: Oldest & { readonly from: number }) =>
  db
    .updateTable("withdrawals")
    .set({ idempotency_key: forgottenKey, request_hash: "" })
    .where("id", "in", (old) =>
      old
        .selectFrom("withdrawals")
        .select("id")
        .where("created_at", ">=", p.from)
        .where("created_at", "<", p.before)
        .where("request_hash", "!=", "")
        .orderBy("created_at")
        .limit(p.limit),
    )
    .returning("created_at"),
);

/** How often the bank was called until somebody decided in its stead. */
const attemptsSoFar = {
  settle_attempts: sql<number>`coalesce((select o.attempts from outbox as o where o.id = 'settle_' || withdrawals.id), settle_attempts)`,
} as const;

/** `settling` → `settled`, the first half of a decision that the bank has booked the payment. */
export const settleByOperator = statement("decide_settled", (db, { id, now }: ById) =>
  transition(db, id, "settling", "settled", { settled_at: now, ...attemptsSoFar }).returning(updatedColumns),
);

/** `settled` → `undelivered`, the second half. */
export const returnByOperator = statement("decide_undelivered", (db, { id, now }: ById) =>
  transition(db, id, "settled", "undelivered", {
    undelivered_reason: sql.lit("decided_by_operator"),
    closed_at: now,
  }).returning(updatedColumns),
);

/** `settling` → `failed` and disputed: the decision that the bank has not booked the payment. */
export const failByOperator = statement("decide_failed", (db, { id, now }: ById) =>
  transition(db, id, "settling", "failed", {
    reason: "settle_declined",
    closed_at: now,
    disputed_at: now,
    ...attemptsSoFar,
  }).returning(updatedColumns),
);

/** Makes room in the history for a note. */
export const countNote = statement("decide_note", (db, p: { id: string }) =>
  db.updateTable("withdrawals").set(incrementHistoryLength).where("id", "=", p.id).returning(updatedColumns),
);

const columns = eventColumns.map((column) => `e.${column}` as const);

const ofWithdrawal = <T>(column: string) => sql<T>`coalesce(${sql.ref(`w.${column}`)}, ${sql.ref(`a.${column}`)})`;

/** Rows in the order of their withdrawals, each with what its withdrawal says; `partner_id` is null where that is gone. */
export const provenPage = statement("proof_page", (db, p: { id: string; sequence: number; limit: number }) =>
  db
    .selectFrom("withdrawal_events as e")
    .leftJoin("withdrawals as w", "w.id", "e.transaction_id")
    .leftJoin("archived_withdrawals as a", "a.id", "e.transaction_id")
    .select([
      ...columns,
      ofWithdrawal<string | null>("partner_id").as("partner_id"),
      ofWithdrawal<string>("merchant_id").as("merchant_id"),
      ofWithdrawal<number>("amount").as("amount"),
      ofWithdrawal<string>("currency").as("currency"),
      ofWithdrawal<number>("created_at").as("created_at"),
      ofWithdrawal<string>("status").as("status"),
      ofWithdrawal<number>("history_length").as("history_length"),
      ofWithdrawal<string | null>("device_id").as("device_id"),
      ofWithdrawal<string | null>("cashier").as("withdrawal_cashier"),
      ofWithdrawal<number | null>("confirmed_at").as("confirmed_at"),
      ofWithdrawal<number | null>("settled_at").as("settled_at"),
      ofWithdrawal<number | null>("linked_at").as("linked_at"),
      ofWithdrawal<number | null>("closed_at").as("closed_at"),
    ])
    .where(sql<boolean>`(e.transaction_id, e.sequence) > (${p.id}, ${p.sequence})`)
    .orderBy("e.transaction_id")
    .orderBy("e.sequence")
    .limit(p.limit),
);

/** A row of `provenPage`. */
export type ProvenRow = NonNullable<ReturnType<typeof provenPage>["row"]>;

/** Withdrawals in the order of their ids, each with whether its newest row is there. */
export const tailPages = ofBoth((table) =>
  statement(`proof_tails_${table}`, (db, p: { id: string; limit: number }) =>
    db
      .selectFrom(table)
      .select([
        "id",
        "created_at",
        "history_length",
        sql<number>`case when history_length = 0 or exists (select 1 from withdrawal_events as newest
          where newest.transaction_id = ${sql.ref(`${table}.id`)} and newest.sequence = ${sql.ref(`${table}.history_length`)})
          then 1 else 0 end`.as("has_newest"),
      ])
      .where("id", ">", p.id)
      .orderBy("id")
      .limit(p.limit),
  ),
);

/** How many rows are under a seal that the audit had at `head`, how many under none, and the highest seal. */
export const sealCounts = statement("proof_seal_counts", (db, p: { head: number }) =>
  db
    .selectFrom("withdrawal_events")
    .select([
      sql<number>`count(case when seal <= ${p.head} then 1 end)`.as("sealed"),
      sql<number>`count(*) - count(seal)`.as("unsealed"),
      sql<number>`coalesce(max(seal), 0)`.as("highest"),
    ]),
);

/** The withdrawal, wherever it is: it is archived and never comes back, so this order of looks misses none. */
export async function oneOrArchived(tx: Tx, id: string): Promise<Row | undefined> {
  return (await tx.first(withdrawalById({ id }))) ?? (await tx.first(archivedById({ id })));
}

/** The same as far as it is shown. */
export async function shownOrArchived(tx: Tx, id: string): Promise<ShownRow | undefined> {
  return (await tx.first(shownById({ id }))) ?? (await tx.first(archivedShownById({ id })));
}

/** Moves the oldest to which nothing has happened since `before`; their history stays. @returns how many. */
export async function archiveEnded(tx: Tx, before: number, now: number, limit: number): Promise<number> {
  const ids = (await tx.all(lockEnded({ before, limit }))).map(({ id }) => id);
  if (ids.length === 0) return 0;
  await tx.run(copyToArchive(ids, now));
  return tx.run(removeArchived(ids));
}
