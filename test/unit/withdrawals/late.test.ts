/** Deadlines that a reader comes upon: written and counted once, by whoever wrote them. */
import { expect, test } from "vitest";
import { ServiceError } from "../../../backend/service-error.ts";
import { addSetting } from "../../../backend/store/settings.ts";
import type { Store } from "../../../backend/store/store.ts";
import { getTransaction, readRow } from "../../../backend/withdrawals/get.ts";
import { reconcile } from "../../../backend/withdrawals/reconcile.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { keepTogether, till } from "../../service/world.ts";
import { id, nowMs, secondId, withdrawalStage } from "./stage.ts";

const stage = withdrawalStage();
const late = { id, status: "awaiting_sca", deadline_at: nowMs } as const;

/** The service as it reads a row that another process has changed since. */
const readingFirst = (stale: unknown) => {
  let [first, reads] = [true, 0];
  const read = async (unit: Parameters<Store["read"]>[0]): Promise<unknown> => {
    reads += 1;
    if (!first) return stage.store.read(unit);
    first = false;
    return stale;
  };
  return { service: { ...stage.service, store: { ...stage.store, read } as Store }, reads: () => reads };
};
const reported = async (service = stage.service) => {
  const lines = [];
  for await (const page of reconcile(service, till, { fromMs: 0, toMs: 1e14 })) lines.push(...page);
  return lines.map(({ transaction_id, status }) => [transaction_id, status]);
};

test("the report writes what is due, counts each, and has the others as they are", async () => {
  await stage.put(late, { ...late, id: secondId, deadline_at: nowMs + 1 });
  expect(await reported()).toEqual([
    [id, "canceled"],
    [secondId, "awaiting_sca"],
  ]);
  expect([stage.counted.transitions, stage.sent.wakes]).toEqual([["awaiting_sca>canceled"], 1]);
});

test("a report without anything due is read once, and nothing is counted", async () => {
  await stage.put({ ...late, deadline_at: null });
  const { service, reads } = readingFirst([{ ...rowWith({ id }), pending_attempts: null, later_answer: null }]);
  expect([await reported(service), reads(), stage.sent.wakes]).toEqual([[[id, "settled"]], 1, 0]);
});

test("a deadline that another process has written meanwhile is that one's to count", async () => {
  await stage.put({ ...late, status: "canceled", reason: "sca_timeout", deadline_at: null });
  const { service } = readingFirst([rowWith(late)]);
  expect(await reported(service)).toEqual([[id, "canceled"]]);
  const { service: reader } = readingFirst(rowWith(late));
  expect(await getTransaction(reader, till, id)).toMatchObject({ status: "canceled", reason: "sca_timeout" });
  expect(await readRow(readingFirst(rowWith(late)).service, id)).toMatchObject({ status: "canceled" });
  expect([stage.counted.transitions, stage.sent.wakes]).toEqual([[], 0]);
});

test("who reads one writes its deadline alone, and is answered with it", async () => {
  await stage.put(late, { ...late, id: secondId });
  expect(await getTransaction(stage.service, till, secondId)).toMatchObject({
    transaction_id: secondId,
    status: "canceled",
  });
  expect(await stage.rows("withdrawals")).toMatchObject([{ id, status: "awaiting_sca" }]);
  const ended = { id: secondId, deadline_at: null, closed_at: nowMs };
  expect(await stage.rows("archived_withdrawals")).toMatchObject([ended]);
});

/** The service with its writes counted. @param failure of the first. Default: none. */
const writing = (failure?: Error) => {
  let writes = 0;
  const write: Store["write"] = async (unit) => {
    writes += 1;
    if (failure !== undefined && writes === 1) throw failure;
    return stage.store.write(unit);
  };
  return { service: { ...stage.service, store: { ...stage.store, write } }, writes: () => writes };
};
const idOf = (n: number) => `${String(n).padStart(15, "0")}M`;
const putLate = (count: number) =>
  stage.put(...Array.from({ length: count }, (_, n) => ({ ...late, id: idOf(n), device_id: "till-1" })));

