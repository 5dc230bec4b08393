/** The drawer's day at the terminal: opened, lowered by what is handed out, counted blind, closed once; and its bad days. */
import { describe, expect, test } from "vitest";
import type { Actor } from "../../../main/terminal/state/actor.ts";
import {
  type CashCount,
  commandSchema,
  type DayReport,
  type DayView,
  settingsSchema,
} from "../../../preload/contract.ts";
import { createRig, handOver, idNumber, MemoryJournal, type Rig, type RigOptions } from "./rig.ts";

const on = { drawerMoney: settingsSchema.parse({ drawerMoney: { enabled: true } }).drawerMoney };
const rig = (options: RigOptions = {}): Promise<Rig> =>
  createRig({ journal: new MemoryJournal(), ...options, settings: { ...on, ...options.settings } });

const sum = (otherMinor: number): CashCount => ({ pieces: [], otherMinor });
const none = sum(0);
const float: CashCount = {
  pieces: [
    { valueMinor: 5_000, count: 4 },
    { valueMinor: 1_000, count: 10 },
  ],
  otherMinor: 0,
};
const manager: Actor = { code: "M1", guarded: true, approvedBy: { code: "M1", role: "manager" } };
const cashier: Actor = { code: "C2", guarded: true, approvedBy: null };

const open = (till: Rig, count = float, number = 1) =>
  till.send({ type: "open_day", number, currency: "EUR", count, isEmpty: false });
const count = (till: Rig, counted: CashCount, number = 1) =>
  till.send({ type: "count_day", number, count: counted, isEmpty: false });
const close = (till: Rig, more: { takeOut?: CashCount; reason?: string; over?: string[] } = {}, number = 1) =>
  till.send({ type: "close_day", number, takeOut: none, reason: "", over: [], ...more });
const move = (till: Rig, direction: "in" | "out", amountMinor: number, moveId: string, by?: Actor) =>
  till.terminal.dispatch(
    { type: "move_cash", number: 1, direction, amountMinor, count: null, reason: "change", note: "", moveId },
    by,
  );
const view = async (till: Rig, by?: Actor): Promise<DayView> => {
  const reply = await till.terminal.dispatch({ type: "get_day", reveal: false }, by);
  if (!reply.ok) throw new Error(reply.code);
  return reply.data as DayView;
};
const expected = async (till: Rig): Promise<number | undefined> => {
  const day = await view(till);
  return day.kind === "closed" ? undefined : day.expected?.expectedMinor;
};
const reports = async (till: Rig): Promise<readonly DayReport[]> => {
  const reply = await till.terminal.dispatch({ type: "list_days" });
  return reply.ok ? (reply.data as readonly DayReport[]) : [];
};

const payable = async (till: Rig, number: number) => {
  const order = till.service.order({ transaction_id: idNumber(number) });
  await till.clock.advance(3_000);
  await till.scan(idNumber(number));
  await till.send({ type: "confirm" });
  order.status = "settled";
  await till.clock.advance(1_500);
  expect(till.screen().kind).toBe("payable");
};
const serve = async (till: Rig, number: number): Promise<void> => {
  await payable(till, number);
  await handOver(till);
};
const restart = (till: Rig, journal: MemoryJournal, settings = on): Promise<Rig> =>
  createRig({ journal, clock: till.clock, service: till.service, settings, idsFrom: 900 });

