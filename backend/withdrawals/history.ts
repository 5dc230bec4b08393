/**
 * The history of a withdrawal: one row for each transition, written in the transition's own commit (conventions,
 * "Extensions").
 */
import { type Expression, type RawBuilder, sql } from "kysely";
import type { ChainKeys, Client, Hmac, Terminal } from "../context.ts";
import type { Actor, EventKind } from "../contract/history.ts";
import type { Status } from "../contract/transaction.ts";
import type { Span } from "../store/partitions.ts";
import { columnsOf, type RowOf } from "../store/schema.ts";
import { adhoc, type Dialect, statement, type Tx } from "../store/store.ts";
import type { RowAfterEvent } from "./store.ts";

/** What a seal holds of a row, in its order; what is not in it is held by the row's hash. */
export const sealedColumns = columnsOf("withdrawal_events", "seal", "terms", "address", "asked_at", "day");
/** Every column of a row of the history. */
const eventColumns = columnsOf("withdrawal_events");
const columnsGiven = columnsOf("withdrawal_events", "seal", "day");

/** The setting with the day that rows are written under: the newest one, whatever the clock says (`operate/proof.ts`). */
export const openDaySetting = "history_day";
const openDay = sql<number>`coalesce((select cast(value as bigint) from settings where name = ${sql.lit(openDaySetting)}), 0)`;

type Given = Omit<RowOf<"withdrawal_events">, "seal" | "day">;
/** Adds a row to the history, under the day that is open in this very statement. */
const insertEvent = statement("withdrawal_event_insert", (db, p: Given) => {
  const given = Object.fromEntries(columnsGiven.map((name) => [name, p[name]])) as unknown as Given;
  return db.insertInto("withdrawal_events").values({ ...given, day: openDay });
});

/** Rows of the history lie with the time at which their withdrawal was asked for; those of a release that did not write it, with 0. */
export const isFiledAt = (events: string, askedAt: Expression<unknown>) =>
  sql<boolean>`(${sql.ref(`${events}.asked_at`)} = ${askedAt} or ${sql.ref(`${events}.asked_at`)} = 0)`;

type OfOne = { readonly id: string; readonly askedAt: number };
/** The history of one, the oldest first. */
export const eventsOf = statement("withdrawal_events_of", (db, p: OfOne) =>
  db
    .selectFrom("withdrawal_events")
    .select(eventColumns)
    .where("transaction_id", "=", p.id)
    .where("asked_at", "in", [p.askedAt, 0])
    .orderBy("sequence"),
);

/** The hash of one row. */
const hashOfEvent = statement("withdrawal_event_hash", (db, p: OfOne & { sequence: number }) =>
  db
    .selectFrom("withdrawal_events")
    .select("hash")
    .where("transaction_id", "=", p.id)
    .where("sequence", "=", p.sequence)
    .where("asked_at", "in", [p.askedAt, 0]),
);

/** Deletes the history of what leaves the archive, asked for in a time. */
export const deleteEvents = (ids: readonly string[], { from, to }: Span) =>
  adhoc((db) =>
    db
      .deleteFrom("withdrawal_events")
      .where("transaction_id", "in", ids)
      .where(sql<boolean>`(asked_at >= ${from} and asked_at < ${to} or asked_at = 0)`),
  );

/** The rows that an earlier release has put under a seal. */
export const sealedRows = statement("withdrawal_events_sealed", (db, p: { seal: number }) =>
  db.selectFrom("withdrawal_events").select(eventColumns).where("seal", "=", p.seal),
);

/** The first day after another under which there are rows. */
export const nextDay = statement("withdrawal_events_next_day", (db, p: { after: number }) =>
  db.selectFrom("withdrawal_events").select("day").where("day", ">", p.after).orderBy("day").limit(1),
);

