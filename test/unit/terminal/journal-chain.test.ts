/** The chain row by row: what holds, what is quarantined, under which key, and where it goes on behind what cannot be read. */
import { createHmac, hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  type ChainStart,
  chainBegin,
  chainKey,
  checkRows,
  createChainChecker,
  firstLink,
  type JournalKeys,
  keyMarker,
  linkHash,
  makeRow,
  markedKey,
  type Row,
} from "../../../main/terminal/journal/chain.ts";
import type { DamagedEntry } from "../../../main/terminal/ports.ts";

const secret = Buffer.alloc(32, 7);
const other = Buffer.alloc(32, 8);
const keysOf = (known: Record<string, Buffer | null>, isUpgrading = false): JournalKeys => ({
  current: { id: "k", secret },
  known: new Map(Object.entries(known)),
  isUpgrading,
  keep: () => undefined,
  upgraded: () => undefined,
});
/** The entry that says under which key all behind it is, as it lies in journals. */
const markerOf = (after: string): string => `{"type":"journal_keyed","key":"k","after":"${after}"}`;
/** A chain of these bodies from `start` on, under one key or none. */
const chain = (bodies: readonly string[], key: Buffer | null = null, start: ChainStart = chainBegin): Row[] => {
  let { hash: previous, sequence } = start;
  return bodies.map((body) => {
    sequence += 1;
    const row = makeRow(previous, { sequence, at: 1_000 + sequence, body }, key);
    previous = row.hash;
    return row;
  });
};
const changed = (rows: readonly Row[], at: number, fields: Partial<Row>): Row[] =>
  rows.map((row, index) => (index === at ? { ...row, ...fields } : row));
const found = (rows: readonly Row[], keys: JournalKeys | null = null, start: ChainStart = chainBegin) => {
  const { entries, damaged, unchecked } = checkRows(rows, start, keys);
  return {
    sound: entries.map(({ body }) => body),
    damaged: damaged.map(({ sequence, why }) => `${sequence} ${why}`),
    unchecked,
  };
};
const nothing = { damaged: [] as string[], unchecked: 0 };

describe("the hash of a row", () => {
  const entry = { sequence: 3, at: 5, body: "b" };
  test("covers the hash before, the sequence, the time and the body", () => {
    expect(linkHash("p", entry, null)).toBe(hash("sha256", "p|3|5|b"));
    expect(linkHash("p", entry, secret)).toBe(createHmac("sha256", secret).update("p|3|5|b").digest("hex"));
    expect([firstLink.length, new Set(firstLink)]).toEqual([64, new Set("0")]);
  });

  test.each(["", "ä".repeat(3_000), "x".repeat(20_000)])(
    "under a key is what anybody computes, of a body of any length",
    (body) => {
      const own = createHmac("sha256", other).update(`p|3|5|${body}`).digest("hex");
      for (const time of ["first", "again"]) expect(linkHash("p", { ...entry, body }, other), time).toBe(own);
    },
  );
});

describe("without keys", () => {
  const rows = () => chain(["a", "b", "c"]);
  test.each<[string, () => readonly Row[], readonly string[], readonly string[]]>([
    ["nothing", () => [], [], []],
    ["all sound", rows, ["a", "b", "c"], []],
    ["the last body changed", () => changed(rows(), 2, { body: "x" }), ["a", "b"], ["3 hash"]],
    // The row behind it was written behind another hash: nobody vouches for the body that is there now.
    ["a body changed", () => changed(rows(), 1, { body: "x" }), ["a", "c"], ["2 hash"]],
    ["only a stored hash was hit", () => changed(rows(), 1, { hash: firstLink }), ["a", "b", "c"], ["2 hash"]],
    ["the last stored hash was hit", () => changed(rows(), 2, { hash: firstLink }), ["a", "b"], ["3 hash"]],
    ["one taken out", () => rows().filter((_, index) => index !== 1), ["a", "c"], ["2 gap"]],
    ["the first taken out", () => rows().slice(1), ["b", "c"], ["1 gap"]],
    [
      "forged with its own hash right",
      () => [...rows().slice(0, 1), ...chain(["x"], null, { sequence: 1, hash: firstLink, keyId: null })],
      ["a", "x"],
      ["2 hash"],
    ],
    ["time changed", () => changed(rows(), 2, { at: 1 }), ["a", "b"], ["3 hash"]],
  ])("%s", (_, read, sound, damaged) => {
    expect(found(read())).toEqual({ sound, damaged, unchecked: 0 });
  });

  test("from the middle on it follows the row before", () => {
    const start = { sequence: 1, hash: rows()[0]?.hash ?? "", keyId: null };
    expect(found(rows().slice(1), null, start)).toEqual({ ...nothing, sound: ["b", "c"] });
    expect(found(rows().slice(1), null, { ...start, hash: firstLink })).toMatchObject({ damaged: ["2 hash"] });
  });
});

