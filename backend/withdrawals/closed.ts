/** Statements on withdrawals that have ended: moving them out of the open ones; and statements on both tables: disputes, limits, erasure. */
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import { decidedByOperator } from "../contract/reasons.ts";
import { finalStatuses, type Status } from "../contract/transaction.ts";
import { dividedTables } from "../store/partitions.ts";
import { repeatedSince } from "../store/restores.ts";
import type { Database, RowOf } from "../store/schema.ts";
import { adhoc, type Dialect, isIn, monthsAround, type Query, type Span, statement, type Tx } from "../store/store.ts";
import { holdsUser, isUser, type UserKey } from "../store/user-key.ts";
import { isFiledAt } from "./history.ts";
import {
  type ById,
  bothTables,
  endedByKey,
  eventColumnsOf,
  incrementHistoryLength,
  notedColumns,
  type Row,
  type ShownRow,
  shownById,
  shownColumns,
  type Table,
  transition,
  withdrawalById,
  withdrawalByKey,
  withdrawalColumns,
} from "./store.ts";

/** Contains a space, so it differs from every key that a caller can send. */
const forgottenKey = sql<string>`'forgotten ' || id`;

/** In place of a request's hash, by which anybody with a list of customers could find whose it was; a key stays beside it. */
export const erasedHash = "erased";

type Oldest = { readonly before: number; readonly limit: number };

/** Looks an ended withdrawal up: first among those requested around `now`, then among all. */
const archivedLooks = <Column extends keyof Row>(name: string, columns: readonly Column[]) =>
  [
    statement(
      `${name}_lately`,
      (db, p: ById, months) =>
        db.selectFrom("archived_withdrawals").select(columns).where("id", "=", p.id).where(isIn("created_at", months)),
      monthsAround,
    ),
    statement(name, (db, p: ById) => db.selectFrom("archived_withdrawals").select(columns).where("id", "=", p.id)),
  ] as const;
const archivedById = archivedLooks("archived_by_id", withdrawalColumns);
const archivedShownById = archivedLooks("archived_shown_by_id", shownColumns);

const listed = sql.join(withdrawalColumns.map((name) => sql.ref(name)));
const hasEnded = sql<boolean>`status in (${sql.join(finalStatuses.map((status) => sql.lit(status)))})`;
/** Withdrawals ended by a restore stay among the open ones, for terminals' reports and banks' repeated approvals. */
const isNotRestored = sql<boolean>`(reason is null or reason <> 'restored')`;
/** Condition: no older release uses the database, which would look for keys among open withdrawals only (`takeOver`). */
const isApart = sql<boolean>`exists (select 1 from settings where name = 'ended_apart')`;
const isNotThere = sql<boolean>`not exists (select 1 from archived_withdrawals as there where there.id = withdrawals.id)`;

const doNothing = sql`on conflict do nothing`;
const keysOf = (
  from: RawBuilder<unknown>,
  orNothing = doNothing,
) => sql`insert into idempotency_keys (partner_id, idempotency_key, transaction_id, created_at)
  select partner_id, idempotency_key, id, created_at from ${from} and request_hash <> '' ${orNothing}`;
const referencesOf = (
  from: RawBuilder<unknown>,
  orNothing = doNothing,
) => sql`insert into terminal_references (merchant_id, device_id, transaction_id_partner,
  transaction_id, created_at) select merchant_id, device_id, transaction_id_partner, id, created_at from ${from}
  and device_id is not null and transaction_id_partner is not null ${orNothing}`;
const copyOf = (from: RawBuilder<unknown>, now: RawBuilder<number>) =>
  sql`insert into archived_withdrawals (${listed}, archived_at) select ${listed}, ${now} from ${from}`;

/**
 * Statements that move ended rows to their table, and store the keys for repeats. PostgreSQL does it in one statement,
 * checking only one month's unique index; rows that exist there already are not moved.
 */
