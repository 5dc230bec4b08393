/**
 * The tables that grow over the years. On PostgreSQL they are partitioned by time, so that old data is removed with a
 * `DROP`; on SQLite, and engines without partitions, each is one table. Rows outside all partitions go to a default
 * one; rows from before the partitioning are in one without a start.
 */
import { sql } from "kysely";
import { dayMs } from "../contract/times.ts";
import type { Database } from "./schema.ts";
import { adhoc, monthStart, type Span, type Tx } from "./store.ts";

/** Length of a partition. A key is searched in every partition, so keys have none for each day. */
type Length = "week" | "month";
const weekMs = 7 * dayMs;
const spanAt: Readonly<Record<Length, (at: number) => Span>> = {
  week: (at) => ({ from: at - (at % weekMs), to: at - (at % weekMs) + weekMs }),
  month: (at) => ({ from: monthStart(at, 0), to: monthStart(at, 1) }),
};
const aheadMs: Readonly<Record<Length, number>> = { week: 3 * weekMs, month: 62 * dayMs };

/** Partitioned tables with their time column and the columns unique together with it, in the order in which units write, and so lock, them. */
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
/** A partitioned table. */
export type DividedTable = keyof typeof dividedTables;
/** All partitioned tables. */
export const dividedNames = Object.keys(dividedTables) as readonly DividedTable[];

