/** Which partitions are made, moved into, and dropped, and what is locked before it: over a database that knows its partitions alone. */
import { expect, test } from "vitest";
import {
  boundOf,
  columnsOn,
  dropEmptied,
  dropOldBound,
  dropTime,
  endOfEarlier,
  makeAhead,
  partitionsOf,
  putInPartitions,
  type Run,
  timesOf,
  undatedOf,
} from "../../../backend/store/partitions.ts";
import type { Query, Tx } from "../../../backend/store/store.ts";
import { type Answer, scriptedRun } from "./scripted-run.ts";

const dayMs = 86_400_000;
const monthOf = (month: number): number => Date.UTC(2026, month - 1);
const months = (first: number, last: number): [number, number][] =>
  Array.from({ length: last - first + 1 }, (_, n) => [monthOf(first + n), monthOf(first + n + 1)]);
/** Weeks begin on a Thursday, as the first day of all times was one. */
const week = (n: number): number => n * 7 * dayMs;
const weeks = (first: number, last: number): [number, number][] =>
  Array.from({ length: last - first + 1 }, (_, n) => [week(first + n), week(first + n + 1)]);

type Bounds = readonly (readonly [from: number | null, to: number | null])[];
/** Of a table, in no order, as PostgreSQL writes bounds; the one without a beginning is called `before`. */
const rowsOf = (table: string, bounds: Bounds): Answer =>
  bounds
    .map(([from, to]) => ({
      name: `${table}_${to === null ? "default" : (from ?? "before")}`,
      bound: to === null ? "DEFAULT" : `FOR VALUES FROM (${from === null ? "MINVALUE" : `'${from}'`}) TO ('${to}')`,
    }))
    .toReversed();

/** @param answers to what else it is asked, by a part of the question. */
const database = (partitions: Readonly<Record<string, Bounds>>, answers: Readonly<Record<string, Answer>> = {}) => {
  const { said, run: answer } = scriptedRun(answers);
  const run: Run = async (text) => {
    const [, table = ""] = /relname = '(\w+)'/.exec(text) ?? [];
    return text.includes("FROM pg_inherits") ? rowsOf(table, partitions[table] ?? []) : answer(text);
  };
  const tx = {
    dialect: "postgres",
    all: (query: Query<unknown>) => run(query.sql("postgres").text),
  } as unknown as Tx;
  return { run, said, tx };
};
const onSqlite = { dialect: "sqlite", all: () => Promise.reject(new Error("nothing is asked")) } as unknown as Tx;

test("they are known in the order of their time, the one without a beginning first and the default one last", async () => {
  const { run } = database({
    t: [
      [null, -5],
      [-5, 0],
      [0, 70],
      [null, null],
    ],
  });
  expect(await partitionsOf(run, "t")).toEqual([
    { name: "t_before", from: null, to: -5 },
    { name: "t_-5", from: -5, to: 0 },
    { name: "t_0", from: 0, to: 70 },
    { name: "t_default", from: null, to: null },
  ]);
  const unsorted: Run = async () => [
    ...rowsOf("t", [
      [3, 4],
      [null, null],
      [1, 2],
      [2, 3],
    ]),
  ];
  expect((await partitionsOf(unsorted, "t")).map(({ to }) => to)).toEqual([2, 3, 4, null]);
});

