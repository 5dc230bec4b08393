/** The step that a screen gives its commands: its number and its name, so that a press made for another screen counts for nothing. */
import { describe, expect, test } from "vitest";
import type { DurableEvent, Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import { snapshotOf, stepOf } from "../../../main/terminal/withdrawal/screens.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import { isCounting, needsRecheck, offersCash, pendingReport } from "../../../main/terminal/withdrawal/withdrawal.ts";
import { counting, handedOut, installed, kept, next, opening, payable, started } from "./decide-stage.ts";
import { closedAs, drawerFailed, handedOutBy } from "./entries.ts";
import { begun, confirming, given, moment, of, paying, rejecting, rejectingUnseen, waiting } from "./flow-stage.ts";

const refused: Event = { type: "credential_checked", verdict: "refused" };
const shown: Event = { type: "withdrawal_shown", withdrawalId: "W1" };

test.each<[string, readonly Event[]]>([
  ["starting", []],
  ["blocked", [{ type: "blocked", blocked: { why: "journal_newer" } }]],
  ["ready", installed],
  ["setup", [...installed, refused]],
  ["looking_up", begun.slice(0, 3)],
  ["review", begun],
  ["confirming", confirming],
  ["unknown", [...confirming, next({ failures: 1 })]],
  ["unknown", [...confirming, next({ checkFirst: true })]],
  ["waiting:approval", [...waiting, next({ failures: 9 })]],
  ["waiting:payment", [...paying, next({ failures: 1 })]],
  ["unknown", [...paying, next({ failures: 2 })]],
  ["closing", rejecting],
  ["payable", payable],
  ["unknown", [...payable, started]],
  ["opening:opening", opening],
  ["opening:failed", [...opening, drawerFailed]],
  ["counting", counting],
  ["done", [...counting, handedOutBy("cashier")]],
  ["ended", [...waiting, closedAs("sca_denied")]],
  ["ended", [...handedOut, shown]],
  ["ended", [...kept, shown]],
  ["ready", [...installed, shown]],
])("%s", (name, events) => {
  const state = given(...events);
  expect(stepOf(state, moment)).toBe(`${state.screenNumber}.${name}`);
});

test("only a reject after a confirm becomes unknown when nothing is heard of it", () => {
  const later = { ...moment, monotonicMs: moment.monotonicMs + 2_500 };
  const nameOf = (events: readonly Event[]) => stepOf(given(...events), later).split(".")[1];
  expect([nameOf(rejecting), nameOf(rejectingUnseen)]).toEqual(["unknown", "closing"]);
});

test("the reject's time is over on the screen when its timer says so, also where a difference rounds down", () => {
  const since = 31_302.154;
  const over = since + 2_500;
  expect(over - since).toBeLessThan(2_500);
  const state = given(...rejecting);
  const open = new Map([...state.open].map(([id, one]) => [id, { ...one, stageSinceMs: since }]));
  const nameAt = (monotonicMs: number) => stepOf({ ...state, open }, { ...moment, monotonicMs }).split(".")[1];
  expect([nameAt(over - 0.001), nameAt(over)]).toEqual(["closing", "unknown"]);
});

test.each<[string, readonly Event[], string | null, boolean]>([
  ["confirming", confirming, null, false],
  ["rejecting", rejecting, "reject", false],
  ["a reject that was refused for good", [...rejecting, next({ rejectRefused: true })], null, false],
  ["opening", opening, null, false],
  ["counting", counting, null, true],
  ["handed out", handedOut, "link", false],
  ["declared", kept, "undelivered", false],
])("what the service is owed, and whether the cash is counted: %s", (_, events, report, counts) => {
  const one = given(...events).open.get("W1");
  if (one === undefined) throw new Error("no withdrawal");
  expect([pendingReport(one), isCounting(one)]).toEqual([report, counts]);
  expect(isCounting(undefined)).toBe(false);
});

test("only what is payable is asked about before it is offered", () => {
  const needs = (events: readonly Event[]) =>
    [...given(...events, next({ checkFirst: true })).open.values()].map((one) => [needsRecheck(one), offersCash(one)]);
  expect([needs(payable), needs(confirming), needs(begun)]).toEqual([
    [[true, false]],
    [[false, false]],
    [[false, false]],
  ]);
});

describe("the header", () => {
  test("counts the reports that wait, and says how long the oldest does", () => {
    const report = (withdrawalId: string): readonly Event[] => [
      { type: "handed_out", withdrawal: { ...of, withdrawalId }, by: "cashier" },
      { type: "request_state_changed", withdrawalId, requestState: { failures: 1 } },
    ];
    const later = { ...moment, monotonicMs: moment.monotonicMs + 2_000 };
    const state = report("W1").reduce<State>((before, event) => evolve(before, event, later), given(...waiting));
    const now = { ...moment, monotonicMs: moment.monotonicMs + 5_000 };
    const both = report("W9").reduce<State>((before, event) => evolve(before, event, now), state);
    expect(snapshotOf(both, now, 1).header.pendingReports).toEqual({ count: 2, oldestMs: 3_000 });
  });

  test.each([
    ["fifty in the drawer", 5, "ok"],
    ["forty", 4, "short"],
  ])("a review says whether the drawer can pay: %s", (_, tens, drawer) => {
    const count = { pieces: [{ valueMinor: 1_000, count: tens }], otherMinor: 0 };
    const opened: DurableEvent = { type: "day_opened", number: 1, currency: "EUR", count, by: "C1", atMs: 5 };
    const state = given(opened, ...begun);
    const drawerMoney = { ...state.settings.drawerMoney, enabled: true };
    const screenOf = (settings: State["settings"]) => snapshotOf({ ...state, settings }, moment, 1).screen;
    expect(screenOf({ ...state.settings, drawerMoney })).toMatchObject({ kind: "review", drawer });
    expect(screenOf(state.settings)).toMatchObject({ drawer: "ok" });
  });

  test.each<[string, Event, object | null]>([
    ["printed", { type: "print_ended", number: 1, answer: { kind: "printed", paperLow: true } }, null],
    [
      "not printed, and tried again",
      { type: "print_ended", number: 1, answer: { kind: "not_printed", why: "unreachable" } },
      { why: "unreachable", isUnclear: false, isRetried: true, waiting: 1 },
    ],
    [
      "unclear",
      { type: "print_ended", number: 1, answer: { kind: "unclear", why: "unreachable" } },
      { why: "unreachable", isUnclear: true, isRetried: false, waiting: 1 },
    ],
  ])("says what the printer waits for: %s", (_, event, printing) => {
    const task = { kind: "day_report" } as Extract<Event, { type: "print_asked" }>["task"];
    const { header } = snapshotOf(given(started, { type: "print_asked", task }, event), moment, 1);
    expect([header.printing, header.paperLow]).toEqual([printing, printing === null]);
    const { header: byHand } = snapshotOf(
      given(started, { type: "print_asked", task }, event, event, event, event),
      moment,
      1,
    );
    expect(byHand.printing).toEqual(printing && { ...printing, isRetried: false });
  });
});
