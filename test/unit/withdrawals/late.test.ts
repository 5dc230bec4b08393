/** Deadlines that a reader comes upon: written and counted once, by whoever wrote them. */
import { expect, test } from "vitest";
import type { Store } from "../../../backend/store/store.ts";
import { getTransaction, readRow } from "../../../backend/withdrawals/get.ts";
import { reconcile } from "../../../backend/withdrawals/reconcile.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { till } from "../../service/world.ts";
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
