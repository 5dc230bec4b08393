/** Lines that a terminal's or a bank's word after a restore leaves where the database no longer has the withdrawal itself. */
import { formatAmount } from "../contract/money.ts";
import { toTime } from "../contract/times.ts";
import { columnsOf, type RowOf } from "../store/schema.ts";
import { insertRow, statement } from "../store/store.ts";

const reportColumns = columnsOf("restored_reports");

/** Inserts a report; no row comes back where its terminal has reported it before. */
export const insertReport = statement("restored_report_insert", (db, p: RowOf<"restored_reports">) =>
  insertRow(db, "restored_reports", p)
    .onConflict((same) => same.columns(["transaction_id", "merchant_id", "device_id"]).doNothing())
    .returning(reportColumns),
);

/** The audit's event of a line. */
export const reportedEvent = "reported after restore";

/** What the audit says of a line; releases before wrote it without the time. */
export const entryOfLine = (line: RowOf<"restored_reports">, hasTime = true) => ({
  event: reportedEvent,
  actor: `terminal ${line.merchant_id}/${line.device_id}`,
  object: line.transaction_id,
  detail: `${line.status} ${formatAmount(line.amount, line.currency)} ${line.currency} ${line.transaction_id_partner}${
    hasTime ? ` at ${toTime(line.confirmed_at)}` : ""
  }${line.device_id === "" ? ` in ${line.merchant_id}` : ""}`,
});

/** The same of what a bank was asked to pay and a failover has forgotten; its actor is the bank, which the line does not know, so its shop is in the detail. */
export const orderedEvent = "ordered and forgotten";

/** A terminal's report of a transaction. It is held as in `holdShown`. */
export const reportBy = statement(
  "restored_report_by",
  (db, p: { transaction: string; merchant: string; device: string }) =>
    db
      .selectFrom("restored_reports")
      .select(reportColumns)
      .where((row) => row.and({ transaction_id: p.transaction, merchant_id: p.merchant, device_id: p.device }))
      .forUpdate(),
);

/** Records another hand-out than those that the report names, and opens it again. */
export const otherHandOutOfReport = statement("restored_report_other", (db, p: { id: string; handOutId: string }) =>
  db
    .updateTable("restored_reports")
    .set({ other_hand_out_id: p.handOutId, closed_at: null })
    .where("id", "=", p.id)
    .where((or) => or.or([or("status", "=", "undelivered"), or("hand_out_id", "!=", p.handOutId)]))
    .where((or) => or.or([or("other_hand_out_id", "is", null), or("other_hand_out_id", "!=", p.handOutId)]))
    .returning(reportColumns),
);

/** Number of a terminal's reports. */
export const countReports = statement("restored_reports_count", (db, p: { merchant: string; device: string }) =>
  db
    .selectFrom("restored_reports")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where((row) => row.and({ merchant_id: p.merchant, device_id: p.device })),
);

/** Open reports, oldest first. */
export const openReports = statement("restored_reports_open", (db) =>
  db
    .selectFrom("restored_reports")
    .select(reportColumns)
    .where("closed_at", "is", null)
    .orderBy("created_at")
    .orderBy("id"),
);

/** The next reports in the order of their ids. */
export const reportsAfter = statement("restored_reports_after", (db, p: { id: string; limit: number }) =>
  db.selectFrom("restored_reports").select(reportColumns).where("id", ">", p.id).orderBy("id").limit(p.limit),
);

/** All reports of a transaction. */
export const reportsOf = statement("restored_reports_of", (db, p: { id: string }) =>
  db.selectFrom("restored_reports").select(reportColumns).where("transaction_id", "=", p.id).orderBy("created_at"),
);

/** Open reports of a transaction, locked until the commit. */
export const holdReports = statement("restored_reports_hold", (db, p: { transaction: string }) =>
  db
    .selectFrom("restored_reports")
    .select(["id", "created_at"])
    .where("transaction_id", "=", p.transaction)
    .where("closed_at", "is", null)
    .forUpdate(),
);

/** Closes a report. */
export const closeReport = statement("restored_report_close", (db, p: { id: string; now: number }) =>
  db.updateTable("restored_reports").set({ closed_at: p.now }).where("id", "=", p.id),
);

/** Deletes up to `limit` closed reports from before `before`. */
export const purgeReports = statement("restored_reports_purge", (db, p: { before: number; limit: number }) =>
  db
    .deleteFrom("restored_reports")
    // Also here, for one that another hand-out opens again meanwhile.
    .where("closed_at", "is not", null)
    .where("id", "in", (old) =>
      old
        .selectFrom("restored_reports")
        .select("id")
        .where("created_at", "<", p.before)
        .where("closed_at", "is not", null)
        .limit(p.limit),
    ),
);
