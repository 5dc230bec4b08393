/** What every UPDATE of a withdrawal sets and returns beside its own columns. */
import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from "kysely";
import { withdrawalColumns } from "../../store/columns.ts";
import type { Database } from "../../store/schema.ts";
import type { Row } from "./reads.ts";

/** Which withdrawal, and when: epoch milliseconds. */
export type ById = { readonly id: string; readonly now: number };

type Found = ExpressionBuilder<Database, "withdrawals">;

/**
 * Conditions on a row that its key has found. No index serves them: on a database that was never analyzed PostgreSQL takes
 * the index of all that a shop or a bank has for as good as the key, and reads all of it for each transition.
 */
export const found =
  (conditions: (row: Found) => readonly Expression<SqlBool>[]) =>
  (row: Found): RawBuilder<SqlBool> =>
    sql<SqlBool>`(${row.and(conditions(row))}) is true`;

/** For the `set` of every UPDATE that leaves a row in the history: its number, unique because the row is locked. */
export const countsEvent = { history_length: sql<number>`history_length + 1` } as const;

const ofItsPartner = (condition: RawBuilder<unknown>) =>
  sql<number>`(select case when ${condition} then 1 else 0 end from partners where partners.id = withdrawals.partner_id)`;

/**
 * The hash of the row in the history before the one that `countsEvent` has counted. On PostgreSQL null also where an UPDATE
 * that waited for another has not seen that one's row (`previousHash` in `history.ts` then looks again).
 */
export const previousHashIn = (table: "withdrawals" | "archived_withdrawals") =>
  sql<string | null>`(select before.hash from withdrawal_events as before
    where before.transaction_id = ${sql.ref(`${table}.id`)} and before.sequence = ${sql.ref(`${table}.history_length`)} - 1)`.as(
    "previous_hash",
  );

/** Read with the transition, so that nothing of it needs a statement of its own. */
export const updatedColumns = [
  ...withdrawalColumns,
  previousHashIn("withdrawals"),
  ofItsPartner(sql`partners.events_url is not null`).as("wants_events"),
] as const;
/** 1: the bank may answer Settle order by status code alone. */
export const answersByCode = ofItsPartner(sql`partners.answers = 'by-status-code'`).as("answers_by_code");

/** A withdrawal whose history has just got longer by one row. */
export interface CountedRow extends Row {
  /** See `previousHashIn`. */
  readonly previous_hash: string | null;
}

/** A withdrawal right after a transition. */
export interface UpdatedRow extends CountedRow {
  /** 1: its bank wants status events. */
  readonly wants_events: number;
}

/** A withdrawal that may have become `settling`. */
export interface ToSettle extends UpdatedRow {
  /** 1: its bank may answer Settle order by status code alone. */
  readonly answers_by_code: number;
}
