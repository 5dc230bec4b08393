/** Statements on the history of withdrawals, and on what it proves (conventions, "Extensions"); `transition.ts` writes its rows. */
import { type Expression, type Kysely, sql } from "kysely";
import { writtenApart } from "../store/migrations.ts";
import { dividedTables } from "../store/partitions.ts";
import { columnsOf, type Database, type RowOf } from "../store/schema.ts";
import { adhoc, type Span, statement } from "../store/store.ts";

/** Columns covered by a seal, in this order; others are covered by the row's hash. */
export const sealedColumns = columnsOf("withdrawal_events", "seal", "terms", "address", "asked_at", "day");
/** Every column of a row of the history. */
const eventColumns = columnsOf("withdrawal_events");
const columnsGiven = columnsOf("withdrawal_events", "seal", "day");
/** Columns of a row in the order in which its hash covers them. */
export const hashedColumns = columnsOf("withdrawal_events", "terms", "address", "hash", "seal", "asked_at", "day");

/** The setting with the open day, under which rows are written: always the newest, whatever the clock says (`operate/proof.ts`). */
export const openDaySetting = "history_day";
const openDay = sql<number>`coalesce((select cast(value as bigint) from settings where name = ${sql.lit(openDaySetting)}), 0)`;

/** A row of the history as it is added. */
export type NewHistoryRow = Omit<RowOf<"withdrawal_events">, "seal" | "day">;
const insertGiven = (db: Kysely<Database>, p: NewHistoryRow) => {
  const given = Object.fromEntries(columnsGiven.map((name) => [name, p[name]])) as unknown as NewHistoryRow;
  return db.insertInto("withdrawal_events").values({ ...given, day: openDay });
};
/** Adds a row to the history, under the day that is open at that moment. */
export const insertHistoryRow = statement("withdrawal_event_insert", insertGiven);
/** Adds a request's row, if the withdrawal was inserted, and looks for an ended one under its key. */
export const insertRequestRow = statement(
  "withdrawal_event_insert_request",
  (db, p: NewHistoryRow & { readonly partner: string; readonly key: string }) =>
    db
      .insertInto("withdrawal_events")
      .columns([...columnsGiven, "day"])
      .expression(
        sql`select ${sql.join(columnsGiven.map((name) => p[name]))}, ${openDay}
          where exists (select 1 from withdrawals where id = ${p.transaction_id})`,
      )
      .returning(
        sql<string | null>`(select transaction_id from idempotency_keys
          where partner_id = ${p.partner} and idempotency_key = ${p.key})`.as("ended_id"),
      ),
);
/** Adds the row of one that got its terminal's id, and looks for an ended withdrawal under that. */
export const insertConfirmedRow = statement(
  "withdrawal_event_insert_confirmed",
  (db, p: NewHistoryRow & Readonly<Record<"merchant" | "device" | "terminalReference", string | null>>) =>
    insertGiven(db, p).returning(
      sql<string | null>`(select transaction_id from terminal_references where merchant_id = ${p.merchant}
        and device_id = ${p.device} and transaction_id_partner = ${p.terminalReference} limit 1)`.as("ended_id"),
    ),
);

/** Matches rows of the history by their withdrawal's request time; older releases wrote 0. */
export const isFiledAt = (events: string, askedAt: Expression<unknown>) =>
  sql<boolean>`(${sql.ref(`${events}.asked_at`)} = ${askedAt} or ${sql.ref(`${events}.asked_at`)} = 0)`;

type OfOne = { readonly id: string; readonly askedAt: number };
/** A withdrawal's history, oldest first. */
export const eventsOf = statement("withdrawal_events_of", (db, p: OfOne) =>
  db
    .selectFrom("withdrawal_events")
    .select(eventColumns)
    .where("transaction_id", "=", p.id)
    .where("asked_at", "in", [p.askedAt, 0])
    .orderBy("sequence"),
);

/** The hash of one row of the history, and the status after it. */
export const hashOfEvent = statement("withdrawal_event_hash", (db, p: OfOne & { sequence: number }) =>
  db
    .selectFrom("withdrawal_events")
    .select(["hash", "to_status"])
    .where((row) => row.and({ transaction_id: p.id, sequence: p.sequence }))
    .where("asked_at", "in", [p.askedAt, 0]),
);

