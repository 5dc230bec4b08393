/** The reconciliation report, and lists of withdrawals: what a reader sees, and the statements that read it. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { z } from "zod";
import type { Chain, Reader, Service } from "../context.ts";
import type { withdrawalsQuerySchema, withdrawalsReplySchema } from "../contract/client.ts";
import { formatAmount, parseAmount } from "../contract/money.ts";
import type { Finding, reconciliationLineSchema, reportedTwice } from "../contract/reconciliation.ts";
import { dayMs, isDay, toNullableTime, toTime } from "../contract/times.ts";
import { isFinal, type Status } from "../contract/transaction.ts";
import { isOfChain, shopOfChain, shopsOfChain } from "../merchants/chains.ts";
import { noAfterSilence } from "../partner/answer.ts";
import { invalidField } from "../service-error.ts";
import { columnsOf, type RowOf } from "../store/schema.ts";
import { adhoc, isIn, monthsAround, statement, type Tx, type UnitOfWork } from "../store/store.ts";
import { awaitsBank, expiryAt } from "./lifecycle.ts";
import { type Row, reportColumns, storeOfPartner, type Table, withdrawalsPage } from "./store.ts";
import { countExpiry, toTransaction, writeExpiry } from "./transition.ts";

/** A line of the report on the wire. */
export type ReconciliationLine = z.infer<typeof reconciliationLineSchema>;

/** Filter of the report. */
export interface ReconciliationFilter {
  /** Epoch milliseconds, compared with `confirmed_at`: from is included, to is not. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Only this store; a terminal sees only its own whatever it asks for. */
  readonly store?: string | undefined;
}

type PageRow = ReportRow | RowOf<"restored_reports">;

/** Rows per page, which bounds memory. */
const rowsPerPage = 500;
/** How many rows a chain's page scans, so that no read takes long even if few are of its shops. */
const placesPerPage = 3_000;

/**
 * All transactions confirmed in the period, in order of confirmation, page by page at the reader's speed. No database
 * transaction stays open; withdrawals confirmed meanwhile are included.
 */
export async function* reconcile(
  service: Service,
  reader: Reader,
  filter: ReconciliationFilter,
): AsyncGenerator<readonly ReconciliationLine[], void, undefined> {
  if ("chainId" in reader && filter.store !== undefined) {
    if (await isStoreOf(service, reader, filter.store))
      yield* reconcile(service, { merchantId: filter.store, deviceId: "" }, filter);
    return;
  }
  let upTo: ReportPlace | undefined;
  for (let after: ReportPlace | undefined = { confirmed_at: filter.fromMs, id: "" }; after; ) {
    const asked: ReportPage = { reader, ...filter, after, limit: rowsPerPage };
    if ("chainId" in reader) upTo ??= await service.store.read((tx) => pageEnd(tx, asked));
    const rows = await readPage(service, (tx) => page(tx, { ...asked, upTo }));
    if (rows.length > 0) yield rows.map((row) => ("reported_at" in row ? toReportedLine(row) : toLine(row, reader)));
    const last = rows.at(rowsPerPage - 1);
    after = last ? placeOf(last) : upTo;
    if (!last) upTo = undefined;
  }
}

type Totals = Map<string, { finding: Finding; currency: string; count: number; minor: number }>;

const addLine = (totals: Totals, { finding, currency, amount }: ReconciliationLine): Totals => {
  const lineMinor = parseAmount(amount, currency);
  if (lineMinor === null) throw new Error(`${amount} is no amount in ${currency}`);
  const key = `${currency} ${finding}`;
  const { count, minor } = totals.get(key) ?? { count: 0, minor: 0 };
  return totals.set(key, { finding, currency, count: count + 1, minor: minor + lineMinor });
};

const showTotals = (totals: Totals) =>
  [...totals.values()].map(({ minor, ...total }) => ({ ...total, amount: formatAmount(minor, total.currency) }));

