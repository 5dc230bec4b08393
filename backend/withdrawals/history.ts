/** The history of a withdrawal: one row for each transition, written in the transition's own commit (conventions, "Extensions"). */
import { type Expression, type Kysely, sql } from "kysely";
import type { ChainKeys, Client, Hmac, Terminal } from "../context.ts";
import type { Actor, EventKind } from "../contract/history.ts";
import type { Status } from "../contract/transaction.ts";
import type { Merchant } from "../merchants/merchants.ts";
import type { Partner } from "../partner/partners.ts";
import { writtenApart } from "../store/migrations.ts";
import { dividedTables } from "../store/partitions.ts";
import { columnsOf, type Database, type RowOf } from "../store/schema.ts";
import { adhoc, type Span, statement, type Tx } from "../store/store.ts";
import type { Row, RowAfterEvent } from "./store.ts";

/** Columns covered by a seal, in this order; others are covered by the row's hash. */
export const sealedColumns = columnsOf("withdrawal_events", "seal", "terms", "address", "asked_at", "day");
/** Every column of a row of the history. */
const eventColumns = columnsOf("withdrawal_events");
const columnsGiven = columnsOf("withdrawal_events", "seal", "day");
/** Columns of a row in the order in which its hash covers them. */
const hashedColumns = columnsOf("withdrawal_events", "terms", "address", "hash", "seal", "asked_at", "day");

/** The setting with the open day, under which rows are written: always the newest, whatever the clock says (`operate/proof.ts`). */
export const openDaySetting = "history_day";
const openDay = sql<number>`coalesce((select cast(value as bigint) from settings where name = ${sql.lit(openDaySetting)}), 0)`;

type Given = Omit<RowOf<"withdrawal_events">, "seal" | "day">;
/** Adds a row to the history, under the day that is open at that moment. */
const insertEvent = statement("withdrawal_event_insert", (db, p: Given) => {
  const given = Object.fromEntries(columnsGiven.map((name) => [name, p[name]])) as unknown as Given;
  return db.insertInto("withdrawal_events").values({ ...given, day: openDay });
});

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
  ...(["request_hash", "disputed_at", "store_name", "other_hand_out_id"] as const),
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

/** A row of the history without its proof. */
export type HashedEvent = Readonly<Omit<RowOf<"withdrawal_events">, "hash" | "seal" | "asked_at" | "day">>;

/** A withdrawal's immutable columns, covered by its rows' hashes; not the user's id, which can be erased. */
export type HashedWithdrawal = Readonly<
  Pick<RowOf<"withdrawals">, "partner_id" | "merchant_id" | "amount" | "currency" | "created_at">
>;

/** The hash of a row. @param previous the previous row's hash; empty for the first row, and after a row without one. */
export const historyHash = (hmac: Hmac, previous: string, e: HashedEvent, w: HashedWithdrawal): string =>
  // Later columns are included only where not null, so that older rows keep their hash.
  hmac(
    JSON.stringify([
      previous,
      ...hashedColumns.map((column) => e[column]),
      ...[w.partner_id, w.merchant_id, w.amount, w.currency, w.created_at],
      ...(e.terms === null && e.address === null ? [] : [e.terms, e.address]),
    ]),
  );

/** Terms that a request was checked against: table and column, in this order. */
export const requestTermColumns = [
  ["merchants", "amount_min"],
  ["merchants", "amount_max"],
  ["merchants", "amount_step"],
  ["merchants", "shop_day_max"],
  ["partners", "user_day_max"],
  ["partners", "user_day_currency"],
] as const;

/** What a withdrawal's orders say of it. */
type Ordered = Pick<Row, "id" | "user_id" | "partner_reference" | "transaction_id_partner">;
const digestLength = 16;
/** A digest of it for the history, which must name no user, as that can be erased. */
export const orderDigest = (hmac: Hmac, { id, user_id, partner_reference, transaction_id_partner }: Ordered): string =>
  hmac(JSON.stringify(["order", id, user_id, partner_reference, transaction_id_partner])).slice(0, digestLength);
/** The digest at the end of a row's terms; undefined from releases that did not store it. */
export const digestIn = (terms: string): string | undefined => {
  const last = (JSON.parse(terms) as readonly unknown[]).at(-1);
  return typeof last === "string" && last.length === digestLength ? last : undefined;
};
/** Terms without it: what withdrawals may have in common. */
export const withoutDigest = (terms: string): string => terms.replace(/,"[\w-]{16}"\]$/, "]");

/** The terms as stored in the first row of the history, then whether the customer has to approve, and last the digest. */
export const requestTerms = (
  { merchant, bank }: { readonly merchant: Merchant; readonly bank: Partner },
  row: Ordered & Pick<Row, "sca_required">,
  hmac: Hmac,
): string =>
  JSON.stringify([
    merchant.amount_min,
    merchant.amount_max,
    merchant.amount_step,
    merchant.shop_day_max,
    bank.user_day_max,
    bank.user_day_currency,
    row.sca_required,
    orderDigest(hmac, row),
  ]);