const moves: Readonly<
  Record<Dialect, readonly ((which: RawBuilder<unknown>, now: RawBuilder<number>) => RawBuilder<unknown>)[]>
> = {
  postgres: [
    (which, now) => sql`with ended as (select ${listed} from withdrawals where ${which} and ${hasEnded} for update),
      moved as (${copyOf(sql`ended`, now)} ${doNothing} returning ${listed}),
      kept_keys as (${keysOf(sql`moved where true`)}), kept_references as (${referencesOf(sql`moved where true`)})
      delete from withdrawals where id in (select id from moved)`,
  ],
  sqlite: [
    (which) => keysOf(sql`withdrawals where ${which} and ${hasEnded} and ${isNotThere}`),
    (which) => referencesOf(sql`withdrawals where ${which} and ${hasEnded} and ${isNotThere}`),
    (which, now) => copyOf(sql`withdrawals where ${which} and ${hasEnded} and ${isNotThere}`, now),
    (
      which,
      now,
    ) => sql`delete from withdrawals where ${which} and ${hasEnded} and exists (select 1 from archived_withdrawals as there
      where there.id = withdrawals.id and there.archived_at = ${now} and there.history_length = withdrawals.history_length)`,
  ],
};

/** The same, but refuses what exists there already: a deletion needs no lock before it, and an INSERT without `ON CONFLICT` one record of the log less. */
const moveOutright: (typeof moves)[Dialect][number] = (which, now) =>
  sql`with ended as (delete from withdrawals where ${which} and ${hasEnded} returning ${listed}),
    moved as (${copyOf(sql`ended`, now)}), kept_keys as (${keysOf(sql`ended where true`, sql``)})
    ${referencesOf(sql`ended where true`, sql``)}`;

const closeStep = (name: string, sqlOf: typeof moveOutright) =>
  statement(`withdrawal_close_${name}`, (db, p: ById) => {
    const now = sql<number>`cast(${p.now} as bigint)`;
    return { compile: () => sqlOf(sql`id = ${p.id} and ${isNotRestored} and ${isApart}`, now).compile(db) };
  });
const closeOutright = closeStep("outright", moveOutright);
const closeStepsOn = (dialect: Dialect) => moves[dialect].map((sqlOf, n) => closeStep(`${dialect}_${n}`, sqlOf));
const closeSteps = { sqlite: closeStepsOn("sqlite"), postgres: closeStepsOn("postgres") };

/** Moves a withdrawal to the ended ones, after its last transition in the same commit. */
export const closeEnded = (tx: Tx, values: ById): void => {
  for (const step of closeSteps[tx.dialect]) tx.runUnawaited({ ...step(values), whenShared: closeOutright(values) });
};

const among = (ids: readonly string[]) => sql`id in (${sql.join(ids)})`;

/** Moves these withdrawals. @returns how many. */
async function move(tx: Tx, which: RawBuilder<unknown>, now: number): Promise<number> {
  let rows = 0;
  // A clock that was ahead may have ended them later than now.
  const endedAt = sql<number>`coalesce(linked_at, closed_at, 0)`;
  const at = sql<number>`case when ${endedAt} > cast(${now} as bigint) then ${endedAt} else cast(${now} as bigint) end`;
  for (const sqlOf of moves[tx.dialect])
    rows = await tx.run(adhoc((db) => ({ compile: () => sqlOf(which, at).compile(db) })));
  return rows;
}

/** As `closeEnded`, for many that expire in one commit: in half the time. */
export const closeAllEnded = (tx: Tx, ids: readonly string[], now: number) =>
  move(tx, sql`${among(ids)} and ${isApart}`, now);

/** Time of the last event; columns serve for rows without history. */
const lastEventAt = sql<number>`coalesce((select at from withdrawal_events as last where last.transaction_id = withdrawals.id
  and last.sequence = withdrawals.history_length and ${isFiledAt("last", sql.ref("withdrawals.created_at"))}), linked_at, closed_at, created_at)`;

