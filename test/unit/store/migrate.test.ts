/** Which statements bring a database to the newest version, and which programs may use it. */
import { expect, test } from "vitest";
import {
  createIndexSql,
  createVersionSql,
  indexesOf,
  indexesOfEnded,
  migrationFrom,
  newestOf,
  oldestOf,
  recordSql,
  refuseNewer,
  replacedIndexes,
  versionFrom,
} from "../../../backend/store/migrate.ts";
import type { Migration } from "../../../backend/store/migrations.ts";

const index = { name: "by_x", on: "t (x)" };
const partial = { name: "by_y", on: "t (y)", where: "y IS NOT NULL" };
const migrations: readonly Migration[] = [
  { version: 1, statements: ["one"], indexes: [index] },
  { version: 2, statements: ["two"], contracts: true },
  { version: 3, statements: ["three", "more"], indexes: [partial] },
];
const [first, second, third] = migrations as readonly [Migration, Migration, Migration];
const applied = (version: number, oldest: number) => [
  `UPDATE schema_version SET version = ${version} WHERE id = 1`,
  `UPDATE schema_version SET version = ${oldest} WHERE id = 3 AND version < ${oldest}`,
];

test("an empty database gets all of it, one of an older version what it lacks, the newest nothing", () => {
  const [plain, ofY] = [createIndexSql(index, ""), createIndexSql(partial, "")];
  const fromTwo = [...createVersionSql, "three", "more", ofY, ...applied(3, 2)];
  expect(migrationFrom(null, migrations)).toEqual([
    ...createVersionSql,
    "one",
    plain,
    ...applied(1, 1),
    "two",
    ...applied(2, 2),
    "three",
    "more",
    ofY,
    ...applied(3, 2),
  ]);
  expect(migrationFrom({ applied: 2, oldest: 2 }, migrations)).toEqual(fromTwo);
  expect(migrationFrom({ applied: 3, oldest: 2 }, migrations)).toEqual([]);
  expect(migrationFrom({ applied: 4, oldest: 2 }, migrations)).toEqual([]);
});

test.each([
  [null, true],
  [{ applied: 3, oldest: 3 }, true],
  [{ applied: 9, oldest: 3 }, true],
  [{ applied: 3, oldest: 9 }, true],
  [{ applied: 9, oldest: 4 }, false],
])("a program of version 3 beside %o: %s", (version, isFine) => {
  const check = () => refuseNewer(version, migrations);
  if (isFine) expect(check).not.toThrow();
  else {
    expect(check).toThrow(expect.objectContaining({ name: "StoreRefused", why: "newer_database" }));
    expect(() => migrationFrom(version, migrations)).toThrow(/newer program/);
  }
});

test("the oldest program that can go on is that of the last migration that took something away", () => {
  expect([oldestOf(migrations), oldestOf([first]), oldestOf([first, third]), oldestOf([])]).toEqual([2, 1, 1, 0]);
  expect([newestOf(migrations), newestOf([])]).toEqual([3, 0]);
  expect([recordSql(first, migrations), recordSql(second, migrations)]).toEqual([applied(1, 1), applied(2, 2)]);
});

test("an index is made once, with its condition, beside writers on PostgreSQL", () => {
  expect(createIndexSql(index, "CONCURRENTLY")).toBe("CREATE INDEX CONCURRENTLY IF NOT EXISTS by_x ON t (x)");
  expect(createIndexSql(partial, "CONCURRENTLY")).toMatch(/ON t \(y\) WHERE y IS NOT NULL$/);
  expect(indexesOf(migrations)).toEqual([index, partial]);
});

test("an index that a later one has replaced is made by none, and goes with the one that did; those of ended withdrawals are named apart", () => {
  const ended = { name: "by_end", on: "t (z)", ofEnded: true } as const;
  const all: readonly Migration[] = [
    { version: 1, statements: [], indexes: [index, ended] },
    { version: 2, statements: [] },
    { version: 3, statements: [], indexes: [partial], replaced: ["by_x"] },
  ];
  expect([indexesOf(all), indexesOfEnded(all), replacedIndexes(all)]).toEqual([[partial], ["by_end"], ["by_x"]]);
  expect(migrationFrom(null, all).filter((sql) => sql.includes("INDEX"))).toEqual([
    createIndexSql(index, ""),
    createIndexSql(partial, ""),
    "DROP INDEX  IF EXISTS by_x",
  ]);
});

test.each([
  [[], null],
  [[{ id: 1, version: 0 }], null],
  [[{ id: 2, version: 5 }], null],
  [[{ id: 1, version: 5 }], { applied: 5, oldest: 5 }],
  [
    [
      { id: 3, version: 2 },
      { id: 2, version: 0 },
      { id: 1, version: 5 },
    ],
    { applied: 5, oldest: 2 },
  ],
  [
    [
      { id: 1, version: 5 },
      { id: 2, version: 0 },
      { id: 3, version: 2 },
    ],
    { applied: 5, oldest: 2 },
  ],
])("the rows %j are the version %o", (rows, version) => {
  expect(versionFrom(rows)).toEqual(version);
});
