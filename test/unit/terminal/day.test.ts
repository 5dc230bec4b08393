/** The drawer's day at the terminal: opened, lowered by what is handed out, counted blind, closed once; and its bad days. */
import { describe, expect, test } from "vitest";
import { dayReportLines } from "../../../main/terminal/printing/paper.ts";
import { printedLines } from "../../../main/terminal/printing/queue.ts";
import { dayReportTask } from "../../../main/terminal/withdrawal/drawer-day.ts";
import type { Actor } from "../../../main/terminal/withdrawal/inputs.ts";
import { initialState } from "../../../main/terminal/withdrawal/state.ts";
import type { DayReport } from "../../../preload/contract.ts";
import { nobodyYet } from "../../../preload/people.ts";
import { reportSheets } from "../../../renderer/history/csv-columns.ts";
import { sheetText } from "../../../renderer/ui/csv-file.ts";
import { plainContext } from "../../sheets.ts";
import { problems } from "./books-stage.ts";
import {
  cashier,
  close,
  count,
  expected,
  float,
  manager,
  move,
  none,
  on,
  open,
  payable,
  reports,
  restart,
  rig,
  serve,
  sum,
  view,
} from "./day-stage.ts";
import { createRig, idNumber, MemoryJournal, type Rig } from "./rig.ts";

const saved = (days: readonly DayReport[]): string => sheetText(reportSheets(plainContext, days).days, "en");

describe("switched off", () => {
  test("an upgraded shop sees nothing of it: withdrawals go on, commands are refused, the journal says no word", async () => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal });
    expect(till.snapshot().settings.drawerMoney.enabled).toBe(false);
    expect(till.snapshot().header.day).toBeNull();
    await serve(till, 1);
    expect(till.screen().kind).toBe("done");
    const commands = [() => open(till), () => count(till, float), () => close(till), () => move(till, "in", 500, "a")];
    for (const command of commands) expect(await command()).toEqual({ ok: false, code: "invalid" });
    expect(journal.types().filter((type) => type.includes("day") || type.includes("cash"))).toEqual([]);
  });
});

describe("a day", () => {
  test("opens with a counted float, falls with each hand-out, and closes with a report that adds up", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal });
    till.service.order({ transaction_id: idNumber(1) });
    expect(await till.scan(idNumber(1))).toEqual({ ok: false, code: "no_day" });
    expect(till.service.calls("/transaction")).toEqual([]);
    expect(await open(till)).toEqual({ ok: true });
    expect(await expected(till)).toBe(30_000);
    await serve(till, 1);
    expect(await expected(till)).toBe(25_000);
    await move(till, "in", 4_000, "a");
    await move(till, "out", 1_500, "b");
    await serve(till, 2);
    expect(await expected(till)).toBe(22_500);
    expect(await count(till, sum(22_490))).toEqual({ ok: true });
    expect(await close(till)).toEqual({ ok: false, code: "reason_needed" });
    expect(await close(till, { reason: "a coin fell", takeOut: sum(2_490) })).toEqual({ ok: true });
    expect(await reports(till)).toMatchObject([
      {
        number: 1,
        floatMinor: 30_000,
        inMinor: 4_000,
        outMinor: 1_500,
        handOuts: 2,
        handedOutMinor: 10_000,
        expectedMinor: 22_500,
        countedMinor: 22_490,
        differenceMinor: -10,
        reason: "a coin fell",
        takenOutMinor: 2_490,
        leftMinor: 20_000,
        over: [],
      },
    ]);
    expect(await view(till)).toEqual({
      kind: "closed",
      next: 2,
      leftMinor: 20_000,
      handedOutMinor: 0,
      currency: "EUR",
    });
    expect(await open(till, sum(20_000), 2)).toEqual({ ok: true });
  });

  test("what was not handed out stays in the drawer; what a manager says was handed out does not", async () => {
    const till = await rig();
    await open(till);
    await payable(till, 1);
    expect(await till.send({ type: "not_handed_out", reason: "customer_left" } as never)).toEqual({ ok: true });
    expect(await expected(till)).toBe(30_000);
    const journal = new MemoryJournal();
    const other = await rig({ journal });
    await open(other);
    await payable(other, 2);
    await other.terminal.close();
    // Without its key the withdrawal in front is a manager's to decide.
    const keyless = await rig({ journal, clock: other.clock, service: other.service, credential: null, idsFrom: 900 });
    const [{ withdrawalId = "" } = {}] = await problems(keyless);
    const decision = { type: "decide_withdrawal", withdrawalId, decision: "handed_out", note: "seen" } as const;
    expect(await keyless.terminal.dispatch(decision, manager)).toEqual({ ok: true });
    expect(await expected(keyless)).toBe(25_000);
  });

  test("a drawer that opens and a terminal that dies before the cashier's word: lowered when the word comes, once", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal });
    await open(till);
    await payable(till, 1);
    await till.send({ type: "hand_out" });
    expect(till.screen().kind).toBe("counting");
    const copy = journal.cut(journal.entries.length);
    const again = await restart(till, copy);
    await again.clock.advance(3_000);
    expect(await expected(again)).toBe(30_000);
    expect(again.screen()).toMatchObject({ kind: "payable", handOutBegun: true });
    await again.send({ type: "hand_out", alreadyGiven: true } as never);
    expect(await expected(again)).toBe(25_000);
    await again.send({ type: "hand_out", alreadyGiven: true } as never);
    await again.terminal.close();
    expect(await expected(await restart(again, copy))).toBe(25_000);
  });
});