/** Condition: its bank has answered. One that was reported after a restore may have ended before. */
const hasNoOrder = sql<boolean>`not exists (select 1 from outbox where outbox.id = 'settle_' || withdrawals.id)`;

/**
 * Withdrawals ended before `before`, without an open dispute or an order under way; what a restore has ended since `repeated` is left, as
 * its terminal may still report it. They are locked until the commit: a concurrent dispute or erasure waits, and finds them in the new table.
 */
export const lockEnded = statement("withdrawals_ended", (db, p: Oldest & { readonly repeated: number }) =>
  db
    .selectFrom("withdrawals")
    .select("id")
    .where("created_at", "<", p.before)
    .where("status", "in", [...finalStatuses])
    .where("disputed_at", "is", null)
    .where(hasNoOrder)
    .where(lastEventAt, "<", p.before)
    .where((row) => row.or([isNotRestored, row("status", "!=", "canceled"), row("closed_at", "<", p.repeated)]))
    .orderBy("created_at")
    .limit(p.limit)
    .forUpdate()
    .skipLocked(),
);

/** The same for ended withdrawals after a place in order of creation, left there by an older release. */
export const lockLeft = statement("withdrawals_left", (db, p: { at: number; id: string; limit: number }) =>
  db
    .selectFrom("withdrawals")
    .select(["id", "created_at"])
    .where("created_at", ">=", p.at)
    .where((row) => row.or([row("created_at", ">", p.at), row("id", ">", p.id)]))
    .where(hasEnded)
    .where(isNotRestored)
    .orderBy("created_at")
    .orderBy("id")
    .limit(p.limit)
    .forUpdate()
    .skipLocked(),
);

/** Statuses without cash. */
const withoutCash: readonly Status[] = ["declined", "rejected", "canceled", "expired", "failed", "undelivered"];

/** The sum of amounts in both tables, in minor units. One statement, so that a withdrawal that ends meanwhile counts once. */
const sumOfBoth = <Row extends { readonly amount: number }>(
  db: Kysely<Database>,
  months: Span,
  amountsIn: (table: Table) => SelectQueryBuilder<Database, Table, Row>,
) =>
  db
    .selectFrom(
      amountsIn("withdrawals")
        .unionAll(amountsIn("archived_withdrawals").where(isIn("created_at", months)))
        .as("both_tables"),
    )
    .select(sql<number>`cast(coalesce(sum(amount), 0) as bigint)`.as("sum"));

/** The months to search for a day's or an hour's sum. */
const monthsOf = ({ from }: { readonly from: number }) => monthsAround({ now: from });

/**
 * The sum that a user has requested, under one spelling of the id (`foldsOf`), from `from` to before `until`, of withdrawals that may lead to cash or have.
 * `until` excludes rows of a clock that was ahead.
 */
export const userDaySum = statement(
  "limit_user_day",
  (db, p: { partner: string; user: string; currency: string; from: number; until: number }, months) =>
    sumOfBoth(db, months, (table) =>
      db
        .selectFrom(table)
        .select("amount")
        .where("partner_id", "=", p.partner)
        .where(sql<boolean>`lower(user_id) = lower(${p.user})`)
        .where("created_at", ">=", p.from)
        .where("created_at", "<", p.until)
        .where("currency", "=", p.currency)
        .where("status", "not in", withoutCash),
    ),
  monthsOf,
);

/** The same for a shop. Ended withdrawals with cash are searched by confirmation, for which there is an index. */
export const shopDaySum = statement(
  "limit_shop_day",
  (db, p: { merchant: string; from: number; until: number }, months) =>
    sumOfBoth(db, months, (table) => {
      const amounts = db
        .selectFrom(table)
        .select("amount")
        .where("merchant_id", "=", p.merchant)
        .where("created_at", ">=", p.from)
        .where("created_at", "<", p.until)
        .where("status", "not in", withoutCash);
      return table === "withdrawals" ? amounts : amounts.where("confirmed_at", ">=", p.from);
    }),
  monthsOf,
);

