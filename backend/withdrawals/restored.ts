/** What a restore does to withdrawals, and what terminals and banks repeat after it. */
import { sql } from "kysely";
import type { Status } from "../contract/transaction.ts";
import { monthsAround } from "../store/partitions.ts";
import { columnsOf, type RowOf } from "../store/schema.ts";
import { insertRow, statement } from "../store/store.ts";
import { ofBoth } from "./closed.ts";
import {
  answersByCode,
  eventColumnsOf,
  incrementHistoryLength,
  notedColumns,
  updatedColumns,
  withoutIndex,
} from "./store.ts";

/**
 * Ends the first `limit` withdrawals in an open status. All of these have a deadline, which has an index. One that a terminal had
 * confirmed may have been paid after the copy was made: it is marked as disputed.
 */
export const endRestored = statement(
  "restore_end",
  (db, p: { status: Status; now: number; limit: number }, _, months) =>
    db
      .updateTable("withdrawals")
      .set({
        status: "canceled",
        reason: "restored",
        closed_at: p.now,
        deadline_at: null,
        disputed_at: sql<number | null>`case when confirmed_at is not null then cast(${p.now} as bigint) end`,
        ...incrementHistoryLength,
      })
      .where("id", "in", (open) =>
        open
          .selectFrom("withdrawals")
          .select("id")
          .where("deadline_at", "is not", null)
          .where("status", "=", p.status)
          .limit(p.limit),
      )
      .returning(updatedColumns(months)),
  monthsAround,
);

/**
 * Marks as disputed what an older copy, restored before this one, had open and this one has as paid or being paid: its bank was told
 * that it is canceled.
 */
export const disputeCanceledElsewhere = ofBoth((table) =>
  statement(`restore_told_otherwise_${table}`, (db, p: { toldSince: number; now: number; limit: number }) =>
    db
      .updateTable(table)
      .set({ disputed_at: p.now, ...incrementHistoryLength })
      .where("id", "in", (told) =>
        told
          .selectFrom(table)
          .select("id")
          // What was settled since has ended since; of what a restore has ended the time is not known.
          .where(table === "withdrawals" ? sql<boolean>`true` : sql<boolean>`archived_at >= ${p.toldSince}`)
          .where("created_at", "<=", p.toldSince)
          .where("status", "in", ["settling", "settled", "linked", "undelivered"])
          .where("disputed_at", "is", null)
          .where((row) => row.or([row("settled_at", "is", null), row("settled_at", ">=", p.toldSince)]))
          .limit(p.limit),
      )
      .returning(eventColumnsOf(table)),
  ),
);

/** How many the restore has ended, over all its tries. */
export const countRestored = statement("restore_count", (db, p: { since: number }) =>
  db
    .selectFrom("withdrawals")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("status", "=", "canceled")
    .where("reason", "=", "restored")
    .where("closed_at", ">=", p.since),
);

/** The newest moment that the database knows of; null where nothing has happened in it. */
export const newestMoment = statement("restore_newest", (db) =>
  db.selectNoFrom([
    sql<number | null>`(select max(at) from audit)`.as("audited"),
    sql<number | null>`(select max(created_at) from withdrawals)`.as("created"),
    sql<number | null>`(select max(confirmed_at) from withdrawals)`.as("confirmed"),
    sql<number | null>`(select max(settled_at) from withdrawals)`.as("settled"),
    sql<number | null>`(select max(linked_at) from withdrawals)`.as("linked"),
    sql<number | null>`(select max(archived_at) from archived_withdrawals)`.as("ended"),
    sql<number | null>`(select max(created_at) from archived_withdrawals)`.as("ended_created"),
  ]),
);

type Reported = {
  readonly id: string;
  readonly merchant: string;
  readonly device: string;
  readonly terminalReference: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: "linked" | "undelivered";
  readonly undeliveredReason: string | null;
  readonly cashier: string | null;
  readonly handOutId: string | null;
  readonly confirmedAt: number;
  readonly now: number;
};

/**
 * `canceled` by a restore → what its terminal says became of the cash, where nobody else had confirmed it. It waits for the
 * bank's word, and an operator's where none comes.
 */
export const takeReported = statement("restore_reported", (db, p: Reported) => {
  const isLinked = sql<boolean>`cast(${p.status} as text) = 'linked'`;
  const now = sql<number>`cast(${p.now} as bigint)`;
  const said = sql<number>`cast(${p.confirmedAt} as bigint)`;
  return db
    .updateTable("withdrawals")
    .set({
      status: p.status,
      device_id: p.device,
      transaction_id_partner: p.terminalReference,
      // Never outside of its own time, whatever the terminal's clock says: the report goes by it.
      confirmed_at: sql<number>`case when device_id is not null then confirmed_at when ${said} < created_at then created_at
        when ${said} > ${now} then ${now} else ${said} end`,
      linked_at: sql<number | null>`case when ${isLinked} then ${now} end`,
      closed_at: sql<number | null>`case when ${isLinked} then null else ${now} end`,
      undelivered_reason: p.undeliveredReason,
      cashier: p.cashier,
      hand_out_id: p.handOutId,
      disputed_at: p.now,
      ...incrementHistoryLength,
    })
    .where("id", "=", p.id)
    .where(
      withoutIndex((row) => [
        row("merchant_id", "=", p.merchant),
        row("status", "=", "canceled"),
        row("reason", "=", "restored"),
        row("amount", "=", p.amount),
        row("currency", "=", p.currency),
        row.or([row("device_id", "is", null), row("device_id", "=", p.device)]),
        row.or([row("transaction_id_partner", "is", null), row("transaction_id_partner", "=", p.terminalReference)]),
      ]),
    )
    .returning([...eventColumnsOf("withdrawals"), answersByCode]);
});

