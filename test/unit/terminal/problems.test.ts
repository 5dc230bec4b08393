/** What the books must explain: which entry adds a word, and which takes it away. */
import { describe, expect, test } from "vitest";
import type { DurableEvent, Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
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
    expect([...after.acknowledgedElsewhere]).toEqual([["W2", { actor: "M1", note: "found" }]]);
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
