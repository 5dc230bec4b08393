/** What is said about the drawer's day, and about what the printer did: taken, or refused and why. */
import { describe, expect, test } from "vitest";
import { decide } from "../../../main/terminal/flow.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import {
  type Actor,
  counterActor,
  type Decision,
  type Input,
  terminalActor,
} from "../../../main/terminal/withdrawal/inputs.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import { settingsSchema } from "../../../preload/contract.ts";
import { cashier, float, manager, none, on, sum } from "./day-stage.ts";
import { receipt } from "./decide-stage.ts";
import { drawerOpened, handOutIntended, settled } from "./entries.ts";
import { device, given, moment, of, paying } from "./flow-stage.ts";

const settings = { ...settingsSchema.parse({}), ...on };
const installed: Event = { type: "installed", tag: "tag" };
const started: Event = { type: "started", damagedEntries: 0 };
const changed: Event = { type: "settings_changed", settings };
const opened: Event = { type: "day_opened", number: 1, currency: "EUR", count: float, by: "C2", atMs: 1 };
const recounted: Event = { type: "day_recounted", number: 1, by: "C2", atMs: 3 };
const counted = (minor = 30_000): Event => ({ type: "day_counted", number: 1, count: sum(minor), by: "C2", atMs: 2 });

const inFrancs = {
  type: "shop_read",
  profile: { merchantId: device.merchantId, name: "Shop", limits: { currency: "CHF", min: "1", max: "9", step: "1" } },
  restore: null,
} as Event;

const say = (events: readonly Event[], command: object, actor: Actor = counterActor): Decision =>
  decide(given(installed, started, changed, ...events), command as Input, moment, { id: "W2", fraction: 0.5 }, actor);
const codeOf = ({ reply }: Decision): string => (reply.ok ? "ok" : reply.code);