/** The sum that a terminal has confirmed in the period. */
export const terminalHourSum = statement(
  "limit_terminal_hour",
  (db, p: { merchant: string; device: string; from: number; until: number }, months) =>
    sumOfBoth(db, months, (table) =>
      db
        .selectFrom(table)
        .select("amount")
        .where((row) => row.and({ merchant_id: p.merchant, device_id: p.device }))
        .where("confirmed_at", ">", p.from)
        .where("confirmed_at", "<", p.until)
        .where("status", "not in", withoutCash),
    ),
  monthsOf,
);

/** The first request time in the archive, from a time on. */
export const firstArchived = statement("archived_first", (db, p: { from: number }) =>
  db
    .selectFrom("archived_withdrawals")
    .select("created_at")
    .where("created_at", ">=", p.from)
    .orderBy("created_at")
    .limit(1),
);

/** One of the withdrawals requested in a period that is not in the archive, is disputed there or was archived since `before`; null: none. */
export const keptOfTime = statement("archived_kept", (db, p: Span & { before: number }) => {
  const ofTime = (at: RawBuilder<unknown>) => sql`${at} >= ${p.from} and ${at} < ${p.to}`;
  const created = ofTime(sql`created_at`);
  // Of all months few are disputed, which have an index: the sign keeps the database from going through the month instead, and the order from
  // going through all months, where it has no statistics yet and takes most rows for disputed.
  const ofDisputes = ofTime(sql`+created_at`);
  return db.selectNoFrom(
    sql<string | null>`coalesce(
      (select id from withdrawals where ${created} limit 1),
      (select id from archived_withdrawals where disputed_at is not null and ${ofDisputes} order by disputed_at limit 1),
      (select id from archived_withdrawals where ${created} and archived_at >= ${p.before} limit 1)
    )`.as("id"),
  );
});

/** Up to `limit` archived withdrawals requested in a period, without an open dispute and with no row of a day after `after`. */
export const archivedOfTime = statement("archived_of_time", (db, p: Span & { after: number; limit: number }) =>
  db
    .selectFrom("archived_withdrawals")
    .select(["id", "created_at"])
    .where("created_at", ">=", p.from)
    .where("created_at", "<", p.to)
    .where("disputed_at", "is", null)
    .where(
      sql<boolean>`not exists (select 1 from withdrawal_events as one where one.transaction_id = archived_withdrawals.id
        and one.asked_at in (archived_withdrawals.created_at, 0) and one.day > ${p.after})`,
    )
    .limit(p.limit)
    .forUpdate()
    .skipLocked(),
);

/** Deletes archived withdrawals requested in a period; `deleteEvents` in `history.ts` deletes their history. */
export const deleteArchived = (ids: readonly string[], { from, to }: Span) =>
  adhoc((db) =>
    db
      .deleteFrom("archived_withdrawals")
      .where("id", "in", ids)
      .where("created_at", ">=", from)
      .where("created_at", "<", to),
  );

/** A statement for each of the two tables, in the order to search them. */
export const ofBoth = <Statement>(statementOf: (table: Table) => Statement) =>
  [statementOf(bothTables[0]), statementOf(bothTables[1])] as const;

/** Marks a withdrawal as disputed. One that ended without being confirmed is in the report from now on, as one that ends later is (`store.ts`). */
export const openDispute = ofBoth((table) =>
  statement(`dispute_open_${table}`, (db, p: { id: string; now: number }) =>
    db
      .updateTable(table)
      .set({
        disputed_at: p.now,
        confirmed_at: sql<
          number | null
        >`case when ${hasEnded} then coalesce(confirmed_at, cast(${p.now} as bigint)) else confirmed_at end`,
        ...incrementHistoryLength,
      })
      .where("id", "=", p.id)
      .returning(notedColumns),
  ),
);