/** The time of the first row of a release that wrote no day, from a moment on. */
export const nextUndated = statement("withdrawal_events_next_undated", (db, p: { from: number }) =>
  db.selectFrom("withdrawal_events").select("at").where("day", "=", 0).where("at", ">=", p.from).orderBy("at").limit(1),
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

/** One written since a moment by a release that did not say when its withdrawal was asked for. */
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
 * Waits, on PostgreSQL, until every transaction that has written a row has ended: from then on each new row sees what was committed
 * before. A statement takes its lock before it looks; the partitions are not locked, so that no vacuum is in the way.
 */
export const awaitWriters = ["set local lock_timeout = 500", "lock table only withdrawal_events in share mode"].map(
  (text) =>
    adhoc((db, dialect) => ({ compile: () => sql.raw(dialect === "postgres" ? text : "select 1").compile(db) })),
);

/** A place in the order of the proof. */
export type Place = Pick<RowOf<"withdrawal_events">, "day" | "at" | "transaction_id" | "sequence">;

/** Of a row's withdrawal. */
const withdrawalColumns = [
  "merchant_id",
  "amount",
  "currency",
  "created_at",
  "status",
  "history_length",
  "device_id",
  "confirmed_at",
  "settled_at",
  "linked_at",
  "closed_at",
] as const satisfies readonly (keyof RowOf<"withdrawals">)[];

/** A row of the history in the order of the proof, with the hash before it and what its withdrawal says. */
export interface ProvenRow
  extends RowOf<"withdrawal_events">,
    Readonly<Pick<RowOf<"withdrawals">, (typeof withdrawalColumns)[number]>> {
  readonly sequence_before: number | null;
  readonly hash_before: string | null;
  /** 1: among the open ones and among the ended. */
  readonly is_there_twice: number;
  /** Null where the withdrawal is gone. */
  readonly partner_id: string | null;
  readonly withdrawal_cashier: string | null;
}

/** One row at most of a table for each row of `e`. Joined otherwise, PostgreSQL would read all months of the table for a page. */
const lookUp = (dialect: Dialect, table: string, name: string, on: RawBuilder<unknown>) => {
  const named = sql`${sql.table(table)} as ${sql.ref(name)}`;
  return dialect === "postgres"
    ? sql`left join lateral (select * from ${named} where ${on} limit 1) as ${sql.ref(name)} on true`
    : sql`left join ${named} on ${on}`;
};

/** A row that says when its withdrawal was asked for has both in one month. */
const pageOfProof = (name: string, isDated: boolean) =>
  statement(name, (db, p: Place & { limit: number }, dialect) => {
    const of = (column: string, name = column) =>
      sql`coalesce(${sql.ref(`w.${column}`)}, ${sql.ref(`a.${column}`)}) as ${sql.ref(name)}`;
    const columns = [
      ...eventColumns.map((column) => sql.ref(`e.${column}`)),
      sql`b.sequence as sequence_before, b.hash as hash_before`,
      sql`case when w.id is not null and a.id is not null then 1 else 0 end as is_there_twice`,
      of("partner_id"),
      of("cashier", "withdrawal_cashier"),
      ...withdrawalColumns.map((column) => of(column)),
    ];
    const ended = sql`a.id = e.transaction_id ${isDated ? sql`and a.created_at = e.asked_at` : sql``}`;
    const before = sql`b.transaction_id = e.transaction_id and b.sequence = e.sequence - 1
      ${isDated ? sql`and ${isFiledAt("b", sql.ref("e.asked_at"))}` : sql``}`;
    // The page first: else all that comes after it is looked up before it is put in order.
    const text = sql<ProvenRow>`select ${sql.join(columns)} from (select * from withdrawal_events
        where (day, at, transaction_id, sequence) > (${p.day}, ${p.at}, ${p.transaction_id}, ${p.sequence})
        order by day, at, transaction_id, sequence limit ${p.limit}) as e
      left join withdrawals as w on w.id = e.transaction_id
      ${lookUp(dialect, "archived_withdrawals", "a", ended)} ${lookUp(dialect, "withdrawal_events", "b", before)}
      order by e.day, e.at, e.transaction_id, e.sequence`;
    return { compile: () => text.compile(db) };
  });
const [datedPage, undatedPage] = [pageOfProof("proof_page", true), pageOfProof("proof_page_undated", false)];

/**
 * Before a page, in its unit: PostgreSQL knows too little of a day that came since it last looked, and would sort the rest of that day
 * for each page; by the index it sorts within a millisecond.
 */
export const byIndexAlone = adhoc((db, dialect) => ({
  // Nothing where an engine has no such setting.
  compile: () =>
    (dialect === "postgres"
      ? sql`select set_config(name, 'off', true) from pg_settings where name = 'enable_sort'`
      : sql`select 1`
    ).compile(db),
}));

/** Rows in the order of the proof; those of a release that wrote no day, of which it also did not say when they were asked for, come first. */
export const provenPage = (p: Place & { limit: number }) => (p.day > 0 ? datedPage(p) : undatedPage(p));

const countedColumns = [
  "id",
  "created_at",
  "history_length",
  "partner_id",
  "merchant_id",
  "amount",
  "currency",
] as const;

const isOfOne = sql<boolean>`e.transaction_id = one.id and ${isFiledAt("e", sql.ref("one.created_at"))}`;

/** All withdrawals, archived or not, by the time of asking: each with how many rows it has, and whether these begin with its request. */
export const countedPage = statement("proof_withdrawals", (db, p: { at: number; id: string; limit: number }) =>
  db
    .selectFrom(
      db
        .selectFrom("withdrawals")
        .select(countedColumns)
        .unionAll(db.selectFrom("archived_withdrawals").select(countedColumns))
        .as("one"),
    )
    .select(countedColumns)
    .select([
      sql<number>`(select count(*) from withdrawal_events as e where ${isOfOne})`.as("rows"),
      // Counted, since PostgreSQL would answer whether there is one from a table of them all.
      sql<number>`(select count(*) from withdrawal_events as e where ${isOfOne} and e.sequence = 1
        and e.from_status is null)`.as("has_beginning"),
    ])
    .where("created_at", ">=", p.at)
    .where(sql<boolean>`(created_at, id) > (${p.at}, ${p.id})`)
    .orderBy("created_at")
    .orderBy("id")
    .limit(p.limit),
);

/** A row of the history without what proves it. */
export type HashedEvent = Readonly<Omit<RowOf<"withdrawal_events">, "hash" | "seal" | "asked_at" | "day">>;

/** What a withdrawal is about and never changes, so that its rows prove it too; not the user's id, which can be erased. */
export type HashedWithdrawal = Readonly<
  Pick<RowOf<"withdrawals">, "partner_id" | "merchant_id" | "amount" | "currency" | "created_at">
>;

/** @param previous the hash of the row before; empty for the first, and after a row that has none. */
export const historyHash = (hmac: Hmac, previous: string, e: HashedEvent, w: HashedWithdrawal): string =>
  // A column of a later release goes in only where it is not null, so that rows from before it keep their hash.
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
  /** The `X-Request-Id` of the call that did it; null for what no call did. */
  readonly requestId: string | null;
  /** The try of the call to the bank that brought the answer, from 1; null for everything else. */
  readonly attempt: number | null;
  /** The code of the person at the terminal who said so. */
  readonly cashier?: string | null;
}

