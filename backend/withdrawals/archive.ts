/** Withdrawals that ended long ago, moved out of the way of the running ones. Every statement on `archived_withdrawals` is here. */
import { sql } from "kysely";
import { finalStatuses } from "../contract/transaction.ts";
import { withdrawalColumns } from "../store/columns.ts";
import { adhoc, statement } from "../store/statement.ts";
import { all, run, type UnitOfWork } from "../store/store.ts";

export const archivedById = statement("archived_by_id", (db, p: { id: string }) =>
  db.selectFrom("archived_withdrawals").select(withdrawalColumns).where("id", "=", p.id),
);

/** Ended, without an open dispute: nothing will ever happen to them again. */
const ended = statement("withdrawals_ended", (db, p: { before: number; limit: number }) =>
  db
    .selectFrom("withdrawals")
    .select("id")
    .where("created_at", "<", p.before)
    .where("status", "in", [...finalStatuses])
    .where("disputed_at", "is", null)
    .orderBy("created_at")
    .limit(p.limit),
);

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

/** Moves the oldest that were asked for before `before`; their history stays. @returns how many. */
export function* archiveEnded(before: number, now: number, limit: number): UnitOfWork<number> {
  const ids = (yield* all(ended({ before, limit }))).map(({ id }) => id);
  if (ids.length === 0) return 0;
  yield* run(copy(ids, now));
  return yield* run(remove(ids));
}

const oldestArchived = statement("archived_oldest", (db, p: { before: number; limit: number }) =>
  db
    .selectFrom("archived_withdrawals")
    .select("id")
    .where("archived_at", "<", p.before)
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
