/** The history of a withdrawal: one row for each transition, written in the transition's own commit (conventions, "Extensions"). */
import { type Expression, type Kysely, sql } from "kysely";
import type { ChainKeys, Client, Hmac, Terminal } from "../context.ts";
import type { Actor, EventKind } from "../contract/history.ts";
import type { Status } from "../contract/transaction.ts";
import { dividedTables, type Span } from "../store/partitions.ts";
import { columnsOf, type Database, type RowOf } from "../store/schema.ts";
import { adhoc, statement, type Tx } from "../store/store.ts";
import type { RowAfterEvent } from "./store.ts";

/** Columns covered by a seal, in this order; others are covered by the row's hash. */
export const sealedColumns = columnsOf("withdrawal_events", "seal", "terms", "address", "asked_at", "day");
/** Every column of a row of the history. */
const eventColumns = columnsOf("withdrawal_events");
const columnsGiven = columnsOf("withdrawal_events", "seal", "day");

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
    .where("transaction_id", "=", p.id)
    .where("sequence", "=", p.sequence)
    .where("asked_at", "in", [p.askedAt, 0]),
);

/** Deletes the history of withdrawals requested in a period. */
export const deleteEvents = (ids: readonly string[], { from, to }: Span) =>
  adhoc((db) =>
    db
      .deleteFrom("withdrawal_events")
      .where("transaction_id", "in", ids)
      .where(sql<boolean>`(asked_at >= ${from} and asked_at < ${to} or asked_at = 0)`),
  );

/** Rows under an earlier release's seal. */
export const sealedRows = statement("withdrawal_events_sealed", (db, p: { seal: number }) =>
  db.selectFrom("withdrawal_events").select(eventColumns).where("seal", "=", p.seal),
);

/**
 * A value that PostgreSQL does not know when it plans. Where it takes a handful of rows to be left, as of a day that came since it last
 * looked at the table, it would read and sort all of them for each page; not knowing, it goes by the index.
 */
const unplanned = (value: number | string) => sql<number>`(select cast(${value} as bigint))`;

/** The next day with rows. */
export const nextDay = statement("withdrawal_events_next_day", (db, p: { after: number }) =>
  db.selectFrom("withdrawal_events").select("day").where("day", ">", unplanned(p.after)).orderBy("day").limit(1),
);

/** The time of the first row, from a time on, by a release that wrote no day. */
export const nextUndated = statement("withdrawal_events_next_undated", (db, p: { from: number | string }) =>
  db
    .selectFrom("withdrawal_events")
    .select("at")
    .where("day", "=", 0)
    .where(sql<boolean>`at >= ${p.from}`)
    .orderBy("at")
    .limit(1),
);

/** One of withdrawals that were asked for in a time, under a day that comes after another. */
export const unsealedOfTime = statement("withdrawal_events_unsealed", (db, p: Span & { after: number }) =>
  db
    .selectFrom("withdrawal_events")
    .select("at")
    .where("day", ">", p.after)
    .where("asked_at", ">=", p.from)
    .where("asked_at", "<", p.to)
    .limit(1),
);

