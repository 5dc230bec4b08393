/** What a manager sees of all that is open or unresolved, what may be said about each, and what another device leaves behind. */
import { describe, expect, test } from "vitest";
import { deviceChange } from "../../../main/terminal/journal-start.ts";
import type { DurableEvent, Event } from "../../../main/terminal/withdrawal/events.ts";
import { decisionsFor, isUndecided, problemsOf } from "../../../main/terminal/withdrawal/problems.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import type { Withdrawal } from "../../../main/terminal/withdrawal/withdrawal.ts";
import { handedOut, installed, kept, later, only, opening, payable, started } from "./decide-stage.ts";
import { decidedAs, drawerOpened } from "./entries.ts";
import { begun, confirming, given, moment, of, paying, rejecting, rejectingUnseen, waiting } from "./flow-stage.ts";

const declared: DurableEvent = decidedAs("handed_out");
const other = { ...of, withdrawalId: "W2", shop: "Station shop" };
const carried: DurableEvent = {
  type: "carried_over",
  from: "live-station-1",
  problems: [
    {
      facts: { ...other, withdrawalId: "W3" },
      about: ["unclear"],
      sinceWallMs: 7,
      otherShop: "Station shop",
      otherBook: "live-station-1",
    },
  ],
  resolved: [],
};

describe("what a manager may say", () => {
  const all = ["handed_out", "not_handed_out", "leave_to_books"];
  const one = (events: readonly Event[], changes: Partial<Withdrawal> = {}) => ({
    ...only(given(...events)),
    ...changes,
  });
  const begunBefore = { handOutBegun: true } as const;
  test.each<[string, () => Withdrawal, readonly string[]]>([
    ["a review", () => one(begun), []],
    ["confirming", () => one(confirming), ["leave_to_books"]],
    ["approving", () => one(waiting), ["leave_to_books"]],
    ["paying, and a hand-out was begun", () => one(paying, begunBefore), all],
    ["payable", () => one(payable), all],
    ["opening", () => one(opening), all],
    ["counting, what began it lost", () => one([...payable, drawerOpened]), all],
    ["rejecting after a confirm", () => one(rejecting), ["leave_to_books"]],
    ["rejecting what was only looked at", () => one(rejectingUnseen), []],
    ["handed out", () => one(handedOut, begunBefore), ["leave_to_books"]],
    ["declared", () => one(kept, begunBefore), ["leave_to_books"]],
  ])("%s", (_, make, decisions) => {
    const made = make();
    expect(decisionsFor(made)).toEqual(decisions);
    expect(isUndecided(made)).toBe(decisions.length > 0);
    expect(isUndecided({ ...made, decided: true })).toBe(false);
  });

  test("the list: the journal's own, what is open, what is unresolved", () => {
    const unclear: Event = { type: "discrepancy", withdrawal: other, about: "status_unclear", http: null };
    const differs: Event = { type: "discrepancy", withdrawal: other, about: "amount_differs", http: null };
    const state = given(...waiting, { type: "journal_forked" }, unclear, differs, carried);
    const money = { amount: "50.00", currency: "EUR" };
    const { transactionId } = of;
    const since = new Date(moment.wallMs).toISOString();
    const unresolved = { kind: "unresolved", transactionId, money, shop: "Station shop", decisions: [] };
    expect(problemsOf(state, later)).toEqual([
      { kind: "journal", withdrawalId: "journal", since, about: "journal_forked" },
      {
        kind: "open",
        withdrawalId: "W1",
        transactionId,
        money,
        shop: "demo-shop",
        since,
        about: "waiting",
        otherShop: null,
        decisions: ["leave_to_books"],
      },
      { ...unresolved, withdrawalId: "W2", since, about: "status_unclear, amount_differs", otherShop: null },
      {
        ...unresolved,
        withdrawalId: "W3",
        since: new Date(7).toISOString(),
        about: "unclear",
        otherShop: "Station shop",
      },
    ]);
    expect(problemsOf(given(...begun), later)).toEqual([]);
  });

  test("what began after the moment began now", () => {
    const [one] = problemsOf(given(...waiting), { ...moment, monotonicMs: moment.monotonicMs - 1 });
    expect(one).toMatchObject({ since: new Date(moment.wallMs).toISOString() });
  });
});

describe("another device's name over the same journal", () => {
  const book = { purpose: "live", serviceUrl: "http://service", merchantId: "demo-shop", deviceId: "till-1" } as const;
  const renamed = { ...book, deviceId: "till-2" };
  const inBook = (...events: readonly Event[]): State => ({ ...given(...events), book });
  const left = {
    type: "decided",
    withdrawal: of,
    decision: "leave_to_books",
    actor: "terminal",
    note: "another device was enrolled",
  };
  test.each<[string, () => State, typeof book, readonly object[]]>([
    ["no journal says whose it is", () => ({ ...inBook(...waiting), book: null }), { ...renamed } as typeof book, []],
    ["nothing changed", () => inBook(...waiting), book, []],
  ])("%s", (_, state, next, events) => {
    expect(deviceChange(state(), next)).toEqual(events);
  });

  test.each<[string, () => State, readonly object[]]>([
    ["nothing open", () => inBook(...installed), []],
    ["what a confirm was sent for", () => inBook(...waiting), [left]],
    ["what was only looked at", () => inBook(...begun), []],
    ["what a manager decided, and was not reported", () => inBook(...payable, declared), [left]],
  ])("leaves to the books: %s", (_, state, events) => {
    expect(deviceChange(state(), renamed)).toEqual([{ type: "device_changed", book: renamed }, ...events]);
  });

  test("the service's new address leaves all as it is", () => {
    const training = { ...book, purpose: "training" } as const;
    const moved = { ...training, serviceUrl: "http://127.0.0.1:9" };
    const state: State = { ...given(...waiting, started), book: training };
    expect(deviceChange(state, moved)).toEqual([{ type: "device_changed", book: moved }]);
  });
});
