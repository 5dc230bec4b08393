/** The report as it goes out: which time it is of, as JSON and as CSV, page by page, and what ends it. */
import { expect, test, vi } from "vitest";
import type { Service } from "../../../backend/context.ts";
import { dayMs, toTime } from "../../../backend/contract/times.ts";
import { reconciliationOperations } from "../../../backend/http/operations/reconciliation.ts";
import { bank } from "../../service/world.ts";
import { nowMs, withdrawalStage } from "../withdrawals/stage.ts";

const stage = withdrawalStage();
const day = 20 * dayMs;
const idOf = (n: number) => String(n).padStart(16, "0");
/** One paid withdrawal for each time of confirmation. */
const paid = (...confirmed: readonly number[]) =>
  stage.put(...confirmed.map((confirmed_at, n) => ({ id: idOf(n), status: "settled", confirmed_at }) as const));

const sessions = {
  client: { kind: "client", ownerId: bank.partnerId, deviceId: "server", scopes: [], expiresAt: 0 },
  chain: { kind: "chain", ownerId: "north", deviceId: "office", scopes: [], expiresAt: 0 },
};
const ask = async (
  id: string,
  query: object,
  kind: keyof typeof sessions = "client",
  service: object = stage.service,
) => {
  const operation = reconciliationOperations.find((each) => each.id === id);
  const reply = await operation?.handle({ app: { service }, session: sessions[kind], query } as never);
  return reply as Response;
};
const report = (query: object = {}, service?: object) =>
  ask("getReconciliation", { format: "json", ...query }, "client", service);
const csv = (query: object = {}) => ask("getReconciliationCsv", query);

test.each([
  [{}, day + 1 - dayMs, day + 1, [1, 2, 3, 4]],
  [{ to: toTime(day) }, day - dayMs, day, [0, 1, 2]],
  [{ from: toTime(day), to: toTime(day + 1) }, day, day + 1, [3]],
  [{ from: toTime(day - 1) }, day - 1, day + 1, [2, 3, 4]],
])("asked for %j the report is from %i before %i", async (query, from, to, lines) => {
  stage.clock.jump(day - nowMs);
  // The last one was confirmed before the clock was set back.
  await paid(day - dayMs, day - dayMs + 1, day - 1, day, day + dayMs);
  const answer = await report(query);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "application/json",
    "cache-control": "no-store",
  });
  const body = await answer.json();
  expect(body).toMatchObject({ from: toTime(from), to: toTime(to), count: lines.length });
  expect(body.lines.map((line: { transaction_id: string }) => line.transaction_id)).toEqual(lines.map(idOf));
});

test("as CSV it has a header, and a name for the file in which it is kept", async () => {
  await paid(nowMs, nowMs);
  for (const answer of [await csv(), await ask("getReconciliation", { format: "csv" })]) {
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": 'attachment; filename="reconciliation.csv"',
      "cache-control": "no-store",
    });
    const lines = (await answer.text()).split("\r\n");
    expect(lines.map((line) => line.split(",")[0])).toEqual(["transaction_id", idOf(0), idOf(1), ""]);
  }
});

test("without a line it is whole all the same", async () => {
  expect(await (await report()).json()).toMatchObject({ lines: [], count: 0 });
  expect((await (await csv()).text()).split("\r\n")).toEqual([expect.stringMatching(/^transaction_id,/), ""]);
});

test("of several pages it is one list, read as far as the caller reads, and no further when that one leaves", async () => {
  await paid(...Array.from({ length: 501 }, () => nowMs));
  const read = vi.fn(stage.store.read);
  const service = { ...stage.service, store: { ...stage.store, read } } as unknown as Service;
  const whole = await (await report({}, service)).json();
  expect([
    whole.count,
    new Set(whole.lines.map((line: { transaction_id: string }) => line.transaction_id)).size,
  ]).toEqual([501, 501]);
  const all = read.mock.calls.length;
  expect((await (await csv()).text()).split("\r\n")).toHaveLength(503);
  read.mockClear();
  const left = (await report({}, service)).body?.getReader();
  const first = read.mock.calls.length;
  await left?.read();
  await left?.read();
  await new Promise(setImmediate);
  await left?.cancel();
  await new Promise(setImmediate);
  expect([first > 0, first < all, read.mock.calls.length]).toEqual([true, true, first]);
});

test("a database that is away is told before anything goes out", async () => {
  const away = new Error("away");
  const service = { ...stage.service, store: { ...stage.store, read: () => Promise.reject(away) } };
  await expect(report({}, service)).rejects.toBe(away);
});

test.each([
  [100 * dayMs, true],
  [100 * dayMs + 1, false],
])("what %i ms come to is summed up for a chain: %s", async (ms, isAnswered) => {
  const sums = ask("getStoreTotals", { from: toTime(0), to: toTime(ms) }, "chain");
  if (isAnswered) expect(await sums).toEqual({ from: toTime(0), to: toTime(ms), stores: [], totals: [] });
  else await expect(sums).rejects.toMatchObject({ code: "validation_failed", extra: { errors: [{ path: "from" }] } });
});

test("nobody but a chain is told what its shops come to", async () => {
  await expect(ask("getStoreTotals", {})).rejects.toMatchObject({ code: "insufficient_scope" });
});
