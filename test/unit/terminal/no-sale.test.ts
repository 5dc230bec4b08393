/** The drawer opened without a withdrawal: with a reason, once, written before it moves, and in the day's report. */
import { expect, test } from "vitest";
import { drawerHandledMs, drawerOpeningsMax } from "../../../main/terminal/bounds.ts";
import { printedLines } from "../../../main/terminal/printing/queue.ts";
import { problems } from "./books-stage.ts";
import {
  cashier,
  close,
  count,
  float,
  manager,
  move,
  open,
  payable,
  reports,
  restart,
  rig,
  sum,
  type view,
} from "./day-stage.ts";
import { handOver, MemoryJournal, type Rig } from "./rig.ts";

const noSale = (till: Rig, reason: "change" | "cash_count" | "other", by?: Parameters<typeof view>[1], number = 1) =>
  till.terminal.dispatch({ type: "no_sale", number, reason, note: "coins" }, by);
test("it is written, then the drawer opens once; the manager's list and the report have it", async () => {
  const journal = new MemoryJournal();
  const till = await rig({ journal });
  await open(till);
  journal.full = true;
  expect(await noSale(till, "change", manager)).toEqual({ ok: false, code: "failed" });
  await till.clock.advance(100);
  expect(till.drawer.opens).toBe(0);
  journal.full = false;
  expect(await noSale(till, "change", manager)).toEqual({ ok: true });
  await till.clock.advance(60_000);
  expect(till.drawer.opens).toBe(1);
  expect(till.snapshot().header.day?.drawer).toBe("opened");
  const [problem] = await problems(till);
  expect(problem).toMatchObject({ about: "no_sale", who: "M1", noSale: { reason: "change", note: "coins" } });
  await count(till, float);
  await close(till);
  expect((await reports(till))[0]?.noSales).toMatchObject([{ reason: "change", note: "coins", by: "M1" }]);
});

test("whoever may not move cash needs a manager, and for a count nobody does", async () => {
  const till = await rig();
  expect(await noSale(till, "cash_count", cashier)).toEqual({ ok: true });
  await open(till);
  await till.clock.advance(100);
  expect(await noSale(till, "other", cashier)).toEqual({ ok: false, code: "approval_needed" });
  expect(till.drawer.opens).toBe(1);
  // The float that was counted is what it was opened for.
  expect(await problems(till)).toEqual([]);
});

test("an opening for a count is the manager's to clear up until a count says what it was for", async () => {
  const till = await rig();
  await open(till);
  await noSale(till, "cash_count", cashier);
  await till.clock.advance(60 * 60_000);
  await noSale(till, "cash_count", cashier);
  await till.clock.advance(60_000);
  expect(await problems(till)).toMatchObject([
    { about: "no_sale", who: "C2", noSale: { reason: "cash_count" } },
    { about: "no_sale" },
  ]);
  await till.clock.advance(30 * 60_000);
  await count(till, float);
  expect(await problems(till)).toHaveLength(1);
});

test("a count says what each opening of the ten minutes before it was for", async () => {
  const till = await rig();
  await open(till);
  for (const _ of [1, 2, 3]) {
    await till.clock.advance(60_000);
    await noSale(till, "cash_count", cashier);
  }
  expect(await problems(till)).toHaveLength(3);
  await count(till, float);
  expect(await problems(till)).toEqual([]);
});

test("openings for a count fill no list but their own, and the next count explains the last of them", async () => {
  const till = await rig();
  await open(till);
  for (let times = 0; times <= drawerOpeningsMax; times++) {
    await till.clock.advance(drawerHandledMs + 1);
    await noSale(till, "cash_count", cashier);
  }
  await till.clock.advance(100);
  await noSale(till, "other", manager);
  const forCounts = (await problems(till)).filter(
    (one) => one.kind === "drawer" && one.noSale?.reason === "cash_count",
  );
  expect(forCounts).toHaveLength(drawerOpeningsMax);
  await count(till, float);
  const left = (await problems(till)).filter((one) => one.kind === "drawer");
  expect(left.filter(({ noSale }) => noSale?.reason === "other")).toHaveLength(1);
  expect(left.filter(({ noSale }) => noSale?.reason === "cash_count")).toEqual(forCounts.slice(0, -1));
});

test("cash in opens it, once for the same move, and another order waits for the first", async () => {
  const till = await rig();
  await open(till);
  await move(till, "in", 5_000, "m1");
  expect(await noSale(till, "change")).toEqual({ ok: false, code: "busy" });
  await till.clock.advance(100);
  expect(till.drawer.opens).toBe(1);
  await move(till, "in", 5_000, "m1");
  await till.clock.advance(100);
  expect(till.drawer.opens).toBe(1);
});

test("the paper names who opened it and who agreed, not their codes", async () => {
  const till = await rig();
  await open(till);
  await noSale(till, "change", { ...manager, code: "C2" });
  await till.clock.advance(100);
  await count(till, float);
  await close(till);
  const [report] = await reports(till);
  if (!report) throw new Error("no report");
  const place = { shop: "Shop", terminal: "Till 1", training: false, isReprint: false, isBlind: false };
  const names: Readonly<Record<string, string>> = { C2: "Ida Berg", M1: "Max Roth" };
  const lines = printedLines(
    { kind: "day_report", report, ...place },
    { language: "en", timeZone: "UTC" },
    (code) => names[code] ?? code,
  );
  const opening = lines.find((line) => line.kind === "text" && line.text.includes("coins"));
  expect(opening).toMatchObject({ text: expect.stringMatching(/ \(Ida Berg, Max Roth\)$/) });
});

test("what was ordered before a restart is not ordered again by it", async () => {
  const journal = new MemoryJournal();
  const till = await rig({ journal });
  await open(till);
  await noSale(till, "change");
  await till.clock.advance(100);
  await till.terminal.close();
  const again = await restart(till, journal);
  await again.clock.advance(60_000);
  expect(again.drawer.opens).toBe(0);
  expect(again.snapshot().header.day?.drawer).toBe("none");
  await count(again, float);
  await close(again);
  expect((await reports(again))[0]?.noSales).toHaveLength(1);
});

test("an opening before the day is in its report, and one in front of a withdrawal is refused", async () => {
  const till = await rig();
  await noSale(till, "cash_count");
  await till.clock.advance(100);
  await open(till);
  await payable(till, 1);
  expect(await noSale(till, "cash_count")).toEqual({ ok: false, code: "busy" });
  await handOver(till);
  await till.clock.advance(5_000);
  await count(till, sum(25_000));
  await close(till);
  expect((await reports(till))[0]?.noSales).toMatchObject([{ reason: "cash_count" }]);
});

test("a mended float is compared with what the night left, and the first one's difference is gone", async () => {
  const till = await rig();
  await open(till);
  await count(till, float);
  await close(till);
  await open(till, sum(20_000), 2, "miscounted");
  expect(await problems(till)).toMatchObject([{ about: "night_differs", differenceMinor: -10_000 }]);
  await open(till, float, 2);
  expect(await problems(till)).toEqual([]);
  // The day's report has both: whoever counted twice has counted twice.
  await count(till, float, 2);
  await close(till, {}, 2);
  const report = (await reports(till)).find(({ number }) => number === 2);
  expect(report?.everyFloat.map(({ countedMinor }) => countedMinor)).toEqual([20_000, 30_000]);
});