/** Totals of a chain's report, by shop and overall. */
export const storeTotals = async (service: Service, chain: Chain, filter: ReconciliationFilter) => {
  const shops = await service.store.read((tx) => tx.all(shopsOfChain({ chain: chain.chainId })));
  const names = new Map(shops.map(({ id, name }) => [id, name]));
  const all: Totals = new Map();
  const stores = new Map<string, Totals>();
  for await (const lines of reconcile(service, chain, filter))
    for (const line of lines) {
      stores.set(line.store, addLine(stores.get(line.store) ?? new Map(), line));
      addLine(all, line);
    }
  return {
    stores: [...stores]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([store, totals]) => ({ store, store_name: names.get(store) ?? store, totals: showTotals(totals) })),
    totals: showTotals(all),
  };
};

/** Whether the store is the terminal's own, one of the chain's, or one that the bank may use or has used. */
export const isStoreOf = async (service: Service, reader: Reader, store: string): Promise<boolean> => {
  if ("merchantId" in reader) return store === reader.merchantId;
  const one =
    "chainId" in reader
      ? shopOfChain({ chain: reader.chainId, shop: store })
      : storeOfPartner({ partner: reader.partnerId, merchant: store });
  return (await service.store.read((tx) => tx.first<{ id: string }>(one))) !== undefined;
};

/**
 * Parses times or days (`to` includes its day) into epoch milliseconds.
 * @throws ServiceError `validation_failed` for an empty period, or a store that is not the reader's.
 */
export const windowOf = async (
  service: Service,
  reader: Reader,
  { from, to, store }: Pick<z.output<typeof withdrawalsQuerySchema>, "from" | "to" | "store">,
): Promise<{ readonly fromMs?: number; readonly toMs?: number }> => {
  const window = {
    ...(from === undefined ? {} : { fromMs: Date.parse(from) }),
    ...(to === undefined ? {} : { toMs: Date.parse(to) + (isDay(to) ? dayMs : 0) }),
  };
  const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = window;
  if (fromMs >= toMs) throw invalidField("from", "must be before to");
  if (store !== undefined && !(await isStoreOf(service, reader, store)))
    throw invalidField("store", "is no store of yours");
  return window;
};

/**
 * A page of the reader's withdrawals, newest first, also ended ones; `next` is for the following page. @throws
 * ServiceError `validation_failed`.
 */
export const listWithdrawals = async (
  service: Service,
  reader: Reader,
  query: z.output<typeof withdrawalsQuerySchema>,
): Promise<z.infer<typeof withdrawalsReplySchema>> => {
  const { store, status, limit } = query;
  const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = await windowOf(service, reader, query);
  const [at, id] = (query.cursor ?? `${toMs}.`).split(".") as [string, string];
  const before = { at: Number(at), id };
  const asked = { reader, fromMs, toMs, before, store, status, limit: limit + 1 };
  const rows = await readPage(service, async (tx) => {
    const open = await tx.all(withdrawalsPage("withdrawals", asked));
    const isOpen = status !== undefined && !isFinal(status);
    const all = isOpen ? open : [...open, ...(await tx.all(withdrawalsPage("archived_withdrawals", asked)))];
    const one = new Map(all.map((row) => [`${row.id} ${row.created_at}`, row]));
    return [...one.values()].sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1));
  });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { withdrawals: page.map(toTransaction), next: last ? `${last.created_at}.${last.id}` : null };
};

type Timed = Pick<Row, "id" | "status" | "deadline_at">;

/** Reads a page; passed deadlines are written first, so that no other process can still accept an approval. */
const readPage = async <R extends Timed | RowOf<"restored_reports">>(
  service: Service,
  unit: UnitOfWork<readonly R[]>,
): Promise<readonly R[]> => {
  const rows = await service.store.read(unit);
  const due = rows.filter((row) => "deadline_at" in row && expiryAt(row, service.clock.now()));
  if (due.length === 0) return rows;
  const expired = await service.store.write(async (tx) => {
    const written: Row[] = [];
    for (const { id } of due) {
      const row = await writeExpiry(tx, service, id, service.clock.now());
      if (row) written.push(row);
    }
    return written;
  });
  for (const row of expired) countExpiry(service, row);
  return service.store.read(unit);
};