/** A row written since a time by a release that did not store the request time. */
export const unfiledSince = statement("withdrawal_events_unfiled", (db, p: { from: number }) =>
  db
    .selectFrom("withdrawal_events")
    .select("at")
    .where("asked_at", "=", sql.lit(0))
    .where("day", "=", 0)
    .where("at", ">=", p.from)
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

/** A day's rows from a time on; day 0: those of releases that wrote none. Of rows of the same millisecond any may come first, as the index ends there. */
export const provenPage = statement("proof_page", (db, p: { day: number; at: number | string; limit: number }) =>
  db
    .selectFrom("withdrawal_events")
    .select(eventColumns)
    .where("day", "=", unplanned(p.day))
    .where("at", ">=", unplanned(p.at))
    .orderBy("at")
    .limit(unplanned(p.limit)),
);

/** The rows of one millisecond of a day after one of them, for a page that it fills. */
export const provenMoment = statement(
  "proof_moment",
  (db, p: { day: number; at: number; id: string; sequence: number; limit: number }) =>
    db
      .selectFrom("withdrawal_events")
      .select(eventColumns)
      .where("day", "=", p.day)
      .where("at", "=", p.at)
      .where(sql<boolean>`(transaction_id, sequence) > (${p.id}, ${p.sequence})`)
      .orderBy("transaction_id")
      .orderBy("sequence")
      .limit(p.limit),
);

/** How many ids one statement takes. */
export const idsMax = 500;
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

const provenColumns = [
  "id",
  "partner_id",
  "merchant_id",
  "amount",
  "currency",
  "created_at",
  "status",
  "history_length",
  "device_id",
  "cashier",
  "confirmed_at",
  "settled_at",
  "linked_at",
  "closed_at",
  "sca_required",
  "reason",
  "undelivered_reason",
] as const satisfies readonly (keyof RowOf<"withdrawals">)[];

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

/** How many rows a withdrawal has under one time of asking. */
interface CountedRows {
  readonly id: string;
  readonly asked_at: number;
  readonly rows: number;
  /** 1: the first one is among them. */
  readonly has_beginning: number;
}

const countsOfMany = statement("proof_counts_of", (db, p: OfMany) => ({
  compile: () =>
    sql<CountedRows>`select transaction_id as id, asked_at, count(*) as rows,
      max(case when sequence = 1 and from_status is null then 1 else 0 end) as has_beginning
      from withdrawal_events where transaction_id in (${listedIds(p)}) and (asked_at >= ${p.from} and asked_at <= ${p.to} or asked_at = 0)
      group by transaction_id, asked_at`.compile(db),
}));
/** Counts the rows of at most `idsMax` withdrawals that were asked for in a time. */
export const countsOf = (ids: readonly string[], from: number, to: number) => countsOfMany(ofMany(ids, from, to));

const countedColumns = [
  "id",
  "created_at",
  "history_length",
  "partner_id",
  "merchant_id",
  "amount",
  "currency",
] as const;

const everyWithdrawal = (db: Kysely<Database>) =>
  db
    .selectFrom(
      db
        .selectFrom("withdrawals")
        .select(countedColumns)
        .unionAll(db.selectFrom("archived_withdrawals").select(countedColumns))
        .as("one"),
    )
    .select(countedColumns);

/** All withdrawals asked for from a time on; of those of the same millisecond any may come first, as above. */
export const countedPage = statement("proof_withdrawals", (db, p: { at: number | string; limit: number }) =>
  everyWithdrawal(db).where("created_at", ">=", unplanned(p.at)).orderBy("created_at").limit(unplanned(p.limit)),
);

/** Those of one millisecond after one of them. */
export const countedMoment = statement("proof_withdrawals_moment", (db, p: { at: number; id: string; limit: number }) =>
  everyWithdrawal(db).where("created_at", "=", p.at).where("id", ">", p.id).orderBy("id").limit(p.limit),
);

/** A page of withdrawals asked for before a time, after one of a moment. */
export type PageBefore = {
  readonly at: number | string;
  readonly id: string;
  readonly before: number;
  readonly limit: number;
};

/** The next open withdrawals in the order of their requests, asked for before a time. */
export const openPage = statement("proof_open", (db, p: PageBefore) =>
  db
    .selectFrom("withdrawals")
    .select(countedColumns)
    .where(sql<boolean>`(created_at, id) > (${unplanned(p.at)}, ${p.id})`)
    .where("created_at", "<", unplanned(p.before))
    .orderBy("created_at")
    .orderBy("id")
    .limit(unplanned(p.limit)),
);

/**
 * Of the next `limit` withdrawals in the order of their ends, those asked for before a time; and in any case the last, from which
 * the next page goes on.
 */
export const endedPage = statement("proof_ended", (db, p: PageBefore) =>
  db
    .with("page", (of) =>
      of
        .selectFrom("archived_withdrawals")
        .select([...countedColumns, "archived_at"])
        .where(sql<boolean>`(archived_at, id) > (${unplanned(p.at)}, ${p.id})`)
        .orderBy("archived_at")
        .orderBy("id")
        .limit(unplanned(p.limit)),
    )
    .selectFrom("page")
    .select([...countedColumns, "archived_at"])
    .where((or) =>
      or.or([
        or("created_at", "<", p.before),
        or("id", "=", (of) =>
          of.selectFrom("page").select("id").orderBy("archived_at", "desc").orderBy("id", "desc").limit(1),
        ),
      ]),
    )
    .orderBy("archived_at")
    .orderBy("id"),
);

/** When the one was asked for that comes so many after the first that has ended and was asked for from a time on. */
export const endedAfter = statement("proof_ended_after", (db, p: { at: number; skipped: number }) =>
  db
    .selectFrom("archived_withdrawals")
    .select("created_at")
    .where("created_at", ">=", unplanned(p.at))
    .orderBy("created_at")
    .limit(1)
    .offset(unplanned(p.skipped)),
);

/** An ended withdrawal, asked for in a time, without what its repeats are known by: counted one by one, so that no join reads whole tables. */
export const lostNames = statement("proof_lost_names", (db, p: { from: number; to: number }) => ({
  compile: () => {
    const lost = (what: string, table: "idempotency_keys" | "terminal_references", has: string) => {
      const named = [...dividedTables[table].key, "created_at"].map(
        (name) => sql`${sql.ref(`k.${name}`)} = ${sql.ref(`w.${name}`)}`,
      );
      return sql`select w.id, ${sql.lit(what)} as what from archived_withdrawals as w
        where w.created_at >= ${unplanned(p.from)} and w.created_at <= ${unplanned(p.to)} and ${sql.raw(has)}
        and (select count(*) from ${sql.table(table)} as k where ${sql.join(named, sql` and `)}) = 0`;
    };
    return sql<{ readonly id: string; readonly what: string }>`select id, what from (
      ${lost("idempotency key", "idempotency_keys", "w.request_hash <> ''")} union all
      ${lost("terminal's id", "terminal_references", "w.device_id is not null and w.transaction_id_partner is not null")}
      ) as lost limit 1`.compile(db);
  },
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
      e.transaction_id,
      e.sequence,
      e.kind,
      e.at,
      e.from_status,
      e.to_status,
      e.actor,
      e.actor_id,
      e.request_id,
      e.reason,
      e.attempt,
      e.cashier,
      w.partner_id,
      w.merchant_id,
      w.amount,
      w.currency,
      w.created_at,
      ...(e.terms === null && e.address === null ? [] : [e.terms, e.address]),
    ]),
  );

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

/** The cause of an expiry, whoever writes it. */
export const bySweeper: Cause = { actor: "sweeper", actorId: null, requestId: null, attempt: null };

/** The cause of a terminal's call. @param cashier code of the person at the terminal, if sent. */
export const byTerminal = ({ deviceId, requestId }: Terminal, cashier: string | null = null): Cause => ({
  actor: "device",
  actorId: deviceId,
  requestId: requestId ?? null,
  attempt: null,
  cashier,
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
