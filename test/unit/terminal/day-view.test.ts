/** The drawer's day for the screens: who sees what of it, and what stands in the top line. */
import { expect, test } from "vitest";
import { dayInHeader, dayViewOf, drawerCurrency } from "../../../main/terminal/withdrawal/drawer-day.ts";
import type { DurableEvent, Event } from "../../../main/terminal/withdrawal/events.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import { handedOut, payable } from "./decide-stage.ts";
import { given, moment, of } from "./flow-stage.ts";

const count = { pieces: [{ valueMinor: 1_000, count: 5 }], otherMinor: 0 };
const dayOpened: DurableEvent = { type: "day_opened", number: 1, currency: "EUR", count, by: "C1", atMs: 900_000 };
const counted: DurableEvent = { type: "day_counted", number: 1, count, by: "C1", atMs: 950_000 };
const withDays = (...events: readonly Event[]): State => {
  const state = given(...events);
  return { ...state, settings: { ...state.settings, drawerMoney: { ...state.settings.drawerMoney, enabled: true } } };
};

test("what would give the expected sum away is for whoever may see it", () => {
  const state = withDays(dayOpened, ...payable);
  expect(dayViewOf(state, false)).toMatchObject({
    kind: "open",
    number: 1,
    expected: null,
    counted: null,
    floatMinor: 5_000,
    mendable: count,
  });
  expect(dayViewOf(withDays(dayOpened, ...handedOut), false)).toMatchObject({ kind: "open", mendable: null });
  expect(dayViewOf(state, true)).toMatchObject({
    expected: {
      inMinor: 0,
      outMinor: 0,
      handOuts: 0,
      handedOutMinor: 0,
      expectedMinor: 5_000,
      differenceMinor: null,
    },
    over: [{ withdrawalId: "W1", transactionId: of.transactionId, money: { amount: "50.00", currency: "EUR" } }],
  });
  const after = withDays(dayOpened, ...handedOut, counted);
  expect(dayViewOf(after, true)).toMatchObject({
    kind: "counted",
    expected: { handOuts: 1, handedOutMinor: 5_000, expectedMinor: 0, differenceMinor: 5_000 },
    counted: { counts: 1, countedMinor: 5_000 },
    over: [],
  });
  expect(dayViewOf(after, false)).toMatchObject({ kind: "counted", expected: null, counted: { countedMinor: 5_000 } });
  expect(JSON.stringify(dayViewOf(after, false))).not.toMatch(/expectedMinor|difference|handedOut|inMinor|outMinor/);
});

test("a float that an earlier version knew as a sum alone is mended as a sum", () => {
  const { drawerMoney, ...state } = withDays(dayOpened);
  if (drawerMoney.kind !== "open") throw new Error(drawerMoney.kind);
  const older: State = { ...state, drawerMoney: { kind: "open", day: { ...drawerMoney.day, pieces: null } } };
  expect(dayViewOf(older, false)).toMatchObject({ mendable: { pieces: [], otherMinor: 0 } });
});

test("between two days: what was left, where the currency is the same", () => {
  const report = { number: 4, currency: "EUR", leftMinor: 700 } as Extract<
    DurableEvent,
    { type: "day_closed" }
  >["report"];
  const closed = withDays({ type: "day_closed", report });
  expect(dayViewOf(closed, false)).toEqual({
    kind: "closed",
    next: 5,
    leftMinor: 700,
    handedOutMinor: 0,
    currency: "EUR",
  });
  const inFrancs: State = {
    ...closed,
    shop: { merchantId: "demo-shop", limits: { currency: "CHF" } } as unknown as State["shop"],
  };
  expect(dayViewOf(inFrancs, false)).toEqual({
    kind: "closed",
    next: 5,
    leftMinor: null,
    handedOutMinor: 0,
    currency: "CHF",
  });
  expect(drawerCurrency(withDays(dayOpened))).toBe("EUR");
  expect(drawerCurrency(given())).toBeNull();
  const unlimited = { merchantId: "demo-shop" } as State["shop"];
  expect(drawerCurrency({ ...withDays(dayOpened), shop: unlimited })).toBe("EUR");
});

test("the top line says how long it is open, and nothing where the shop counts elsewhere", () => {
  expect(dayInHeader(given(dayOpened), moment.wallMs)).toBeNull();
  const closed = { kind: "closed", number: 1, openForMs: null, drawer: "none" };
  expect(dayInHeader(withDays(), moment.wallMs)).toEqual(closed);
  expect(dayInHeader(withDays(dayOpened), moment.wallMs)).toEqual({
    kind: "open",
    number: 1,
    openForMs: 100_000,
    drawer: "none",
    currency: "EUR",
  });
  expect(dayInHeader(withDays(dayOpened), 800_000)).toMatchObject({ openForMs: 0 });
  expect(dayInHeader(withDays(dayOpened, counted), moment.wallMs)).toMatchObject({ kind: "counted" });
});