/** Whether the customer had to approve, 1 or 0, by the terms of a request; undefined from releases that did not store it. */
export const neededApproval = (terms: string): number | undefined =>
  (JSON.parse(terms) as readonly number[])[requestTermColumns.length];

/** Terms of a confirmation, as above. */
export const confirmTermColumns = [["merchants", "terminal_hour_max"]] as const;
/** The terms of a confirmation for the history, and the digest. @param most the shop's limit. */
export const confirmTerms = (most: number | null, row: Ordered, hmac: Hmac): string =>
  JSON.stringify([most === null ? null : Number(most), orderDigest(hmac, row)]);
/** The same of an approval: the digest alone. */
export const approvalTerms = (row: Ordered, hmac: Hmac): string => JSON.stringify([orderDigest(hmac, row)]);
/** The same of a hand-out: its id, if the terminal has said one. */
export const handOutTerms = (handOutId: string | null): string | null =>
  handOutId === null ? null : JSON.stringify([handOutId]);

/** Who caused a transition. */
export interface Cause {
  readonly actor: Actor;
  /** The device's, the partner's or the operator's name; null for the sweeper. */
  readonly actorId: string | null;
  /** The `X-Request-Id` of the call; null without a call. */
  readonly requestId: string | null;
  /** The try of the call to the bank, from 1; null otherwise. */
  readonly attempt: number | null;
  /** Code of the person at the terminal. */
  readonly cashier?: string | null;
}

const withoutCall = { requestId: null, attempt: null } as const;

/** The cause of an expiry, whoever writes it. */
export const bySweeper: Cause = { actor: "sweeper", actorId: null, ...withoutCall };

/** The cause of a terminal's call. @param cashier code of the person at the terminal, if sent. */
export const byTerminal = ({ deviceId, requestId }: Terminal, cashier: string | null = null): Cause => ({
  actor: "device",
  actorId: deviceId,
  requestId: requestId ?? null,
  attempt: null,
  cashier,
});

/** The cause of an operator's command. @param operator null: unknown. */
export const byOperator = (operator: string | null): Cause => ({
  actor: "operator",
  actorId: operator,
  ...withoutCall,
});

/** The cause of a bank's answer or call. @param attempt the try that was answered; null for a call made by the bank. */
export const byPartner = ({ partnerId, requestId }: Client, attempt: number | null = null): Cause => ({
  actor: "partner",
  actorId: partnerId,
  requestId: requestId ?? null,
  attempt,
});

/**
 * Whether a request id contains the user's id, ignoring case. User ids can be erased (`users erase`) but the history is never
 * rewritten, so it must not contain them. Short ids must match a whole word, as a random id may contain them by chance.
 */
const namesUser = (requestId: string | null, userId: string): boolean => {
  if (requestId === null) return false;
  const [text, id] = [requestId.toLowerCase(), userId.toLowerCase()];
  return id.length > 3 ? text.includes(id) : text.split(/[^\p{L}\p{N}]+/u).includes(id);
};

/** Context for writing a row of the history. */
export interface Change {
  readonly tx: Tx;
  readonly keys: ChainKeys;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly cause: Cause;
  /** The restore that makes the change, epoch milliseconds: no row knows it yet. */
  readonly restoredAt?: number;
  /** The row's columns of the same names. Default: null. */
  readonly terms?: string | null;
  readonly address?: string | null;
}

/** The previous row's hash; empty for the first row, and after a row without one. */
async function previousHash(tx: Tx, row: RowAfterEvent): Promise<string> {
  const { id, history_length, previous_hash, created_at: askedAt } = row;
  if (previous_hash !== null || history_length <= 1) return previous_hash ?? "";
  return (await tx.first(hashOfEvent({ id, sequence: history_length - 1, askedAt })))?.hash ?? "";
}

/** @param row as it is after the change. */
async function write(
  { tx, keys, now, cause, terms = null, address = null }: Change,
  kind: EventKind,
  row: RowAfterEvent,
  from: Status | null,
  reason: string | null,
): Promise<void> {
  const event: HashedEvent = {
    transaction_id: row.id,
    sequence: row.history_length,
    kind,
    at: now,
    from_status: from,
    to_status: row.status,
    actor: cause.actor,
    actor_id: cause.actorId,
    request_id: namesUser(cause.requestId, row.user_id) ? null : cause.requestId,
    reason,
    attempt: cause.attempt,
    cashier: cause.cashier ?? null,
    terms,
    address,
  };
  const hash = historyHash(keys.history, await previousHash(tx, row), event, row);
  tx.runUnawaited(insertEvent({ ...event, hash, asked_at: row.created_at }));
}

/** Writes the row of a transition; its UPDATE or INSERT must have set `history_length`. */
export const recordHistory = (change: Change, row: RowAfterEvent, from: Status | null): Promise<void> =>
  write(change, "transition", row, from, row.status === "undelivered" ? row.undelivered_reason : row.reason);

/** Writes an event that leaves the status unchanged; the row's UPDATE must have set `incrementHistoryLength`. */
export const recordNote = (change: Change, kind: EventKind, row: RowAfterEvent, reason: string): Promise<void> =>
  write(change, kind, row, row.status, reason);