test("readers that meet have their deadlines written in one unit: each is answered, and each is counted, moved and known by its ids", async () => {
  await putLate(3);
  const { service, writes } = writing();
  const asked = [0, 1, 1, 2].map(idOf);
  const rows = await Promise.all(asked.map((each) => readRow(service, each)));
  expect(rows.map((row) => [row?.id, row?.status])).toEqual(asked.map((each) => [each, "canceled"]));
  expect([writes(), stage.counted.transitions.length, stage.sent.wakes]).toEqual([1, 3, 3]);
  expect(await stage.rows("withdrawals")).toEqual([]);
  const moved = { archived_at: nowMs };
  expect(await stage.rows("archived_withdrawals")).toMatchObject([moved, moved, moved]);
  expect(await stage.rows("terminal_references")).toHaveLength(3);
});

test.each([
  [500, 1],
  [501, 2],
])("of %d readers at once there are %d units, so that no commit lasts long", async (count, units) => {
  await putLate(count);
  const { service, writes } = writing();
  await Promise.all(Array.from({ length: count }, (_, n) => readRow(service, idOf(n))));
  expect([writes(), stage.counted.transitions.length]).toEqual([units, count]);
});

test.each([
  [1, 4],
  [2, 0],
])("of %d that expire at once there are %d statements that move one alone", async (count, statements) => {
  await putLate(count);
  const names = await stage.namesOf((service) =>
    Promise.all(Array.from({ length: count }, (_, n) => readRow(service, idOf(n)))),
  );
  expect(names.filter((name) => name?.startsWith("withdrawal_close"))).toHaveLength(statements);
});

test("who comes when the unit has begun is of the next one", async () => {
  await putLate(3);
  const found = [0, 1, 2].map((n) => rowWith({ ...late, id: idOf(n) }));
  const read = async (): Promise<unknown> => found.shift();
  const next: Promise<unknown>[] = [];
  let writes = 0;
  const write: Store["write"] = (unit) => {
    writes += 1;
    return stage.store.write(async (tx) => {
      const rows = await unit(tx);
      if (next.length === 0) next.push(readRow(service, idOf(1)), readRow(service, idOf(2)));
      await new Promise(setImmediate);
      return rows;
    });
  };
  const service = { ...stage.service, store: { ...stage.store, read, write } as Store };
  expect(await readRow(service, idOf(0))).toMatchObject({ status: "canceled" });
  expect(await Promise.all(next)).toMatchObject([{ id: idOf(1), status: "canceled" }, { id: idOf(2) }]);
  expect(writes).toBe(2);
});

test("what cannot be written with the others is tried alone, and keeps none of them from being read", async () => {
  await putLate(3);
  const { service, writes } = writing(new Error("one of them"));
  const rows = await Promise.all([0, 1, 2].map((n) => readRow(service, idOf(n))));
  expect(rows.map((row) => row?.status)).toEqual(["canceled", "canceled", "canceled"]);
  expect([writes(), stage.counted.transitions.length]).toEqual([4, 3]);
  await stage.put(late, { ...late, id: secondId });
  await Promise.all([readRow(service, id), readRow(service, secondId)]);
  expect(writes()).toBe(5);
});

test("a database that is not to be reached is not asked for each of them once more", async () => {
  await putLate(2);
  const { service, writes } = writing(new ServiceError("unavailable", "The database is gone."));
  for (const read of [0, 1].map((n) => readRow(service, idOf(n))))
    await expect(read).rejects.toMatchObject({ code: "unavailable" });
  expect(writes()).toBe(1);
});

test("while a release before uses the database, several that expire at once stay where that looks for their keys", async () => {
  await putLate(2);
  await keepTogether(stage.store);
  try {
    await Promise.all([0, 1].map((n) => readRow(stage.service, idOf(n))));
    expect([(await stage.rows("withdrawals")).length, await stage.rows("archived_withdrawals")]).toEqual([2, []]);
  } finally {
    await stage.store.write((tx) => tx.run(addSetting({ name: "ended_apart", value: "1" })));
  }
});