/** The passing of a deadline, whoever wrote it. */
export const bySweeper: Cause = { actor: "sweeper", actorId: null, requestId: null, attempt: null };

/** A terminal's call. @param cashier the code of whoever stood there, where the terminal says it. */
export const byTerminal = ({ deviceId, requestId }: Terminal, cashier: string | null = null): Cause => ({
  actor: "device",
  actorId: deviceId,
  requestId: requestId ?? null,
  attempt: null,
  cashier,
});

/** @param attempt the try that a bank's answer belongs to; null for a call that the bank made. */
export const byPartner = ({ partnerId, requestId }: Client, attempt: number | null = null): Cause => ({
  actor: "partner",
  actorId: partnerId,
  requestId: requestId ?? null,
  attempt,
});

/**
 * Whether a caller's request id holds the user's id, in any case. History is never rewritten, so an id that can be erased
 * (`users erase`) stays out of it. A short id counts where it stands by itself alone: a random id may hold it by chance.
 */
const namesUser = (requestId: string | null, userId: string): boolean => {
  if (requestId === null) return false;
  const [text, id] = [requestId.toLowerCase(), userId.toLowerCase()];
  return id.length > 3 ? text.includes(id) : text.split(/[^\p{L}\p{N}]+/u).includes(id);
};

/** What a row of the history is written with: in which transaction, chained by which keys, when, and who caused it. */
export interface Change {
  readonly tx: Tx;
  readonly keys: ChainKeys;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly cause: Cause;
  /** As the row's columns of these names. Default: null. */
  readonly terms?: string | null;
  readonly address?: string | null;
}

/** The hash to go on from; empty at the beginning, and after a row of a release that made none. */
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

/** Writes the row of a transition; the UPDATE or INSERT that changed the withdrawal has set `history_length`. */
export const recordHistory = (change: Change, row: RowAfterEvent, from: Status | null): Promise<void> =>
  write(change, "transition", row, from, row.status === "undelivered" ? row.undelivered_reason : row.reason);

/** Writes what happened beside the transitions; the status stays. The row's UPDATE has set `incrementHistoryLength`. */
export const recordNote = (change: Change, kind: EventKind, row: RowAfterEvent, reason: string): Promise<void> =>
  write(change, kind, row, row.status, reason);
