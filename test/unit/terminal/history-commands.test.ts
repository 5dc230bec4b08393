/** The commands about the past: which days they take, what the service is asked for them, and what the terminal does meanwhile. */
import { describe, expect, test } from "vitest";
import { createHistoryCommands } from "../../../main/terminal/history/history-commands.ts";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import type { IndexStore } from "../../../main/terminal/ports.ts";
import { counterActor } from "../../../main/terminal/withdrawal/inputs.ts";
import type { BooksView, Story } from "../../../preload/contract.ts";
import { confirmAccepted, confirmIntended, handedOutBy } from "./entries.ts";
import { of } from "./flow-stage.ts";
import { idNumber, MemoryJournal } from "./rig.ts";
import { http } from "./stories/at-stage.ts";
import { VirtualClock } from "./virtual-clock.ts";

const noon = Date.UTC(2026, 10, 20, 12);
const device = { merchantId: "demo-shop", deviceId: "till-1" };

/** The commands over a journal with these entries, all written at noon, and a service that has these lines. */
const commandsWith = (
  events: readonly object[],
  lines: readonly object[] = [],
  state: object = { device, serviceClock: null },
  index?: IndexStore,
) => {
  const [journal, clock] = [new MemoryJournal(), new VirtualClock()];
  journal.append(
    noon,
    events.map((event) => JSON.stringify(event)),
  );
  const [asked, log]: [unknown[], string[]] = [[], []];
  const client = {
    getReport: async (...words: readonly unknown[]) => http(200, { lines: asked.push(words) === 1 ? lines : [] }),
    getEvents: async () => http(200, { events: [] }),
  };
  const ports = { journal, clock, timeZone: "UTC", log: (_: string, text: string) => log.push(text), index };
  const commands = createHistoryCommands(
    ports as never,
    client as never,
    () => ({ state }) as never,
    () => {},
  );
  const dispatch = (command: object) => commands.answer(command as never, counterActor);
  const ask = async <T>(command: object): Promise<T> => {
    const reply = await dispatch(command);
    if (!reply.ok) throw new Error(reply.code);
    return reply.data as T;
  };
  return { commands, journal, clock, asked, log, dispatch, ask };
};
const day = { from: "2026-11-20", to: "2026-11-20" };
const given = [confirmIntended, confirmAccepted("settling"), handedOutBy("cashier")];

test.each([
  ["get_figures", "2026-11-19", false],
  ["get_figures", "2026-11-20", true],
  ["get_figures", "2027-12-24", true],
  ["get_figures", "2027-12-25", false],
  ["get_books", "2026-11-19", false],
  ["get_books", "2026-11-20", true],
  ["get_books", "2026-12-20", true],
  ["get_books", "2026-12-21", false],
])("%s from 2026-11-20 to %s is answered: %s", async (type, to, ok) => {
  const { dispatch, clock } = commandsWith([]);
  const reply = dispatch({ type, from: "2026-11-20", to });
  for (let month = 0; month < 13; month++) await clock.advance(0);
  expect(await reply).toMatchObject(ok ? { ok } : { ok, code: "invalid" });
});

test("figures of months let the program go on between them", async () => {
  const { dispatch, clock } = commandsWith(given);
  let isDone = false;
  const reply = dispatch({ type: "get_figures", from: "2026-10-20", to: "2026-11-20" }).finally(() => {
    isDone = true;
  });
  expect(clock.timers).toBe(0);
  for (let turn = 0; clock.timers === 0 && turn < 100; turn++) await Promise.resolve();
  expect([clock.timers, isDone]).toEqual([1, false]);
  await clock.advance(0);
  expect(await reply).toMatchObject({ ok: true, data: { withdrawals: 1 } });
});

