/** Writing what time has done: the expiries of `lifecycle.ts` as statements. */
import { sql } from "kysely";
import { withdrawalColumns } from "../store/columns.ts";
import { statement } from "../store/statement.ts";
import { all, type UnitOfWork } from "../store/store.ts";
import { bySweeper, countsEvent } from "./history.ts";
import { expiredFrom, expiries } from "./lifecycle.ts";
import { recordMove } from "./record-move.ts";
import type { Row } from "./rows.ts";

/** `CASE status WHEN 'requested' THEN … END`, from the one table of expiries. */
const afterExpiry = (field: "status" | "reason") => {
  const cases = Object.entries(expiries).map(
    ([status, expiry]) => sql`when ${sql.lit(status)} then ${sql.lit(expiry[field])}`,
  );
  return sql<never>`case status ${sql.join(cases, sql` `)} end`;
};

const expired = {
  status: afterExpiry("status"),
  reason: afterExpiry("reason"),
  closed_at: sql<number>`deadline_at`,
  deadline_at: null,
  ...countsEvent,
};

const expireOne = statement("expire_one", (db, p: { id: string; now: number }) =>
  db
    .updateTable("withdrawals")
    .set(expired)
    .where("id", "=", p.id)
    .where("deadline_at", "<=", p.now)
    .returning(withdrawalColumns),
);

/** Writes what time has done to one withdrawal; gives the row only if this unit did it. */
export function* writeExpiry(id: string, now: number): UnitOfWork<Row | undefined> {
  const [row] = yield* all(expireOne({ id, now }));
  if (row) yield* recordMove(row, expiredFrom(row), now, bySweeper);
  return row;
}

/** The first that is due, if any: a look that takes no lock, for a sweep that mostly finds nothing. */
export const anyExpiryDue = statement("expire_any", (db, p: { now: number }) =>
  db.selectFrom("withdrawals").select("id").where("deadline_at", "<=", p.now).limit(1),
);

const expireMany = statement("expire_many", (db, p: { now: number; limit: number }, dialect) =>
  db
    .updateTable("withdrawals")
    .set(expired)
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
export function* writeDueExpiries(now: number, limit: number): UnitOfWork<readonly Row[]> {
  const rows = yield* all(expireMany({ now, limit }));
  for (const row of rows) yield* recordMove(row, expiredFrom(row), now, bySweeper);
  return rows;
}