const placeOf = ({ confirmed_at, id }: PageRow): ReportPlace => ({ confirmed_at: confirmed_at ?? 0, id });
const byPlace = (a: ReportPlace, b: ReportPlace) => a.confirmed_at - b.confirmed_at || (a.id < b.id ? -1 : 1);

/**
 * Reads the open ones first, so that one that ends meanwhile shows twice rather than never. Reports after a restore are
 * left out for banks, as the copy does not know whose they are.
 */
async function page(tx: Tx, asked: ReportPage): Promise<readonly PageRow[]> {
  const running = await withLaterAnswer(tx, await tx.all(reportPage("withdrawals", asked)));
  const archived = await withLaterAnswer(tx, await tx.all(reportPage("archived_withdrawals", asked)));
  const reported = "partnerId" in asked.reader ? [] : await tx.all(reportedPage(asked));
  // Rows in both tables that differ in creation time are kept apart, so that a forged row cannot hide another: a real
  // move is one commit.
  const keyOf = (row: PageRow) => [row.id, row.created_at, "is_there_twice" in row ? row.is_there_twice : 0].join(" ");
  const rows = new Map<string, PageRow>([...running, ...archived, ...reported].map((row) => [keyOf(row), row]));
  return [...rows.values()].sort((a, b) => byPlace(placeOf(a), placeOf(b))).slice(0, asked.limit);
}

/** Where a chain's page ends at the latest; undefined: at the report's end. */
async function pageEnd(tx: Tx, asked: ReportPage): Promise<ReportPlace | undefined> {
  const ends: ReportPlace[] = [];
  for (const table of ["withdrawals", "archived_withdrawals", "restored_reports"] as const)
    ends.push(...(await tx.all(reportPlaceOn(table, { ...asked, limit: placesPerPage }))));
  return ends.sort(byPlace)[0];
}

const reportedTwiceOf = ({ status }: { readonly status: Status }): (typeof reportedTwice)[number] =>
  status === "undelivered" ? "handed_out_after_undelivered" : "handed_out_twice";

/** A report after a restore as a line, or what a bank was asked to pay that a failover has forgotten. */
export const toReportedLine = (row: RowOf<"restored_reports">): ReconciliationLine => ({
  transaction_id: row.transaction_id,
  // Empty for a terminal that did not say it.
  transaction_id_partner: row.transaction_id_partner || null,
  store: row.merchant_id,
  device_id: row.device_id || null,
  status: row.status,
  finding: row.closed_at === null ? "restored" : row.status === "linked" ? "matched" : "closed",
  amount: formatAmount(row.amount, row.currency),
  currency: row.currency,
  reason: row.other_hand_out_id === null ? (row.undelivered_reason ?? "restored") : reportedTwiceOf(row),
  created_at: toTime(row.confirmed_at),
  confirmed_at: toTime(row.confirmed_at),
  settled_at: toNullableTime(row.settled_at),
  linked_at: row.status === "linked" ? toTime(row.reported_at) : null,
  closed_at: row.status === "undelivered" ? toTime(row.reported_at) : null,
  settle_attempts: 0,
  cashier: row.cashier,
  partner_reference: null,
});

const toLine = (row: ReportRow, reader: Reader): ReconciliationLine => ({
  transaction_id: row.id,
  transaction_id_partner: row.transaction_id_partner,
  store: row.merchant_id,
  device_id: row.device_id,
  status: row.status,
  finding: findingOfRow(row),
  amount: formatAmount(row.amount, row.currency),
  currency: row.currency,
  reason: reasonOf(row),
  created_at: toTime(row.created_at),
  confirmed_at: toNullableTime(row.confirmed_at),
  settled_at: toNullableTime(row.settled_at),
  linked_at: toNullableTime(row.linked_at),
  closed_at: toNullableTime(row.closed_at),
  settle_attempts: row.settle_attempts + (row.pending_attempts ?? 0),
  cashier: "partnerId" in reader ? null : row.cashier,
  partner_reference: row.partner_reference,
});

