/** What the drawer can still pay beside what is promised to others: by whom it is promised, and in which money. */
import { expect, test } from "vitest";
import { drawerCover, missingFor } from "../../../main/terminal/withdrawal/drawer-day.ts";
import type { DurableEvent } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import { snapshotOf } from "../../../main/terminal/withdrawal/screens.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import { settled } from "./entries.ts";
import { begun, given, moment, of } from "./flow-stage.ts";

/** A drawer of 100.00 EUR, and a review of 50.00 EUR. */
const reviewing = (enabled = true, isOpen = true): State => {
  const count = { pieces: [], otherMinor: 10_000 };
  const opened: DurableEvent = { type: "day_opened", number: 1, currency: "EUR", count, by: "C1", atMs: 5 };
  const state = given(...(isOpen ? [opened] : []), ...begun);
  return { ...state, settings: { ...state.settings, drawerMoney: { ...state.settings.drawerMoney, enabled } } };
};
const coverOf = (state: State): string => {
  const one = state.open.get("W1");
  if (one === undefined) throw new Error("no review");
  return drawerCover(state, one);
};
const other = { ...of, withdrawalId: "W2", transactionId: "T2" };

test.each<[string, readonly DurableEvent[], string]>([
  ["nobody", [], "ok"],
  ["half of it", [{ type: "settled", withdrawal: other }], "ok"],
  ["more than half of it", [{ type: "settled", withdrawal: { ...other, amount: "50.01" } }], "short"],
  ["in other money", [{ type: "settled", withdrawal: { ...other, amount: "90.00", currency: "CHF" } }], "ok"],
  [
    "what was handed out already is not in the drawer any more",
    [
      { type: "settled", withdrawal: other },
      { type: "handed_out", withdrawal: other, by: "cashier" },
    ],
    "ok",
  ],
  [
    "what may be paid though it was rejected",
    [{ type: "reject_intended", withdrawal: { ...other, amount: "90.00" }, why: "time_out", intended: true }],
    "short",
  ],
  [
    "what was rejected before any confirm",
    [{ type: "reject_intended", withdrawal: { ...other, amount: "90.00" }, why: "cashier", intended: false }],
    "ok",
  ],
  [
    "what will not be handed out",
    [
      { type: "settled", withdrawal: { ...other, amount: "90.00" } },
      { type: "not_handed_out", withdrawal: { ...other, amount: "90.00" }, reason: "other" },
    ],
    "ok",
  ],
])("promised to others: %s", (_, events, cover) => {
  const state = events.reduce<State>((before, event) => evolve(before, event, moment), reviewing());
  expect(coverOf(state)).toBe(cover);
});

test("its own promise is not counted twice", () => {
  const events = [settled, { type: "settled", withdrawal: { ...other, amount: "50.00" } }] as const;
  expect(coverOf(events.reduce<State>((before, event) => evolve(before, event, moment), reviewing()))).toBe("ok");
});

test.each([
  ["rejected", "150.00", "short"],
  ["rejected", "50.00", undefined],
  ["rejected", null, undefined],
  ["sca_timeout", "150.00", undefined],
  ["declined", "150.00", undefined],
] as const)("whoever was %s for %s is told of a drawer that holds too little, or not", (outcome, amount, drawer) => {
  const money = amount === null ? null : { amount, currency: "EUR" };
  const ended = { type: "ended_shown", outcome, transactionId: of.transactionId, money, canRetry: false } as const;
  const { screen } = snapshotOf(evolve(reviewing(), ended, moment), moment, 1);
  expect(screen.kind === "ended" ? screen.drawer : "another screen").toBe(drawer);
});

test("a day must be open where the shop counts here, and none where it counts elsewhere", () => {
  expect([coverOf(reviewing(true, false)), coverOf(reviewing(false, false))]).toEqual(["no_day", "ok"]);
  const short = evolve(reviewing(false), { type: "settled", withdrawal: { ...other, amount: "90.00" } }, moment);
  expect(coverOf(short)).toBe("ok");
});

test.each([
  ["its own money", "EUR", "500.00"],
  ["money that it no longer hands out", "CHF", "50.00"],
])("what is missing is rounded by the steps of a shop in %s", (_, currency, missing) => {
  const short = evolve(reviewing(), { type: "settled", withdrawal: { ...other, amount: "90.00" } }, moment);
  const limits = { currency, min: "100.00", max: "900.00", step: "100.00" };
  const merchantId = short.device?.merchantId ?? "";
  const state: State = { ...short, shop: { merchantId, name: "Shop", support: null, scaTimeoutSeconds: null, limits } };
  const one = state.open.get("W1");
  expect(one && missingFor(state, one)).toBe(missing);
});
