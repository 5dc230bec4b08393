/** Bad days of the drawer: power cuts, two people at once, clocks, switching it off and on, a journal that takes nothing; and the report on paper. */
import { describe, expect, test } from "vitest";
import { commandSchema, settingsSchema } from "../../../preload/contract.ts";
import { nobodyYet } from "../../../preload/people.ts";
import {
  close,
  count,
  expected,
  float,
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
import { createRig, handOver, idNumber, MemoryJournal, type Rig } from "./rig.ts";

/** A manager switches the count of the drawer on or off. */
const turn = (till: Rig, enabled: boolean) =>
  till.terminal.dispatch({
    type: "change_settings",
    settings: { ...till.snapshot().settings, drawerMoney: { ...on.drawerMoney, enabled } },
  });

describe("bad days", () => {
  test.each([
    ["nothing", none, "count_empty"],
    ["more than any drawer holds", sum(10 ** 10 + 1), "schema"],
    ["10¹² notes", { pieces: [{ valueMinor: 500, count: 10 ** 12 }], otherMinor: 0 }, "schema"],
    ["letters", { pieces: [], otherMinor: "12,50" }, "schema"],
    ["half a note", { pieces: [{ valueMinor: 500, count: 0.5 }], otherMinor: 0 }, "schema"],
    ["less than nothing", sum(-1), "schema"],
    [
      "one note in two lines",
      {
        pieces: [
          { valueMinor: 500, count: 1 },
          { valueMinor: 500, count: 2 },
        ],
        otherMinor: 0,
      },
      "schema",
    ],
    [
      "forty notes of 10⁸ each, 99,999 times",
      {
        pieces: Array.from({ length: 40 }, (_, at) => ({ valueMinor: 10 ** 10 - at, count: 99_999 })),
        otherMinor: 0,
      },
      "schema",
    ],
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

  test("whoever looks at a count that somebody else has replaced neither closes the day by it nor voids the new one", async () => {
    const till = await rig();
    await open(till);
    await count(till, sum(29_000));
    expect(await till.send({ type: "recount_day", number: 1, counts: 1 })).toEqual({ ok: true });
    await count(till, sum(30_000));
    expect(await view(till)).toMatchObject({ counted: { counts: 2, countedMinor: 30_000 } });
    expect(await close(till, { reason: "for the first count", takeOut: sum(5_000) })).toEqual({
      ok: false,
      code: "stale",
    });
    expect(await till.send({ type: "recount_day", number: 1, counts: 1 })).toEqual({ ok: false, code: "stale" });
    expect(await close(till, { counts: 2 })).toEqual({ ok: true });
  });

  test("a shop's drawer opens in the shop's currency alone", async () => {
    const till = await rig();
    till.service.shop = {
      store_name: "Corner Shop",
      currency: "EUR",
      amount_min: "10.00",
      amount_max: "200.00",
      amount_step: "10.00",
    };
    await till.clock.advance(11 * 60_000);
    expect(await view(till)).toMatchObject({ kind: "closed", currency: "EUR" });
    const open = { type: "open_day", number: 1, count: float, isEmpty: false } as const;
    expect(await till.send({ ...open, currency: "CHF" })).toEqual({ ok: false, code: "invalid" });
    expect(await till.send({ ...open, currency: "EUR" })).toEqual({ ok: true });
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
    expect(journal.types()).toContain("handed_out");
    const again = await restart(till, journal.cut(journal.entries.length));
    await turn(again, true);
    expect(await view(again)).toMatchObject({ kind: "closed", next: 1, leftMinor: null });
    await again.clock.advance(5_000);
    await open(again);
    expect(await expected(again)).toBe(30_000);
  });

  test("switched off in the middle of a day and on again: the hand-outs between are in its sums", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal });
    await open(till);
    await turn(till, false);
    await serve(till, 1);
    expect(till.snapshot().header.day).toBeNull();
    const off = await restart(till, journal, { drawerMoney: { ...on.drawerMoney, enabled: false } });
    expect(off.snapshot().header.day).toBeNull();
    await turn(off, true);
    expect(off.snapshot().header.day).toMatchObject({ kind: "open", number: 1 });
    expect(await expected(off)).toBe(25_000);
  });

  test("the day is known from a checkpoint alone", async () => {
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
    const acts = till.journal.readSlice(1, 1_000).entries.filter(({ body }) => body.includes("day_reprinted"));
    expect(acts.map(({ body }) => JSON.parse(body) as object)).toMatchObject([{ act: "day_reprinted", about: "1" }]);
  });

  test("is printed by nothing where there is no printer", async () => {
    const till = await rig();
    await closeOne(till);
    expect(await till.send({ type: "print_day", number: 1 })).toEqual({ ok: false, code: "no_printer" });
    await till.clock.advance(60_000);
    expect(till.printer.places).toEqual([]);
  });

  test.each([
    ["the manager who is signed in", "fr", "it", "Rapport du jour"],
    ["else the cashier", null, "it", "Rapporto giornaliero"],
    ["else the terminal", null, null, "Day report"],
  ])("is read in the language of %s", async (_, manager, cashier, word) => {
    const till = await rig();
    await closeOne(till);
    const person = (language: string | null) => language && { code: "M1", name: "Ann", role: "manager", language };
    till.terminal.show({ people: { ...nobodyYet, manager: person(manager), cashier: person(cashier) } as never });
    expect(JSON.stringify(await till.terminal.dispatch({ type: "read_day", number: 1 }))).toContain(word);
  });

  test("a printer that is off closes the day as well", async () => {
    const till = await rig({ settings: { printer } });
    till.printer.answers = Array.from({ length: 9 }, () => ({ kind: "not_printed", why: "unreachable" }) as const);
    await closeOne(till);
    expect(await reports(till)).toHaveLength(1);
    expect(till.snapshot().header.printing).toMatchObject({ why: "unreachable" });
  });
});