describe("switched off", () => {
  test("an upgraded shop sees nothing of it: withdrawals go on, commands are refused, the journal says no word", async () => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal });
    expect(till.snapshot().settings.drawerMoney.enabled).toBe(false);
    expect(till.snapshot().header.day).toBeNull();
    await serve(till, 1);
    expect(till.screen().kind).toBe("done");
    expect(await open(till)).toEqual({ ok: false, code: "invalid" });
    expect(journal.types().filter((type) => type.includes("day") || type.includes("cash"))).toEqual([]);
  });

  test("a checkpoint before the first day is one that an older program can read", async () => {
    const journal = new MemoryJournal();
    journal.append(
      1,
      Array.from({ length: 5_001 }, () => JSON.stringify({ type: "journal_recovered", failedForMs: 1 })),
    );
    await createRig({ journal });
    const checkpoint = JSON.parse(journal.entries.find(({ body }) => body.includes('"checkpoint"'))?.body ?? "{}");
    expect(checkpoint.format).toBe(2);
    expect(checkpoint).not.toHaveProperty("drawerMoney");
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
    expect(await view(till)).toEqual({ kind: "closed", next: 2, leftMinor: 20_000, currency: "EUR" });
    expect(await open(till, sum(20_000), 2)).toEqual({ ok: true });
  });

  test("the terminal warns before a withdrawal that the drawer cannot pay, and says so of notes", async () => {
    const till = await rig();
    await open(till, { pieces: [{ valueMinor: 20_000, count: 1 }], otherMinor: 0 });
    till.service.order({ transaction_id: idNumber(1) });
    await till.scan(idNumber(1));
    expect(till.screen()).toMatchObject({ kind: "review", drawer: "no_notes" });
    await till.send({ type: "reject" });
    await till.clock.advance(5_000);
    await move(till, "out", 19_000, "a");
    till.service.order({ transaction_id: idNumber(2) });
    await till.send({ type: "dismiss" });
    await till.scan(idNumber(2));
    expect(till.screen()).toMatchObject({ kind: "review", drawer: "short" });
  });

  test("what was not handed out stays in the drawer; what a manager says was handed out does not", async () => {
    const till = await rig();
    await open(till);
    await payable(till, 1);
    await till.send({ type: "not_handed_out", reason: "customer_left" } as never);
    expect(await expected(till)).toBe(30_000);
  });

  test("a drawer that opens and a terminal that dies before the cashier's word: lowered when the word comes, once", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal });
    await open(till);
    await payable(till, 1);
    await till.send({ type: "hand_out" });
    expect(till.screen().kind).toBe("counting");
    const again = await restart(till, journal.cut(journal.entries.length));
    await again.clock.advance(3_000);
    expect(await expected(again)).toBe(30_000);
    expect(again.screen()).toMatchObject({ kind: "payable", handOutBegun: true });
    await again.send({ type: "hand_out", alreadyGiven: true } as never);
    expect(await expected(again)).toBe(25_000);
  });
});

describe("who may see and do what", () => {
  test("who may not see the expected sum gets none, before the count and after it, and only that it differs", async () => {
    const till = await rig();
    await open(till);
    expect(await view(till, cashier)).toMatchObject({ kind: "open", expected: null, counted: null });
    await count(till, sum(29_000));
    const seen = await view(till, cashier);
    expect(seen).toMatchObject({ kind: "counted", expected: null, counted: { countedMinor: 29_000, differs: true } });
    expect(JSON.stringify(seen)).not.toContain("differenceMinor");
    const reveal = { type: "get_day", reveal: true } as const;
    expect(await till.terminal.dispatch(reveal, cashier)).toEqual({ ok: false, code: "approval_needed" });
    expect(await till.terminal.dispatch(reveal, manager)).toMatchObject({ ok: true });
    expect(await view(till, manager)).toMatchObject({ expected: { expectedMinor: 30_000, differenceMinor: -1_000 } });
    expect(JSON.stringify(till.snapshots)).not.toContain("expectedMinor");
  });

  test("cash in and out needs a manager where the settings say so", async () => {
    const till = await rig();
    await open(till);
    expect(await move(till, "out", 500, "a", cashier)).toEqual({ ok: false, code: "approval_needed" });
    expect(await move(till, "out", 500, "a", manager)).toEqual({ ok: true });
    expect(await view(till)).toMatchObject({ moves: [{ by: "M1", amountMinor: 500, direction: "out" }] });
  });

  test("closing needs one only where the settings say so", async () => {
    const strict = { drawerMoney: { enabled: true, managerFor: ["close" as const] } };
    const till = await rig({ settings: strict });
    await open(till);
    await count(till, float);
    const command = { type: "close_day" as const, number: 1, takeOut: none, reason: "", over: [] };
    expect(await till.terminal.dispatch(command, cashier)).toEqual({ ok: false, code: "approval_needed" });
    expect(await till.terminal.dispatch(command, manager)).toEqual({ ok: true });
    expect(await reports(till)).toMatchObject([{ closedBy: "M1" }]);
  });
});