const none: Bounds = [[null, null]];
const day20 = monthOf(11) + 19 * dayMs;
test.each<[string, Bounds, number, "month" | "week", Bounds]>([
  ["two months ahead of an empty table", none, day20, "month", months(11, 13)],
  ["nothing that is there already", [...months(11, 13), ...none], day20, "month", []],
  ["the month that begins in 62 days", [...months(11, 13), ...none], monthOf(14) - 62 * dayMs, "month", months(14, 14)],
  ["not the one that begins later", [...months(11, 13), ...none], monthOf(14) - 62 * dayMs - 1, "month", []],
  ["three weeks ahead", none, week(2_970) + dayMs, "week", weeks(2_970, 2_973)],
  ["the week that begins in 21 days", [...weeks(2_970, 2_972), ...none], week(2_970), "week", weeks(2_973, 2_973)],
  [
    "not the week that begins later",
    [...weeks(2_970, 2_972), ...none],
    week(2_970) - 1,
    "week",
    [[week(2_969), week(2_970)]],
  ],
  ["what follows the one without a beginning", [[null, monthOf(12)], ...none], day20, "month", months(12, 13)],
  [
    "the rest of a month whose weeks are there",
    [...weeks(2_970, 2_970), ...none],
    week(2_971),
    "month",
    [[week(2_971), monthOf(13)], ...months(13, 14)],
  ],
  [
    "no more than up to the next",
    [[monthOf(12) + 5, monthOf(13)], ...none],
    monthOf(12),
    "month",
    [[monthOf(12), monthOf(12) + 5], ...months(13, 14)],
  ],
  ["what lies between two", [...months(11, 11), ...months(13, 13), ...none], day20, "month", months(12, 12)],
])("made is %s", async (_, known, now, length, made) => {
  const { run, said } = database({ withdrawal_events: known }, { "count(*)": [{ rows: "0" }] });
  await makeAhead(run, "withdrawal_events", now, length);
  expect(said.filter((text) => text.includes("ATTACH")).map((text) => text.match(/\d{13}/g)?.map(Number))).toEqual(
    made,
  );
});

const [from, to] = [monthOf(14), monthOf(15)];
const february = "withdrawal_events_2027_02_01";
const ofFebruary = `asked_at >= ${from} AND asked_at < ${to}`;
const [locked, bounded] = [
  "LOCK TABLE ONLY withdrawal_events IN SHARE UPDATE EXCLUSIVE MODE",
  "SET LOCAL lock_timeout = 200",
];
const begun = [
  `CREATE TABLE ${february} (LIKE withdrawal_events INCLUDING ALL)`,
  "LOCK TABLE withdrawal_events_default IN ACCESS EXCLUSIVE MODE",
];
const moved = `WITH moved AS (DELETE FROM withdrawal_events_default WHERE ${ofFebruary} RETURNING *) INSERT INTO ${february} SELECT * FROM moved`;
const attached = `ALTER TABLE withdrawal_events ATTACH PARTITION ${february} FOR VALUES FROM (${from}) TO (${to})`;
test.each<[string, Record<string, Answer>, readonly string[], { rows: number; isMade: boolean }]>([
  ["empty", { "count(*)": [{ rows: "0" }] }, [...begun, attached], { rows: 0, isMade: true }],
  ["with a row of its time", { "count(*)": [{ rows: "1" }] }, [...begun, moved, attached], { rows: 1, isMade: true }],
  [
    "with ten thousand",
    { "count(*)": [{ rows: "10000" }] },
    [...begun, moved, attached],
    { rows: 10_000, isMade: true },
  ],
  [
    "with more",
    { "count(*)": [{ rows: "10001" }] },
    [...begun, `DROP TABLE ${february}`],
    { rows: 10_001, isMade: false },
  ],
  ["that is large", { "> 67108864": [{ rows: "12" }] }, [], { rows: 12, isMade: false }],
  ["that is large and was never counted", { "> 67108864": [{ rows: "-1" }] }, [], { rows: 0, isMade: false }],
])("beside a default one %s", async (_, answers, then, outcome) => {
  const { run, said } = database({ withdrawal_events: [...months(11, 13), ...none] }, answers);
  expect(await makeAhead(run, "withdrawal_events", from - 62 * dayMs)).toEqual([{ name: february, ...outcome }]);
  expect(said).toEqual([locked, bounded, ...then]);
});

test("the rows of its time are counted up to one more than are moved", async () => {
  const asked: string[] = [];
  const { run } = database({ withdrawal_events: [...months(11, 13), ...none] });
  const noted: Run = (text) => {
    asked.push(text);
    return run(text);
  };
  await makeAhead(noted, "withdrawal_events", from - 62 * dayMs);
  expect(asked.find((text) => text.includes("count(*)"))).toContain(`WHERE ${ofFebruary} LIMIT 10001`);
});