/** Runs a PostgreSQL statement. */
export type Run = (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
/** Runs statements in a unit of work. */
export const runIn =
  (tx: Tx): Run =>
  (text) =>
    tx.all(adhoc((db) => ({ compile: () => sql.raw<Record<string, unknown>>(text).compile(db) })));

/** A partition of a table. */
export interface Partition {
  readonly name: string;
  /** Null: no lower bound. */
  readonly from: number | null;
  /** Null: the default partition. */
  readonly to: number | null;
}

/** A table's partitions in order of time; none where it is not partitioned. */
export async function partitionsOf(run: Run, table: string): Promise<readonly Partition[]> {
  const rows = await run(
    `SELECT part.relname AS name, pg_get_expr(part.relpartbound, part.oid) AS bound FROM pg_inherits AS i
      JOIN pg_class AS part ON part.oid = i.inhrelid JOIN pg_class AS whole ON whole.oid = i.inhparent
      JOIN pg_namespace AS n ON n.oid = whole.relnamespace
      WHERE n.nspname = current_schema() AND whole.relname = '${table}' AND whole.relkind = 'p'`,
  );
  const numberIn = (bound: string, word: string): number | null => {
    const digits = new RegExp(`${word} \\('(-?\\d+)'\\)`).exec(bound)?.[1];
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

/** Partitions without a lower bound, whose data is deleted row by row; the whole table where it is not partitioned. */
export async function undatedOf(tx: Tx, table: DividedTable): Promise<readonly string[]> {
  const partitions = tx.dialect === "sqlite" ? [] : await partitionsOf(runIn(tx), table);
  return partitions.length === 0 ? [table] : partitions.flatMap(({ name, from }) => (from === null ? [name] : []));
}

/** While a change waits for a table lock, everybody else queues behind it. */
const lockTimeoutMs = 200;
const boundLocks = `SET LOCAL lock_timeout = ${lockTimeoutMs}`;
/** Maximum number of rows moved from the default partition into a new one, while others wait. */
const movedMax = 10_000;
/** Larger partitions are neither counted nor read while others wait; PostgreSQL's estimate is used. */
const readMaxBytes = 64 * 1024 * 1024;

const missingAfter = (partitions: readonly Partition[], length: Length, now: number): readonly Span[] => {
  const missing: Span[] = [];
  for (let at = now; at <= now + aheadMs[length]; ) {
    const known = partitions.find(({ from, to }) => at >= (from ?? at) && at < (to ?? at));
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

interface Made {
  readonly name: string;
  /** Rows in the default partition: those of its period, moved or too many to move; or all, if it is so large that no partition was created. */
  readonly rows: number;
  readonly isMade: boolean;
}

async function makeOne(run: Run, table: DividedTable, { from, to }: Span): Promise<Made> {
  const { by } = dividedTables[table];
  const name = `${table}_${dayName(from)}`;
  const ofTime = `${by} >= ${from} AND ${by} < ${to}`;
  // To attach a partition, PostgreSQL reads the whole default partition.
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

/** Creates a table's partitions from now on, in a transaction that blocks only users of the default partition. */
export async function makeAhead(
  run: Run,
  table: DividedTable,
  now: number,
  length: Length = dividedTables[table].length,
): Promise<readonly Made[]> {
  const made: Made[] = [];
  const known = await partitionsOf(run, table);
  if (known.length === 0 || missingAfter(known, length, now).length === 0) return made;
  // One process at a time; others are not blocked.
  await run(`LOCK TABLE ONLY ${table} IN SHARE UPDATE EXCLUSIVE MODE`);
  await run(boundLocks);
  for (const span of missingAfter(await partitionsOf(run, table), length, now))
    made.push(await makeOne(run, table, span));
  return made;
}

/** The end of the partition for existing rows: far enough ahead that no row lies beyond it while the table is being partitioned. */
export const endOfEarlier = (now: number): number => monthStart(now + 60 * dayMs, 1);

/** The upper bound, by its check constraint, of a table that is to be partitioned; null without one. */
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

/** Drops that check constraint. */
export const dropBound = (run: Run, table: DividedTable) =>
  run(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${table}_before`);

/**
 * Drops the constraint of a table whose partitioning was not continued, before writes beyond its end would be refused.
 * @returns whether it did.
 */
export async function dropOldBound(run: Run, table: DividedTable, now: number): Promise<boolean> {
  const bound = await boundOf(run, table);
  if (bound === null || bound.to > now + 30 * dayMs) return false;
  await run(boundLocks);
  await dropBound(run, table);
  return true;
}

interface ColumnOn {
  readonly name: string;
  /** `settle_attempts bigint NOT NULL`. */
  readonly definition: string;
  /** A number: its length is that of its type. */
  readonly isFixed: boolean;
}

/** A table's columns as they lie in it; none on an engine other than PostgreSQL. */
export const columnsOn = async (run: Run, table: string): Promise<readonly ColumnOn[]> => {
  const rows = await run(
    `SELECT a.attname AS name, a.attlen > 0 AS is_fixed, concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
        CASE WHEN a.attnotnull THEN 'NOT NULL' END, 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)) AS definition
      FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE a.attrelid = to_regclass('${table}') AND a.attnum > 0 AND NOT a.attisdropped AND version() ~ '^PostgreSQL [0-9.]+ '
      ORDER BY a.attnum`,
  );
  return rows.map(({ name, definition, is_fixed: isFixed }) => ({
    name: String(name),
    definition: String(definition),
    isFixed: isFixed === true,
  }));
};

/** Who else has rights on a table, and statements that give these. */
export const grantsOn = (run: Run, table: string) =>
  run(
    `SELECT grantee, format('GRANT %s ON ${table} TO %s%s', right_on, grantee, CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END) AS text
      FROM (SELECT CASE acl.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(acl.grantee)) END AS grantee,
          acl.privilege_type AS right_on, acl.is_grantable
        FROM pg_class AS c, aclexplode(coalesce(relacl, acldefault('r', relowner))) AS acl
        WHERE c.oid = '${table}'::regclass AND (acl.grantee = 0 OR pg_get_userbyid(acl.grantee) <> current_user)) AS rights`,
  );

/**
 * Replaces a table by a partitioned one, in a transaction that locks it. Its rows, all before `to`, become one
 * partition with the same indexes; null: it is empty.
 */
export async function putInPartitions(run: Run, table: DividedTable, to: number | null, now: number): Promise<void> {
  const { by } = dividedTables[table];
  const earlier = `${table}_before`;
  const indexes = await run(
    `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition, i.indisprimary AS is_primary
      FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid WHERE i.indrelid = '${table}'::regclass`,
  );
  const grants = await grantsOn(run, table);
  const columns = await columnsOn(run, table);
  // Numbers first: after a text each would be moved on to a multiple of eight bytes.
  const ordered = [...columns.filter(({ isFixed }) => isFixed), ...columns.filter(({ isFixed }) => !isFixed)];
  await run(`ALTER TABLE ${table} RENAME TO ${earlier}`);
  await run(
    `CREATE TABLE ${table} (${ordered.map(({ definition }) => definition).join(", ")}) PARTITION BY RANGE (${by})`,
  );
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
 * Drops the partition for rows from before the partitioning, once its period is over and all its rows are deleted: its
 * indexes would still take space.
 * @returns whether it did.
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

/** A partition's period; `from` is null without a lower bound. */
interface DividedTime {
  readonly from: number | null;
  readonly to: number;
}

/** Periods for which all of the tables have a partition, in order. */
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
 * Drops a period's partitions; others wait until the commit.
 * @param isOver called once the tables are locked; its writes belong to the same commit.
 * @returns rows of the last table; null where the period is not over, or no partition is left.
 * @throws ServiceError `unavailable` where the tables stay in use, by a dump for example; nothing has changed then.
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
