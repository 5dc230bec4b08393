/** Writes that share a commit, and what they have in common with reads, over an engine that does what a test says. */
import { expect, test } from "vitest";
import { UniqueViolation } from "../../../backend/store/store.ts";
import { add, failure, queuesStage, turns, unavailable } from "./queues-stage.ts";

test("one unit is a transaction; several of one tick are one; the changes are told after it", async () => {
  const { writes, said, seen } = queuesStage();
  expect(await writes.write(add("a"))).toBe(1);
  expect(said.splice(0)).toEqual(["BEGIN IMMEDIATE", "a", "COMMIT"]);
  await Promise.all([writes.write(add("b")), writes.write(add("c"))]);
  expect(said).toEqual(["BEGIN IMMEDIATE", "b", "c", "COMMIT"]);
  expect(seen).toEqual(["a", "b", "c"]);
});

test("what share a tick ask for it once, and what every one of them says stays prepared", async () => {
  const { writes, reads, ticks, said, unkept, failWith } = queuesStage();
  failWith((text) => (text === "b" ? failure("statement") : null));
  const names = ["a", "b", "c"];
  await Promise.allSettled(names.map((name) => writes.write(add(name))));
  expect(ticks.asked).toBe(1);
  await Promise.allSettled(names.map((name) => reads.read(add(name))));
  expect(ticks.asked).toBe(2);
  expect([said.length > 10, unkept]).toEqual([true, []]);
});

test("no more units share a commit than may", async () => {
  const { writes, said } = queuesStage(2);
  await Promise.all(["a", "b", "c"].map((name) => writes.write(add(name))));
  expect(said.filter((text) => text === "COMMIT")).toHaveLength(2);
});

test.each(["statement", "unique"] as const)(
  "a %s that fails takes back its own unit: all run again, with a savepoint each",
  async (kind) => {
    const { writes, said, seen, failWith } = queuesStage();
    failWith((text) => (text === "b" ? failure(kind) : null));
    const expected = kind === "unique" ? expect.any(UniqueViolation) : expect.objectContaining({ kind });
    const outcomes = await Promise.allSettled(["a", "b", "c"].map((name) => writes.write(add(name))));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(outcomes[1]).toMatchObject({ reason: expected });
    const each = (name: string) => ["SAVEPOINT unit", name, "RELEASE unit"];
    expect(said).toEqual([
      ...["BEGIN IMMEDIATE", "a", "b", "ROLLBACK", "BEGIN IMMEDIATE"],
      ...each("a"),
      ...["SAVEPOINT unit", "b", "ROLLBACK TO unit", "RELEASE unit"],
      ...each("c"),
      "COMMIT",
    ]);
    expect(seen).toEqual(["a", "c"]);
    said.splice(0);
    await expect(writes.write(add("b"))).rejects.toEqual(expected);
    expect([said, seen]).toEqual([
      ["BEGIN IMMEDIATE", "b", "ROLLBACK"],
      ["a", "c"],
    ]);
  },
);

test.each(["storage", "busy"] as const)(
  "a %s failure ends the batch, also where each unit is run by itself",
  async (kind) => {
    const { writes, said, seen, failWith } = queuesStage();
    let bs = 0;
    failWith((text) => (text === "b" ? failure(bs++ === 0 ? "statement" : kind) : null));
    const both = Promise.allSettled([writes.write(add("a")), writes.write(add("b"))]);
    await turns();
    expect(said.slice(-4)).toEqual(["RELEASE unit", "SAVEPOINT unit", "b", "ROLLBACK"]);
    expect(seen).toEqual([]);
    writes.refuseAll(new Error("over") as never);
    expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  },
);

test.each([
  ["a disk that fails in a unit", "b", "storage"],
  ["a disk that fails at the commit", "COMMIT", "storage"],
  ["a transaction that cannot begin", "BEGIN IMMEDIATE", "storage"],
] as const)("%s: all of the batch are unavailable, at once, and nothing is told", async (_, at, kind) => {
  const { writes, said, seen, clock, failWith } = queuesStage();
  failWith((text) => (text === at ? failure(kind) : null));
  const outcomes = await Promise.allSettled(["a", "b"].map((name) => writes.write(add(name))));
  expect(outcomes).toMatchObject([unavailable, unavailable]);
  expect([seen, said.includes("ROLLBACK"), clock.timers]).toEqual([[], at !== "BEGIN IMMEDIATE", 0]);
  failWith(() => null);
  expect(await writes.write(add("c"))).toBe(1);
});