describe("under a key", () => {
  const marker = markerOf("nothing");
  const rows = () => chain([marker, "b"], secret);
  const keyed: ChainStart = { sequence: 0, hash: firstLink, keyId: "k" };
  test.each<[string, () => readonly Row[], JournalKeys | null, ReturnType<typeof found>]>([
    ["that is here", rows, keysOf({ k: secret }), { ...nothing, sound: [marker, "b"] }],
    ["that only the other host has", rows, keysOf({ k: null }), { sound: [marker, "b"], damaged: [], unchecked: 2 }],
    [
      "that nobody knows: named where it begins",
      rows,
      keysOf({ z: secret }),
      { ...nothing, sound: [marker, "b"], damaged: ["1 key"] },
    ],
    ["that is another one", rows, keysOf({ k: other }), { ...nothing, sound: [], damaged: ["1 hash", "2 hash"] }],
    ["where the folder has no keys at all", rows, null, { ...nothing, sound: [marker, "b"], damaged: ["1 key"] }],
    [
      "that begins behind entries nobody knows",
      () => chain([markerOf("unknown")], secret),
      keysOf({ k: secret }),
      { ...nothing, sound: [markerOf("unknown")], damaged: ["1 key"] },
    ],
    // Its first entry is lost: a hash that holds under a key of the folder tells which it was.
    [
      "that no entry names any more",
      () => chain(["a", "b"], secret),
      keysOf({ y: null, z: other, k: secret }),
      { ...nothing, sound: ["a", "b"], damaged: ["1 key"] },
    ],
    [
      "that should be, and nowhere is",
      () => chain(["a", "b"]),
      keysOf({ k: secret }),
      { ...nothing, sound: ["a", "b"], damaged: ["2 key"] },
    ],
    ["that is yet to come", () => chain(["a", "b"]), keysOf({ k: secret }, true), { ...nothing, sound: ["a", "b"] }],
    [
      "and goes on under another one of ours, which no entry says",
      () => {
        const own = chain([marker, "b"], secret);
        return [...own, ...chain(["c"], other, { sequence: 2, hash: own[1]?.hash ?? "", keyId: "k" })];
      },
      keysOf({ k: secret, z: other }),
      { ...nothing, sound: [marker, "b"], damaged: ["3 hash"] },
    ],
    ["and empty", () => [], keysOf({ k: secret }), { ...nothing, sound: [] }],
  ])("%s", (_, read, keys, expected) => {
    expect(found(read(), keys)).toEqual(expected);
  });

  test("a stretch that begins under it is checked under it", () => {
    expect(found(chain(["a"], secret), keysOf({ k: secret }), keyed)).toEqual({ ...nothing, sound: ["a"] });
    expect(found(chain(["a"], other), keysOf({ k: secret }), keyed)).toMatchObject({ sound: [] });
  });

  test("a body is vouched for by the row behind it under the key that counts there", () => {
    const next = chain(["a", markerOf("upgrade")], null);
    const [first] = next;
    const [second] = chain([markerOf("upgrade")], secret, { sequence: 1, hash: first?.hash ?? "", keyId: null });
    const hit = [{ ...first, hash: firstLink }, second] as Row[];
    expect(found(hit, keysOf({ k: secret }))).toEqual({ ...nothing, sound: ["a", second?.body], damaged: ["1 hash"] });
    expect(found(hit, keysOf({ k: null })).sound).not.toContain("a");
    expect(found(hit, keysOf({ k: other })).sound).not.toContain("a");
  });

  test.each([
    ["an entry", '{"type":"settled","key":"k"}', null],
    ["a marker", markerOf("upgrade"), { id: "k", isAfterUnknown: false }],
    ["behind what nobody knows", markerOf("unknown"), { id: "k", isAfterUnknown: true }],
    ["no key in it", '{"type":"journal_keyed","after":"key"}', null],
    ["cut off", '{"type":"journal_keyed","key":', null],
  ])("which entry names one: %s", (_, body, marked) => {
    expect(markedKey(body)).toEqual(marked);
    expect(keyMarker("k", "upgrade")).toBe(markerOf("upgrade"));
  });

  test("what an id stands for", () => {
    const { known } = keysOf({ k: secret, e: null });
    expect([
      chainKey(null, known),
      chainKey("k", known),
      chainKey("e", known),
      chainKey("u", known),
      chainKey("k", null),
    ]).toEqual([
      { kind: "none" },
      { kind: "secret", secret },
      { kind: "elsewhere" },
      { kind: "unknown" },
      { kind: "unknown" },
    ]);
  });
});

describe("what cannot be read at all", () => {
  const checker = (keys: JournalKeys | null = null) => {
    const damaged: DamagedEntry[] = [];
    return { damaged, checker: createChainChecker(chainBegin, keys, (one) => damaged.push(one)) };
  };
  const rows = () => chain(["a", "b", "c"]);
  const take = (one: ReturnType<typeof checker>["checker"], index: number): boolean =>
    one.take(rows()[index] as Row, rows()[index + 1]);

  test("a row: it is named, and the chain goes on behind it", () => {
    const { damaged, checker: one } = checker();
    take(one, 0);
    one.skip(2);
    expect(take(one, 2)).toBe(true);
    expect(damaged).toEqual([{ sequence: 2, why: "unreadable" }]);
  });

  test("a stretch: the chain goes on where its end says, under its key", () => {
    const end = { sequence: 2, hash: rows()[1]?.hash ?? "", keyId: null };
    const { damaged, checker: one } = checker();
    one.skipTo(1, end);
    expect(take(one, 2)).toBe(true);
    expect(damaged).toEqual([{ sequence: 1, why: "unreadable" }]);

    const forged = checker();
    forged.checker.skipTo(1, { ...end, hash: firstLink });
    take(forged.checker, 2);
    expect(forged.damaged.at(-1)).toEqual({ sequence: 3, why: "hash" });

    const keyed = checker(keysOf({ k: secret }));
    keyed.checker.skipTo(1, { ...end, keyId: "k" });
    const [row] = chain(["c"], secret, end);
    expect(keyed.checker.take(row as Row, undefined)).toBe(true);
    keyed.checker.end();
    expect(keyed.damaged).toEqual([{ sequence: 1, why: "unreadable" }]);

    const unkeyed = checker(keysOf({ k: secret }));
    unkeyed.checker.skipTo(1, end);
    take(unkeyed.checker, 2);
    unkeyed.checker.end();
    expect(unkeyed.damaged.at(-1)).toEqual({ sequence: 3, why: "key" });
  });
});