/** Deletes the history of these withdrawals. */
export const deleteEvents = (of: readonly Readonly<Pick<RowOf<"withdrawals">, "id" | "created_at">>[]) => {
  const [ids, times] = [of.map(({ id }) => id), of.map(({ created_at }) => created_at)];
  return adhoc((db) =>
    db
      .deleteFrom("withdrawal_events")
      .where("transaction_id", "in", ids)
      .where("asked_at", "in", [0, ...times]),
  );
};

/** Rows under an earlier release's seal. */
export const sealedRows = statement("withdrawal_events_sealed", (db, p: { seal: number }) =>
  db.selectFrom("withdrawal_events").select(eventColumns).where("seal", "=", p.seal),
);

/**
 * A value that PostgreSQL does not know when it plans. Where it takes a handful of rows to be left, as of a day that came since it last
 * looked at the table, it would read and sort all of them for each page; not knowing, it goes by the index.
 */
const unplanned = (value: number | string) => sql<number>`(select cast(${value} as bigint))`;

/** See `writtenApart`. */
const isApart = sql<boolean>`(${sql.raw(writtenApart)})`;

/** The next day with rows that were written apart. */
export const nextDay = statement("withdrawal_events_next_day", (db, p: { after: number }) =>
  db
    .selectFrom("withdrawal_events")
    .select("day")
    .where("day", ">", unplanned(p.after))
    .where(isApart)
    .orderBy("day")
    .limit(1),
);

/** When the next withdrawal was asked for that has rows, from a time on. */
export const nextAsked = statement("withdrawal_events_next_asked", (db, p: { from: number }) =>
  db
    .selectFrom("withdrawal_events")
    .select("asked_at")
    .where("asked_at", ">=", unplanned(p.from))
    .orderBy("asked_at")
    .limit(1),
);

/** The time of the first row, from a time on, by a release that wrote no day. */
export const nextUndated = statement("withdrawal_events_next_undated", (db, p: { from: number | string }) =>
  db
    .selectFrom("withdrawal_events")
    .select("at")
    .where("day", "=", 0)
    .where(sql<boolean>`at >= ${p.from}`)
    .where(isApart)
    .orderBy("at")
    .limit(1),
);

/** One of withdrawals that were asked for in a time, under a day that comes after another. @param p.afterMs that day's end. */
export const unsealedOfTime = statement(
  "withdrawal_events_unsealed",
  (db, p: Span & { after: number; afterMs: number }) => {
    const oneOf = db
      .selectFrom("withdrawal_events")
      .select("at")
      .where("asked_at", ">=", p.from)
      .where("asked_at", "<", p.to);
    return oneOf
      .where("day", ">", p.after)
      .where(isApart)
      .unionAll(oneOf.where("asked_at", ">=", p.afterMs).where(sql<boolean>`not ${isApart}`))
      .limit(1);
  },
);

/** A row written since a time by a release that did not store the request time. */
export const unfiledSince = statement("withdrawal_events_unfiled", (db, p: { from: number }) =>
  db
    .selectFrom("withdrawal_events")
    .select("at")
    .where((row) => row.and({ asked_at: sql.lit(0), day: 0 }))
    .where("at", ">=", p.from)
    .where(isApart)
    .limit(1),
);

/**
 * On PostgreSQL, waits for all transactions that have written rows; later rows then see everything committed before.
 * Only the parent table is locked, so vacuum of partitions does not interfere.
 */
export const awaitWriters = ["set local lock_timeout = 500", "lock table only withdrawal_events in share mode"].map(
  (text) =>
    adhoc((db, dialect) => ({ compile: () => sql.raw(dialect === "postgres" ? text : "select 1").compile(db) })),
);

/** Below every BIGINT, as text: no number of JavaScript's is it. */
export const firstTime = "-9223372036854775808";
/** Above every BIGINT. */
export const lastTime = "9223372036854775807";

/** A row of the history as the proof reads it. */
export type EventRow = RowOf<"withdrawal_events">;

/**
 * A day's rows that were written apart, from a time on; day 0: those of releases that wrote none. Of rows of the same millisecond any
 * may come first, as the index ends there.
 */
export const provenPage = statement("proof_page", (db, p: { day: number; at: number | string; limit: number }) =>
  db
    .selectFrom("withdrawal_events")
    .select(eventColumns)
    .where("day", "=", unplanned(p.day))
    .where("at", ">=", unplanned(p.at))
    .where(isApart)
    .orderBy("at")
    .limit(unplanned(p.limit)),
);