describe("who may see and do what", () => {
  test("who may not see the expected sum gets none, before the count and after it, nor whether it differs", async () => {
    const till = await rig();
    await open(till);
    expect(await view(till, cashier)).toMatchObject({ kind: "open", expected: null, counted: null });
    await count(till, sum(29_000));
    const seen = await view(till, cashier);
    expect(seen).toMatchObject({ kind: "counted", expected: null, counted: { counts: 1, countedMinor: 29_000 } });
    expect(JSON.stringify(seen)).not.toMatch(/differ/);
    const reveal = { type: "get_day", reveal: true } as const;
    expect(await till.terminal.dispatch(reveal, cashier)).toEqual({ ok: false, code: "approval_needed" });
    expect(await till.terminal.dispatch(reveal, manager)).toMatchObject({ ok: true });
    expect(await view(till, manager)).toMatchObject({ expected: { expectedMinor: 30_000, differenceMinor: -1_000 } });
    expect(JSON.stringify(till.snapshots)).not.toContain("expectedMinor");
  });

  test("who agreed is named: in the move, in the report, and in the journal where the expected sum was shown", async () => {
    const journal = new MemoryJournal();
    const strict = {
      drawerMoney: {
        ...on.drawerMoney,
        managerFor: ["close" as const, "cash_moves" as const, "expected" as const],
      },
    };
    const till = await rig({ journal, settings: strict });
    const agreed: Actor = { ...cashier, approvedBy: { code: "M1", role: "manager" } };
    await open(till);
    await move(till, "out", 500, "a", agreed);
    await move(till, "in", 500, "b", manager);
    await till.terminal.dispatch({ type: "get_day", reveal: true }, agreed);
    expect(journal.entries.at(-1)?.body).toContain('"act":"expected_shown","about":"M1"');
    await count(till, float);
    const command = { type: "close_day" as const, number: 1, counts: 1, takeOut: none, reason: "", over: [] };
    expect(await till.terminal.dispatch(command, agreed)).toEqual({ ok: true });
    expect(await reports(till)).toMatchObject([
      {
        closedBy: "C2",
        approvedBy: "M1",
        moves: [
          { by: "C2", approvedBy: "M1" },
          { by: "M1", approvedBy: null },
        ],
      },
    ]);
  });
});