describe("the books", () => {
  const line = { device_id: "till-1", status: "linked", finding: "matched", amount: "50.00", currency: "EUR" };
  const lineOf = (id: string, ms = 0) => ({
    ...line,
    transaction_id: id,
    confirmed_at: new Date(noon + ms).toISOString(),
  });

  test("list what no journal of this terminal has, and not what it has on another day", async () => {
    const earlier = { ...of, withdrawalId: "W0", transactionId: idNumber(9) };
    const { journal, ask } = commandsWith(given, [lineOf(of.transactionId), lineOf(idNumber(7)), lineOf(idNumber(9))]);
    journal.append(noon - 86_400_000, [JSON.stringify({ type: "handed_out", withdrawal: earlier, by: "cashier" })]);
    const books = await ask<BooksView>({ type: "get_books", ...day });
    expect(books).toMatchObject({ ...day, service: "available", agreeing: 1, leftOut: 0 });
    expect(books.lines).toMatchObject([{ transactionId: idNumber(7), explanation: "known_there_only" }]);
  });

  test("take the service's times by how far its clock is off, under the shop's name", async () => {
    const [off, there] = [7_200_000, [lineOf(idNumber(7), 11 * 3_600_000)]];
    const { ask, asked } = commandsWith([], there, { device, serviceClock: { offMs: off } });
    expect((await ask<BooksView>({ type: "get_books", ...day })).lines).toEqual([]);
    const midnight = noon - 12 * 3_600_000;
    expect(asked[0]).toEqual(["demo-shop", midnight - off - 600_000, midnight - off - 600_000 + 86_400_000]);
    const exact = commandsWith([], there);
    expect((await exact.ask<BooksView>({ type: "get_books", ...day })).lines).toHaveLength(1);
  });

  test("tell another terminal's lines from this one's", async () => {
    const { ask } = commandsWith([], [{ ...lineOf(idNumber(7)), device_id: "till-2" }]);
    const { lines, elsewhere } = await ask<BooksView>({ type: "get_books", ...day });
    expect([lines, elsewhere]).toEqual([[], { lines: 1, unresolved: 0 }]);
  });

  test("of a terminal without a service are its own half, and nobody is asked", async () => {
    const { ask, asked } = commandsWith(given, [], { device: null, serviceClock: null });
    expect(await ask<BooksView>({ type: "get_books", ...day })).toMatchObject({
      service: "offline",
      agreeing: 0,
      lines: [],
    });
    expect(asked).toEqual([]);
  });
});

test("a story has five hundred entries at most, and none in place of one that is gone", async () => {
  const again = Array.from({ length: 600 }, () => ({ type: "drawer_reopened", withdrawal: of, approvedBy: null }));
  const { ask, journal, clock } = commandsWith([...given, ...again]);
  const step = { type: "get_story", withdrawalId: of.withdrawalId };
  const reply = ask<Story>(step);
  await clock.advance(0);
  expect((await reply).steps).toHaveLength(500);
  const read = journal.readSlice.bind(journal);
  journal.readSlice = (from, limit) => read(from === 2 ? 3 : from, limit);
  const { steps } = await ask<Story>(step);
  expect(steps.slice(0, 2).map(({ what }) => what)).toEqual(["confirm_intended", "handed_out"]);
  expect(steps).toHaveLength(499);
});

test("the index is brought up in the background from the start where it is kept, and nowhere else", async () => {
  const inMemory = commandsWith(given);
  inMemory.commands.opened();
  expect(inMemory.clock.timers).toBe(0);
  for (const isKept of [true, false]) {
    let opened = 0;
    const open = () => {
      opened += 1;
      return openNodeDatabase(":memory:", "write");
    };
    const index = { open, remove: () => undefined, hasRoom: () => true, isKept };
    const { commands, clock } = commandsWith(given, [], undefined, index);
    commands.opened();
    expect(opened).toBe(0);
    await clock.advance(0);
    expect(opened).toBe(isKept ? 1 : 0);
    commands.close();
  }
});

test.each([
  ["journal_unavailable", { ok: false, code: "failed" }],
  ["journal_newer", { ok: false, code: "failed" }],
  ["other_journal", { ok: true, data: [] }],
])("a terminal that is blocked by %s reads its history, or says that it cannot", async (why, reply) => {
  const { dispatch } = commandsWith(given, [], { device, serviceClock: null, blocked: { why } });
  expect(await dispatch({ type: "list_cashiers" })).toEqual(reply);
});

test.each(["read_day", "print_day"])("%s of a terminal that has closed none is stale", async (type) => {
  expect(await commandsWith(given).dispatch({ type, number: 1 })).toEqual({ ok: false, code: "stale" });
});

test("a history that cannot be read is an answer, and a line in the log", async () => {
  const open = () => {
    throw new Error("locked");
  };
  const index = { open, remove: () => undefined, hasRoom: () => true, isKept: true };
  const { dispatch, log } = commandsWith(given, [], undefined, index);
  expect(await dispatch({ type: "list_cashiers" })).toEqual({ ok: false, code: "failed" });
  expect(log.at(-1)).toBe("the history could not be read");
});
