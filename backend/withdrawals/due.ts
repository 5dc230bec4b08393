/** Statements on open withdrawals whose deadline has passed, or never will. */
import { sql } from "kysely";
import type { Service } from "../context.ts";
import { startOrderWindowMs } from "../contract/partner.ts";
import type { Status } from "../contract/transaction.ts";
import { monthsAround } from "../store/partitions.ts";
import { adhoc, type Query, statement } from "../store/store.ts";
import { expiries } from "./lifecycle.ts";
import { type ById, incrementHistoryLength, updatedColumns } from "./store.ts";

/** Epoch milliseconds. `from`: an earlier scan has dealt with what was due by then; 0 for none. */
type DueTimes = { readonly from: number; readonly now: number };

/** A full scan for passed deadlines, including rows left by older releases. */
const allDue = statement("expire_all", (db, p: { now: number; limit: number }) =>
  db.selectFrom("withdrawals").select("id").where("deadline_at", "<=", p.now).limit(p.limit),
);

/** Withdrawals with passed deadlines, among those requested or confirmed between these times. */
const someDue = statement(
  "expire_some",
  (db, p: Record<"now" | "limit" | `${"requested" | "ready" | "awaiting"}${"From" | "To"}`, number>) => {
    const due = (status: Status, column: "created_at" | "confirmed_at", from: number, to: number) =>
      db
        .selectFrom("withdrawals")
        .select("id")
        .where(column, ">=", from)
        .where(column, "<=", to)
        .where("status", "=", sql.lit(status))
        .where("deadline_at", "<=", p.now);
    return due("requested", "created_at", p.requestedFrom, p.requestedTo)
      .unionAll(due("ready", "created_at", p.readyFrom, p.readyTo))
      .unionAll(due("awaiting_sca", "confirmed_at", p.awaitingFrom, p.awaitingTo))
      .limit(p.limit);
  },
);

/**
 * Up to `limit` withdrawals whose deadlines have passed since `from`. Deadlines have no index, which transitions would have to
 * update, so they are computed from request or confirmation times. Rows written under other settings are left to a full scan.
 */
export const dueWithdrawals = (
  { orderTtlMs, scaTimeoutMs }: Pick<Service["options"], "orderTtlMs" | "scaTimeoutMs">,
  { from, now }: DueTimes,
  limit: number,
): Query<{ id: string }> =>
  from === 0
    ? allDue({ now, limit })
    : someDue({
        ...{ now, limit },
        ...{ requestedFrom: from - startOrderWindowMs, requestedTo: now - startOrderWindowMs },
        ...{ readyFrom: from - orderTtlMs, readyTo: now - orderTtlMs },
        ...{ awaitingFrom: from - scaTimeoutMs, awaitingTo: now - scaTimeoutMs },
      });

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
  ...incrementHistoryLength,
};

/** Expires one withdrawal if its deadline has passed. */
export const expireOne = statement(
  "expire_one",
  (db, p: ById, _, months) =>
    db
      .updateTable("withdrawals")
      .set(expired)
      .where("id", "=", p.id)
      .where("deadline_at", "<=", p.now)
      .returning(updatedColumns(months)),
  monthsAround,
);

/**
 * Up to `limit` open withdrawals requested after `createdAfter` or confirmed after `confirmedAfter`: their deadlines
 * were written by a clock that was ahead, and would last too long.
 */
export const futureExpiries = statement(
  "expire_future",
  (db, p: { now: number; createdAfter: number; confirmedAfter: number; limit: number }) =>
    db
      .selectFrom("withdrawals")
      .select("id")
      .where("deadline_at", ">", p.now)
      .where((row) => row.or([row("created_at", ">", p.createdAfter), row("confirmed_at", ">", p.confirmedAfter)]))
      .limit(p.limit),
);

/** The due ones among these, locked until the commit; those that another process is writing are skipped. */
export const holdDue = (found: readonly { readonly id: string }[], now: number) =>
  adhoc((db, dialect) =>
    db
      .selectFrom("withdrawals")
      .select("id")
      .where(
        "id",
        "in",
        found.map(({ id }) => id),
      )
      .where("deadline_at", "<=", now)
      .orderBy("id")
      .$if(dialect === "postgres", (due) => due.forUpdate().skipLocked()),
  );

/**
 * Expires withdrawals found in the same unit, by a list of ids: a subquery might be evaluated anew for each of
 * thousands of waiting rows, and arrays, which prevent that, are not available on all engines.
 * @param closedAt for those whose deadline was wrong. Default: their deadline.
 */
export const expireThese = (due: readonly { readonly id: string }[], now: number, closedAt: number | null = null) =>
  adhoc((db) =>
    db
      .updateTable("withdrawals")
      .set({ ...expired, ...(closedAt === null ? {} : { closed_at: closedAt }) })
      .where(
        "id",
        "in",
        due.map(({ id }) => id),
      )
      .where("deadline_at", "is not", null)
      .returning(updatedColumns(monthsAround({ now }))),
  );