/** Marks a withdrawal for which another hand-out was reported than those that it names. */
export const otherHandOut = ofBoth((table) =>
  statement(`hand_out_other_${table}`, (db, p: { id: string; handOutId: string; now: number }) =>
    db
      .updateTable(table)
      .set({
        other_hand_out_id: p.handOutId,
        disputed_at: sql<number>`coalesce(disputed_at, cast(${p.now} as bigint))`,
        ...incrementHistoryLength,
      })
      .where("id", "=", p.id)
      .where((or) =>
        or.or([or("status", "=", "undelivered"), or("status", "=", "linked").and("hand_out_id", "!=", p.handOutId)]),
      )
      .where((or) => or.or([or("other_hand_out_id", "is", null), or("other_hand_out_id", "!=", p.handOutId)]))
      .returning(notedColumns),
  ),
);

const ended = (name: string, isAgreed: boolean) =>
  ofBoth((table) =>
    statement(`${name}_${table}`, (db, p: { id: string }) =>
      db
        .updateTable(table)
        .set({ disputed_at: null, ...incrementHistoryLength })
        .where("id", "=", p.id)
        .where("disputed_at", "is not", null)
        .$if(isAgreed, (dispute) => dispute.where("other_hand_out_id", "is", null))
        .where("status", "!=", "settling")
        .returning(notedColumns),
    ),
  );
/** Ends a dispute; not while an order is under way, which waits for its answer. */
export const endDispute = ended("dispute_close", false);
/** The same on a bank's answer; a second hand-out stays disputed, which no bank can settle. */
export const endAgreed = ended("dispute_end_agreed", true);

/** Whether a row of the history opens a dispute; kind `dispute_closed` ends it. */
export const opensDispute = ({
  kind,
  from_status,
  to_status,
  reason,
}: Pick<RowOf<"withdrawal_events">, "kind" | "from_status" | "to_status" | "reason">): boolean =>
  kind === "contradicted" ||
  kind === "reported_again" ||
  (kind === "cash_reported" && reason !== to_status) ||
  (kind === "decided" && to_status === "failed") ||
  // A restore ends what was confirmed, and a terminal reports what became of it.
  (kind === "approved" && to_status === "canceled") ||
  (kind === "transition" && (from_status === "canceled" || (from_status === "awaiting_sca" && reason === "restored")));

/** Those of these withdrawals that are not marked as disputed, or have ended without the time by which they are in the report. */
export const unmarked = ofBoth(
  (table) => (ids: readonly string[]) =>
    adhoc((db) =>
      db
        .selectFrom(table)
        .select("id")
        .where("id", "in", ids)
        .where(sql<boolean>`(disputed_at is null or (${hasEnded} and coalesce(confirmed_at, -1) < 0))`),
    ),
);

/** Disputed withdrawals without an order under way. */
export const disputes = ofBoth((table) =>
  statement(`disputes_${table}`, (db) =>
    db
      .selectFrom(table)
      .select(withdrawalColumns)
      .where("disputed_at", "is not", null)
      .where("status", "!=", "settling"),
  ),
);

/** Statuses in which the bank may still be called with the user's id. */
export const openStatuses: readonly Status[] = ["requested", "ready", "awaiting_sca", "settling"];

/** An open withdrawal of the user. */
export const openWithdrawal = statement("erase_open_withdrawal", (db, p: UserKey) =>
  db
    .selectFrom("withdrawals")
    .select("id")
    .where("partner_id", "=", p.partner)
    .where(isUser(p))
    .where("status", "in", openStatuses)
    .limit(1),
);

/** Up to `limit` ended withdrawals of the user. */
const endedOf = (table: Table, key: UserKey, limit: number) =>
  sql<boolean>`(id, created_at) in (select id, created_at from ${sql.table(table)} where partner_id = ${key.partner} and ${isUser(key)}
    and status not in (${sql.join(openStatuses)}) limit ${limit})`;

