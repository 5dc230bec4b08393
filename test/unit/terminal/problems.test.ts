/** What the books must explain: which entry adds a word, and which takes it away. */
import { describe, expect, test } from "vitest";
import type { DurableEvent, Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import { dayOfProblem } from "../../../main/terminal/withdrawal/problems.ts";
import type { ProblemRecord, State } from "../../../main/terminal/withdrawal/state.ts";
import { books, handedOut, installed, kept, later, payable } from "./decide-stage.ts";
import { closedAs, reportRefused } from "./entries.ts";
import { given, moment, of, rejecting, waiting } from "./flow-stage.ts";

const other = { ...of, withdrawalId: "W2", shop: "Station shop" };
const elsewhere: ProblemRecord = {
  facts: other,
  about: ["unclear"],
  sinceWallMs: 7,
  otherShop: "Station shop",
  otherBook: "live-station-1",
};
const carried = (problems: ProblemRecord[], resolved: string[] = []): DurableEvent => ({
  type: "carried_over",
  from: "live-station-1",
  problems,
  resolved,
});
const record = (about: readonly string[], sinceWallMs = moment.wallMs): ProblemRecord => ({
  facts: of,
  about,
  sinceWallMs,
  otherShop: null,
  otherBook: null,
});
const decided = (decision: "handed_out" | "not_handed_out" | "leave_to_books"): DurableEvent => ({
  type: "decided",
  withdrawal: of,
  decision,
  actor: "M1",
  note: "",
});
const problemsAfter = (before: readonly Event[], event: Event) => [...evolve(given(...before), event, later).problems];

describe("what is unresolved", () => {
  const unclear = books("status_unclear") as DurableEvent;
  const acknowledged: DurableEvent = { type: "acknowledged", withdrawalId: "W1", actor: "M1", note: "found" };
  test.each<[string, readonly Event[], Event, readonly [string, ProblemRecord][]]>([
    ["a discrepancy", waiting, unclear, [["W1", record(["status_unclear"], later.wallMs)]]],
    ["said twice", [...waiting, unclear], unclear, [["W1", record(["status_unclear"])]]],
    [
      "a second word, since the first",
      [...waiting, unclear],
      books("amount_differs"),
      [["W1", record(["status_unclear", "amount_differs"])]],
    ],
    ["a link that was refused", handedOut, reportRefused("link"), [["W1", record(["link_refused"], later.wallMs)]]],
    [
      "an undelivered report that was refused",
      kept,
      reportRefused("undelivered"),
      [["W1", record(["undelivered_refused"], later.wallMs)]],
    ],
    ["a reject that was refused", rejecting, reportRefused("reject"), []],
    ["an end that is clear", waiting, closedAs("sca_denied"), []],
    ["an end that is unclear", waiting, closedAs("unclear"), [["W1", record(["unclear"], later.wallMs)]]],
    [
      "an end that is unclear, and was said to be",
      [...waiting, unclear],
      closedAs("unclear"),
      [["W1", record(["status_unclear"])]],
    ],
    ["left to the books", payable, decided("leave_to_books"), [["W1", record(["left_to_books"], later.wallMs)]]],
    ["decided", payable, decided("handed_out"), []],
    ["acknowledged", [...waiting, unclear, carried([elsewhere])], acknowledged, [["W2", elsewhere]]],
    [
      "another's",
      [...waiting, unclear],
      carried([elsewhere]),
      [
        ["W1", record(["status_unclear"])],
        ["W2", elsewhere],
      ],
    ],
    [
      "another's, resolved there",
      [...waiting, unclear, carried([elsewhere])],
      carried([], ["W2"]),
      [["W1", record(["status_unclear"])]],
    ],
    [
      "another's, with a word of this journal",
      [...installed, carried([elsewhere])],
      { type: "discrepancy", withdrawal: other, about: "link_refused", http: null },
      [["W2", { ...elsewhere, about: ["unclear", "link_refused"] }]],
    ],
  ])("%s", (_, before, event, problems) => {
    expect(problemsAfter(before, event)).toEqual(problems);
  });

  test("only what another book left open is acknowledged for it, the latest word last", () => {
    const acknowledge = (withdrawalId: string, note: string): DurableEvent => ({
      type: "acknowledged",
      withdrawalId,
      actor: "M1",
      note,
    });
    const before = given(...waiting, unclear, carried([elsewhere]));
    const after = [acknowledge("W1", "ours"), acknowledge("W9", "nobody's"), acknowledge("W2", "found")].reduce<State>(
      (state, event) => evolve(state, event, later),
      before,
    );
    expect([...after.acknowledgedElsewhere]).toEqual([["W2", { actor: "M1", note: "found", about: ["unclear"] }]]);
    expect(after.problems.size).toBe(0);
  });

  test("a thousand acknowledgements for other books are kept, the oldest make room", () => {
    const numbers = Array.from({ length: 1_001 }, (_, index) => `W${index}`);
    const all = numbers.map((withdrawalId) => ({ ...elsewhere, facts: { ...other, withdrawalId } }));
    const after = numbers.reduce<State>(
      (state, withdrawalId) => evolve(state, { type: "acknowledged", withdrawalId, actor: "M1", note: "" }, later),
      given(...installed, carried(all)),
    );
    expect([...after.acknowledgedElsewhere.keys()]).toEqual(numbers.slice(1));
  });

  test("a fork of the journal is found, acknowledged, and over with the next head that is taken", () => {
    const taken: Event = { type: "head_answered", outcome: "taken" };
    const failed: Event = { type: "head_failed", notBeforeMs: 0 };
    const about: DurableEvent = { type: "acknowledged", withdrawalId: "journal", actor: "M1", note: "" };
    const kinds = [{ type: "journal_forked" } as const, taken, acknowledged, about, failed, taken];
    let state = given(...waiting);
    const seen = kinds.map((event) => {
      state = evolve(state, event, later);
      return state.journalFork;
    });
    const found = { kind: "found", sinceWallMs: later.wallMs };
    expect(seen).toEqual([found, found, found, { kind: "acknowledged" }, { kind: "acknowledged" }, { kind: "none" }]);
  });
});

describe("what a manager must explain about the drawer", () => {
  const minute = 60_000;
  const count = { pieces: [], otherMinor: 0 };
  /** When a step happens; the day began at 0. */
  const wall = (ms: number) => moment.wallMs + ms;
  type Step = (atMs: number) => DurableEvent & { actor?: string };
  const found: Step = () => ({ type: "act", act: "drawer_found_open", about: "C2, M1" });
  const tested: Step = () => ({ type: "act", act: "drawer_test", about: "opened" });
  const opened: Step = (atMs) => ({ type: "day_opened", number: 1, currency: "EUR", count, by: "C1", atMs });
  const counted: Step = (atMs) => ({ type: "day_counted", number: 1, count, by: "C1", atMs });
  const moved: Step = (atMs) => {
    const who = { by: "C1", approvedBy: null };
    const what = { direction: "in", amountMinor: 500, reason: "change", note: "" } as const;
    return { type: "cash_moved", number: 1, move: { moveId: `m${atMs}`, ...what, ...who, atMs }, count: null };
  };
  const noSale =
    (reason: "change" | "cash_count" | "cash_move" | "other"): Step =>
    (atMs) => ({ type: "no_sale", number: 1, noSale: { reason, note: "n", by: "C2", approvedBy: null, atMs } });
  const acknowledged =
    (withdrawalId: string): Step =>
    () => ({ type: "acknowledged", withdrawalId, actor: "M1", note: "seen" });
  const [other, forCount] = [noSale("other"), noSale("cash_count")];
  type Steps = readonly (readonly [number, Step])[];
  const listAfter = (steps: Steps) =>
    steps.reduce<State>(
      (state, [ms, step]) => {
        const event = step(wall(ms));
        return evolve(state, event, { wallMs: wall(ms), monotonicMs: moment.monotonicMs });
      },
      given(...installed),
    ).drawerProblems;
  /** Of each, what it is about, and how many milliseconds after the day's beginning it was. */
  const left = (steps: Steps) => listAfter(steps).map(({ about, sinceWallMs }) => `${about} ${sinceWallMs - wall(0)}`);
  const day: Steps = [[0, opened]];
  const ten = 10 * minute;
  /** Twenty times, eleven minutes apart, from the twentieth minute on. */
  const twenty = (step: Step): Steps => Array.from({ length: 20 }, (_, n) => [20 * minute + n * 11 * minute, step]);
  const times = (about: string, numbers: readonly number[]) =>
    numbers.map((n) => `${about} ${20 * minute + n * 11 * minute}`);
  const all = Array.from({ length: 20 }, (_, n) => n);
  const hours = 600 * minute;

  test.each<[string, Steps, readonly string[]]>([
    ["found open on no day", [[0, found]], ["drawer_opened 0"]],
    ["a test of the drawer is none", [[0, tested]], []],
    ["found open ten minutes after the day was opened", [...day, [ten, found]], []],
    ["found open later", [...day, [ten + 1, found]], [`drawer_opened ${ten + 1}`]],
    ["found open before the day, by a clock that was put back", [...day, [-ten, found]], []],
    ["found open ten minutes after cash moved", [...day, [hours, moved], [hours + ten, found]], []],
    [
      "found open later than that",
      [...day, [hours, moved], [hours + ten + 1, found]],
      [`drawer_opened ${hours + ten + 1}`],
    ],
    ["found open ten minutes after a count", [...day, [hours, counted], [hours + ten, found]], []],
    [
      "found open between a move and a count of which neither is near",
      [...day, [ten, moved], [hours, found], [2 * hours, counted]],
      [`drawer_opened ${hours}`],
    ],
    [
      "the same entry twice",
      [
        [5, found],
        [5, found],
      ],
      ["drawer_opened 5"],
    ],
    ["explained by cash that moved within ten minutes", [...day, [hours, found], [hours + ten, moved]], []],
    ["not by cash that moved later", [...day, [hours, found], [hours + ten + 1, moved]], [`drawer_opened ${hours}`]],
    ["explained by a count within ten minutes", [...day, [hours, found], [hours + ten, counted]], []],
    ["a reason that was given is not explained by cash that moved", [...day, [0, other], [1, moved]], ["no_sale 0"]],
    ["opened to move cash", [...day, [0, noSale("cash_move")]], []],
    ["opened for a count, and cash moved instead", [...day, [0, forCount], [1, moved]], ["no_sale 0"]],
    [
      "each opening for a count up to ten minutes before it",
      [...day, [0, forCount], [1, forCount], [ten, counted]],
      [],
    ],
    ["of those before that the last one", [...day, [0, forCount], [1, forCount], [ten + 1, counted]], ["no_sale 0"]],
    ["twenty that were found", twenty(found), times("drawer_opened", all)],
    ["one more than twenty that were found", [...twenty(found), [hours, found]], times("drawer_opened", all)],
    [
      "found open after twenty with another reason",
      [...twenty(other), [hours, found]],
      [...times("no_sale", all), `drawer_opened ${hours}`],
    ],
    ["one more than twenty with another reason", [...twenty(other), [hours, other]], times("no_sale", all)],
    [
      "with a reason, after twenty that were found and twenty for counts",
      [...twenty(found), ...twenty(forCount), [hours, other]],
      [...times("drawer_opened", all), ...times("no_sale", all), `no_sale ${hours}`],
    ],
    [
      "for a count after twenty for counts: the last one makes room",
      [...twenty(forCount), [hours, forCount]],
      [...times("no_sale", all.slice(0, -1)), `no_sale ${hours}`],
    ],
    [
      "for a count after twenty with another reason",
      [...twenty(other), [hours, forCount]],
      [...times("no_sale", all), `no_sale ${hours}`],
    ],
    [
      "one of two is acknowledged",
      [
        [0, other],
        [1, found],
        [2, acknowledged(`drawer:${wall(1)}`)],
      ],
      ["no_sale 0"],
    ],
  ])("%s", (_, steps, problems) => {
    expect(left(steps)).toEqual(problems);
  });

  test("each says when, of what day, by whom, and what was said", () => {
    const noSum = { differenceMinor: 0, currency: null };
    expect(
      listAfter([
        [1, found],
        [2, other],
      ]),
    ).toEqual([
      { id: `drawer:${wall(1)}`, about: "drawer_opened", sinceWallMs: wall(1), ...noSum, day: null, who: "C2, M1" },
      {
        id: `no_sale:${wall(2)}`,
        about: "no_sale",
        sinceWallMs: wall(2),
        ...noSum,
        day: 1,
        who: "C2",
        noSale: { reason: "other", note: "n" },
      },
    ]);
  });

  test.each([
    ["night:12", { about: "night", day: 12 }],
    ["count:7", { about: "count", day: 7 }],
    ["count:7b", null],
    ["discount:7", null],
    ["count:", null],
    ["W1", null],
  ])("whose note it is: %s", (id, expected) => {
    expect(dayOfProblem(id)).toEqual(expected);
  });
});
