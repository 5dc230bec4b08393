/** The history: found by day, result, cashier and code, and told step by step; the figures and the books. */
import { describe, expect, test } from "vitest";
import type { BooksView, FiguresView, HistoryLine, Story } from "../../../preload/contract.ts";
import { ask, fourFates, list } from "./history-stage.ts";
import { idNumber, type Rig } from "./rig.ts";
import { http } from "./stories/at-stage.ts";

const [one, two, three, four] = [1, 2, 3, 4].map(idNumber);

describe("the list", () => {
  test("is narrowed by the day on this terminal's wall, result, person and a part of the code", async () => {
    const till = await fourFates();
    expect(await list(till)).toEqual([four, three, two, one]);
    expect(await list(till, { from: "2026-11-20", to: "2026-11-20" })).toEqual([three, two, one]);
    expect(await list(till, { from: "2026-11-21" })).toEqual([four]);
    expect(await list(till, { result: "handed_out" })).toEqual([three, one]);
    expect(await list(till, { result: "not_handed_out" })).toEqual([two]);
    expect(await list(till, { result: "ended" })).toEqual([four]);
    expect(await list(till, { cashier: "C9" })).toEqual([three, one]);
    expect(await list(till, { cashier: "C3", result: "handed_out" })).toEqual([three]);
    expect(await ask(till, { type: "list_cashiers" })).toEqual(["C2", "C3", "C9"]);
    expect(await list(till, { code: two?.slice(-6).toLowerCase() })).toEqual([two]);
    // As it is read aloud: with spaces, and with an O for the zero.
    expect(await list(till, { code: `${three?.slice(8, 12)} ${three?.slice(12)}`.replaceAll("0", "o") })).toEqual([
      three,
    ]);
    const [line] = await ask<HistoryLine[]>(till, { type: "list_history", before: null, limit: 1 });
    expect(await list(till, { code: line?.terminalReference.slice(-7).toLowerCase() })).toEqual([four]);
    for (const code of ["%", "_", "'; DROP TABLE withdrawal; --"]) expect(await list(till, { code })).toEqual([]);
  });

  test("goes on behind a line, and not behind one that it does not have", async () => {
    const till = await fourFates();
    const [first] = await ask<HistoryLine[]>(till, { type: "list_history", before: null, limit: 2 });
    const next = await ask<HistoryLine[]>(till, { type: "list_history", before: first?.withdrawalId, limit: 2 });
    expect(next.map(({ transactionId }) => transactionId)).toEqual([three, two]);
    expect(await ask(till, { type: "list_history", before: "W999999", limit: 2 })).toEqual([]);
  });

  test("says who worked on a withdrawal, in order", async () => {
    const till = await fourFates();
    const lines = await ask<HistoryLine[]>(till, { type: "list_history", before: null, limit: 9 });
    expect(lines.map(({ people, result }) => [result, ...people])).toEqual([
      ["ended", "C2"],
      ["handed_out", "C3", "C9"],
      ["not_handed_out", "C3"],
      ["handed_out", "C2", "C9"],
    ]);
  });
});

const eventsOf = (...steps: readonly [string, string][]) =>
  http(200, {
    transaction_id: one,
    events: steps.map(([to, at], index) => ({ sequence: index + 1, kind: "transition", at, to, actor: "device" })),
  });

describe("a story", () => {
  const storyOf = async (till: Rig): Promise<Story> => {
    const lines = await ask<HistoryLine[]>(till, { type: "list_history", before: null, limit: 9 });
    return ask<Story>(till, { type: "get_story", withdrawalId: lines.at(-1)?.withdrawalId });
  };

  test("puts the journal and the service's history into one order, also where the clocks differ", async () => {
    const till = await fourFates();
    const [, begun] = (await storyOf(till)).steps.filter(({ side }) => side === "here");
    const confirmedMs = begun?.atMs ?? 0;
    // The service's clock is nearly a minute behind, too little for the header to say so.
    const at = (ms: number): string => new Date(confirmedMs - 50_000 + ms).toISOString();
    till.service.fault = ({ path: asked }) =>
      asked.endsWith("/events")
        ? eventsOf(["ready", at(-9_000)], ["awaiting_sca", at(0)], ["settled", at(5_900)], ["linked", at(7_500)])
        : null;
    const story = await storyOf(till);
    expect(story.service).toBe("available");
    expect(story.steps.map(({ what }) => what)).toEqual([
      ...["there_ready", "confirm_intended", "there_awaiting_sca", "confirm_accepted", "there_settled", "settled"],
      ...["hand_out_intended", "drawer_opened", "handed_out", "there_linked", "link_accepted"],
    ]);
    expect(story.steps.find(({ what }) => what === "handed_out")).toMatchObject({ by: "C9", about: "cashier" });
  });

  test("of a withdrawal that is not known is refused", async () => {
    const till = await fourFates();
    expect(await till.terminal.dispatch({ type: "get_story", withdrawalId: "x" })).toEqual({
      ok: false,
      code: "stale",
    });
  });
});

test("figures count on the day of the confirm", async () => {
  const till = await fourFates();
  const day = await ask<FiguresView>(till, { type: "get_figures", from: "2026-11-20", to: "2026-11-20" });
  expect(day).toMatchObject({ withdrawals: 3, timeZone: "Europe/Berlin" });
  expect(day.paid).toMatchObject([{ currency: "EUR", count: 2, sumMinor: 4_000 }]);
  expect(day.paid[0]?.byHour[23]).toEqual({ count: 1, sumMinor: 3_000 });
  expect(day.ends).toEqual([
    { outcome: "handed_out", count: 2 },
    { outcome: "not_handed_out", count: 1 },
  ]);
  for (const [from, to] of [
    ["2026-11-21", "2026-11-20"],
    ["2024-01-01", "2026-11-20"],
  ])
    expect(await till.terminal.dispatch({ type: "get_figures", from, to } as never)).toMatchObject({ code: "invalid" });
});

describe("the books", () => {
  const days = { from: "2026-11-20", to: "2026-11-20" };

  test("are asked for a day at a time, under this shop's name, and put beside the journal", async () => {
    const till = await fourFates();
    const lines = [one, two, three].map((id, at) => ({
      transaction_id: id,
      device_id: "till-1",
      status: at === 1 ? "settled" : "linked",
      finding: at === 1 ? "not_linked" : "matched",
      amount: `${at + 1}0.00`,
      currency: "EUR",
      confirmed_at: new Date(Date.UTC(2026, 10, 20, 10)).toISOString(),
    }));
    const asked: string[] = [];
    till.service.fault = ({ path: url }) => {
      if (!url.startsWith("/ext/v1/reconciliation")) return null;
      asked.push(url);
      return http(200, { lines: asked.length === 1 ? lines : [] });
    };
    const books = await ask<BooksView>(till, { type: "get_books", ...days });
    expect(asked).toHaveLength(2);
    expect(asked.every((url) => url.includes("store=demo-shop"))).toBe(true);
    expect(books).toMatchObject({ service: "available", agreeing: 2, leftOut: 0 });
    const paid = { count: 2, sumMinor: 4_000 };
    expect(books.totals).toEqual([{ currency: "EUR", here: paid, there: paid }]);
    expect(books.lines).toMatchObject([{ transactionId: two, explanation: "forgotten_there" }]);
  });
});