/**
 * Notes that the bank has repeated the customer's approval of one that a restore has ended. That a terminal confirmed it
 * follows from it, though nobody knows which, and when.
 */
export const noteApproval = statement("restore_approved", (db, p: { id: string; partner: string; now: number }) => {
  const orNow = (column: string) =>
    sql<number>`case when status = 'canceled' and ${sql.ref(column)} is null then cast(${p.now} as bigint) else ${sql.ref(column)} end`;
  return db
    .updateTable("withdrawals")
    .set({ confirmed_at: orNow("confirmed_at"), disputed_at: orNow("disputed_at"), ...incrementHistoryLength })
    .where("id", "=", p.id)
    .where(
      withoutIndex((row) => [
        row("partner_id", "=", p.partner),
        row("reason", "=", "restored"),
        row("status", "in", ["canceled", "linked", "undelivered"]),
        row("settled_at", "is", null),
      ]),
    )
    .returning([...eventColumnsOf("withdrawals"), answersByCode]);
});

/** Holds what a restore has ended until the commit: of two equal approvals at once the second sees what the first has noted. */
export const holdRestored = statement("restore_hold", (db, p: { id: string }, dialect) => {
  const row = db.selectFrom("withdrawals").select("id").where("id", "=", p.id);
  return dialect === "postgres" ? row.forUpdate() : row;
});

/** Whether the bank has repeated the approval. */
export const approvalOf = statement("restore_approval", (db, p: { id: string }) =>
  db
    .selectFrom("withdrawal_events")
    .select("sequence")
    .where("transaction_id", "=", p.id)
    .where("kind", "=", "approved")
    .limit(1),
);

/** The bank has paid what a terminal reported as handed out: both agree, and nothing is left to look into but a second hand-out. */
export const payRestored = statement("restore_paid", (db, p: { id: string; now: number; attempts: number }) =>
  db
    .updateTable("withdrawals")
    .set({
      settled_at: p.now,
      settle_attempts: sql<number>`cast(${p.attempts} as bigint)`,
      disputed_at: sql<number | null>`case when other_hand_out_id is null then null else disputed_at end`,
      ...incrementHistoryLength,
    })
    .where("id", "=", p.id)
    .where(
      withoutIndex((row) => [
        row("status", "=", "linked"),
        row("reason", "=", "restored"),
        row("settled_at", "is", null),
      ]),
    )
    .returning(notedColumns),
);

const reportColumns = columnsOf("restored_reports");

/** Keeps a line; none comes back where its terminal has reported it before. */
export const insertReport = statement("restored_report_insert", (db, p: RowOf<"restored_reports">) =>
  insertRow(db, "restored_reports", p)
    .onConflict((same) => same.columns(["transaction_id", "merchant_id", "device_id"]).doNothing())
    .returning(reportColumns),
);

/** What one terminal has reported of one transaction. */
export const reportBy = statement(
  "restored_report_by",
  (db, p: { transaction: string; merchant: string; device: string }) =>
    db
      .selectFrom("restored_reports")
      .select(reportColumns)
      .where("transaction_id", "=", p.transaction)
      .where("merchant_id", "=", p.merchant)
      .where("device_id", "=", p.device),
);

/** Notes another hand-out than the one of the line, once, and again after an operator has closed the line. */
export const otherHandOutOfReport = statement("restored_report_other", (db, p: { id: string; handOutId: string }) =>
  db
    .updateTable("restored_reports")
    .set({ other_hand_out_id: p.handOutId, closed_at: null })
    .where("id", "=", p.id)
    .where((or) => or.or([or("status", "=", "undelivered"), or("hand_out_id", "!=", p.handOutId)]))
    .where((or) =>
      or.or([
        or("other_hand_out_id", "is", null),
        or("other_hand_out_id", "!=", p.handOutId).and("closed_at", "is not", null),
      ]),
    )
    .returning(reportColumns),
);

/** How many lines one terminal has. */
export const countReports = statement("restored_reports_count", (db, p: { merchant: string; device: string }) =>
  db
    .selectFrom("restored_reports")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("merchant_id", "=", p.merchant)
    .where("device_id", "=", p.device),
);

/** The open ones, the oldest first. */
export const openReports = statement("restored_reports_open", (db) =>
  db
    .selectFrom("restored_reports")
    .select(reportColumns)
    .where("closed_at", "is", null)
    .orderBy("created_at")
    .orderBy("id"),
);

/** All that was reported of one transaction. */
export const reportsOf = statement("restored_reports_of", (db, p: { id: string }) =>
  db.selectFrom("restored_reports").select(reportColumns).where("transaction_id", "=", p.id).orderBy("created_at"),
);

/** Closes all that was reported of one transaction. */
export const closeReports = statement("restored_reports_close", (db, p: { transaction: string; now: number }) =>
  db
    .updateTable("restored_reports")
    .set({ closed_at: p.now })
    .where("transaction_id", "=", p.transaction)
    .where("closed_at", "is", null)
    .returning("id"),
);

/** Deletes at most `limit` closed lines that came before; open ones stay. */
export const purgeReports = statement("restored_reports_purge", (db, p: { before: number; limit: number }) =>
  db
    .deleteFrom("restored_reports")
    .where("id", "in", (old) =>
      old
        .selectFrom("restored_reports")
        .select("id")
        .where("created_at", "<", p.before)
        .where("closed_at", "is not", null)
        .limit(p.limit),
    ),
);
