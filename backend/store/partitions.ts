/**
 * The tables that grow with the years. On PostgreSQL each lies in partitions by time, so that what is over ends with a `DROP`; on SQLite,
 * and on engines that have no such partitions, it is one table. What no partition is there for (of a clock that was ahead, say) lies in a
 * default one, and what was there before there were partitions in one without a beginning.
 */
import { sql } from "kysely";
import { dayMs } from "../contract/times.ts";
import type { Database } from "./schema.ts";
import { adhoc, type Tx } from "./store.ts";

/** From `since` on and before `until`, epoch milliseconds. */
export interface Months {
  readonly since: number;
  readonly until: number;
}

/** The first moment (UTC) of the month that is `count` after a time's. */
const monthStart = (at: number, count: number): number => {
  const day = new Date(at);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + count);
};

/** The month (UTC) before, the one and the one after. Literals of a statement that looks there first: PostgreSQL then plans for three partitions. */
export const monthsAround = ({ now }: { readonly now: number }): Months => ({
  since: monthStart(now, -1),
  until: monthStart(now, 2),
});

/** Whether a column lies in them. */
export const isIn = (column: string, { since, until }: Months) =>
  sql<boolean>`(${sql.ref(column)} >= ${sql.lit(since)} and ${sql.ref(column)} < ${sql.lit(until)})`;

/** Epoch milliseconds; `to` is not included. */
export type Span = { readonly from: number; readonly to: number };

/** How long a partition is. Each is looked into for a key that may be in any of them, so keys have no partition of each day. */
type Length = "week" | "month";
const weekMs = 7 * dayMs;
const spanAt: Readonly<Record<Length, (at: number) => Span>> = {
  week: (at) => ({ from: at - (at % weekMs), to: at - (at % weekMs) + weekMs }),
  month: (at) => ({ from: monthStart(at, 0), to: monthStart(at, 1) }),
};
/** So long ahead there are partitions. */
const aheadMs: Readonly<Record<Length, number>> = { week: 3 * weekMs, month: 62 * dayMs };

/** By which column each table is divided, and what is unique together with it. In the order in which a unit writes, and so locks, them. */
export const dividedTables = {
  withdrawal_events: { by: "asked_at", key: ["transaction_id", "sequence"], length: "month" },
  archived_withdrawals: { by: "created_at", key: ["id"], length: "month" },
  idempotency_keys: { by: "created_at", key: ["partner_id", "idempotency_key"], length: "week" },
  terminal_references: {
    by: "created_at",
    key: ["merchant_id", "device_id", "transaction_id_partner"],
    length: "week",
  },
} as const satisfies Partial<{
  readonly [Name in keyof Database]: {
    readonly by: keyof Database[Name];
    readonly key: readonly (keyof Database[Name])[];
    readonly length: Length;
  };
}>;
/** One of them. */
export type DividedTable = keyof typeof dividedTables;
/** All of them. */
export const dividedNames = Object.keys(dividedTables) as readonly DividedTable[];