test("a lock that another process holds is waited for, 10 ms at a time and 3 s at most, by each from its own start", async () => {
  const { writes, clock, failWith } = queuesStage();
  let isLocked = true;
  failWith((text) => (isLocked && text === "BEGIN IMMEDIATE" ? failure("busy") : null));
  const outcomes: string[] = [];
  const write = (name: string) =>
    void writes.write(add(name)).then(
      () => outcomes.push(`${name} written`),
      ({ code }) => outcomes.push(`${name} ${code}`),
    );
  write("old");
  await turns();
  await clock.advance(2_990, turns);
  write("young");
  await clock.advance(10, turns);
  expect(outcomes).toEqual([]);
  await clock.advance(10, turns);
  expect(outcomes).toEqual(["old unavailable"]);
  isLocked = false;
  await clock.advance(10, turns);
  expect(outcomes).toEqual(["old unavailable", "young written"]);
});

test("a lock that is met inside a unit is waited for by the whole batch, and nothing of it is written twice", async () => {
  const { writes, said, clock, failWith } = queuesStage();
  failWith((text) => (text === "b" ? failure("busy") : null));
  const both = Promise.all([writes.write(add("a")), writes.write(add("b"))]);
  await turns();
  expect(said.splice(0)).toEqual(["BEGIN IMMEDIATE", "a", "b", "ROLLBACK"]);
  failWith(() => null);
  await clock.advance(10, turns);
  expect([await both, said.filter((text) => text === "COMMIT")]).toEqual([[1, 1], ["COMMIT"]]);
});

test("a flush without anything to write, and a tick whose units were flushed, begin no transaction", async () => {
  const { writes, reads, said } = queuesStage();
  await writes.flush();
  await reads.flush();
  const both = [writes.write(add("a")), reads.read(add("b"))];
  await writes.flush();
  await reads.flush();
  await Promise.all(both);
  await turns();
  expect(said.filter((text) => text.startsWith("BEGIN"))).toEqual(["BEGIN IMMEDIATE", "BEGIN"]);
});

test("a clock that is set back ends the waiting for a lock: nobody waits for longer than was meant", async () => {
  const { writes, clock, failWith } = queuesStage();
  failWith((text) => (text === "BEGIN IMMEDIATE" ? failure("busy") : null));
  const outcome = expect(writes.write(add("a"))).rejects.toMatchObject({ code: "unavailable" });
  await turns();
  clock.jump(-1);
  await writes.flush();
  await outcome;
});

test("what is queued is committed by a flush, and what a lock keeps from it is refused", async () => {
  const { writes, said, failWith } = queuesStage();
  const written = writes.write(add("a"));
  await writes.flush();
  expect(said).toEqual(["BEGIN IMMEDIATE", "a", "COMMIT"]);
  expect(await written).toBe(1);
  failWith(() => failure("busy"));
  const refused = expect(writes.write(add("b"))).rejects.toThrow("over");
  await writes.flush();
  writes.refuseAll(new Error("over") as never);
  await refused;
});

test("a flush goes on until all is committed, however many share a commit", async () => {
  const { writes, said } = queuesStage(2);
  const all = Promise.all(["a", "b", "c", "d", "e"].map((name) => writes.write(add(name))));
  await writes.flush();
  expect(said.filter((text) => text === "COMMIT")).toHaveLength(3);
  await all;
});

test("50,000 wait and no more", async () => {
  const { writes, reads } = queuesStage();
  const outcome = (unit: Promise<unknown>) =>
    unit.then(
      () => "done",
      (error: Error) => error.message,
    );
  const waiting = Array.from({ length: 50_000 }, () => outcome(writes.write(add("a"))));
  await expect(writes.write(add("one more"))).rejects.toMatchObject({ code: "unavailable" });
  writes.refuseAll(new Error("over") as never);
  const reading = Array.from({ length: 50_000 }, () => outcome(reads.read(add("a"))));
  await expect(reads.read(add("one more"))).rejects.toMatchObject({ code: "unavailable" });
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(["over"]));
  expect(new Set(await Promise.all(reading))).toEqual(new Set(["done"]));
});

test("a transaction that ended by itself is not committed, and no write of it counts as done; a database that cannot roll back says so to nobody", async () => {
  const one = queuesStage();
  one.failWith((text) => {
    if (text === "a") one.close();
    return null;
  });
  await one.reads.read(add("a"));
  await expect(one.writes.write(add("a"))).rejects.toMatchObject({ code: "unavailable" });
  expect(one.said.splice(0)).toEqual(["BEGIN", "a", "BEGIN IMMEDIATE", "a"]);
  // What comes after that would be a commit of its own.
  const both = one.writes.write(async (tx) => [await add("a")(tx), await add("b")(tx)]);
  await expect(both).rejects.toMatchObject({ code: "unavailable" });
  expect(one.said).toEqual(["BEGIN IMMEDIATE", "a"]);
  const other = queuesStage();
  other.failWith((text) => (text === "COMMIT" || text === "ROLLBACK" ? failure("storage") : null));
  await expect(other.writes.write(add("a"))).rejects.toMatchObject({ code: "unavailable" });
});