/** Those of one millisecond of a day after one of them, for a page that it fills. */
export const provenMoment = statement(
  "proof_moment",
  (db, p: { day: number; at: number; id: string; sequence: number; limit: number }) =>
    db
      .selectFrom("withdrawal_events")
      .select(eventColumns)
      .where((row) => row.and({ day: p.day, at: p.at }))
      .where(isApart)
      .where(sql<boolean>`(transaction_id, sequence) > (${p.id}, ${p.sequence})`)
      .orderBy("transaction_id")
      .orderBy("sequence")
      .limit(p.limit),
);

/** A row in the order of requests. */
export interface AskedRow extends EventRow {
  /** 1: it is among those that were written apart. 0: it is of the day on which its withdrawal was asked for. */
  readonly is_apart: number;
}
const askedRows = (db: Kysely<Database>) =>
  db
    .selectFrom("withdrawal_events")
    .select([...eventColumns, sql<number>`case when ${isApart} then 1 else 0 end`.as("is_apart")]);

/** The rows of withdrawals that were asked for in a time. Of those of the same millisecond any may come first. */
export const askedPage = statement(
  "proof_asked_page",
  (db, p: { from: number | string; before: number; limit: number }) =>
    askedRows(db)
      .where("asked_at", ">=", unplanned(p.from))
      .where("asked_at", "<", unplanned(p.before))
      .orderBy("asked_at")
      .limit(unplanned(p.limit)),
);

/** The rows of withdrawals of one millisecond after one of them. */
export const askedMoment = statement(
  "proof_asked_moment",
  (db, p: { at: number; id: string; sequence: number; limit: number }) =>
    askedRows(db)
      .where("asked_at", "=", p.at)
      .where(sql<boolean>`(transaction_id, sequence) > (${p.id}, ${p.sequence})`)
      .orderBy("transaction_id")
      .orderBy("sequence")
      .limit(p.limit),
);

/** How many ids one statement takes: more than the withdrawals that begin among 1,000 rows as a rule. */
export const idsMax = 200;
const idNames = Array.from({ length: idsMax }, (_, n) => `id${n}`);
type OfMany = Readonly<Record<string, string | number>>;
/** A statement's list of ids: of a length that never changes, so that it is built and prepared once. */
const listedIds = (p: OfMany) => sql.join(idNames.map((name) => sql`${p[name]}`));
/** The values of such a list, the last one repeated; and the time in which all of them were asked for. */
const ofMany = (ids: readonly string[], from: number | string, to: number | string): OfMany => ({
  ...Object.fromEntries(idNames.map((name, n) => [name, ids[Math.min(n, ids.length - 1)] as string])),
  from,
  to,
});

const provenColumns = columnsOf(
  "withdrawals",
  ...(["deadline_at", "expires_at", "sca_expires_at", "settle_attempts", "idempotency_key"] as const),
  ...(["request_hash", "disputed_at", "store_name"] as const),
);

/** The columns of a withdrawal that its history proves. */
export interface ProvenWithdrawal extends Readonly<Pick<RowOf<"withdrawals">, (typeof provenColumns)[number]>> {
  /** 1: among the open ones; 0: among the ended ones. */
  readonly is_open: number;
  /** Null: it is open. */
  readonly archived_at: number | null;
}

const withdrawalsOfMany = statement("proof_withdrawals_of", (db, p: OfMany) => ({
  compile: () => {
    const columns = sql.join(provenColumns.map((name) => sql.ref(name)));
    return sql<ProvenWithdrawal>`select 1 as is_open, cast(null as bigint) as archived_at, ${columns} from withdrawals where id in (${listedIds(p)})
      union all select 0, archived_at, ${columns} from archived_withdrawals where id in (${listedIds(p)})
        and created_at >= ${p.from} and created_at <= ${p.to}`.compile(db);
  },
}));
/** The withdrawals of at most `idsMax` ids: open ones, and those that have ended and were asked for in a time. */
export const withdrawalsOf = (ids: readonly string[], from: number | string, to: number | string) =>
  withdrawalsOfMany(ofMany(ids, from, to));

const countedColumns = [
  "id",
  "created_at",
  "history_length",
  "partner_id",
  "merchant_id",
  "amount",
  "currency",
] as const satisfies readonly (keyof RowOf<"withdrawals">)[];
/** What repeats are known by, and whether an order is under way. */
const besideColumns = ["idempotency_key", "request_hash", "device_id", "transaction_id_partner", "status"] as const;