/** Runs a statement of PostgreSQL. */
export type Run = (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
/** Runs it as part of a unit. */
export const runIn =
  (tx: Tx): Run =>
  (text) =>
    tx.all(adhoc((db) => ({ compile: () => sql.raw<Record<string, unknown>>(text).compile(db) })));

/** A part of a table. */
export interface Partition {
  readonly name: string;
  /** Null: without a beginning. */
  readonly from: number | null;
  /** Null: the default one. */
  readonly to: number | null;
}

/** The partitions of a table in the order of time; none where it is not divided. */
export async function partitionsOf(run: Run, table: string): Promise<readonly Partition[]> {
  const rows = await run(
    `SELECT part.relname AS name, pg_get_expr(part.relpartbound, part.oid) AS bound FROM pg_inherits AS i
      JOIN pg_class AS part ON part.oid = i.inhrelid JOIN pg_class AS whole ON whole.oid = i.inhparent
      JOIN pg_namespace AS n ON n.oid = whole.relnamespace
      WHERE n.nspname = current_schema() AND whole.relname = '${table}' AND whole.relkind = 'p'`,
  );
  const numberIn = (bound: string, word: string): number | null => {
    const [, digits] = new RegExp(`${word} \\('(-?\\d+)'\\)`).exec(bound) ?? [];
    return digits === undefined ? null : Number(digits);
  };
  return rows
    .map(({ name, bound }) => ({
      name: String(name),
      from: numberIn(String(bound), "FROM"),
      to: numberIn(String(bound), "TO"),
    }))
    .sort((a, b) => (a.to ?? Number.POSITIVE_INFINITY) - (b.to ?? Number.POSITIVE_INFINITY));
}

/** Those of a table in which data ends row by row, as they end at no time of their own: the whole table where it is not divided. */
export async function undatedOf(tx: Tx, table: DividedTable): Promise<readonly string[]> {
  const partitions = tx.dialect === "sqlite" ? [] : await partitionsOf(runIn(tx), table);
  return partitions.length === 0 ? [table] : partitions.flatMap(({ name, from }) => (from === null ? [name] : []));
}

/** While a change waits for a table, everybody behind it waits too. */
const lockTimeoutMs = 200;
const boundLocks = `SET LOCAL lock_timeout = ${lockTimeoutMs}`;
/** Rows of the default partition that are moved into a new one, while everybody who looks there waits. */
const movedMax = 10_000;
/** What is larger is neither counted nor read while others wait: PostgreSQL knows about how many rows there are. */
const readMaxBytes = 64 * 1024 * 1024;

/** The times from now on for which a table has no partition yet. */
const missingAfter = (partitions: readonly Partition[], length: Length, now: number): readonly Span[] => {
  const missing: Span[] = [];
  for (let at = now; at <= now + aheadMs[length]; ) {
    const known = partitions.find(({ from, to }) => to !== null && at >= (from ?? at) && at < to);
    if (known?.to) {
      at = known.to;
      continue;
    }
    const whole = spanAt[length](at);
    const from = Math.max(whole.from, ...partitions.flatMap(({ to }) => (to !== null && to <= at ? [to] : [])));
    const to = Math.min(
      whole.to,
      ...partitions.flatMap((each) => (each.from !== null && each.from > at ? [each.from] : [])),
    );
    missing.push({ from, to });
    at = to;
  }
  return missing;
};

const dayName = (at: number): string => new Date(at).toISOString().slice(0, 10).replaceAll("-", "_");

/** What became of a partition that was to be made. */
export interface Made {
  readonly name: string;
  /** Rows of the default partition, of its time: moved, or so many that they stay; or all of them, where it is so large that none is made. */
  readonly rows: number;
  readonly isMade: boolean;
}

async function makeOne(run: Run, table: DividedTable, { from, to }: Span): Promise<Made> {
  const { by } = dividedTables[table];
  const name = `${table}_${dayName(from)}`;
  const ofTime = `${by} >= ${from} AND ${by} < ${to}`;
  // PostgreSQL reads all of it to attach another one.
  const [large] = await run(
    `SELECT reltuples AS rows FROM pg_class WHERE oid = '${table}_default'::regclass AND pg_relation_size(oid) > ${readMaxBytes}`,
  );
  if (large !== undefined) return { name, rows: Math.max(0, Number(large.rows)), isMade: false };
  await run(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)`);
  await run(`LOCK TABLE ${table}_default IN ACCESS EXCLUSIVE MODE`);
  const [found] = await run(
    `SELECT count(*) AS rows FROM (SELECT 1 FROM ${table}_default WHERE ${ofTime} LIMIT ${movedMax + 1}) AS found`,
  );
  const rows = Number(found?.rows);
  if (rows > movedMax) {
    await run(`DROP TABLE ${name}`);
    return { name, rows, isMade: false };
  }
  if (rows > 0)
    await run(
      `WITH moved AS (DELETE FROM ${table}_default WHERE ${ofTime} RETURNING *) INSERT INTO ${name} SELECT * FROM moved`,
    );
  await run(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`);
  return { name, rows, isMade: true };
}

/** Makes the partitions of a divided table from now on; in a transaction, for whose end only those wait who look into the default one. */
export async function makeAhead(
  run: Run,
  table: DividedTable,
  now: number,
  length: Length = dividedTables[table].length,
): Promise<readonly Made[]> {
  const made: Made[] = [];
  const known = await partitionsOf(run, table);
  if (known.length === 0 || missingAfter(known, length, now).length === 0) return made;
  // One process at a time; nobody else waits behind this.
  await run(`LOCK TABLE ONLY ${table} IN SHARE UPDATE EXCLUSIVE MODE`);
  await run(boundLocks);
  for (const span of missingAfter(await partitionsOf(run, table), length, now))
    made.push(await makeOne(run, table, span));
  return made;
}

/** The end of the partition that takes what is there before a table is divided: far enough that nobody writes behind it until it is. */
export const endOfEarlier = (now: number): number => monthStart(now + 60 * dayMs, 1);

/** Until when the rows of a table that is to be divided reach, by its condition; null where it has none. */
export async function boundOf(
  run: Run,
  table: DividedTable,
): Promise<{ readonly to: number; readonly isProved: boolean } | null> {
  const [found] = await run(
    `SELECT pg_get_constraintdef(oid) AS condition, convalidated AS is_proved FROM pg_constraint
      WHERE conrelid = to_regclass('${table}') AND conname = '${table}_before'`,
  );
  const [to] = /\d+/.exec(String(found?.condition)) ?? [];
  return to === undefined ? null : { to: Number(to), isProved: found?.is_proved === true };
}