describe("bad days", () => {
  test.each([
    ["nothing", none, "count_empty"],
    ["more than any drawer holds", sum(10 ** 10 + 1), "schema"],
    ["10¹² notes", { pieces: [{ valueMinor: 500, count: 10 ** 12 }], otherMinor: 0 }, "schema"],
    ["letters", { pieces: [], otherMinor: "12,50" }, "schema"],
    ["half a note", { pieces: [{ valueMinor: 500, count: 0.5 }], otherMinor: 0 }, "schema"],
    ["less than nothing", sum(-1), "schema"],
  ])("a count of %s is not taken", async (_, wrong, by) => {
    const command = { type: "open_day", number: 1, currency: "EUR", count: wrong, isEmpty: false };
    const parsed = commandSchema.safeParse(command);
    expect(parsed.success).toBe(by !== "schema");
    if (!parsed.success) return;
    const till = await rig();
    expect(await till.terminal.dispatch(parsed.data as never)).toEqual({ ok: false, code: "count_empty" });
  });

  test("a drawer that is empty is said to be so", async () => {
    const till = await rig();
    expect(await till.send({ type: "open_day", number: 1, currency: "EUR", count: none, isEmpty: true })).toEqual({
      ok: true,
    });
    expect(await expected(till)).toBe(0);
  });

  test("a power cut between count and report: the count is there, and the day closes with it", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal });
    await open(till);
    await count(till, sum(30_000));
    const again = await restart(till, journal.cut(journal.entries.length));
    expect(await view(again)).toMatchObject({ kind: "counted", counted: { countedMinor: 30_000 } });
    expect(await close(again)).toEqual({ ok: true });
    expect(await reports(again)).toHaveLength(1);
  });

  test("two people closing at once: one report, the other is told that the day has gone", async () => {
    const till = await rig();
    await open(till);
    const [first, second] = await Promise.all([count(till, float), count(till, sum(29_000))]);
    expect([first, second]).toEqual([{ ok: true }, { ok: false, code: "stale" }]);
    const both = await Promise.all([close(till), close(till)]);
    expect(both).toEqual([{ ok: true }, { ok: false, code: "stale" }]);
    expect(await reports(till)).toHaveLength(1);
    expect(await close(till, {}, 2)).toEqual({ ok: false, code: "stale" });
  });

  test("it cannot close over an open withdrawal without naming it, and the report names it", async () => {
    const till = await rig();
    await open(till);
    await payable(till, 1);
    await count(till, float);
    const day = await view(till);
    if (day.kind === "closed") throw new Error("closed");
    expect(day.over).toMatchObject([{ transactionId: idNumber(1) }]);
    expect(await close(till)).toEqual({ ok: false, code: "stale" });
    expect(await close(till, { over: day.over.map(({ withdrawalId }) => withdrawalId) })).toEqual({ ok: true });
    expect(await reports(till)).toMatchObject([{ over: [{ transactionId: idNumber(1), amount: "50.00" }] }]);
    // The money is settled: it is paid out also without a day, and the next report knows of it.
    await handOver(till);
    await till.clock.advance(5_000);
    await open(till, sum(25_000), 2);
    await count(till, sum(25_000), 2);
    await close(till, {}, 2);
    expect((await reports(till))[0]).toMatchObject({
      number: 2,
      before: { handOuts: 1, handedOutMinor: 5_000 },
      expectedMinor: 25_000,
    });
  });

  test("forgotten open for a week, over midnights and a clock that was put back: the sums stand, the header says how long", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal });
    await open(till);
    await till.clock.advance(7 * 86_400_000);
    await serve(till, 1);
    expect(till.snapshot().header.day?.openForMs).toBeGreaterThan(6.9 * 86_400_000);
    till.clock.jump(-30 * 86_400_000);
    expect(till.snapshot().header.day?.openForMs).toBe(0);
    await count(till, sum(25_000));
    expect(await close(till)).toEqual({ ok: true });
    expect(await reports(till)).toMatchObject([{ expectedMinor: 25_000, differenceMinor: 0 }]);
    expect(await open(till, sum(25_000), 2)).toEqual({ ok: true });
  });

  test("a journal from before there were days: switched on, its hand-outs are in no sum", async () => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal });
    await serve(till, 1);
    const again = await restart(till, journal.cut(journal.entries.length));
    expect(await view(again)).toMatchObject({ kind: "closed", next: 1, leftMinor: null });
    await again.clock.advance(5_000);
    await open(again);
    expect(await expected(again)).toBe(30_000);
  });

  test("switched off in the middle of a day and on again: the hand-outs between are in its sums", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal });
    await open(till);
    const off = await restart(till, journal, { drawerMoney: { ...on.drawerMoney, enabled: false } });
    await serve(off, 1);
    expect(off.snapshot().header.day).toBeNull();
    const again = await restart(off, journal);
    expect(await expected(again)).toBe(25_000);
  });

  test("the day outlives any number of checkpoints", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal });
    await open(till);
    await move(till, "in", 700, "a");
    journal.append(
      2,
      Array.from({ length: 5_001 }, () => JSON.stringify({ type: "journal_recovered", failedForMs: 1 })),
    );
    await restart(till, journal);
    const at = journal.types().lastIndexOf("checkpoint");
    expect(JSON.parse(journal.entries[at]?.body ?? "{}").format).toBe(3);
    const rest = new MemoryJournal();
    rest.entries = journal.entries.slice(at).map((entry, index) => ({ ...entry, sequence: index + 1 }));
    const again = await restart(till, rest);
    expect(await view(again)).toMatchObject({ kind: "open", number: 1, moves: [{ moveId: "a" }] });
    expect(await expected(again)).toBe(30_700);
  });

  test("a journal that takes nothing: nothing has happened, and the same press works later", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal });
    journal.full = true;
    expect(await open(till)).toEqual({ ok: false, code: "failed" });
    expect((await view(till)).kind).toBe("closed");
    journal.full = false;
    expect(await open(till)).toEqual({ ok: true });
  });
});