/** Whether it is disputed; a no does not count while a later try is unanswered. */
const isDisputed = ({ disputed_at, status }: Row): boolean => disputed_at !== null && status !== "settling";

/** The finding. After a restore it is `restored` until the bank answers, and while another terminal reports the same cash. */
export const findingOfRow = (row: Row & Partial<Pick<ReportRow, "later_answer" | "other_reports">>): Finding => {
  if (isDisputed(row) && row.later_answer === noAfterSilence) return noAfterSilence;
  if (isDisputed(row)) return awaitsBank(row) ? "restored" : "disputed";
  return Number(row.other_reports ?? 0) > 0 ? "restored" : findingOf(row.status);
};

/** Reasons of disputes by the bank's last answer, or by the terminal's report after an operator's decision. */
const contradictions: ReadonlyMap<string | null | undefined, string> = new Map([
  ["accepted", "accepted_after_declined"],
  ["declined", "declined_after_accepted"],
  ["linked", "handed_out_after_decision"],
  ["undelivered", "not_handed_out_after_decision"],
]);

/** The reason; for a dispute, the contradicting answer or report. */
export const reasonOf = (row: Row & Partial<Pick<ReportRow, "later_answer">>): string | null => {
  if (isDisputed(row) && row.other_hand_out_id !== null) return reportedTwiceOf(row);
  if (awaitsBank(row)) return row.undelivered_reason ?? row.reason;
  // A no agrees with an end that an operator has decided, or a later no has made.
  const isAgreed = row.status === "failed" && row.later_answer === "declined";
  const contradiction = isDisputed(row) && !isAgreed ? contradictions.get(row.later_answer) : undefined;
  if (contradiction !== undefined) return contradiction;
  return row.status === "undelivered" ? row.undelivered_reason : row.reason;
};

const findings: Readonly<Record<Status, Finding>> = {
  requested: "settle_unknown",
  ready: "settle_unknown",
  awaiting_sca: "settle_unknown",
  settling: "settle_unknown",
  settled: "not_linked",
  linked: "matched",
  undelivered: "undelivered",
  declined: "closed",
  rejected: "closed",
  canceled: "closed",
  expired: "closed",
  failed: "closed",
};

/** The finding by status alone, without disputes; `settle_unknown` as long as there is no outcome. */
export const findingOf = (status: Status): Finding => findings[status];

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

const laterAnswers = (rows: readonly Disputable[]) => {
  const ids = rows.map(({ id }) => id);
  return adhoc((db) =>
    db
      .selectFrom("withdrawal_events")
      .select(["transaction_id", "reason"])
      .where("transaction_id", "in", ids)
      .where("asked_at", "in", [0, ...new Set(rows.map((row) => row.created_at))])
      .where("kind", "in", ["contradicted", "cash_reported"])
      .orderBy("sequence"),
  );
};
const rowsPerLook = 500;

/** Adds the last contradicting answer to disputed rows. */
export async function withLaterAnswer<R extends Disputable>(
  tx: Tx,
  rows: readonly R[],
): Promise<readonly (R & { readonly later_answer: string | null })[]> {
  const disputed = rows.filter((row) => row.disputed_at !== null);
  const statuses = new Map(disputed.map(({ id, status }) => [id, status]));
  const answers = new Map<string, string | null>();
  for (let from = 0; from < disputed.length; from += rowsPerLook)
    for (const { transaction_id: id, reason } of await tx.all(laterAnswers(disputed.slice(from, from + rowsPerLook))))
      if (reason !== statuses.get(id)) answers.set(id, reason);
  return rows.map((row) => ({ ...row, later_answer: answers.get(row.id) ?? null }));
}

/** A row of the report. */
export type ReportRow = NonNullable<ReturnType<typeof reportPage>["row"]> & { readonly later_answer: string | null };

/** A device's confirmations from `from` on, newest first. */
export const confirmedByTerminal = statement(
  "confirmed_by_terminal",
  (db, p: { merchant: string; device: string; from: number; limit: number }, months) => {
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
