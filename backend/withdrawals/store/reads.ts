/** Statements that read withdrawals, running ones but for the report's. */
import { sql } from "kysely";
import type { Client, Terminal } from "../../context.ts";
import type { Status } from "../../contract/transaction.ts";
import { withdrawalColumns } from "../../store/columns.ts";
import { adhoc, statement } from "../../store/statement.ts";
import type { WithdrawalsTable } from "../../store/tables/withdrawals.ts";

/** A withdrawal as it is stored: times in epoch milliseconds, amounts in minor units. */
export type Row = WithdrawalsTable;

/** A running one; an archived one is in `archive.ts`. */
export const withdrawalById = statement("withdrawal_by_id", (db, p: { id: string }) =>
  db.selectFrom("withdrawals").select(withdrawalColumns).where("id", "=", p.id),
);

/** The columns of what a caller sees, and what decides whether he may and whether it has run out: never the user's id. */
export const shownColumns = [
  "id",
  "partner_id",
  "merchant_id",
  "amount",
  "currency",
  "sca_required",
  "status",
  "reason",
  "deadline_at",
  "device_id",
  "transaction_id_partner",
  "created_at",
  "expires_at",
  "confirmed_at",
  "sca_expires_at",
  "settled_at",
  "linked_at",
  "closed_at",
  "undelivered_reason",
  "partner_reference",
  "store_name",
  "hand_out_id",
] as const satisfies readonly (keyof Row)[];

/** A withdrawal as far as it is shown. */
export type ShownRow = Pick<Row, (typeof shownColumns)[number]>;

/** A running one as far as it is shown: polled more often than all else is called, so it reads no more than that. */
export const shownById = statement("withdrawal_shown_by_id", (db, p: { id: string }) =>
  db.selectFrom("withdrawals").select(shownColumns).where("id", "=", p.id),
);

/** What a partner asked for under an idempotency key. */
export const withdrawalByKey = statement("withdrawal_by_key", (db, p: { partner: string; key: string }) =>
  db
    .selectFrom("withdrawals")
    .select(withdrawalColumns)
    .where("partner_id", "=", p.partner)
    .where("idempotency_key", "=", p.key),
);

/** The id of what a partner asked for under an idempotency key. */
export const withdrawalIdByKey = statement("withdrawal_id_by_key", (db, p: { partner: string; key: string }) =>
  db.selectFrom("withdrawals").select("id").where("partner_id", "=", p.partner).where("idempotency_key", "=", p.key),
);

/** The first that is due, if any: a look that takes no lock, for a sweep that mostly finds nothing. */
export const anyExpiryDue = statement("expire_any", (db, p: { now: number }) =>
  db.selectFrom("withdrawals").select("id").where("deadline_at", "<=", p.now).limit(1),
);

/** No cash leaves the drawer for these. */
const withoutCash: readonly Status[] = ["declined", "rejected", "canceled", "expired", "failed", "undelivered"];

/** What a user has asked for from `from` on and before `until` (a clock that was ahead left rows behind it) that may still lead to cash, or has; minor units, as in the two below. */
export const userDaySum = statement(
  "limit_user_day",
  (db, p: { partner: string; user: string; currency: string; from: number; until: number }) =>
    db
      .selectFrom("withdrawals")
      .select(sql<number>`cast(coalesce(sum(amount), 0) as bigint)`.as("sum"))
      .where("partner_id", "=", p.partner)
      .where(sql<boolean>`lower(user_id) = lower(${p.user})`)
      .where("created_at", ">=", p.from)
      .where("created_at", "<", p.until)
      .where("currency", "=", p.currency)
      .where("status", "not in", withoutCash),
);

/** The same for a shop. */
export const shopDaySum = statement("limit_shop_day", (db, p: { merchant: string; from: number; until: number }) =>
  db
    .selectFrom("withdrawals")
    .select(sql<number>`cast(coalesce(sum(amount), 0) as bigint)`.as("sum"))
    .where("merchant_id", "=", p.merchant)
    .where("created_at", ">=", p.from)
    .where("created_at", "<", p.until)
    .where("status", "not in", withoutCash),
);

/** What a terminal has confirmed in the time. */
export const terminalHourSum = statement(
  "limit_terminal_hour",
  (db, p: { merchant: string; device: string; from: number; until: number }) =>
    db
      .selectFrom("withdrawals")
      .select(sql<number>`cast(coalesce(sum(amount), 0) as bigint)`.as("sum"))
      .where("merchant_id", "=", p.merchant)
      .where("device_id", "=", p.device)
      .where("confirmed_at", ">", p.from)
      .where("confirmed_at", "<", p.until)
      .where("status", "not in", withoutCash),
);

const reportColumns = withdrawalColumns.map((column) => `w.${column}` as const);

/** Which part of the report is asked for, and from which line on. */
export interface ReportPage {
  readonly reader: Terminal | Client;
  /** Epoch milliseconds; not included. */
  readonly toMs: number;
  /** Only this shop. */
  readonly store?: string | undefined;
  /** The line before the page. */
  readonly after: { readonly confirmedAt: number; readonly id: string };
  readonly limit: number;
}

/** Lines of the reconciliation report in the order of confirmation, from the running ones or from the archive. */
export const reportPage = (
  table: "withdrawals" | "archived_withdrawals",
  { reader, toMs, store, after, limit }: ReportPage,
) =>
  adhoc((db) => {
    let query = db
      .selectFrom(sql<Row>`${sql.table(table)}`.as("w"))
      .leftJoin("outbox as o", (on) => on.on("o.id", "=", sql<string>`'settle_' || w.id`))
      .select(reportColumns)
      .select("o.attempts as pending_attempts")
      .select((contradiction) =>
        contradiction
          .selectFrom("withdrawal_events as e")
          .select("e.reason")
          .whereRef("e.transaction_id", "=", "w.id")
          .where("w.disputed_at", "is not", null)
          .where("e.kind", "=", "contradicted")
          .orderBy("e.sequence", "desc")
          .limit(1)
          .as("later_answer"),
      )
      .select((reports) =>
        reports
          .selectFrom("restored_reports as r")
          .select((count) => count.fn.countAll<number>().as("count"))
          .whereRef("r.transaction_id", "=", "w.id")
          .whereRef("r.merchant_id", "=", "w.merchant_id")
          .where("r.closed_at", "is", null)
          .as("other_reports"),
      )
      .where("w.confirmed_at", ">=", after.confirmedAt)
      .where("w.confirmed_at", "<", toMs)
      .where((or) => or.or([or("w.confirmed_at", ">", after.confirmedAt), or("w.id", ">", after.id)]))
      .orderBy("w.confirmed_at")
      .orderBy("w.id")
      .limit(limit);
    if ("merchantId" in reader) query = query.where("w.merchant_id", "=", reader.merchantId);
    else query = query.where("w.partner_id", "=", reader.partnerId);
    if (store !== undefined) query = query.where("w.merchant_id", "=", store);
    return query;
  });

/** A line of the report before it is shown. */
export type ReportRow = NonNullable<ReturnType<typeof reportPage>["row"]>;