test.each<[string, Bounds]>([
  ["a table that is none of partitions", []],
  ["one that has all it needs", [...months(11, 13), ...none]],
])("%s is not locked", async (_, known) => {
  const { run, said } = database({ withdrawal_events: known });
  expect([await makeAhead(run, "withdrawal_events", day20), said]).toEqual([[], []]);
});

test("what another process has made while the table was waited for is not made again", async () => {
  const known: Record<string, Bounds> = { withdrawal_events: none };
  const { run, said } = database(known);
  const slow: Run = (text) => {
    if (text === locked) known.withdrawal_events = [...months(11, 13), ...none];
    return run(text);
  };
  expect([await makeAhead(slow, "withdrawal_events", day20), said]).toEqual([[], [locked, bounded]]);
});

test("keys lie in weeks, withdrawals in months, unless it is said otherwise", async () => {
  const lengths = async (table: "idempotency_keys" | "terminal_references" | "archived_withdrawals") => {
    const { run, said } = database({ [table]: none });
    await makeAhead(run, table, week(2_970));
    return said.filter((text) => text.includes("ATTACH")).length;
  };
  expect([
    await lengths("idempotency_keys"),
    await lengths("terminal_references"),
    await lengths("archived_withdrawals"),
  ]).toEqual([4, 4, 3]);
});

test.each([
  [day20, monthOf(14)],
  [monthOf(12) + 1 * dayMs, monthOf(14)],
  [monthOf(12) + 3 * dayMs, monthOf(15)],
])("rows that are there at %d end in two to three months, at %d", (now, end) => {
  expect(endOfEarlier(now)).toBe(end);
});

const constraint = (condition: unknown, isProved: unknown = true): Record<string, Answer> => ({
  pg_get_constraintdef: [{ condition, is_proved: isProved }],
});
test.each<[string, Record<string, Answer>, unknown]>([
  ["none is none", {}, null],
  [
    "one that is proved",
    constraint("CHECK ((asked_at < '1800000000000'::bigint))"),
    { to: 1_800_000_000_000, isProved: true },
  ],
  [
    "one that is not",
    constraint("CHECK ((asked_at < '1800000000000'::bigint)) NOT VALID", false),
    { to: 1_800_000_000_000, isProved: false },
  ],
])("the end of a table's rows: %s", async (_, answers, bound) => {
  expect(await boundOf(database({}, answers).run, "withdrawal_events")).toEqual(bound);
});

test.each([
  [30 * dayMs, true],
  [30 * dayMs + 1, false],
])("a bound that ends in %d ms is in the way of what comes: %s", async (inMs, isDropped) => {
  const now = 1_800_000_000_000;
  const { run, said } = database({}, constraint(`CHECK ((asked_at < '${now + inMs}'::bigint))`));
  expect(await dropOldBound(run, "withdrawal_events", now)).toBe(isDropped);
  const dropped = "ALTER TABLE withdrawal_events DROP CONSTRAINT IF EXISTS withdrawal_events_before";
  expect(said).toEqual(isDropped ? [bounded, dropped] : []);
});

test("where there is no bound nothing is dropped, nor locked", async () => {
  const { run, said } = database({});
  expect([await dropOldBound(run, "withdrawal_events", Number.MAX_SAFE_INTEGER), said]).toEqual([false, []]);
});

const columns: Answer = [
  { name: "id", definition: "id text NOT NULL", is_fixed: false },
  { name: "amount", definition: "amount bigint", is_fixed: true },
  { name: "reason", definition: "reason text", is_fixed: null },
  { name: "at", definition: "at bigint NOT NULL", is_fixed: true },
];
test("a column is of a fixed length where the database says so", async () => {
  const { run } = database({}, { pg_attribute: columns });
  const found = await columnsOn(run, "withdrawal_events");
  expect(found.map(({ name, definition, isFixed }) => [name, definition, isFixed])).toEqual([
    ["id", "id text NOT NULL", false],
    ["amount", "amount bigint", true],
    ["reason", "reason text", false],
    ["at", "at bigint NOT NULL", true],
  ]);
});