/** A withdrawal whose rows and names were counted. */
export interface CountedRow extends Readonly<Pick<RowOf<"withdrawals">, (typeof countedColumns)[number]>> {
  /** Its place in the order of the pages. */
  readonly moment: number;
  readonly rows: number;
  /** 0: its first row is not there. */
  readonly beginnings: number;
  /** What should be there beside it and is not: what its repeats are known by, or its order to the bank; null: nothing. */
  readonly lost: string | null;
}

/** Asks for a page of withdrawals after one of a moment. */
export type PageAfter = {
  readonly at: number | string;
  readonly id: string;
  readonly limit: number;
  /** Those asked for from then on have their names once they have ended. */
  readonly namesFrom: number | string;
};

type Moment = "created_at" | "archived_at";
/** Of the open ones, or of those that have ended, the next ones in the order of a moment; of a millisecond in the order of ids. */
const nextOf = (isOpen: boolean, moment: Moment, { at, id, limit }: PageAfter, only = sql`true`) => {
  const columns = [...countedColumns, ...besideColumns].map((name) => sql.ref(name));
  return sql`select ${sql.lit(isOpen ? 1 : 0)} as is_open, ${sql.ref(moment)} as moment, ${sql.join(columns)}
    from ${sql.table(isOpen ? "withdrawals" : "archived_withdrawals")} where (${sql.ref(moment)}, id) > (${unplanned(at)}, ${id}) and ${only}
    order by ${sql.ref(moment)}, id limit ${unplanned(limit)}`;
};

/**
 * Of a page's withdrawals those whose rows, first row, names or order are not all there; and in any case its last one, from which the next
 * page goes on. Counted one by one, so that no join reads whole tables. @param only those that are counted.
 */
const notWhole = (page: Expression<unknown>, namesFrom: number | string, only = sql`true`) => {
  const number = (table: keyof typeof dividedTables | "outbox", ...where: readonly Expression<unknown>[]) =>
    sql`(select count(*) from ${sql.table(table)} as of where ${sql.join(where, sql` and `)})`;
  const own = [sql`transaction_id = page.id`, isFiledAt("of", sql.ref("page.created_at"))];
  const order = [sql`id = 'settle_' || page.id`, sql`of.partner_id = page.partner_id`];
  const isLost = (table: "idempotency_keys" | "terminal_references") => {
    const key = [...dividedTables[table].key, "created_at"];
    return sql`${number(table, ...key.map((name) => sql`${sql.ref(`of.${name}`)} = ${sql.ref(`page.${name}`)}`))} = 0`;
  };
  return sql<CountedRow>`with page as (${page}), counted as (
    select ${sql.join(countedColumns.map((name) => sql.ref(name)))}, moment, ${number("withdrawal_events", ...own)} as rows,
      ${number("withdrawal_events", ...own, sql`sequence = 1`, sql`from_status is null`)} as beginnings,
      case when is_open = 1 and status = 'settling' and ${number("outbox", ...order)} = 0 then 'Settle order'
        when is_open = 1 or created_at < ${unplanned(namesFrom)} then null
        when request_hash <> '' and ${isLost("idempotency_keys")} then 'idempotency key'
        when device_id is not null and transaction_id_partner is not null and ${isLost("terminal_references")} then 'terminal''s id'
      end as lost from page)
    select * from counted where ${only} and (rows <> history_length or beginnings = 0 or lost is not null)
      or id = (select id from page order by moment desc, id desc limit 1) order by moment, id`;
};

/** All withdrawals in the order of their requests. */
export const countedPage = statement("proof_withdrawals", (db, p: PageAfter) => ({
  compile: () => {
    const [open, ended] = [true, false].map((isOpen) => nextOf(isOpen, "created_at", p));
    const page = sql`select * from (select * from (${open}) as open union all select * from (${ended}) as ended) as each
      order by moment, id limit ${unplanned(p.limit)}`;
    return notWhole(page, p.namesFrom).compile(db);
  },
}));

/** The open ones in the order of their requests, of those asked for before a time. */
export const openPage = statement("proof_open", (db, p: PageAfter & { readonly before: number }) => ({
  compile: () =>
    notWhole(nextOf(true, "created_at", p, sql`created_at < ${unplanned(p.before)}`), p.namesFrom).compile(db),
}));

/** Those that have ended in the order of their ends, of those asked for before a time. */
export const endedPage = statement("proof_ended", (db, p: PageAfter & { readonly before: number }) => ({
  compile: () =>
    notWhole(nextOf(false, "archived_at", p), p.namesFrom, sql`created_at < ${unplanned(p.before)}`).compile(db),
}));
