/** What time does to withdrawals: the UPDATEs of deadlines that have passed. */
import { sql } from "kysely";
import { statement } from "../../store/statement.ts";
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

/**
 * Of the running ones, `limit` that were asked for or confirmed after `future`: their deadlines were written under a clock
 * that was ahead, and would last for as long as it was.
 */
export const expireFuture = statement("expire_future", (db, p: { now: number; future: number; limit: number }) =>
  db
    .updateTable("withdrawals")
    .set({ ...expired, closed_at: p.now })
    .where("id", "in", (inner) =>
      inner
        .selectFrom("withdrawals")
        .select("id")
        .where("deadline_at", ">", p.now)
        .where(sql<number>`coalesce(confirmed_at, created_at)`, ">", p.future)
        .limit(p.limit),
    )
    .where("deadline_at", ">", p.now)
    .returning(updatedColumns),
);

/** The same for the `limit` oldest that are due; other processes may do so at once. */
export const expireMany = statement("expire_many", (db, p: { now: number; limit: number }, dialect) =>
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
    .returning(updatedColumns),
);