test.each([
  [null, ["DROP TABLE withdrawal_events_before"]],
  [
    monthOf(14),
    [
      `ALTER TABLE withdrawal_events ATTACH PARTITION withdrawal_events_before FOR VALUES FROM (MINVALUE) TO (${monthOf(14)})`,
      "ALTER TABLE withdrawal_events_before DROP CONSTRAINT withdrawal_events_before",
    ],
  ],
])(
  "a table is replaced by one in partitions, with its indexes and rights; its rows end at %s",
  async (end, earlier) => {
    const { run, said } = database(
      {},
      {
        pg_attribute: columns,
        pg_get_indexdef: [
          {
            name: "events_pkey",
            definition: "CREATE UNIQUE INDEX events_pkey ON withdrawal_events (id)",
            is_primary: true,
          },
          {
            name: "events_key",
            definition: "CREATE UNIQUE INDEX events_key ON withdrawal_events (id, at)",
            is_primary: false,
          },
        ],
        aclexplode: [{ grantee: "reader", text: "GRANT SELECT ON withdrawal_events TO reader" }],
      },
    );
    await putInPartitions(run, "withdrawal_events", end, day20);
    expect(said).toEqual([
      "ALTER TABLE withdrawal_events RENAME TO withdrawal_events_before",
      "CREATE TABLE withdrawal_events (amount bigint, at bigint NOT NULL, id text NOT NULL, reason text) PARTITION BY RANGE (asked_at)",
      "ALTER TABLE withdrawal_events_before DROP CONSTRAINT events_pkey",
      "ALTER INDEX events_key RENAME TO events_key_before",
      "CREATE UNIQUE INDEX events_key ON withdrawal_events (id, at)",
      "GRANT SELECT ON withdrawal_events TO reader",
      "CREATE TABLE withdrawal_events_default PARTITION OF withdrawal_events DEFAULT",
      ...earlier,
    ]);
  },
);

const earlier: Bounds = [[null, monthOf(12)], ...none];
const emptied: Record<string, Answer> = { pg_relation_size: [{}] };
test.each<[string, Bounds, number, Record<string, Answer>, boolean]>([
  ["over and empty", earlier, monthOf(12), emptied, true],
  ["over, with rows", earlier, monthOf(12), {}, false],
  ["not over", earlier, monthOf(12) - 1, emptied, false],
  ["with a beginning", [...months(11, 11), ...none], monthOf(20), emptied, false],
  ["the default one", none, monthOf(20), emptied, false],
  ["none", [], monthOf(20), emptied, false],
])("the partition of rows from before goes: %s", async (_, known, now, answers, isDropped) => {
  const { run, said } = database({ withdrawal_events: known }, answers);
  expect(await dropEmptied(run, "withdrawal_events", now)).toBe(isDropped);
  expect(said).toEqual(
    isDropped
      ? [
          bounded,
          "LOCK TABLE ONLY withdrawal_events, withdrawal_events_before IN ACCESS EXCLUSIVE MODE",
          "DROP TABLE withdrawal_events_before",
        ]
      : [],
  );
});

test("one that gets a row while it is waited for stays", async () => {
  const answers = { ...emptied };
  const { run, said } = database({ withdrawal_events: earlier }, answers);
  const slow: Run = (text) => {
    if (text.startsWith("LOCK")) answers.pg_relation_size = [];
    return run(text);
  };
  expect(await dropEmptied(slow, "withdrawal_events", monthOf(12))).toBe(false);
  expect(said.some((text) => text.startsWith("DROP"))).toBe(false);
});