/** Deletes idempotency keys that contain the user's id, of the withdrawals that `renameUser` renames next. */
export const forgetKeysOf = (table: Table, key: UserKey, limit: number) =>
  adhoc((db) =>
    db
      .deleteFrom("idempotency_keys")
      .where("partner_id", "=", key.partner)
      .where(
        sql<boolean>`(idempotency_key, created_at) in (select idempotency_key, created_at from ${sql.table(table)}
          where ${endedOf(table, key, limit)} and ${holdsUser("idempotency_key", key)})`,
      ),
  );

/**
 * Replaces the user's id and the hash over it in up to `limit` ended withdrawals. Bank references are kept unless they contain the id, as
 * they are needed for reconciliation.
 */
export const renameUser = (table: Table, key: UserKey, name: string, limit: number) =>
  adhoc((db) =>
    db
      .updateTable(table)
      .set({
        user_id: name,
        partner_reference: sql`case when ${holdsUser("partner_reference", key)} then null else partner_reference end`,
        idempotency_key: sql`case when ${holdsUser("idempotency_key", key)} then ${forgottenKey} else idempotency_key end`,
        request_hash: sql`case when ${holdsUser("idempotency_key", key)} then '' else ${erasedHash} end`,
      })
      .where(endedOf(table, key, limit)),
  );

/** Tables of keys by which repeats are recognized. */
export const nameTables = ["idempotency_keys", "terminal_references"] as const;

/**
 * Deletes the `limit` oldest keys in a table, or a partition of it. Afterwards a repeat counts as a new request, and a
 * terminal may use its id again.
 */
export const forgetNames = (table: (typeof nameTables)[number], part: string, { before, limit }: Oldest) =>
  adhoc((db) => {
    const named = sql.join(dividedTables[table].key.map((column) => sql.ref(column)));
    const text = sql`delete from ${sql.table(part)} where (${named}) in (select ${named} from ${sql.table(part)}
      where created_at < ${before} order by created_at limit ${limit})`;
    return { compile: () => text.compile(db) };
  });

/** The number of calls to the bank until an operator decided. */
const attemptsSoFar = {
  settle_attempts: sql<number>`coalesce((select o.attempts from outbox as o where o.id = 'settle_' || withdrawals.id), settle_attempts)`,
} as const;

const decidedColumns = eventColumnsOf("withdrawals");

/** `settling` → `settled`, the first half of a decision that the bank has booked the payment. */
export const settleByOperator = statement("decide_settled", (db, { id, now }: ById) =>
  transition(db, id, "settling", "settled", { settled_at: now, ...attemptsSoFar }).returning(decidedColumns),
);

/** `settled` → `undelivered`, the second half; also for an operator's decision about the cash. */
export const returnByOperator = statement("decide_undelivered", (db, { id, now }: ById) =>
  transition(db, id, "settled", "undelivered", {
    reason: decidedByOperator,
    undelivered_reason: decidedByOperator,
    closed_at: now,
  }).returning(decidedColumns),
);

/** `settling` → `failed` and disputed: the decision that the bank has not booked the payment. */
export const failByOperator = statement("decide_failed", (db, { id, now }: ById) =>
  transition(db, id, "settling", "failed", {
    reason: "settle_declined",
    closed_at: now,
    disputed_at: now,
    ...attemptsSoFar,
  }).returning(decidedColumns),
);

/** `settled` → `linked` or `undelivered` by an operator's decision, when the terminal is lost or has not reported. */
export const cashByOperator = {
  linked: statement("decide_handed_out", (db, { id, now }: ById) =>
    transition(db, id, "settled", "linked", { reason: decidedByOperator, linked_at: now }).returning(decidedColumns),
  ),
  undelivered: returnByOperator,
} as const;