describe("the report on paper", () => {
  const printer = settingsSchema.parse({ printer: { kind: "network", host: "10.0.0.9" } }).printer;
  const closeOne = async (till: Rig): Promise<void> => {
    await open(till);
    await count(till, float);
    await close(till);
  };
  const textOf = (till: Rig, job: number): string => JSON.stringify(till.printer.jobs[job] ?? []);

  test("prints with the close, and as a copy when a manager asks again", async () => {
    const till = await rig({ settings: { printer } });
    await closeOne(till);
    expect(textOf(till, 0)).toContain("Day report Z 1");
    expect(textOf(till, 0)).not.toContain("COPY");
    expect(await till.send({ type: "print_day", number: 1 })).toEqual({ ok: true });
    expect(textOf(till, 1)).toContain("COPY");
    expect(await till.send({ type: "print_day", number: 7 })).toEqual({ ok: false, code: "stale" });
  });

  test("a printer that is off closes the day as well", async () => {
    const till = await rig({ settings: { printer } });
    till.printer.answers = Array.from({ length: 9 }, () => ({ kind: "not_printed", why: "unreachable" }) as const);
    await closeOne(till);
    expect(await reports(till)).toHaveLength(1);
    expect(till.snapshot().header.printing).toMatchObject({ why: "unreachable" });
  });
});
