/** What time does to withdrawals: the UPDATEs of deadlines that have passed. */
import { type Expression, type SqlBool, sql } from "kysely";
import { type Dialect, statement } from "../../store/statement.ts";
import { expiries } from "../lifecycle.ts";
import { type ById, countsEvent, updatedColumns } from "./updated-row.ts";

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

/** What time has done to one; the row only where its deadline has passed. */
export const expireOne = statement("expire_one", (db, p: ById) =>
  db
    .updateTable("withdrawals")
    .set(expired)
    .where("id", "=", p.id)
    .where("deadline_at", "<=", p.now)
    .returning(updatedColumns),
);

/** Those that `due` picks. PostgreSQL runs it once: as a join it may run it anew for each row that waits, of which there can be tens of thousands. */
const isPicked = (due: Expression<unknown>, dialect: Dialect) =>
  dialect === "postgres" ? sql<SqlBool>`id = any(array(${due}))` : sql<SqlBool>`id in (${due})`;

/** What another process is just writing is left to it. */
const skipLocked = (dialect: Dialect) => (dialect === "postgres" ? sql` for update skip locked` : sql``);

/**
 * Of the running ones, `limit` that were asked for after `createdAfter` or confirmed after `confirmedAfter`: their deadlines were
 * written under a clock that was ahead, and would last for as long as it was.
 */
export const expireFuture = statement(
  "expire_future",
  (db, p: { now: number; createdAfter: number; confirmedAfter: number; limit: number }, dialect) => {
    const due = db
      .selectFrom("withdrawals")
      .select("id")
      .where("deadline_at", ">", p.now)
      .where((row) => row.or([row("created_at", ">", p.createdAfter), row("confirmed_at", ">", p.confirmedAfter)]))
      .limit(p.limit);
    return db
      .updateTable("withdrawals")
      .set({ ...expired, closed_at: p.now })
      .where(isPicked(due, dialect))
      .returning(updatedColumns);
  },
);

/** The same for the `limit` oldest that are due; other processes may do so at once. */
export const expireMany = statement("expire_many", (db, p: { now: number; limit: number }, dialect) => {
  const due = db
    .selectFrom("withdrawals")
    .select("id")
    .where("deadline_at", "<=", p.now)
    .orderBy("deadline_at")
    .limit(p.limit);
  return db
    .updateTable("withdrawals")
    .set(expired)
    .where(isPicked(sql`${due}${skipLocked(dialect)}`, dialect))
    .returning(updatedColumns);
});