/** Takes the condition away. */
export const dropBound = (run: Run, table: DividedTable) =>
  run(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${table}_before`);

/** Writes behind its end would be refused: a table that nobody has gone on to divide loses the condition before that time. @returns whether it did. */
export async function dropOldBound(run: Run, table: DividedTable, now: number): Promise<boolean> {
  const bound = await boundOf(run, table);
  if (bound === null || bound.to > now + 30 * dayMs) return false;
  await run(boundLocks);
  await dropBound(run, table);
  return true;
}

/**
 * Puts partitions in the place of a table; in a transaction that holds it. What is in it, before `to`, becomes one of them, under the
 * same indexes; null: it is empty.
 */
export async function putInPartitions(run: Run, table: DividedTable, to: number | null, now: number): Promise<void> {
  const { by } = dividedTables[table];
  const earlier = `${table}_before`;
  const indexes = await run(
    `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition, i.indisprimary AS is_primary
      FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid WHERE i.indrelid = '${table}'::regclass`,
  );
  const grants = await run(
    `SELECT format('GRANT %s ON ${table} TO %s', privilege_type, CASE grantee WHEN 'PUBLIC' THEN grantee ELSE quote_ident(grantee) END) AS text
      FROM information_schema.table_privileges
      WHERE table_schema = current_schema() AND table_name = '${table}' AND grantee <> current_user`,
  );
  await run(`ALTER TABLE ${table} RENAME TO ${earlier}`);
  await run(`CREATE TABLE ${table} (LIKE ${earlier} INCLUDING DEFAULTS) PARTITION BY RANGE (${by})`);
  for (const { name, is_primary: isPrimary } of indexes)
    await run(
      isPrimary === true
        ? `ALTER TABLE ${earlier} DROP CONSTRAINT ${name}`
        : `ALTER INDEX ${name} RENAME TO ${name}_before`,
    );
  for (const { definition, is_primary: isPrimary } of indexes) if (isPrimary !== true) await run(String(definition));
  for (const { text } of grants) await run(String(text));
  await run(`CREATE TABLE ${table}_default PARTITION OF ${table} DEFAULT`);
  if (to === null) await run(`DROP TABLE ${earlier}`);
  else {
    await run(`ALTER TABLE ${table} ATTACH PARTITION ${earlier} FOR VALUES FROM (MINVALUE) TO (${to})`);
    await run(`ALTER TABLE ${earlier} DROP CONSTRAINT ${earlier}`);
  }
  await makeAhead(run, table, now);
}

/**
 * Drops the partition of what was there before a table was divided, once its time is over and all of it has ended: its pages are
 * gone by then, its indexes are not. @returns whether it did.
 */
export async function dropEmptied(run: Run, table: DividedTable, now: number): Promise<boolean> {
  const [earlier] = await partitionsOf(run, table);
  if (earlier === undefined || earlier.from !== null || earlier.to === null || earlier.to > now) return false;
  const isEmpty = async () => (await run(`SELECT 1 WHERE pg_relation_size('${earlier.name}') = 0`)).length > 0;
  if (!(await isEmpty())) return false;
  await run(boundLocks);
  await run(`LOCK TABLE ONLY ${table}, ${earlier.name} IN ACCESS EXCLUSIVE MODE`);
  if (!(await isEmpty())) return false;
  await run(`DROP TABLE ${earlier.name}`);
  return true;
}

/** What a partition holds: null, without a beginning. */
export interface DividedTime {
  readonly from: number | null;
  readonly to: number;
}

/** The times of which each of the tables has a partition, in order. */
export async function timesOf(tx: Tx, tables: readonly DividedTable[]): Promise<readonly DividedTime[]> {
  if (tx.dialect === "sqlite") return [];
  const of = await Promise.all(tables.map((table) => partitionsOf(runIn(tx), table)));
  const [first = [], ...others] = of;
  return first.flatMap(({ from, to }) =>
    to !== null && others.every((more) => more.some((each) => each.from === from && each.to === to))
      ? [{ from, to }]
      : [],
  );
}

/**
 * Drops the partitions of a time. Whoever comes to the tables meanwhile waits, and sees what has become of them.
 * @param isOver asked once nobody else works on the tables; what it writes belongs to the same commit.
 * @returns rows of the last table; null where it is not over, or none is left.
 * @throws ServiceError `unavailable` where somebody works on the tables for longer, as a dump does: nothing has happened then.
 */
export async function dropTime(
  tx: Tx,
  tables: readonly DividedTable[],
  { to }: DividedTime,
  isOver: () => Promise<boolean> = async () => true,
): Promise<number | null> {
  const run = runIn(tx);
  let rows = 0;
  const names: string[] = [];
  for (const table of tables)
    for (const { name } of (await partitionsOf(run, table)).filter((each) => each.to === to)) {
      const [counted] = await run(
        `SELECT CASE WHEN pg_relation_size(oid) < ${readMaxBytes} THEN (SELECT count(*) FROM ${name}) ELSE reltuples END AS rows
          FROM pg_class WHERE oid = '${name}'::regclass`,
      );
      rows = Math.max(0, Number(counted?.rows));
      names.push(name);
    }
  if (names.length === 0) return null;
  await run(boundLocks);
  await run(`LOCK TABLE ${tables.map((table) => `ONLY ${table}`).join(", ")} IN ACCESS EXCLUSIVE MODE`);
  if (!(await isOver())) return null;
  for (const name of names) await run(`DROP TABLE IF EXISTS ${name}`);
  return rows;
}
