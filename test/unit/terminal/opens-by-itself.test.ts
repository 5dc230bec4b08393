/** Where the shop wants it, the drawer opens by itself when the payment is settled: once, and never after a restart or a doubt. */
import { describe, expect, test } from "vitest";
import type { DurableEvent, Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import type { Withdrawal } from "../../../main/terminal/withdrawal/withdrawal.ts";
import { nobodyYet } from "../../../preload/people.ts";
import { handOutIntended, rejectIntended, rejectOvertaken, settled } from "./entries.ts";
import { confirming, given, moment, numberOf, of, ours, transaction, waiting, when } from "./flow-stage.ts";
import { runStory, type Story } from "./lives.ts";
import { createRig, idNumber, MemoryJournal, type RigOptions } from "./rig.ts";

const id = idNumber(1);
const chosen = { openOnSettled: true };

/** From the scan to the service's word that it is paid. */
const toSettled = async (options: RigOptions = {}) => {
  const journal = new MemoryJournal();
  const append = journal.append.bind(journal);
  const written: string[][] = [];
  journal.append = (at, bodies) => {
    written.push(bodies.map((body) => (JSON.parse(body) as { type: string }).type));
    append(at, bodies);
  };
  const till = await createRig({ journal, settings: chosen, ...options });
  const order = till.service.order({ transaction_id: id });
  await till.scan(id);
  await till.send({ type: "confirm" });
  order.status = "settled";
  await till.clock.advance(1_500);
  return { ...till, journal, order, written };
};

test("the order is written with the payment, the drawer opens once, and the cashier's one press links", async () => {
  const till = await toSettled();
  expect(till.screen().kind).toBe("counting");
  expect(till.drawer.opens).toBe(1);
  expect(till.written.slice(-2)).toEqual([["settled", "hand_out_intended"], ["drawer_opened"]]);
  const intended = till.journal.entries.at(-2);
  expect(JSON.parse(intended?.body ?? "")).toMatchObject({ type: "hand_out_intended", actor: "terminal" });
  expect(till.service.calls("/transaction/link")).toEqual([]);
  await till.clock.advance(60_000);
  expect(till.drawer.opens).toBe(1);
  await till.send({ type: "hand_out" });
  expect(till.order.status).toBe("linked");
  expect(till.drawer.opens).toBe(1);
});

test("as it comes, a press opens the drawer", async () => {
  const till = await toSettled({ settings: {} });
  expect([till.screen().kind, till.drawer.opens]).toEqual(["payable", 0]);
  await till.send({ type: "hand_out" });
  expect(till.drawer.opens).toBe(1);
});

test("a payment that could not be written down in time waits for the press: the customer may have gone", async () => {
  const journal = new MemoryJournal();
  const till = await createRig({ journal, settings: chosen });
  const order = till.service.order({ transaction_id: id });
  await till.scan(id);
  await till.send({ type: "confirm" });
  journal.full = true;
  order.status = "settled";
  await till.clock.advance(120_000);
  journal.full = false;
  await till.clock.advance(10_000);
  expect(till.screen().kind).toBe("payable");
  expect(till.drawer.opens).toBe(0);
});

test.each<[string, RigOptions["settings"]]>([
  ["no drawer", { drawer: { kind: "none" } }],
  ["nobody asked for the cash behind it", { confirmHandOver: false }],
])("with %s it waits for the press", async (_, settings) => {
  const till = await toSettled({ settings: { ...chosen, ...settings } });
  expect(till.screen().kind).toBe("payable");
  expect(till.drawer.opens).toBe(0);
});

test("a drawer that does not open asks the cashier, and is not ordered again by itself", async () => {
  const till = await createRig({ journal: new MemoryJournal(), settings: chosen });
  till.drawer.answers = ["failed"];
  const order = till.service.order({ transaction_id: id });
  await till.scan(id);
  await till.send({ type: "confirm" });
  order.status = "settled";
  await till.clock.advance(60_000);
  expect(till.screen()).toMatchObject({ kind: "opening", drawer: "failed" });
  expect(till.drawer.opens).toBe(1);
});

describe("decided by what is known", () => {
  const scanned: State["activeScreen"] = { kind: "withdrawal", withdrawalId: "W1" };
  const paid = (state: State): string[] =>
    when(state, {
      type: "status_answered",
      withdrawalId: "W1",
      number: numberOf(state),
      answer: transaction("settled", ours),
      tookMs: 5,
    });
  const chosenIn = (state: State, part: Partial<State> = {}): State => ({
    ...state,
    settings: { ...state.settings, ...chosen },
    ...part,
  });
  const grown = (state: State, ...events: readonly DurableEvent[]): State =>
    events.reduce<State>((before, event) => evolve(before, event, moment), state);
  const locked = { ...nobodyYet, locked: true };
  /** Who is signed in at the counter; null: nobody. */
  const served = (code: string | null): Event => {
    const cashier = code === null ? null : { code, name: code, role: "cashier" as const, language: null };
    return { type: "surroundings_changed", changed: { people: { ...nobodyYet, cashier } } };
  };
  /** Waiting, with something else known of the withdrawal. */
  const marked = (part: Partial<Withdrawal>): State => {
    const state = chosenIn(given(...waiting));
    return { ...state, open: new Map([...state.open].map(([key, one]) => [key, { ...one, ...part }])) };
  };

  test.each<[string, State]>([
    ["confirming", chosenIn(given(...confirming))],
    ["waiting", chosenIn(given(...waiting))],
    ["waiting, with the same cashier", chosenIn(given(...waiting, served("C2"), served("C2")))],
  ])("%s: it opens", (_, state) => {
    expect(state.activeScreen).toEqual(scanned);
    expect(paid(state).slice(-2)).toEqual(["settled", "hand_out_intended"]);
  });

  test.each<[string, State]>([
    ["another screen is in front", chosenIn(given(...waiting, { type: "screen_cleared" }))],
    ["nobody is signed in any more", chosenIn(given(...waiting), { people: locked })],
    [
      "its cashier has signed out, where nobody has to sign in",
      chosenIn(given(...waiting, served("C2"), served(null))),
    ],
    ["another cashier has taken over", chosenIn(given(...waiting, served("C2"), served("C3")))],
    [
      "the counter was locked and is open again",
      chosenIn(
        given(...waiting, served("C2"), { type: "surroundings_changed", changed: { people: locked } }, served("C2")),
      ),
    ],
    ["the program was started again", chosenIn(given(...waiting, { type: "started", damagedEntries: 0 }))],
    ["the machine slept", chosenIn(given(...waiting, { type: "resumed" }))],
    [
      "an answer was lost",
      chosenIn(given(...waiting, { type: "request_state_changed", withdrawalId: "W1", requestState: { failures: 1 } })),
    ],
    ["the cashier has rejected it", chosenIn(given(...waiting, rejectIntended("cashier")))],
    ["the truth overtook a reject", chosenIn(given(...waiting, rejectIntended("cashier"), rejectOvertaken("payment")))],
    [
      "cash was given for it",
      chosenIn(
        grown(given(...waiting), {
          type: "handed_out",
          withdrawal: { ...of, withdrawalId: "W0" },
          by: "cashier",
        }),
      ),
    ],
    ["a lost entry may have been about it", marked({ doubtful: true })],
    ["the drawer was ordered for it before", marked({ handOutBegun: true })],
    ["nobody has scanned it in this life", marked({ scannedMs: null })],
  ])("%s: it waits for the press", (_, state) => {
    expect(paid(state)).toEqual(["settled"]);
  });

  test("the same answer twice orders it once", () => {
    const first = chosenIn(given(...waiting));
    const once = grown(first, settled, handOutIntended);
    expect(paid(once)).not.toContain("hand_out_intended");
  });
});

describe("the process dies at each call of a port", () => {
  const story = (crashAt: number, presses: "confirm" | "all", onOffer = (): void => {}): Story => ({
    crashAt,
    forMs: 30_000,
    settings: chosen,
    service: (service) => void service.order({ transaction_id: id }),
    cashier: ({ screen }) => {
      if (screen.kind === "ready") return { type: "scan", text: id, source: "camera" };
      if (screen.kind === "review") return { type: "confirm", step: screen.step };
      if (presses === "confirm") return null;
      if (screen.kind === "payable") onOffer();
      if (screen.kind === "payable" || screen.kind === "counting") return { type: "hand_out", step: screen.step };
      return screen.kind === "ended" ? { type: "dismiss", step: screen.step } : null;
    },
    world: (service) => {
      const order = service.orders.get(id);
      if (order?.status === "awaiting_sca") order.status = "settled";
    },
  });

  test.each(["confirm", "all"] as const)("with a cashier who presses %s", async (presses) => {
    const whole = await runStory(story(0, presses));
    expect(whole.drawerOpens).toBe(1);
    for (let crashAt = 1; crashAt <= whole.portCalls; crashAt++) {
      let pressed = 0;
      const { crashed, drawerOpens, journal, service, snapshot } = await runStory(
        story(crashAt, presses, () => {
          pressed += 1;
        }),
      );
      expect(crashed).toBe(true);
      const bodies = journal.entries.map(({ body }) => JSON.parse(body) as { type: string; actor?: string });
      const alone = bodies.filter(({ type, actor }) => type === "hand_out_intended" && actor === "terminal");
      expect(alone.length).toBeLessThanOrEqual(1);
      // Opened again after the crash by a press alone.
      expect(drawerOpens).toBeLessThanOrEqual(alone.length + pressed);
      const given = bodies.filter(({ type }) => type === "handed_out").length;
      expect(given === 1).toBe(service.orders.get(id)?.status === "linked");
      if (presses === "all") expect(given).toBe(1);
      else expect(["counting", "payable"]).toContain(snapshot.screen.kind);
    }
  });
});
