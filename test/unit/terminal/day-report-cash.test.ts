/** All cash that leaves the drawer, and each of its openings by test, is in a day's report. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { dayReportText } from "../../../main/terminal/printing/paper.ts";
import type { DayReport } from "../../../preload/contract.ts";
import { close, count, float, manager, none, open, payable, reports, restart, rig, serve, sum } from "./day-stage.ts";
import { handOver, idNumber, MemoryJournal, type Rig } from "./rig.ts";

/** Leads a withdrawal of 70.00 francs to the screen that offers the cash. */
const payableFrancs = async (till: Rig, number: number): Promise<void> => {
  await till.clock.advance(3_000);
  const order = till.service.order({ transaction_id: idNumber(number), amount: "70.00", currency: "CHF" });
  await till.scan(idNumber(number));
  await till.send({ type: "confirm" });
  order.status = "settled";
  await till.clock.advance(1_500);
  expect(till.screen().kind).toBe("payable");
};
const openCash = (till: Rig): string[] => {
  const screen = till.screen();
  return screen.kind === "payable" ? [screen.withdrawalId] : [];
};
const closed = async (till: Rig, number: number, more: Parameters<typeof close>[1] = {}): Promise<DayReport> => {
  await till.clock.advance(5_000);
  await count(till, float, number);
  expect(await close(till, { reason: "as it is", ...more }, number)).toEqual({ ok: true });
  const report = (await reports(till)).find((one) => one.number === number);
  if (report === undefined) throw new Error("no report");
  return report;
};
const paperOf = (report: DayReport): readonly string[] =>
  dayReportText(
    { report, shop: "Shop", terminal: "Till 1", training: false, isReprint: false, isBlind: false },
    { language: "en", timeZone: "UTC" },
  ).flatMap((line) =>
    line.kind === "pair" ? [`${line.label}: ${line.value}`] : line.kind === "text" ? [line.text] : [],
  );

describe("cash in another currency than the drawer's", () => {
  test("has its own line with its sum, and is in no sum of the drawer's currency", async () => {
    const till = await rig();
    await open(till);
    await serve(till, 1);
    for (const number of [2, 3]) {
      await payableFrancs(till, number);
      await handOver(till);
    }
    const report = await closed(till, 1);
    expect(report).toMatchObject({ handOuts: 1, handedOutMinor: 5_000, expectedMinor: 25_000, otherCurrency: 2 });
    expect(report.otherCurrencies).toEqual([{ currency: "CHF", handOuts: 2, handedOutMinor: 14_000 }]);
    expect(paperOf(report)).toContain("In another currency (2): CHF\u00a0140.00");
  });

  test("handed out between two days is in the next one's report, also after a restart", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal });
    await open(till);
    await payableFrancs(till, 1);
    await closed(till, 1, { over: openCash(till) });
    await handOver(till);
    await till.clock.advance(5_000);
    const again = await restart(till, journal);
    await open(again, float, 2);
    const report = await closed(again, 2);
    expect(report).toMatchObject({ night: { differenceMinor: 0 }, expectedMinor: 30_000, otherCurrency: 1 });
    expect(report.otherCurrencies).toEqual([{ currency: "CHF", handOuts: 1, handedOutMinor: 7_000 }]);
  });
});

test("cash of the drawer's own currency that was handed out between two days is in the next one's report", async () => {
  const till = await rig();
  await open(till);
  await payable(till, 1);
  await closed(till, 1, { over: openCash(till) });
  await handOver(till);
  await till.clock.advance(5_000);
  await open(till, sum(25_000), 2);
  const report = await closed(till, 2, { takeOut: none });
  expect(report).toMatchObject({ before: { handOuts: 1, handedOutMinor: 5_000 }, night: { differenceMinor: 0 } });
  expect(paperOf(report)).toContain("Before the opening (1): €50.00");
});

test("an index that an earlier version filled lacks this, and is filled anew from the journal", async () => {
  const [journal, file] = [new MemoryJournal(), path.join(mkdtempSync(path.join(tmpdir(), "index-")), "index")];
  const openIndex = () => openNodeDatabase(file, "write");
  const index = { open: openIndex, remove: () => undefined, hasRoom: () => true, isKept: true };
  const till = await rig({ journal, index });
  await open(till);
  await payableFrancs(till, 1);
  await handOver(till);
  const report = await closed(till, 1);
  expect(report.otherCurrencies).toHaveLength(1);
  await till.terminal.close();
  const database = openIndex();
  // The format of the version before, in which a report had no such fields.
  database.exec(
    `PRAGMA user_version = -1278885837;
     UPDATE day_report SET body = json_remove(body, '$.otherCurrencies', '$.drawerTests');`,
  );
  database.close();
  const again = await rig({ journal, index, clock: till.clock, service: till.service, idsFrom: 900 });
  expect(await reports(again)).toEqual([report]);
  expect(await again.terminal.dispatch({ type: "read_day", number: 1 }, manager)).toMatchObject({ ok: true });
});

describe("a test of the drawer", () => {
  const tried = (till: Rig, command: object = {}) =>
    till.terminal.dispatch({ type: "test_drawer", ...command } as never, manager);

  test("is in the day's report, once, with who and when, also after a restart", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal });
    await open(till);
    await till.clock.advance(60_000);
    const atMs = till.clock.now();
    expect(await tried(till)).toMatchObject({ ok: true });
    await till.clock.advance(60_000);
    const report = await closed(await restart(till, journal), 1);
    expect(report.drawerTests).toEqual([{ by: "M1", atMs, place: "" }]);
    const paper = paperOf(report);
    expect(paper).toContain("Opened without a withdrawal (1)");
    expect(paper).toContainEqual(expect.stringMatching(/ Test of the drawer \(M1\)$/));
  });

  test("between two days is in the next one's report, one of a drawer elsewhere with its place", async () => {
    const till = await rig();
    await open(till);
    await closed(till, 1);
    await tried(till, { drawer: { kind: "network", host: "10.0.0.9", port: 9100 } });
    await open(till, float, 2);
    await tried(till);
    expect((await closed(till, 2)).drawerTests).toMatchObject([{ place: "10.0.0.9:9100" }, { place: "" }]);
    expect((await reports(till)).find(({ number }) => number === 1)?.drawerTests).toEqual([]);
  });
});

test("of many closed days those before one are listed by themselves", async () => {
  const till = await rig();
  for (const number of [1, 2, 3]) {
    await open(till, float, number, "found so");
    await closed(till, number);
  }
  const listed = async (before?: number) => {
    const reply = await till.terminal.dispatch({ type: "list_days", before }, manager);
    return reply.ok ? (reply.data as readonly DayReport[]).map(({ number }) => number) : reply.code;
  };
  expect([await listed(), await listed(3), await listed(1)]).toEqual([[3, 2, 1], [2, 1], []]);
});
