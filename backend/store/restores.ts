/** Restores: when this database was put back to a copy, and since when it may have forgotten what it was told. */
import { sql } from "kysely";
import { statement } from "./statement.ts";
import { one, type UnitOfWork } from "./store.ts";

/** The setting in the file of a copy that says when the copy was begun, epoch milliseconds. */
export const copiedAtSetting = "copied_at";
/** The setting in a copy that was put in a database's place: which copy, and who did it. */
export const restoredFromSetting = "restored_from";

/** Terminals are asked for so long to repeat what may be forgotten. */
const repeatsWithinMs = 90 * 86_400_000;

/** Remembers a restore. */
export const insertRestore = statement("restore_insert", (db, p: { restoredAt: number; forgotSince: number }) =>
  db
    .insertInto("restores")
    .values({ restored_at: p.restoredAt, forgot_since: p.forgotSince })
    .onConflict((same) => same.column("restored_at").doNothing()),
);

/** The newest one. */
export const newestRestore = statement("restore_newest_row", (db, _: Readonly<Record<never, never>>) =>
  db.selectFrom("restores").select(["restored_at", "forgot_since"]).orderBy("restored_at", "desc").limit(1),
);

/** Forgets one, whose time was wrong. */
export const removeRestore = statement("restore_remove", (db, p: { restoredAt: number }) =>
  db.deleteFrom("restores").where("restored_at", "=", p.restoredAt).returning("forgot_since"),
);

const restoreTimes = statement("restore_times", (db, p: { since: number }) =>
  db
    .selectFrom("restores")
    .select([
      sql<number | null>`max(restored_at)`.as("restored_at"),
      sql<number | null>`min(case when restored_at > ${p.since} then forgot_since end)`.as("forgot_since"),
    ]),
);

/** The newest restore, and the earliest moment that those of the last 90 days have forgotten; null where there was none. */
export function* readRestores(now: number): UnitOfWork<{
  readonly restored_at: number | null;
  readonly forgot_since: number | null;
}> {
  const times = yield* one(restoreTimes({ since: now - repeatsWithinMs }));
  return times ?? { restored_at: null, forgot_since: null };
}

/** The earliest moment that restores have forgotten which may have forgotten what happened between `from` and `until`; null where none has. */
export const restoreOver = statement("restore_over", (db, p: { from: number; until: number }) =>
  db
    .selectFrom("restores")
    .select((select) => select.fn.min<number | null>("forgot_since").as("forgot_since"))
    .where("forgot_since", "<=", p.until)
    .where("restored_at", ">=", p.from),
);
