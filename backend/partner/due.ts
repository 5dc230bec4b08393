/**
 * What is due in a queue, looked for at the ends of its index (partner_id, due_at): a bank that is down for days leaves
 * hundreds of thousands of rows between them, which no poll may read.
 */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Query } from "../store/statement.ts";
import { all, type UnitOfWork } from "../store/store.ts";

/** Epoch milliseconds. */
export type DueTimes = {
  readonly now: number;
  /** No lease or pause reaches further: a row beyond was written under a wrong clock, and is due. */
  readonly maxPlausibleDueAt: number;
};

/** What a process claims of one partner's, and until when (epoch milliseconds) under which name. */
export type DueClaim = DueTimes & {
  readonly partner: string;
  readonly leasedUntil: number;
  readonly worker: string;
  readonly limit: number;
};

/** A condition on `partners`: whether the partner has a row that is due. */
export const hasDue = (queue: "outbox" | "status_events", p: DueTimes): RawBuilder<SqlBool> => {
  const end = (which: "min" | "max") =>
    sql`(select ${sql.raw(which)}(due_at) from ${sql.table(queue)} where partner_id = partners.id)`;
  return sql<SqlBool>`(${end("min")} <= ${p.now} or ${end("max")} > ${p.maxPlausibleDueAt})`;
};

/** Rows whose time has come, or rows too far ahead; in one statement both would be looked for from row to row. */
export type DueEnd = "passed" | "beyond";

/** The condition of one of them. */
export const isDue = (end: DueEnd, { now, maxPlausibleDueAt }: DueTimes): RawBuilder<SqlBool> =>
  end === "passed" ? sql<SqlBool>`due_at <= ${now}` : sql<SqlBool>`due_at > ${maxPlausibleDueAt}`;

/** Claims from either end, `limit` in all. */
export function* claimDue<Row>(
  claims: Readonly<Record<DueEnd, (claim: DueClaim) => Query<Row>>>,
  claim: DueClaim,
): UnitOfWork<readonly Row[]> {
  const passed = yield* all(claims.passed(claim));
  const limit = claim.limit - passed.length;
  return limit <= 0 ? passed : [...passed, ...(yield* all(claims.beyond({ ...claim, limit })))];
}
