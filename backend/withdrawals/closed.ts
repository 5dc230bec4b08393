/** Statements on withdrawals that have ended: how they leave the open ones, and what is disputed, renamed or forgotten in either table. */
import { type Kysely, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from "kysely";
import type { Terminal } from "../context.ts";
import { decidedByOperator } from "../contract/reasons.ts";
import { finalStatuses, type Status } from "../contract/transaction.ts";
import { dividedTables, isIn, type Months, monthsAround, type Span } from "../store/partitions.ts";
import type { Database, RowOf } from "../store/schema.ts";
import { adhoc, type Dialect, type Query, statement, type Tx, UniqueViolation } from "../store/store.ts";
import { holdsUser, isUser, type UserKey } from "../store/user-key.ts";
import { isFiledAt } from "./history.ts";
import {
  type ById,
  bothTables,
  endedByKey,
  endedByReference,
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

/** A space keeps it apart from every key that a caller can send. */
const forgottenKey = sql<string>`'forgotten ' || id`;

type Oldest = { readonly before: number; readonly limit: number };

/** An ended one: first among those asked for around `now`, then among all. */
const archivedLooks = <Column extends keyof Row>(name: string, columns: readonly Column[]) =>
  [
    statement(
      `${name}_lately`,
      (db, p: ById, _, months) =>
        db.selectFrom("archived_withdrawals").select(columns).where("id", "=", p.id).where(isIn("created_at", months)),
      monthsAround,
    ),
    statement(name, (db, p: ById) => db.selectFrom("archived_withdrawals").select(columns).where("id", "=", p.id)),
  ] as const;
const archivedById = archivedLooks("archived_by_id", withdrawalColumns);
const archivedShownById = archivedLooks("archived_shown_by_id", shownColumns);

const listed = sql.join(withdrawalColumns.map((name) => sql.ref(name)));
const hasEnded = sql<boolean>`status in (${sql.join(finalStatuses.map((status) => sql.lit(status)))})`;
/** What a restore has ended stays where a terminal's report, or the bank's repeated approval, finds it. */
const isNotRestored = sql<boolean>`(reason is null or reason <> 'restored')`;
/** No process of a release before works on the database: it would look for keys among the open ones alone (`takeOver`). */
const isApart = sql<boolean>`exists (select 1 from settings where name = 'ended_apart')`;
const isNotThere = sql<boolean>`not exists (select 1 from archived_withdrawals as there where there.id = withdrawals.id)`;

const keysOf = (
  from: RawBuilder<unknown>,
) => sql`insert into idempotency_keys (partner_id, idempotency_key, transaction_id, created_at)
  select partner_id, idempotency_key, id, created_at from ${from} and request_hash <> '' on conflict do nothing`;
const referencesOf = (
  from: RawBuilder<unknown>,
) => sql`insert into terminal_references (merchant_id, device_id, transaction_id_partner,
  transaction_id, created_at) select merchant_id, device_id, transaction_id_partner, id, created_at from ${from}
  and device_id is not null and transaction_id_partner is not null on conflict do nothing`;
const copyOf = (from: RawBuilder<unknown>, now: RawBuilder<number>) =>
  sql`insert into archived_withdrawals (${listed}, archived_at) select ${listed}, ${now} from ${from}`;

/**
 * How ended rows leave the open ones, with the names that repeats are known by. PostgreSQL does all of it in one statement, and looks
 * at nothing else than the unique index of one month: what is there already goes nowhere.
 */
const moves: Readonly<
  Record<Dialect, readonly ((which: RawBuilder<unknown>, now: RawBuilder<number>) => RawBuilder<unknown>)[]>
> = {
  postgres: [
    (which, now) => sql`with ended as (select ${listed} from withdrawals where ${which} and ${hasEnded} for update),
      moved as (${copyOf(sql`ended`, now)} on conflict do nothing returning ${listed}),
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

const closeStepsOn = (dialect: Dialect) =>
  moves[dialect].map((sqlOf, n) =>
    statement(`withdrawal_close_${dialect}_${n}`, (db, p: ById) => {
      const now = sql<number>`cast(${p.now} as bigint)`;
      return { compile: () => sqlOf(sql`id = ${p.id} and ${isNotRestored} and ${isApart}`, now).compile(db) };
    }),
  );
const closeSteps = { sqlite: closeStepsOn("sqlite"), postgres: closeStepsOn("postgres") };

/** Part of the commit of the last transition, after it: from then on the withdrawal is in the other table. */
export const closeEnded = (tx: Tx, values: ById): void => {
  for (const step of closeSteps[tx.dialect]) tx.runUnawaited(step(values));
};

/** Moves these. @returns how many. */
async function move(tx: Tx, ids: readonly string[], now: number): Promise<number> {
  let rows = 0;
  for (const sqlOf of moves[tx.dialect])
    rows = await tx.run(
      adhoc((db) => ({ compile: () => sqlOf(sql`id in (${sql.join(ids)})`, sql`cast(${now} as bigint)`).compile(db) })),
    );
  return rows;
}

/** When something happened to it last; the columns are for rows that have no history. */
const lastEventAt = sql<number>`coalesce((select at from withdrawal_events as last where last.transaction_id = withdrawals.id
  and last.sequence = withdrawals.history_length and ${isFiledAt("last", sql.ref("withdrawals.created_at"))}), linked_at, closed_at, created_at)`;

/**
 * Ended long ago, without an open dispute. They are locked until the commit: a dispute or an erasure that comes in between
 * waits, and then finds them where they went.
 */
export const lockEnded = statement("withdrawals_ended", (db, p: Oldest, dialect) => {
  const ended = db
    .selectFrom("withdrawals")
    .select("id")
    .where("created_at", "<", p.before)
    .where("status", "in", [...finalStatuses])
    .where("disputed_at", "is", null)
    .where(lastEventAt, "<", p.before)
    .orderBy("created_at")
    .limit(p.limit);
  return dialect === "postgres" ? ended.forUpdate().skipLocked() : ended;
});

/** The same for what has ended since a place in the order of creation, whenever it was: what a release before has left there. */
export const lockLeft = statement("withdrawals_left", (db, p: { at: number; id: string; limit: number }, dialect) => {
  const left = db
    .selectFrom("withdrawals")
    .select(["id", "created_at"])
    .where("created_at", ">=", p.at)
    .where((row) => row.or([row("created_at", ">", p.at), row("id", ">", p.id)]))
    .where(hasEnded)
    .where(isNotRestored)
    .orderBy("created_at")
    .orderBy("id")
    .limit(p.limit);
  return dialect === "postgres" ? left.forUpdate().skipLocked() : left;
});

/** No cash leaves the drawer for these. */
const withoutCash: readonly Status[] = ["declined", "rejected", "canceled", "expired", "failed", "undelivered"];

/** What `amountsIn` finds in both tables, in minor units: one statement, so that what ends meanwhile counts once. */
const sumOfBoth = <Row extends { readonly amount: number }>(
  db: Kysely<Database>,
  months: Months,
  amountsIn: (table: Table) => SelectQueryBuilder<Database, Table, Row>,
) =>
  db
    .selectFrom(
      amountsIn("withdrawals")
        .unionAll(amountsIn("archived_withdrawals").where(isIn("created_at", months)))
        .as("both_tables"),
    )
    .select(sql<number>`cast(coalesce(sum(amount), 0) as bigint)`.as("sum"));

/** What counts in a day or an hour was asked for in these. */
const monthsOf = ({ from }: { readonly from: number }) => monthsAround({ now: from });

/** What a user has asked for from `from` on and before `until` (a clock that was ahead left rows behind it) that may still lead to cash, or has; as in the two below. */
export const userDaySum = statement(
  "limit_user_day",
  (db, p: { partner: string; user: string; currency: string; from: number; until: number }, _, months) =>
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

/** The same for a shop. Ended ones with cash are confirmed, after they were asked for: by that there is an index. */
export const shopDaySum = statement(
  "limit_shop_day",
  (db, p: { merchant: string; from: number; until: number }, _, months) =>
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

/** What a terminal has confirmed in the time. */
export const terminalHourSum = statement(
  "limit_terminal_hour",
  (db, p: { merchant: string; device: string; from: number; until: number }, _, months) =>
    sumOfBoth(db, months, (table) =>
      db
        .selectFrom(table)
        .select("amount")
        .where("merchant_id", "=", p.merchant)
        .where("device_id", "=", p.device)
        .where("confirmed_at", ">", p.from)
        .where("confirmed_at", "<", p.until)
        .where("status", "not in", withoutCash),
    ),
  monthsOf,
);

/** When the first of the archive was asked for, from a moment on. */
export const firstArchived = statement("archived_first", (db, p: { from: number }) =>
  db
    .selectFrom("archived_withdrawals")
    .select("created_at")
    .where("created_at", ">=", p.from)
    .orderBy("created_at")
    .limit(1),
);

/** Of those asked for in a time one that is not in the archive, one that is disputed there, and one that came there after `before`. */
export const keptOfTime = statement("archived_kept", (db, p: Span & { before: number }) => {
  const one = (table: Table, condition: RawBuilder<SqlBool>) =>
    sql<
      string | null
    >`(select id from ${sql.table(table)} where created_at >= ${p.from} and created_at < ${p.to} and ${condition} limit 1)`;
  return db.selectNoFrom([
    one("withdrawals", sql`1 = 1`).as("open"),
    one("archived_withdrawals", sql`disputed_at is not null`).as("disputed"),
    one("archived_withdrawals", sql`archived_at >= ${p.before}`).as("young"),
  ]);
});

/** Of the archive, `limit` that were asked for in a time, without an open dispute. */
export const archivedOfTime = statement("archived_of_time", (db, p: Span & { limit: number }) =>
  db
    .selectFrom("archived_withdrawals")
    .select("id")
    .where("created_at", ">=", p.from)
    .where("created_at", "<", p.to)
    .where("disputed_at", "is", null)
    .limit(p.limit),
);

/** Deletes from the archive what was asked for in a time; `deleteEvents` in `history.ts` deletes their history. */
export const deleteArchived = (ids: readonly string[], { from, to }: Span) =>
  adhoc((db) =>
    db
      .deleteFrom("archived_withdrawals")
      .where("id", "in", ids)
      .where("created_at", ">=", from)
      .where("created_at", "<", to),
  );

/** Of both tables, in the order in which to look. */
export const ofBoth = <Statement>(statementOf: (table: Table) => Statement) =>
  [statementOf(bothTables[0]), statementOf(bothTables[1])] as const;

/** Marks one as disputed. */
export const openDispute = ofBoth((table) =>
  statement(`dispute_open_${table}`, (db, p: { id: string; now: number }) =>
    db
      .updateTable(table)
      .set({ disputed_at: p.now, ...incrementHistoryLength })
      .where("id", "=", p.id)
      .returning(notedColumns),
  ),
);

/** Marks one of which a hand-out is reported beside the one, or the declaration, that it has: once, and again after it was closed. */
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
      .where((or) =>
        or.or([
          or("other_hand_out_id", "is", null),
          or("other_hand_out_id", "!=", p.handOutId).and("disputed_at", "is", null),
        ]),
      )
      .returning(notedColumns),
  ),
);

/** Takes the mark away; while an order is under way it waits for that order's answer. */
export const endDispute = ofBoth((table) =>
  statement(`dispute_close_${table}`, (db, p: { id: string }) =>
    db
      .updateTable(table)
      .set({ disputed_at: null, ...incrementHistoryLength })
      .where("id", "=", p.id)
      .where("disputed_at", "is not", null)
      .where("status", "!=", "settling")
      .returning(notedColumns),
  ),
);

/** The same where the bank's word ends it; a second hand-out stays disputed, which no bank can settle. */
export const endAgreed = ofBoth((table) =>
  statement(`dispute_end_agreed_${table}`, (db, p: { id: string }) =>
    db
      .updateTable(table)
      .set({ disputed_at: null, ...incrementHistoryLength })
      .where("id", "=", p.id)
      .where("disputed_at", "is not", null)
      .where("other_hand_out_id", "is", null)
      .where("status", "!=", "settling")
      .returning(notedColumns),
  ),
);

/** Rows of the history that mark a withdrawal; one of kind `dispute_closed` ends it. */
export const opensDispute = ({
  kind,
  to_status,
  reason,
}: Pick<RowOf<"withdrawal_events">, "kind" | "to_status" | "reason">): boolean =>
  kind === "contradicted" ||
  kind === "reported_again" ||
  (kind === "cash_reported" && reason !== to_status) ||
  (kind === "decided" && to_status === "failed");

/** Which of these are not marked. */
export const unmarked = ofBoth(
  (table) => (ids: readonly string[]) =>
    adhoc((db) => db.selectFrom(table).select("id").where("id", "in", ids).where("disputed_at", "is", null)),
);

/** Those that are marked, and whose order has ended. */
export const disputes = ofBoth((table) =>
  statement(`disputes_${table}`, (db) =>
    db
      .selectFrom(table)
      .select(withdrawalColumns)
      .where("disputed_at", "is not", null)
      .where("status", "!=", "settling"),
  ),
);

/** Until a withdrawal has ended its bank is called with the user's id that its Start order had. */
const openStatuses = ["requested", "ready", "awaiting_sca", "settling"] as const;

/** One of the user's that has not ended. */
export const openWithdrawal = statement("erase_open_withdrawal", (db, p: UserKey) =>
  db
    .selectFrom("withdrawals")
    .select("id")
    .where("partner_id", "=", p.partner)
    .where(isUser(p))
    .where("status", "in", openStatuses)
    .limit(1),
);

/** The `limit` first of the user's that have ended; one that began after the erasure started: the next erasure renames it. */
const endedOf = (table: Table, key: UserKey, limit: number) =>
  sql<boolean>`(id, created_at) in (select id, created_at from ${sql.table(table)} where partner_id = ${key.partner} and ${isUser(key)}
    and status not in (${sql.join(openStatuses)}) limit ${limit})`;

/** Forgets the keys that hold the user's id, of what `renameUser` renames next. */
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
 * Puts another name in the place of a user's id, in the `limit` first that have ended. The bank's own names for them stay
 * where they do not hold the id: the books are compared by them.
 */
export const renameUser = (table: Table, key: UserKey, name: string, limit: number) =>
  adhoc((db) =>
    db
      .updateTable(table)
      .set({
        user_id: name,
        partner_reference: sql`case when ${holdsUser("partner_reference", key)} then null else partner_reference end`,
        idempotency_key: sql`case when ${holdsUser("idempotency_key", key)} then ${forgottenKey} else idempotency_key end`,
        request_hash: sql`case when ${holdsUser("idempotency_key", key)} then '' else request_hash end`,
      })
      .where(endedOf(table, key, limit)),
  );

/** What a repeat is known by. */
export const nameTables = ["idempotency_keys", "terminal_references"] as const;

/**
 * Deletes the `limit` oldest names in a table, or a part of it: from then on a repeat under the key is a request of its own, and a
 * terminal may use its id again.
 */
export const forgetNames = (table: (typeof nameTables)[number], part: string, { before, limit }: Oldest) =>
  adhoc((db) => {
    const named = sql.join(dividedTables[table].key.map((column) => sql.ref(column)));
    const text = sql`delete from ${sql.table(part)} where (${named}) in (select ${named} from ${sql.table(part)}
      where created_at < ${before} order by created_at limit ${limit})`;
    return { compile: () => text.compile(db) };
  });

/** How often the bank was called until somebody decided in its stead. */
const attemptsSoFar = {
  settle_attempts: sql<number>`coalesce((select o.attempts from outbox as o where o.id = 'settle_' || withdrawals.id), settle_attempts)`,
} as const;

/** `settling` → `settled`, the first half of a decision that the bank has booked the payment. */
export const settleByOperator = statement("decide_settled", (db, { id, now }: ById) =>
  transition(db, id, "settling", "settled", { settled_at: now, ...attemptsSoFar }).returning(
    eventColumnsOf("withdrawals"),
  ),
);

/** `settled` → `undelivered`, the second half; also by an operator's word of the cash. */
export const returnByOperator = statement("decide_undelivered", (db, { id, now }: ById) =>
  transition(db, id, "settled", "undelivered", {
    reason: decidedByOperator,
    undelivered_reason: decidedByOperator,
    closed_at: now,
  }).returning(eventColumnsOf("withdrawals")),
);

/** `settling` → `failed` and disputed: the decision that the bank has not booked the payment. */
export const failByOperator = statement("decide_failed", (db, { id, now }: ById) =>
  transition(db, id, "settling", "failed", {
    reason: "settle_declined",
    closed_at: now,
    disputed_at: now,
    ...attemptsSoFar,
  }).returning(eventColumnsOf("withdrawals")),
);

/** `settled` → `linked` or `undelivered` by an operator's word of the cash: its terminal is lost, or has not said. */
export const cashByOperator = {
  linked: statement("decide_handed_out", (db, { id, now }: ById) =>
    transition(db, id, "settled", "linked", { reason: decidedByOperator, linked_at: now }).returning(
      eventColumnsOf("withdrawals"),
    ),
  ),
  undelivered: returnByOperator,
} as const;

/** Holds what an operator has decided until the commit: of two reports at once the second sees what the first has said. */
export const holdDecided = ofBoth((table) =>
  statement(`decided_hold_${table}`, (db, p: { id: string }, dialect) => {
    const row = db.selectFrom(table).select("id").where("id", "=", p.id);
    return dialect === "postgres" ? row.forUpdate() : row;
  }),
);

/** Takes the terminal's own word of the cash beside the operator's. @param p.disputedAt null where both are the same. */
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

/** Makes room in the history for a note. */
export const countNote = ofBoth((table) =>
  statement(`decide_note_${table}`, (db, p: { id: string }) =>
    db.updateTable(table).set(incrementHistoryLength).where("id", "=", p.id).returning(eventColumnsOf(table)),
  ),
);

/** The row of whichever of the two has it. */
export async function firstOf<P, R>(tx: Tx, both: readonly ((p: P) => Query<R>)[], p: P): Promise<R | undefined> {
  for (const statementOf of both) {
    const row = await tx.first(statementOf(p));
    if (row !== undefined) return row;
  }
  return undefined;
}

/**
 * The withdrawal, wherever it is: one that ended never comes back, so this order of looks misses none.
 * @param near a time about which it was asked for, where it is looked for first.
 */
export async function oneOrArchived(tx: Tx, id: string, near: number): Promise<Row | undefined> {
  return firstOf(tx, [withdrawalById, ...archivedById], { id, now: near });
}

/** The same as far as it is shown. */
export async function shownOrArchived(tx: Tx, id: string, near: number): Promise<ShownRow | undefined> {
  return firstOf(tx, [shownById, ...archivedShownById], { id, now: near });
}

/** What a partner asked for under an idempotency key, as long as that is kept. */
export async function oneByKey(tx: Tx, partner: string, key: string): Promise<Row | undefined> {
  const open = await tx.first(withdrawalByKey({ partner, key }));
  if (open) return open;
  const ended = await tx.first(endedByKey({ partner, key }));
  return ended && oneOrArchived(tx, ended.id, ended.created_at);
}

/**
 * After a withdrawal got the terminal's id: if that has waited for the commit that ended another one with this id, it is there now.
 * @throws UniqueViolation
 */
export async function refuseUsedReference(
  tx: Tx,
  { merchantId: merchant, deviceId: device }: Terminal,
  terminalReference: string,
) {
  const used = await tx.first(endedByReference({ merchant, device, terminalReference }));
  if (used) throw new UniqueViolation(`of the ended ${used.id}`);
}

/** Moves the oldest to which nothing has happened since `before`; their history stays. @returns how many. */
export async function archiveEnded(tx: Tx, before: number, now: number, limit: number): Promise<number> {
  const ids = (await tx.all(lockEnded({ before, limit }))).map(({ id }) => id);
  return ids.length === 0 ? 0 : move(tx, ids, now);
}

/** A place in the order of creation. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

/** Moves what a release before has left among the open ones, from a place on. @returns where to go on; null: nothing is left. */
export async function moveLeft(
  tx: Tx,
  from: Place,
  now: number,
  limit: number,
): Promise<(Place & { readonly rows: number }) | null> {
  const left = await tx.all(lockLeft({ ...from, limit }));
  const last = left.at(-1);
  if (last === undefined) return null;
  const rows = await move(
    tx,
    left.map(({ id }) => id),
    now,
  );
  return { at: last.created_at, id: last.id, rows };
}