describe("the day", () => {
  const open = { type: "open_day", number: 1, currency: "EUR", count: float, isEmpty: false };
  const count = { type: "count_day", number: 1, count: float, isEmpty: false };
  const recount = { type: "recount_day", number: 1, counts: 1 };
  const close = { type: "close_day", number: 1, counts: 1, takeOut: none, reason: "", over: [] };
  const move = {
    type: "move_cash",
    number: 1,
    direction: "in",
    amountMinor: 5_000,
    count: null,
    reason: "change",
    note: "",
    moveId: "a",
  };
  const booked = { ...move, amountMinor: 1 };
  const at = { by: "counter", atMs: moment.wallMs };
  const moved = (moveId: string): Event =>
    ({
      type: "cash_moved",
      number: 1,
      move: { moveId, direction: "in", amountMinor: 1, reason: "change", note: "", by: "C2", atMs: 1 },
      count: null,
    }) as Event;

  test.each<[string, readonly Event[], object, string]>([
    ["opened again before anything moved: the float is mended", [opened], open, "ok"],
    ["opened again after a count", [opened, counted()], open, "stale"],
    ["mended in its own currency, after the shop has got another", [opened, inFrancs], open, "ok"],
    ["mended in the shop's new currency", [opened, inFrancs], { ...open, currency: "CHF" }, "invalid"],
    ["opened in the shop's old currency", [inFrancs], open, "invalid"],
    ["mended the last time that a day has room for", Array(499).fill(opened), open, "ok"],
    ["mended once too often", Array(500).fill(opened), open, "invalid"],
    ["opened under the next number", [], { ...open, number: 2 }, "stale"],
    ["opened with nothing in it", [], { ...open, count: none }, "count_empty"],
    ["opened and said to be empty", [], { ...open, count: none, isEmpty: true }, "ok"],
    ["counted before it is open", [], count, "stale"],
    ["counted twice", [opened, counted()], count, "stale"],
    ["counted as another day", [opened], { ...count, number: 2 }, "stale"],
    ["counted as empty by mistake", [opened], { ...count, count: none }, "count_empty"],
    ["counted and said to be empty", [opened], { ...count, count: none, isEmpty: true }, "ok"],
    ["counted anew before it is open", [], recount, "stale"],
    ["counted anew before it was counted", [opened], recount, "stale"],
    ["counted anew twice", [opened, counted(), recounted], recount, "stale"],
    ["counted anew", [opened, counted()], recount, "ok"],
    ["counted anew by a count that was replaced", [opened, counted()], { ...recount, counts: 2 }, "stale"],
    ["counted anew as another day", [opened, counted()], { ...recount, number: 2 }, "stale"],
    ["closed before it is open", [], close, "stale"],
    ["closed before it was counted", [opened], close, "stale"],
    ["closed once its count is to be made anew", [opened, counted(), recounted], close, "stale"],
    ["closed", [opened, counted()], close, "ok"],
    ["closed by a count that was replaced", [opened, counted()], { ...close, counts: 2 }, "stale"],
    ["closed as another day", [opened, counted()], { ...close, number: 2 }, "stale"],
    ["closed with a difference and no reason", [opened, counted(29_000)], close, "reason_needed"],
    ["closed with a difference and a reason", [opened, counted(29_000)], { ...close, reason: "a note was lost" }, "ok"],
    ["closed, more taken out than was there", [opened, counted()], { ...close, takeOut: sum(30_001) }, "invalid"],
    ["closed, all taken out", [opened, counted()], { ...close, takeOut: sum(30_000) }, "ok"],
    [
      "closed, less taken out, in a note that was not counted",
      [opened, counted()],
      { ...close, takeOut: { pieces: [{ valueMinor: 5_000, count: 1 }], otherMinor: 0 } },
      "invalid",
    ],
    ["closed over a withdrawal that is not named", [opened, ...paying, counted()], close, "stale"],
    ["closed over one that is named", [opened, ...paying, counted()], { ...close, over: ["W1"] }, "ok"],
    ["closed over another one than is open", [opened, ...paying, counted()], { ...close, over: ["W9"] }, "stale"],
    ["closed over one more than is open", [opened, ...paying, counted()], { ...close, over: ["W1", "W9"] }, "stale"],
    ["closed over one that is not open", [opened, counted()], { ...close, over: ["W1"] }, "stale"],
    ["cash moved before it is open", [], move, "stale"],
    ["cash moved", [opened], move, "ok"],
    ["cash moved in pieces that are the sum", [opened], { ...move, count: sum(5_000) }, "ok"],
    ["cash moved in pieces that are not", [opened], { ...move, count: sum(4_999) }, "invalid"],
    [
      "the last move that a day has room for",
      [opened, ...Array.from({ length: 499 }, (_, index) => moved(`m${index}`))],
      move,
      "ok",
    ],
    ["a booked move sent again with another amount", [opened, moved("a")], { ...booked, amountMinor: 2 }, "stale"],
    ["a booked move sent again the other way", [opened, moved("a")], { ...booked, direction: "out" }, "stale"],
    ["a booked move sent again with another reason", [opened, moved("a")], { ...booked, reason: "bank" }, "stale"],
    ["a booked move sent again with another note", [opened, moved("a")], { ...booked, note: "coins" }, "stale"],
    ["one move too many", [opened, ...Array.from({ length: 500 }, (_, index) => moved(`m${index}`))], move, "invalid"],
  ])("%s", (_, events, command, code) => {
    expect(codeOf(say(events, command))).toBe(code);
  });

  test.each<[string, readonly Event[], object, readonly Event[]]>([
    ["opened", [], open, [{ type: "day_opened", number: 1, currency: "EUR", count: float, night: null, ...at }]],
    ["counted", [opened], count, [{ type: "day_counted", number: 1, count: float, ...at }]],
    ["counted anew", [opened, counted()], recount, [{ type: "day_recounted", number: 1, ...at }]],
    ["the same move again", [opened, moved("a")], booked, []],
  ])("is written down as it was said: %s", (_, events, command, then) => {
    expect(say(events, command)).toEqual({ events: then, reply: { ok: true } });
  });

  test("a move and a close name who did it and what stays open", () => {
    expect(say([opened], move).events).toMatchObject([
      {
        type: "cash_moved",
        number: 1,
        count: null,
        move: { moveId: "a", direction: "in", amountMinor: 5_000, reason: "change", ...at },
      },
      { type: "no_sale", number: 1, noSale: { reason: "cash_move", ...at } },
    ]);
    const { transactionId, amount, currency } = of;
    expect(
      say([opened, ...paying, counted(29_000)], { ...close, over: ["W1"], reason: "a note was lost" }).events,
    ).toMatchObject([
      {
        type: "day_closed",
        report: {
          number: 1,
          closedBy: "counter",
          closedAtMs: moment.wallMs,
          reason: "a note was lost",
          differenceMinor: -1_000,
          over: [{ transactionId, amount, currency }],
        },
      },
    ]);
  });

  test("where it is not kept, nothing is said about it", () => {
    const off: Event = { type: "settings_changed", settings: settingsSchema.parse({}) };
    const sale = { type: "no_sale", number: 1, reason: "other", note: "" };
    const print = { type: "day_print_wanted", task: {} };
    for (const command of [open, count, recount, close, move, sale, print])
      for (const events of [[], [opened], [opened, counted()]])
        expect(say([...events, off], command)).toEqual({ events: [], reply: { ok: false, code: "invalid" } });
  });

  test("a right that is a manager's needs one, where people are kept", () => {
    const strict: Event = {
      type: "settings_changed",
      settings: { ...settings, drawerMoney: { ...settings.drawerMoney, managerFor: ["close", "cash_moves"] } },
    };
    const free: Event = {
      type: "settings_changed",
      settings: { ...settings, drawerMoney: { ...settings.drawerMoney, managerFor: [] } },
    };
    for (const [command, events] of [
      [move, [opened]],
      [close, [opened, counted()]],
    ] as const) {
      expect(codeOf(say([strict, ...events], command, cashier))).toBe("approval_needed");
      expect(
        codeOf(say([strict, ...events], command, { ...cashier, approvedBy: { code: "C3", role: "cashier" } })),
      ).toBe("approval_needed");
      expect(codeOf(say([strict, ...events], command, manager))).toBe("ok");
      expect(codeOf(say([strict, ...events], command, counterActor))).toBe("ok");
      expect(codeOf(say([free, ...events], command, cashier))).toBe("ok");
    }
    // A repeat of what was booked needs nobody again.
    expect(say([strict, opened, moved("a")], booked, cashier)).toEqual({ events: [], reply: { ok: true } });
  });

  test("a move opens no drawer while another withdrawal is on the screen, nor while the list of people is lost", () => {
    const lost = { ...counterActor, isPeopleLost: true };
    for (const [events, actor, then] of [
      [[opened], counterActor, ["cash_moved", "no_sale"]],
      [[opened], lost, ["cash_moved"]],
      [[opened, ...paying], counterActor, ["cash_moved"]],
    ] as const)
      expect(say(events, move, actor).events.map(({ type }) => type)).toEqual(then);
  });
});