/** Locks a withdrawal until the commit, so that of two words about it that come at once the second sees the first. */
export const holdOne = ofBoth((table) =>
  statement(`hold_${table}`, (db, p: { id: string }) =>
    db.selectFrom(table).select(["id", "disputed_at"]).where("id", "=", p.id).forUpdate(),
  ),
);

/** PostgreSQL's alone: locks what was read. A lock is a write there, so that a repeat is answered once the standby has what it repeats. */
export const holdShown = ofBoth((table) =>
  statement(`hold_shown_${table}`, (db, p: { id: string; askedAt: number }) =>
    db.selectFrom(table).select("id").where("id", "=", p.id).where("created_at", "=", p.askedAt).forUpdate(),
  ),
);

/** Records the terminal's report besides the operator's decision. @param p.disputedAt null where both agree. */
export const takeCashWord = ofBoth((table) =>
  statement(`decided_reported_${table}`, (db, p: { id: string; handOutId: string | null; disputedAt: number | null }) =>
    db
      .updateTable(table)
      .set({
        hand_out_id: sql<string | null>`coalesce(hand_out_id, ${p.handOutId})`,
        disputed_at: sql<number | null>`coalesce(disputed_at, cast(${p.disputedAt} as bigint))`,
        ...incrementHistoryLength,
      })
      .where("id", "=", p.id)
      .returning(notedColumns),
  ),
);

/** Counts a note in the history. */
export const countNote = ofBoth((table) =>
  statement(`decide_note_${table}`, (db, p: { id: string }) =>
    db.updateTable(table).set(incrementHistoryLength).where("id", "=", p.id).returning(eventColumnsOf(table)),
  ),
);

/** Runs statements in turn until one returns a row. */
export async function firstOf<P, R>(tx: Tx, both: readonly ((p: P) => Query<R>)[], p: P): Promise<R | undefined> {
  for (const statementOf of both) {
    const row = await tx.first(statementOf(p));
    if (row !== undefined) return row;
  }
  return undefined;
}

/**
 * A withdrawal from either table; searched in this order none is missed, as ended ones never come back.
 * @param near the approximate request time, where it is searched first.
 */
export function oneOrArchived(tx: Tx, id: string, near: number): Promise<Row | undefined> {
  return firstOf(tx, [withdrawalById, ...archivedById], { id, now: near });
}

/** The same with the columns that are shown. */
export function shownOrArchived(tx: Tx, id: string, near: number): Promise<ShownRow | undefined> {
  return firstOf(tx, [shownById, ...archivedShownById], { id, now: near });
}

/** A partner's withdrawal under an idempotency key, as long as the key is kept. */
export async function oneByKey(tx: Tx, partner: string, key: string): Promise<Row | undefined> {
  const open = await tx.first(withdrawalByKey({ partner, key }));
  if (open) return open;
  const ended = await tx.first(endedByKey({ partner, key }));
  return ended && oneOrArchived(tx, ended.id, ended.created_at);
}

/** Moves the oldest withdrawals without events since `before`; their history stays. @returns how many. */
export async function archiveEnded(tx: Tx, before: number, now: number, limit: number): Promise<number> {
  const ids = (await tx.all(lockEnded({ before, repeated: repeatedSince(now), limit }))).map(({ id }) => id);
  return ids.length === 0 ? 0 : move(tx, among(ids), now);
}

/** A place in order of creation. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

/**
 * Moves ended withdrawals that an older release has left among the open ones, from a place on.
 * @returns where to go on; null: nothing is left.
 */
export async function moveLeft(
  tx: Tx,
  from: Place,
  now: number,
  limit: number,
): Promise<(Place & { readonly rows: number }) | null> {
  const left = await tx.all(lockLeft({ ...from, limit }));
  const last = left.at(-1);
  if (last === undefined) return null;
  const ids = left.map(({ id }) => id);
  const rows = await move(tx, among(ids), now);
  return { at: last.created_at, id: last.id, rows };
}
