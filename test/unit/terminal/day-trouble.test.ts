/** Bad days of the drawer: power cuts, two people at once, clocks, switching it off and on, a journal that takes nothing; and the report on paper. */
import { describe, expect, test } from "vitest";
import { commandSchema, settingsSchema } from "../../../preload/contract.ts";
import { nobodyYet } from "../../../preload/people.ts";
import { close, count, expected, float, none, on, open, reports, restart, rig, serve, sum, view } from "./day-stage.ts";
import { MemoryJournal, type Rig } from "./rig.ts";

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
});
