/** Reads that share a snapshot, over an engine that does what a test says, and how a failure of SQLite is sorted. */
import { expect, test } from "vitest";
import { sqliteFailureKind } from "../../../backend/store/sqlite.ts";
import { add, failure, queuesStage } from "./queues-stage.ts";

test("reads of one tick share a snapshot, a thousand at most; one that fails fails alone", async () => {
  const { reads, said, failWith } = queuesStage();
  failWith((text) => (text === "b" ? failure("statement") : null));
  const outcomes = await Promise.allSettled(["a", "b", "c"].map((name) => reads.read(add(name))));
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(outcomes[1]).toMatchObject({ reason: { kind: "statement" } });
  expect(said.splice(0)).toEqual(["BEGIN", "a", "b", "c", "COMMIT"]);
  await Promise.all(Array.from({ length: 1_001 }, () => reads.read(add("x"))));
  expect(said.filter((text) => text === "BEGIN")).toHaveLength(2);
});

test.each(["busy", "storage", "unique"] as const)("a read that meets a %s failure is unavailable", async (kind) => {
  const { reads, said, failWith } = queuesStage();
  failWith((text) => (text === "a" ? failure(kind) : null));
  await expect(reads.read(add("a"))).rejects.toMatchObject({ code: "unavailable", cause: { kind } });
  failWith((text) => (text === "BEGIN" ? failure(kind) : null));
  await expect(reads.read(add("b"))).rejects.toMatchObject({ code: "unavailable" });
  failWith((text) => (text === "COMMIT" ? failure(kind) : null));
  await expect(reads.read(add("c"))).rejects.toMatchObject({ code: "unavailable" });
  expect(said.at(-1)).toBe("ROLLBACK");
});

test("a flush answers the reads that wait, at once", async () => {
  const { reads, said } = queuesStage();
  const read = reads.read(add("a"));
  await reads.flush();
  expect(said).toEqual(["BEGIN", "a", "COMMIT"]);
  expect(await read).toBe(1);
  expect(await reads.read(async (tx) => tx.dialect)).toBe("sqlite");
});

test.each([
  [2067, "unique"],
  [1555, "unique"],
  [19, "statement"],
  [1, "statement"],
  [5, "busy"],
  [261, "busy"],
  [6, "busy"],
  [3, "storage"],
  [7, "storage"],
  [8, "storage"],
  [10, "storage"],
  [778, "storage"],
  [11, "storage"],
  [13, "storage"],
  [14, "storage"],
  [26, "storage"],
] as const)("SQLite's result %d is a %s failure", (code, kind) => {
  expect(sqliteFailureKind(code)).toBe(kind);
});
