import { sql } from "kysely";
import { withdrawalColumns } from "../store/columns.ts";
import type { WithdrawalsTable } from "../store/schema.ts";
import { statement } from "../store/statement.ts";
import { all, changed, type UnitOfWork } from "../store/store.ts";
import { lapses } from "./lifecycle.ts";

export type Row = WithdrawalsTable;

export const withdrawalById = statement("withdrawal_by_id", (db, p: { id: string }) =>
  db.selectFrom("withdrawals").select(withdrawalColumns).where("id", "=", p.id),
);

/** `CASE status WHEN 'requested' THEN … END`, from the one table of lapses. */
const afterLapse = (field: "status" | "reason") => {
  const cases = Object.entries(lapses).map(
    ([status, lapse]) => sql`when ${sql.lit(status)} then ${sql.lit(lapse[field])}`,
  );
  return sql<never>`case status ${sql.join(cases, sql` `)} end`;
};

const lapsed = {
  status: afterLapse("status"),
  reason: afterLapse("reason"),
  closed_at: sql<number>`deadline_at`,
  deadline_at: null,
};

const lapseOne = statement("lapse_one", (db, p: { id: string; now: number }) =>
  db
    .updateTable("withdrawals")
    .set(lapsed)
    .where("id", "=", p.id)
    .where("deadline_at", "<=", p.now)
    .returning(withdrawalColumns),
);

/** Writes what time has done to one withdrawal; gives the row only if this unit did it. */
export function* lapse(id: string, now: number): UnitOfWork<Row | undefined> {
  const [row] = yield* all(lapseOne({ id, now }));
  if (row) yield* changed(id);
  return row;
}

/** The first that is due, if any: a look that takes no lock, for a sweep that mostly finds nothing. */
export const anyLapseDue = statement("lapse_any", (db, p: { now: number }) =>
  db.selectFrom("withdrawals").select("id").where("deadline_at", "<=", p.now).limit(1),
);

const lapseMany = statement("lapse_many", (db, p: { now: number; limit: number }, dialect) =>
  db
    .updateTable("withdrawals")
    .set(lapsed)
    .where("deadline_at", "<=", p.now)
    .where("id", "in", (inner) => {
      const due = inner
        .selectFrom("withdrawals")
        .select("id")
        .where("deadline_at", "<=", p.now)
        .orderBy("deadline_at")
        .limit(p.limit);
      return dialect === "postgres" ? due.forUpdate().skipLocked() : due;
    })
    .returning(withdrawalColumns),
);

/** The same for the `limit` oldest that are due; other processes may do so at once. */
export function* lapseDue(now: number, limit: number): UnitOfWork<readonly Row[]> {
  const rows = yield* all(lapseMany({ now, limit }));
  for (const row of rows) yield* changed(row.id);
  return rows;
}
