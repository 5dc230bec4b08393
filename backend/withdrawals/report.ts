/** Statements of the reconciliation report: pages of open, ended and restored withdrawals in order of confirmation. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Reader } from "../context.ts";
import { isOfChain } from "../merchants/chains.ts";
import { isIn, monthsAround } from "../store/partitions.ts";
import { columnsOf } from "../store/schema.ts";
import { adhoc, statement, type Tx } from "../store/store.ts";
import { type Row, reportColumns, type Table } from "./store.ts";

/** A line's place in the report. */
export interface ReportPlace {
  readonly confirmed_at: number;
  readonly id: string;
}

/** A page of the report. */
export interface ReportPage {
  readonly reader: Reader;
  /** Epoch milliseconds, exclusive. */
  readonly toMs: number;
  /** Only this shop. */
  readonly store?: string | undefined;
  /** The place before the page. */
  readonly after: ReportPlace;
  /** The last place to scan. */
  readonly upTo?: ReportPlace | undefined;
  readonly limit: number;
}

type Span = Pick<ReportPage, "toMs" | "after" | "upTo">;
/** One bound on each side, since of two SQLite may use the wrong one for its scan. */
const isInSpan = ({ toMs, after, upTo }: Span): RawBuilder<SqlBool> => {
  const last = upTo?.confirmed_at ?? toMs - 1;
  const isUpTo = upTo ? sql`(w.confirmed_at < ${last} or w.id <= ${upTo.id})` : sql`1 = 1`;
  return sql`w.confirmed_at >= ${after.confirmed_at} and w.confirmed_at <= ${last}
    and (w.confirmed_at > ${after.confirmed_at} or w.id > ${after.id}) and ${isUpTo}`;
};

/** The place `limit` rows further on, including others' rows. */
export const reportPlaceOn = (
  table: Table | "restored_reports",
  { limit, ...span }: Span & Pick<ReportPage, "limit">,
) =>
  adhoc((db) =>
    db
      .selectFrom(sql<ReportPlace>`${sql.table(table)}`.as("w"))
      .select(["w.confirmed_at", "w.id"])
      .where(isInSpan(span))
      .orderBy("w.confirmed_at")
      .orderBy("w.id")
      .offset(limit - 1)
      .limit(1),
  );

const isOfReader = (reader: Reader): RawBuilder<SqlBool> => {
  if ("merchantId" in reader) return sql`w.merchant_id = ${reader.merchantId}`;
  return "chainId" in reader
    ? isOfChain(reader.chainId, sql.ref("w.merchant_id"))
    : sql`w.partner_id = ${reader.partnerId}`;
};

/** Condition: the reader's rows of the period, optionally of one shop. */
const isAsked = ({ reader, store, ...span }: ReportPage): RawBuilder<SqlBool> =>
  sql`${isInSpan(span)} and ${isOfReader(reader)} and ${store === undefined ? sql`1 = 1` : sql`w.merchant_id = ${store}`}`;

/** Reports after a restore without a withdrawal, in the report's order. */
export const reportedPage = (asked: ReportPage) =>
  adhoc((db) =>
    db
      .selectFrom("restored_reports as w")
      .select(columnsOf("restored_reports").map((column) => `w.${column}` as const))
      .where(isAsked(asked))
      .orderBy("w.confirmed_at")
      .orderBy("w.id")
      .limit(asked.limit),
  );

/** A statement name for each variant of the text, so that PostgreSQL plans each once; idle terminals run many. */
const nameOf = (table: Table, { reader, store, upTo }: ReportPage): string => {
  const readerKind = "merchantId" in reader ? "shop" : "chainId" in reader ? "chain" : "bank";
  return `report_${table}_${readerKind}${store === undefined ? "" : "_store"}${upTo === undefined ? "" : "_to"}`;
};

/** Rows of the report from one of the tables, in order of confirmation. */
export const reportPage = (table: Table, asked: ReportPage) => ({
  ...adhoc((db) =>
    db
      .selectFrom(sql<Row>`${sql.table(table)}`.as("w"))
      .leftJoin("outbox as o", (on) => on.on("o.id", "=", sql<string>`'settle_' || w.id`))
      .select(reportColumns)
      .select("o.attempts as pending_attempts")
      .select(
        sql<number>`${table === "withdrawals" ? sql`0` : sql`case when exists (select 1 from withdrawals as one where one.id = w.id) then 1 else 0 end`}`.as(
          "is_there_twice",
        ),
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
      .where(isAsked(asked))
      .orderBy("w.confirmed_at")
      .orderBy("w.id")
      .limit(asked.limit),
  ),
  name: nameOf(table, asked),
});

type Disputable = Pick<Row, "id" | "created_at" | "status" | "disputed_at">;

const contradictions = (rows: readonly Disputable[]) =>
  adhoc((db) =>
    db
      .selectFrom("withdrawal_events")
      .select(["transaction_id", "reason"])
      .where(
        "transaction_id",
        "in",
        rows.map(({ id }) => id),
      )
      .where("asked_at", "in", [0, ...new Set(rows.map((row) => row.created_at))])
      .where("kind", "in", ["contradicted", "cash_reported"])
      .orderBy("sequence"),
  );
const rowsPerLook = 500;

/** Adds the last contradicting answer to disputed rows. */
export async function withLaterAnswer<R extends Disputable>(
  tx: Tx,
  rows: readonly R[],
): Promise<readonly (R & { readonly later_answer: string | null })[]> {
  const disputed = rows.filter((row) => row.disputed_at !== null);
  const statuses = new Map(disputed.map(({ id, status }) => [id, status]));
  const answers = new Map<string, string>();
  for (let from = 0; from < disputed.length; from += rowsPerLook)
    for (const { transaction_id: id, reason } of await tx.all(contradictions(disputed.slice(from, from + rowsPerLook))))
      if (reason !== null && reason !== statuses.get(id)) answers.set(id, reason);
  return rows.map((row) => ({ ...row, later_answer: answers.get(row.id) ?? null }));
}

/** A row of the report. */
export type ReportRow = NonNullable<ReturnType<typeof reportPage>["row"]> & { readonly later_answer: string | null };

/** A device's confirmations from `from` on, newest first. */
export const confirmedByTerminal = statement(
  "confirmed_by_terminal",
  (db, p: { merchant: string; device: string; from: number; limit: number }, _, months) => {
    const confirmed = (table: Table) =>
      db
        .selectFrom(table)
        .select(["transaction_id_partner", "confirmed_at"])
        .where((row) => row.and({ merchant_id: p.merchant, device_id: p.device }))
        .where("confirmed_at", ">=", p.from);
    return confirmed("withdrawals")
      .unionAll(confirmed("archived_withdrawals").where(isIn("created_at", months)))
      .orderBy("confirmed_at", "desc")
      .limit(p.limit);
  },
  ({ from }: { readonly from: number }) => monthsAround({ now: from }),
);