describe("the drawer's night", () => {
  const endOfDay = async (till: Rig, left: number, number = 1): Promise<void> => {
    await count(till, sum(left), number);
    await close(till, { reason: "counted" }, number);
  };
  test("left with 500.00 and opened with 450.00: a reason, a line of the report and of the file, a problem until a manager clears it up", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal });
    await open(till, sum(50_000));
    await endOfDay(till, 50_000);
    expect(await open(till, sum(45_000), 2)).toEqual({ ok: false, code: "reason_needed" });
    expect(await open(till, sum(45_000), 2, "found so")).toEqual({ ok: true });
    expect(till.snapshot().header.problems).toBe(1);
    expect(await problems(till)).toMatchObject([
      { kind: "drawer", about: "night_differs", day: 2, differenceMinor: -5_000, currency: "EUR", who: "counter" },
    ]);
    await endOfDay(till, 45_000, 2);
    const night = { leftMinor: 50_000, differenceMinor: -5_000, reason: "found so", toExplain: true };
    const [second, first] = await reports(till);
    expect([first?.night, second?.night]).toEqual([null, night]);
    expect(saved([second as DayReport])).toContain(",500.00,-50.00,found so,0,,,\r\n");
    // A restart, and one from a checkpoint, knows of it as well.
    await till.terminal.close();
    const { clock, service } = till;
    await (await rig({ journal, clock, service, idsFrom: 800, checkpointEvery: 0 })).terminal.close();
    expect(await problems(await restart(till, journal.archived()))).toMatchObject([{ about: "night_differs", day: 2 }]);
    const again = await restart(till, journal);
    const [problem] = await problems(again);
    expect(problem).toMatchObject({ about: "night_differs", differenceMinor: -5_000 });
    const cleared = { type: "acknowledge_problem", withdrawalId: problem?.withdrawalId ?? "", note: "safe" } as const;
    expect(await again.terminal.dispatch(cleared, manager)).toEqual({ ok: true });
    expect(await problems(again)).toEqual([]);
    expect(await again.terminal.dispatch(cleared, manager)).toEqual({ ok: false, code: "stale" });
    // The manager's word stands with the report, on its copy and in its file.
    const [noted] = await reports(again);
    expect(noted?.clearedUp).toEqual([{ about: "night", by: "M1", note: "safe", atMs: again.clock.now() }]);
    expect(saved([noted as DayReport])).toContain(",-50.00,found so,0,,,M1: safe\r\n");
    const locale = { language: "en", timeZone: "UTC" } as const;
    const copy = {
      report: noted as DayReport,
      shop: "s",
      terminal: "t",
      training: false,
      isReprint: true,
      isBlind: false,
    };
    expect(JSON.stringify(dayReportLines(copy, locale))).toContain("Cleared up (M1): safe");
  });

  test("within the shop's bound nothing is asked, and the report has it all the same", async () => {
    const till = await rig({ settings: { drawerMoney: { ...on.drawerMoney, differenceMinor: 5_000 } } });
    await open(till, sum(50_000));
    await endOfDay(till, 50_000);
    expect(await open(till, sum(44_999), 2)).toEqual({ ok: false, code: "reason_needed" });
    expect(await open(till, sum(45_000), 2)).toEqual({ ok: true });
    expect(await problems(till)).toEqual([]);
    await endOfDay(till, 45_000, 2);
    expect((await reports(till))[0]?.night).toMatchObject({ differenceMinor: -5_000, toExplain: false });
  });

  test("a journal of before there were nights goes on, and its next day has one", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal });
    await open(till);
    await endOfDay(till, 30_000);
    await open(till, sum(30_000), 2);
    await till.terminal.close();
    const older = new MemoryJournal();
    const bodies = journal.entries.map(({ body }) => {
      const { night: _night, ...event } = JSON.parse(body);
      if (event.report) for (const name of ["night", "everyCount", "toExplain"]) delete event.report[name];
      return JSON.stringify(event);
    });
    older.append(till.clock.now(), bodies);
    const again = await restart(till, older);
    await endOfDay(again, 30_000, 2);
    await open(again, sum(29_000), 3, "a note is missing");
    await endOfDay(again, 29_000, 3);
    expect((await reports(again)).map(({ night }) => night?.differenceMinor ?? null)).toEqual([-1_000, null, null]);
    expect((await reports(again)).map(({ everyCount }) => everyCount.length)).toEqual([1, 1, 0]);
  });
});

