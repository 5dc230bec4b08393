/** What a damaged file still gives, row by row, and which failure of a disk is damage at all. */
import { describe, expect, test } from "vitest";
import { archiveMarker } from "../../../main/terminal/journal/database.ts";
import { earlierLosses, isDamage, isUsable, salvage } from "../../../main/terminal/journal/repair.ts";
import type { JournalDatabase } from "../../../main/terminal/ports.ts";

const corrupt = (): never => {
  throw Object.assign(new Error("database disk image is malformed"), { errcode: 11 });
};

interface Damaged {
  /** Sequences that have a row. */
  readonly rows: readonly number[];
  /** Sequences whose page cannot be read. */
  readonly hidden?: readonly number[];
  /** `null`: its page cannot be read. */
  readonly first?: null;
  readonly last?: null;
  /** Up to where the archive goes; `null`: the entry that says so cannot be read. */
  readonly archivedThrough?: number | null;
}
const between = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

const databaseOf = ({ rows, hidden = [], first, last, archivedThrough }: Damaged) => {
  const unread = new Set(hidden);
  const archive = { file: "a.db", first: 1, through: archivedThrough ?? 0, hash: "h", key: null };
  const get = (sql: string, sequence: number) => {
    if (sql.includes("min(sequence)")) return first === null ? corrupt() : { first: rows[0] ?? null };
    if (sql.includes("max(sequence)")) return last === null ? corrupt() : { last: rows.at(-1) ?? null };
    if (sql.includes("substr(body")) {
      if (archivedThrough === null) return corrupt();
      return archivedThrough === undefined ? undefined : { body: archiveMarker([archive]) };
    }
    if (unread.has(sequence)) return corrupt();
    return rows.includes(sequence) ? { sequence, at: 1, body: "b", previous: "p", hash: "h" } : undefined;
  };
  /** Rows in order, up to the first page that cannot be read. */
  const iterate = function* (from: number, through: number) {
    const known = [...rows, ...hidden].toSorted((one, other) => one - other);
    for (const sequence of known.filter((one) => one >= from && one <= through).slice(0, 200)) {
      if (unread.has(sequence)) corrupt();
      yield [sequence, 1, "b", "p", "h"];
    }
    if (last === null && through > (known.at(-1) ?? 0)) corrupt();
  };
  return {
    prepare: (sql: string) => ({
      get: (sequence: number) => get(sql, sequence),
      iterate,
      setReturnArrays: () => undefined,
    }),
  } as unknown as JournalDatabase;
};

test.each<[string, Damaged, readonly number[], readonly number[]]>([
  ["nothing is damaged", { rows: [1, 2, 3] }, [1, 2, 3], []],
  ["it is empty", { rows: [] }, [], []],
  ["it begins behind its archive", { rows: [5, 6] }, [5, 6], []],
  ["a page in the middle", { rows: between(1, 5), hidden: [2, 3] }, [1, 4, 5], [2, 3]],
  ["a row is missing, which the chain tells", { rows: [1, 3] }, [1, 3], []],
  ["a page behind a hole of more than a slice", { rows: [1, 501], hidden: [500] }, [1, 501], [500]],
  // Behind the last one that was found nobody knows how much there was: one stands for it.
  ["the last page", { rows: between(1, 3), hidden: between(4, 6), last: null }, [1, 2, 3], [4]],
  ["the last page, and one before it", { rows: [1, 3], hidden: [2, 4], last: null }, [1, 3], [2, 4]],
  ["the last page and all on it", { rows: [], hidden: [1, 2], last: null }, [], [1]],
  ["the first page", { rows: [3, 4], hidden: [1, 2], first: null }, [3, 4], [1, 2]],
  ["the first page behind an archive", { rows: [7, 8], hidden: [6], first: null, archivedThrough: 5 }, [7, 8], [6]],
  [
    "the first page and the archive's entry",
    { rows: [3], hidden: [1, 2], first: null, archivedThrough: null },
    [3],
    [1, 2],
  ],
  [
    "both ends behind an archive that is longer than a look goes",
    { rows: [20_002], hidden: [20_001], first: null, last: null, archivedThrough: 20_000 },
    [20_002],
    [20_001, 20_003],
  ],
  [
    "both ends behind an archive, and all between",
    { rows: [], hidden: [20_001], first: null, last: null, archivedThrough: 20_000 },
    [],
    [20_001],
  ],
  ["the last page, and a hole of any length", { rows: [1, 10_002], last: null }, [1, 10_002], [10_003]],
  [
    "the last page, and as many before it as a look goes",
    { rows: [1, 10_001], hidden: between(2, 10_000), last: null },
    [1, 10_001],
    [...between(2, 10_000), 10_002],
  ],
  [
    "more pages than a look goes, and the last one is there",
    { rows: [1, 10_003], hidden: between(2, 10_002) },
    [1, 10_003],
    between(2, 10_002),
  ],
  ["the last page, and more than that", { rows: [1, 10_002], hidden: between(2, 10_001), last: null }, [1], [2]],
])("%s", (_, damaged, found, unreadable) => {
  const result = salvage(databaseOf(damaged));
  expect([result.rows.map(({ sequence }) => sequence), result.unreadable]).toEqual([found, unreadable]);
});

test("a row comes as it is, and the losses of earlier repairs stay known where their list can be read", () => {
  expect(salvage(databaseOf({ rows: [1] })).rows).toEqual([
    { sequence: 1, at: 1, body: "b", previous: "p", hash: "h" },
  ]);
  const listOf = (all: () => object[]) =>
    ({ prepare: () => ({ get: () => ({ 1: 1 }), all }) }) as unknown as JournalDatabase;
  expect(earlierLosses(listOf(() => [{ sequence: 4 }, { sequence: 9 }]))).toEqual([4, 9]);
  expect(earlierLosses(listOf(corrupt))).toEqual([]);
});

describe("which failure is damage", () => {
  const errorOf = (errcode: unknown) => Object.assign(new Error("sqlite"), { errcode });
  test.each([
    ["a page that is none", errorOf(11), true],
    ["the same, by its extended code", errorOf(11 + 256), true],
    ["a file that is no database", errorOf(26), true],
    ["a lock", errorOf(5), false],
    ["a full disk", errorOf(13), false],
    ["no code", new Error("sqlite"), false],
    ["a text", "11", false],
    ["nothing", null, false],
    ["nothing at all", undefined, false],
  ])("%s", (_, error, isOne) => expect(isDamage(error)).toBe(isOne));

  test.each<[string, () => unknown, boolean | string]>([
    ["all is well", () => ({ quick_check: "ok" }), true],
    ["something is wrong", () => ({ quick_check: "row 1 missing from index" }), false],
    ["it cannot even be looked through", corrupt, false],
    [
      "it is locked, which is no damage",
      () => {
        throw errorOf(5);
      },
      "sqlite",
    ],
  ])("a file is usable or not: %s", (_, get, expected) => {
    let closed = 0;
    const database = {
      prepare: () => ({ get }),
      close: () => {
        closed += 1;
      },
    } as unknown as JournalDatabase;
    if (typeof expected === "boolean") expect(isUsable(database)).toBe(expected);
    else expect(() => isUsable(database)).toThrow(expected);
    expect(closed).toBe(typeof expected === "boolean" ? 0 : 1);
  });
});