const both = ["withdrawal_events", "archived_withdrawals"] as const;
test.each<[string, Bounds, Bounds, Bounds]>([
  [
    "all that both have, in order",
    [...earlier, ...months(12, 13)],
    [...earlier, ...months(12, 13)],
    [[null, monthOf(12)], ...months(12, 13)],
  ],
  ["none that one of them lacks", months(11, 12), months(12, 13), months(12, 12)],
  ["none that ends with another's, but begins later", [[monthOf(11) + 1, monthOf(12)]], months(11, 11), []],
  ["none that begins with another's, but ends later", [[monthOf(11), monthOf(12) + 1]], months(11, 11), []],
  ["no default one", none, none, []],
])("a time of two tables: %s", async (_, one, other, times) => {
  const { tx } = database({ withdrawal_events: one, archived_withdrawals: other });
  expect(await timesOf(tx, both)).toEqual(times.map(([from, to]) => ({ from, to })));
});

test("a time that one of three tables lacks is none", async () => {
  const { tx } = database({
    withdrawal_events: months(11, 12),
    archived_withdrawals: months(11, 12),
    idempotency_keys: months(11, 11),
  });
  expect(await timesOf(tx, [...both, "idempotency_keys"])).toEqual([{ from: monthOf(11), to: monthOf(12) }]);
});

test("a file has no partitions, and its tables are deleted from whole", async () => {
  expect([await timesOf(onSqlite, both), await undatedOf(onSqlite, "idempotency_keys")]).toEqual([
    [],
    ["idempotency_keys"],
  ]);
});

test.each<[string, Bounds, readonly string[]]>([
  ["the whole table where it has no partitions", [], ["idempotency_keys"]],
  [
    "those without a beginning",
    [[null, week(2_970)], ...weeks(2_970, 2_971), ...none],
    ["idempotency_keys_before", "idempotency_keys_default"],
  ],
])("deleted from row by row is %s", async (_, known, names) => {
  expect(await undatedOf(database({ idempotency_keys: known }).tx, "idempotency_keys")).toEqual(names);
});

const tablesLocked = "LOCK TABLE ONLY withdrawal_events, ONLY archived_withdrawals IN ACCESS EXCLUSIVE MODE";
const inNovember = { from: monthOf(11), to: monthOf(12) };
const november = both.map((table) => `${table}_${monthOf(11)}`);
const dropped = november.map((name) => `DROP TABLE IF EXISTS ${name}`);
const counts = (...rows: readonly number[]) =>
  Object.fromEntries(november.map((name, n) => [`'${name}'::regclass`, [{ rows: String(rows[n]) }]]));
test.each<[string, Bounds, Record<string, Answer>, boolean | undefined, number | null, readonly string[]]>([
  ["goes with the rows of the last table", months(11, 12), counts(7, 3), true, 3, [bounded, tablesLocked, ...dropped]],
  [
    "goes where nobody looks once more",
    months(11, 12),
    counts(7, 3),
    undefined,
    3,
    [bounded, tablesLocked, ...dropped],
  ],
  [
    "goes with none where it was never counted",
    months(11, 12),
    counts(7, -1),
    true,
    0,
    [bounded, tablesLocked, ...dropped],
  ],
  [
    "stays where it is not over, once nobody else can write",
    months(11, 12),
    counts(7, 3),
    false,
    null,
    [bounded, tablesLocked],
  ],
  ["is gone already", months(12, 13), counts(7, 3), true, null, []],
])("a time %s", async (_, known, answers, isOver, rows, statements) => {
  const { tx, said } = database({ withdrawal_events: known, archived_withdrawals: known }, answers);
  const over = async () => {
    expect(said).toEqual([bounded, tablesLocked]);
    return isOver === true;
  };
  expect(await dropTime(tx, both, inNovember, ...(isOver === undefined ? [] : [over]))).toBe(rows);
  expect(said).toEqual(statements);
});

test("a partition of a month is counted while it is small, and by what the database knows of it where it is larger", async () => {
  const asked: string[] = [];
  const { tx } = database({ withdrawal_events: months(11, 11) }, counts(1));
  const noted = {
    ...tx,
    all: (query: Query<unknown>) => {
      asked.push(query.sql("postgres").text);
      return tx.all(query);
    },
  } as unknown as Tx;
  await dropTime(noted, ["withdrawal_events"], inNovember);
  expect(asked.find((text) => text.includes("reltuples"))).toContain("CASE WHEN pg_relation_size(oid) < 67108864 THEN");
});