describe("the blind count", () => {
  const recount = (till: Rig, counts: number, by?: Actor) =>
    till.terminal.dispatch({ type: "recount_day", number: 1, counts }, by);
  const countAs = (till: Rig, minor: number, by: Actor) =>
    till.terminal.dispatch({ type: "count_day", number: 1, count: sum(minor), isEmpty: false }, by);

  test("a cashier finds the expected sum by no number of counts: each answer is the same, and none refuses the close", async () => {
    const answers = await Promise.all(
      [29_000, 30_000, 31_000].map(async (minor) => {
        const till = await rig();
        await open(till, sum(11_000));
        await move(till, "in", 19_000, "a");
        await countAs(till, minor, cashier);
        const seen = await view(till, cashier);
        if (seen.kind === "closed") throw new Error("closed");
        // What stays when the proposal is taken out is the float, whatever was counted.
        expect(seen.counted?.proposal).toEqual(sum(minor - 11_000));
        const told = { ...seen, counted: { ...seen.counted, proposal: null } };
        const closed = await close(till, {}, 1, cashier);
        expect(closed).toEqual({ ok: true });
        return JSON.stringify([told, closed]).replaceAll(String(minor), "SUM");
      }),
    );
    expect(new Set(answers).size).toBe(1);
  });

  test("what a cashier's count differed by goes to the manager, who says what it was", async () => {
    const till = await rig();
    await open(till);
    await countAs(till, 29_000, cashier);
    expect(await close(till, { reason: "all there" }, 1, cashier)).toEqual({ ok: true });
    expect(await reports(till)).toMatchObject([{ differenceMinor: -1_000, reason: "all there", toExplain: true }]);
    const differs = { kind: "drawer", about: "count_differs", day: 1, differenceMinor: -1_000, who: "C2" };
    expect(await problems(till)).toMatchObject([differs]);
  });

  test("that a blind count differed is a problem that managers alone see counted", async () => {
    const till = await rig();
    const counted = () => till.snapshot().header.problems;
    await open(till);
    await countAs(till, 29_000, cashier);
    await close(till, {}, 1, cashier);
    expect(counted()).toBe(0);
    const here = { ...nobodyYet, managers: "known", list: [] } as const;
    const boss = { code: "M1", name: "Bo", role: "manager" } as const;
    till.terminal.show({ people: { ...here, manager: boss } as never });
    expect(counted()).toBe(1);
    till.terminal.show({ people: here as never });
    expect(counted()).toBe(0);
    // Nobody is kept from anything where no PINs are kept.
    till.terminal.show({ people: { ...here, guarded: false } as never });
    expect(counted()).toBe(1);
  });

  test("the paper of a blind count says nothing by which the expected sum could be found; a manager's copy says it", async () => {
    const papers = await Promise.all(
      ([cashier, manager] as const).map(async (by) => {
        const till = await rig();
        await open(till);
        await serve(till, 1);
        await countAs(till, 24_000, by);
        await close(till, { reason: by === manager ? "a note" : "" }, 1, by);
        const [report] = await reports(till);
        const state = initialState(till.snapshot().settings, null, false);
        return [false, true].map((isReprint) => {
          const task = dayReportTask(state, report as DayReport, isReprint);
          return JSON.stringify(printedLines(task, { language: "en", timeZone: "UTC" }, (code) => code));
        });
      }),
    );
    const [[first, copy], [own]] = papers as [[string, string], [string]];
    for (const text of ["Expected", "Difference", "Withdrawals", "250.00", "50.00", "-€10.00"])
      expect(first).not.toContain(text);
    for (const text of ["Expected", "Difference", "Withdrawals", "250.00", "-€10.00"])
      for (const paper of [copy, own]) expect(paper).toContain(text);
    expect(first).toContain("240.00");
  });

  test("a cashier reads the last report without what was expected, and no earlier one; a manager reads each whole", async () => {
    const till = await rig();
    const read = async (number: number, by: Actor) => {
      const reply = await till.terminal.dispatch({ type: "read_day", number }, by);
      return reply.ok ? JSON.stringify(reply.data) : reply.code;
    };
    for (const number of [1, 2]) {
      await open(till, float, number, "found so");
      await till.terminal.dispatch({ type: "count_day", number, count: sum(29_000), isEmpty: false }, cashier);
      await close(till, {}, number, cashier);
    }
    for (const { withdrawalId } of await problems(till))
      await till.terminal.dispatch({ type: "acknowledge_problem", withdrawalId, note: "ten short" }, manager);
    expect(await read(1, cashier)).toBe("manager_needed");
    expect(await read(3, manager)).toBe("stale");
    for (const text of ["Expected", '"Difference"', "-€10.00", "ten short"])
      expect(await read(2, cashier)).not.toContain(text);
    expect(await read(2, cashier)).toContain("290.00");
    for (const number of [1, 2])
      for (const text of ["Expected", "-€10.00"]) expect(await read(number, manager)).toContain(text);
    expect(await read(1, manager)).toContain("ten short");
    for (const text of ["COPY", "Signature"]) expect(await read(1, manager)).not.toContain(text);
  });

  test("a manager's word for the close of a cashier tells the cashier no more; a manager who closes is asked", async () => {
    const strict = { drawerMoney: { ...on.drawerMoney, managerFor: ["close" as const, "expected" as const] } };
    const till = await rig({ settings: strict });
    await open(till);
    await countAs(till, 29_000, cashier);
    const agreed: Actor = { ...cashier, approvedBy: { code: "M1", role: "manager" } };
    expect(await close(till, {}, 1, manager)).toEqual({ ok: false, code: "reason_needed" });
    expect(await close(till, {}, 1, agreed)).toEqual({ ok: true });
    expect(await reports(till)).toMatchObject([{ toExplain: true, approvedBy: "M1" }]);
  });

  test("a difference that a manager had shown and that was explained is not asked again", async () => {
    const till = await rig();
    const closeAs = (number: number, reason: string, counts = 1) =>
      till.terminal.dispatch({ type: "close_day", number, counts, takeOut: none, over: [], reason }, cashier);
    const agreed: Actor = { ...cashier, approvedBy: { code: "M1", role: "manager" } };
    const shown = () => till.terminal.dispatch({ type: "get_day", reveal: true }, agreed);
    await open(till);
    await countAs(till, 29_000, cashier);
    await shown();
    expect(await closeAs(1, "")).toEqual({ ok: false, code: "reason_needed" });
    expect(await closeAs(1, "a roll broke")).toEqual({ ok: true });
    await open(till, sum(29_000), 2);
    const countTwo = (minor: number) =>
      till.terminal.dispatch({ type: "count_day", number: 2, count: sum(minor), isEmpty: false }, cashier);
    await countTwo(28_500);
    await shown();
    await till.terminal.dispatch({ type: "recount_day", number: 2, counts: 1 }, cashier);
    await countTwo(28_000);
    // Nobody was shown this one.
    expect(await closeAs(2, "a roll broke", 2)).toEqual({ ok: true });
    expect(await reports(till)).toMatchObject([{ toExplain: true }, { toExplain: false, differenceMinor: -1_000 }]);
  });

  test.each([0, 1])(
    "the manager who had the expected sum shown is in the report, with when, after %i counts",
    async (counts) => {
      const journal = new MemoryJournal();
      const till = await rig({ journal });
      const agreed: Actor = { ...cashier, approvedBy: { code: "M1", role: "manager" } };
      const show = (as: Rig) => as.terminal.dispatch({ type: "get_day", reveal: true }, agreed);
      await open(till);
      if (counts === 1) await countAs(till, 29_000, cashier);
      await till.clock.advance(60_000);
      const atMs = till.clock.now();
      await show(till);
      await till.clock.advance(60_000);
      await show(till);
      await till.terminal.close();
      const again = await restart(till, journal);
      if (counts === 0) await countAs(again, 29_000, cashier);
      await close(again, { reason: "a note was lost" }, 1, cashier);
      const [report] = await reports(again);
      expect(report).toMatchObject({ isBlind: true, toExplain: counts === 0 });
      expect(report?.shownTo).toEqual([{ by: "M1", atMs, counts }]);
      const printed = { shop: "s", terminal: "t", training: false, isReprint: false, isBlind: true };
      const task = { kind: "day_report" as const, report: report as DayReport, ...printed };
      const paper = JSON.stringify(printedLines(task, { language: "en", timeZone: "UTC" }, () => "Max Roth"));
      expect(paper).toMatch(/Expected sum shown [^"]*\(Max Roth\)/);
      expect(paper).toMatch(/Count 1 [^"]*\(Max Roth\)/);
      const { head, rows } = reportSheets(plainContext, [report as DayReport]).days;
      expect(rows[0]?.[head.indexOf("csv.shownTo")]).toBe("M1");
    },
  );

  test("a manager who is signed in and sees the expected sum leaves the same entry, once until the next count", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal });
    const acts = () =>
      journal.entries.filter(({ body }) => body.includes('"act":"expected_shown","about":"M1"')).length;
    await view(till, manager);
    expect(acts()).toBe(0);
    await open(till);
    await view(till, cashier);
    expect(acts()).toBe(0);
    await view(till, manager);
    await view(till, manager);
    // It is the manager who has seen it, also where a cashier stands at the counter.
    await view(till, { ...cashier, approvedBy: manager.approvedBy });
    expect(acts()).toBe(1);
    await countAs(till, 29_000, cashier);
    await view(till, manager);
    expect(acts()).toBe(2);
    // The manager has seen the difference: whoever closes is asked for the reason.
    expect(await close(till, {}, 1, cashier)).toEqual({ ok: false, code: "reason_needed" });
    expect(await close(till, { reason: "a roll broke" }, 1, cashier)).toEqual({ ok: true });
    expect((await reports(till))[0]?.shownTo.map(({ by, counts }) => [by, counts])).toEqual([
      ["M1", 0],
      ["M1", 1],
    ]);
  });

  test("where everybody may see the expected sum, looking at it leaves no entry", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal, settings: { drawerMoney: { ...on.drawerMoney, managerFor: [] } } });
    await open(till);
    expect(await view(till, manager)).toMatchObject({ expected: { expectedMinor: 30_000 } });
    expect(journal.types()).not.toContain("act");
  });

  test("a cashier's own PIN shows nobody anything: the close asks nobody, and the difference goes to a manager", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal });
    const own: Actor = { ...cashier, approvedBy: { code: cashier.code ?? "", role: "cashier" } };
    await open(till);
    await countAs(till, 29_000, cashier);
    const approval = { person: cashier.code ?? "", pin: "482915" };
    expect(await till.terminal.dispatch({ type: "get_day", reveal: false, approval }, own)).toMatchObject({ ok: true });
    expect(journal.types()).not.toContain("act");
    expect(await close(till, {}, 1, cashier)).toEqual({ ok: true });
    expect(await reports(till)).toMatchObject([{ toExplain: true }]);
  });

  test("every count is in the report, with its time and its person; a fourth one needs a manager", async () => {
    const till = await rig();
    await open(till);
    const startMs = till.clock.now();
    for (const [at, minor] of [29_000, 31_000, 30_500].entries()) {
      await till.clock.advance(60_000);
      await countAs(till, minor, cashier);
      if (at < 2) expect(await recount(till, at + 1, cashier)).toEqual({ ok: true });
    }
    expect(await recount(till, 3, cashier)).toEqual({ ok: false, code: "approval_needed" });
    const agreed: Actor = { ...cashier, approvedBy: { code: "M1", role: "manager" } };
    expect(await recount(till, 3, agreed)).toEqual({ ok: true });
    await countAs(till, 30_000, manager);
    await close(till, { counts: 4 }, 1, manager);
    const [report] = await reports(till);
    expect(report).toMatchObject({ counts: 4, firstCountMinor: 29_000, differenceMinor: 0, toExplain: false });
    expect(report?.everyCount.map(({ countedMinor, by, atMs }) => [countedMinor, by, atMs - startMs])).toEqual([
      [29_000, "C2", 60_000],
      [31_000, "C2", 120_000],
      [30_500, "C2", 180_000],
      [30_000, "M1", 180_000],
    ]);
    const lines = JSON.stringify(
      dayReportLines(
        { report: report as DayReport, shop: "s", terminal: "t", training: false, isReprint: false, isBlind: false },
        { language: "en", timeZone: "UTC" },
      ),
    );
    for (const minor of ["290.00", "310.00", "305.00", "300.00"]) expect(lines).toContain(minor);
    expect(reportSheets(plainContext, [report as DayReport]).counts.rows.map((row) => row.at(-1))).toEqual([
      "C2",
      "C2",
      "C2",
      "M1",
    ]);
  });
});