describe("a receipt", () => {
  const printing = (receipts: string): Event =>
    ({
      type: "settings_changed",
      settings: { ...settings, printer: { kind: "network", host: "h", port: 9100, receipts } },
    }) as Event;
  const opening: readonly Event[] = [...paying, settled, handOutIntended, drawerOpened];
  const handOver = (
    events: readonly Event[],
    actor: Actor = counterActor,
    change = (state: State) => state,
  ): Decision => {
    const state = change(given(installed, started, ...opening, ...events));
    const step = `${state.screenNumber}.counting`;
    return decide(state, { type: "hand_out", step }, moment, { id: "W2", fraction: 0.5 }, actor);
  };
  const request = (decision: Decision) => decision.events.find((event) => event.type === "receipt_requested");

  test.each<[string, string, readonly string[] | undefined]>([
    ["both", "both", ["customer", "shop"]],
    ["the customer's", "customer", ["customer"]],
    ["the shop's", "shop", ["shop"]],
    ["none", "none", undefined],
  ])("follows each hand-out: %s", (_, receipts, copies) => {
    expect(request(handOver([printing(receipts)]))?.copies).toEqual(copies);
  });

  test("is asked for with a hand-out, also where no drawer opens, and not without a printer or cash", () => {
    expect(handOver([changed]).events.map(({ type }) => type)).toEqual(["handed_out"]);
    const state = given(installed, started, printing("both"), ...opening);
    const denied = decide(
      state,
      { type: "not_handed_out", reason: "other", step: `${state.screenNumber}.counting` } as Input,
      moment,
      { id: "W2", fraction: 0.5 },
    );
    expect(denied.events.map(({ type }) => type)).toEqual(["not_handed_out"]);
    const paid = given(
      installed,
      started,
      printing("both"),
      {
        type: "settings_changed",
        settings: {
          ...settings,
          drawer: { kind: "none" },
          printer: { kind: "network", host: "h", port: 9100, receipts: "shop" },
        },
      } as Event,
      ...paying,
      settled,
    );
    const both = decide(paid, { type: "hand_out", step: `${paid.screenNumber}.payable` }, moment, {
      id: "W2",
      fraction: 0.5,
    });
    expect(both.events.map(({ type }) => type)).toEqual(["hand_out_intended", "handed_out", "receipt_requested"]);
  });

  test("says what was handed out, where, when and by whom", () => {
    const whole = request(handOver([printing("both")], cashier))?.receipt;
    const { transactionId, terminalReference, amount, currency } = of;
    expect(whole).toEqual({
      transactionId,
      terminalReference,
      amount,
      currency,
      atMs: moment.wallMs,
      shop: "demo-shop",
      terminal: "till-1",
      cashier: "C2",
      training: true,
      isReprint: false,
    });
    expect(request(handOver([printing("both")]))?.receipt.cashier).toBeNull();
    expect(request(handOver([printing("both")], terminalActor))?.receipt.cashier).toBeNull();
    const signedIn = (state: State): State =>
      ({ ...state, people: { ...state.people, cashier: { code: "C7", name: "Ann", role: "cashier" } } }) as State;
    expect(request(handOver([printing("both")], terminalActor, signedIn))?.receipt.cashier).toBe("C7");
    expect(request(handOver([printing("both")], counterActor, signedIn))?.receipt.cashier).toBeNull();
    const nameless = (state: State): State => ({
      ...state,
      open: new Map([...state.open].map(([id, one]) => [id, { ...one, shop: "" }])),
    });
    expect(request(handOver([printing("both")], counterActor, nameless))?.receipt.shop).toBe(device.merchantId);
    const unknown = (state: State): State => ({ ...nameless(state), device: null });
    expect(request(handOver([printing("both")], counterActor, unknown))?.receipt).toMatchObject({
      shop: "",
      terminal: "",
    });
  });

  const wanted = { type: "receipt_wanted", withdrawalId: "W1", copies: ["shop"], receipt };
  const asked: Event = { type: "receipt_requested", withdrawalId: "W1", copies: ["shop"], receipt };
  const ended = (kind: "not_printed" | "unclear"): Event =>
    ({ type: "print_ended", number: 1, answer: { kind, why: "unreachable" } }) as Event;
  const answered = (number: number) => ({
    type: "print_answered",
    number,
    result: { kind: "printed", paperLow: false },
  });
  test.each<[string, readonly Event[], object, string]>([
    ["asked for without a printer", [], wanted, "no_printer"],
    ["asked for", [printing("both")], wanted, "ok"],
    ["an answer about the one that prints", [printing("both"), asked], answered(1), "ok"],
    ["an answer about another one", [printing("both"), asked], answered(2), "stale"],
    ["an answer when nothing prints", [printing("both")], answered(1), "stale"],
    ["an answer about one that failed", [printing("both"), asked, ended("not_printed")], answered(1), "stale"],
    [
      "the pause after a failure is over",
      [printing("both"), asked, ended("not_printed")],
      { type: "print_pause_ended" },
      "ok",
    ],
    [
      "a pause of what may be on paper",
      [printing("both"), asked, ended("unclear")],
      { type: "print_pause_ended" },
      "stale",
    ],
    ["printed again by hand", [printing("both"), asked, ended("unclear")], { type: "retry_print" }, "ok"],
    ["given up by hand", [printing("both"), asked, ended("not_printed")], { type: "drop_prints" }, "ok"],
    ["printed again while it prints", [printing("both"), asked], { type: "retry_print" }, "stale"],
    ["given up while it prints", [printing("both"), asked], { type: "drop_prints" }, "stale"],
  ])("%s", (_, events, command, code) => {
    const decision = say(events, command);
    expect([codeOf(decision), decision.events.length]).toEqual([code, code === "ok" ? 1 : 0]);
  });
});
