/** Withdrawals that ended long ago, moved out of the way of the running ones. Every statement on `archived_withdrawals` is here. */
import { sql } from "kysely";
import { finalStatuses } from "../contract/transaction.ts";
import { withdrawalColumns } from "../store/columns.ts";
import { adhoc, statement } from "../store/statement.ts";
import { all, one, run, type UnitOfWork } from "../store/store.ts";
import { type Row, withdrawalById } from "./rows.ts";

const archivedById = statement("archived_by_id", (db, p: { id: string }) =>
  db.selectFrom("archived_withdrawals").select(withdrawalColumns).where("id", "=", p.id),
);

/** The withdrawal, wherever it is: it is archived and never comes back, so this order of looks misses none. */
export function* oneOrArchived(id: string): UnitOfWork<Row | undefined> {
  return (yield* one(withdrawalById({ id }))) ?? (yield* one(archivedById({ id })));
}

/** When something happened to it last; the columns are for those from before there was a history. */
const lastEventAt = sql<number>`coalesce((select at from withdrawal_events as last where last.transaction_id = withdrawals.id
  and last.sequence = withdrawals.history_length), linked_at, closed_at, created_at)`;

/**
 * Ended long ago, without an open dispute. They are locked until the commit: a dispute or an erasure that comes in between
 * waits, and then finds them in the archive.
 */
const lockEnded = statement("withdrawals_ended", (db, p: { before: number; limit: number }, dialect) => {
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

const copy = (ids: readonly string[], now: number) =>
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

const remove = (ids: readonly string[]) => adhoc((db) => db.deleteFrom("withdrawals").where("id", "in", ids));

/** Moves the oldest to which nothing has happened since `before`; their history stays. @returns how many. */
export function* archiveEnded(before: number, now: number, limit: number): UnitOfWork<number> {
  const ids = (yield* all(lockEnded({ before, limit }))).map(({ id }) => id);
  if (ids.length === 0) return 0;
  yield* run(copy(ids, now));
  return yield* run(remove(ids));
}

const oldestArchived = statement("archived_oldest", (db, p: { before: number; limit: number }) =>
  db
    .selectFrom("archived_withdrawals")
    .select("id")
    .where("archived_at", "<", p.before)
    .where("disputed_at", "is", null)
    .orderBy("archived_at")
    .limit(p.limit),
);

/** Deletes the oldest of the archive with their history. @returns how many. */
export function* purgeArchive(before: number, limit: number): UnitOfWork<number> {
  const ids = (yield* all(oldestArchived({ before, limit }))).map(({ id }) => id);
  if (ids.length === 0) return 0;
  yield* run(adhoc((db) => db.deleteFrom("withdrawal_events").where("transaction_id", "in", ids)));
  return yield* run(adhoc((db) => db.deleteFrom("archived_withdrawals").where("id", "in", ids)));
}
