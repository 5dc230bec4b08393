/** What is due in each state: the call, its key, and not before when. */
import { describe, expect, test } from "vitest";
import { decide } from "../../../main/terminal/flow.ts";
import { type Effect, effectsOf } from "../../../main/terminal/withdrawal/effects-due.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import { settingsSchema } from "../../../preload/contract.ts";
import {
  cleared,
  counting,
  handedOut,
  installed,
  kept,
  next,
  opening,
  payable,
  receipt,
  started,
} from "./decide-stage.ts";
import { confirmIntended, decidedAs, drawerFailed, drawerReopened, handedOutBy, rejectOvertaken } from "./entries.ts";
import {
  answer,
  begun,
  confirming,
  given,
  moment,
  of,
  paying,
  rejecting,
  rejectingUnseen,
  waiting,
} from "./flow-stage.ts";

const nowMs = moment.monotonicMs;
const surroundings = /^(probe|journal-head|shop):/;
const due = (state: State, more = false): readonly Effect[] =>
  effectsOf(state).filter(({ key }) => surroundings.test(key) === more);
const numberOf = (state: State): number => state.open.get("W1")?.requestState.number ?? -1;
const id = of.transactionId;

describe("about a withdrawal", () => {
  const status = (heldFor: string | null) => ({ kind: "get_status", heldFor });
  const report = (kind: string) => ({ kind: "send_report", report: kind });
  test.each<[string, readonly Event[], readonly object[]]>([
    ["confirming: send it", confirming, [{ kind: "confirm" }]],
    ["confirming after a silence: ask first", [...confirming, next({ checkFirst: true })], [status(null)]],
    ["approving: a held question", waiting, [status("awaiting_sca")]],
    ["approving after a restart: a question at once", [...waiting, started], [status(null)]],
    ["paying: a held question", paying, [status("settling")]],
    ["rejecting: send it", rejecting, [report("reject")]],
    ["a reject that was refused: ask", [...rejecting, next({ rejectRefused: true })], [status(null)]],
    ["handed out: link it", handedOut, [report("link")]],
    ["declared: report it", kept, [report("undelivered")]],
    ["payable after a restart: ask", [...payable, started], [status(null)]],
    ["in review: nothing", begun, []],
  ])("%s", (_, events, works) => {
    const state = given(...events, cleared);
    const about = { withdrawalId: "W1", number: numberOf(state) };
    const calls = due(state).filter(({ key }) => !/:(approval|closing)/.test(key));
    const expected = works.map((work) => ({ ...about, ...work }));
    expect(calls.map(({ work }) => work)).toEqual(expected);
    for (const { key, notBeforeMs, work } of calls)
      expect([key, notBeforeMs]).toEqual([`W1:${work.kind}:${about.number}`, nowMs]);
  });

  test("what is payable is asked about every half minute, and at once before its cash leaves the drawer", () => {
    const asks = (notBeforeMs: number) => ({ notBeforeMs, work: { ...status(null), withdrawalId: "W1" } });
    expect(due(given(...payable))).toMatchObject([asks(nowMs + 30_000)]);
    // A question without an answer has a pause of its own.
    const unanswered = next({ failures: 1, notBeforeMs: nowMs + 700 });
    expect(due(given(...payable, unanswered))).toMatchObject([asks(nowMs + 700)]);
    const press = { type: "hand_out_asked", withdrawalId: "W1", by: "C1", approvedBy: null } as const;
    expect(due(given(...payable, press))).toMatchObject([
      asks(nowMs),
      {
        key: `W1:hand_out_check:${nowMs}`,
        notBeforeMs: nowMs + 3_000,
        work: { input: { type: "hand_out_check_ran_out", withdrawalId: "W1" } },
      },
    ]);
  });

  test("not before its pause is over, and under another key after each answer", () => {
    const [first] = due(given(...waiting));
    const [second] = due(given(...waiting, next({ notBeforeMs: 99_000 })));
    expect(second?.notBeforeMs).toBe(99_000);
    expect(second?.key).not.toBe(first?.key);
  });

  const approval: Effect = {
    key: "W1:approval",
    notBeforeMs: nowMs + 35_000,
    work: { kind: "dispatch", input: { type: "approval_ran_out", withdrawalId: "W1" } },
  };
  test.each<[string, readonly Event[], boolean]>([
    ["confirming", confirming, true],
    ["approving", waiting, true],
    ["paying", paying, false],
    ["rejecting", rejecting, false],
    ["whose confirm it was is learnt after a reject", [...rejecting, rejectOvertaken("confirming")], false],
    ["a manager has said that the cash was given", [...waiting, decidedAs("handed_out")], false],
  ])("the customer's time runs out while %s: %s", (_, events, runs) => {
    expect(due(given(...events)).filter(({ key }) => key === "W1:approval")).toEqual(runs ? [approval] : []);
  });

  test("the drawer is opened once a kick, and only while it is to open", () => {
    const drawer = (key: string): Effect => ({ key, notBeforeMs: nowMs, work: { kind: "drawer", withdrawalId: "W1" } });
    expect(due(given(...opening))).toEqual([drawer("W1:drawer:1")]);
    expect(due(given(...counting))).toEqual([]);
    expect(due(given(...opening, drawerFailed))).toEqual([]);
    expect(due(given(...counting, drawerReopened))).toEqual([drawer("W1:drawer:2")]);
  });
});

describe("about the screen", () => {
  const screen = (...events: readonly Event[]) =>
    due(given(...events)).filter(({ key }) => !/:(send_report|approval|get_status)/.test(key));
  test("a look-up, each time under another key", () => {
    const look = (tries: number, notBeforeMs: number) => ({
      key: expect.stringMatching(new RegExp(`^look_up:\\d+:${tries}$`)),
      notBeforeMs,
      work: { kind: "look_up", transactionId: id },
    });
    expect(screen(...begun.slice(0, 3))).toEqual([look(0, nowMs)]);
    expect(screen(...begun.slice(0, 3), { type: "look_up_postponed", notBeforeMs: 99 })).toEqual([look(1, 99)]);
  });

  test("done goes by itself after three seconds", () => {
    const state = given(...counting, handedOutBy("cashier"));
    const step = state.screenNumber;
    expect(due(state).find(({ key }) => key.startsWith("done"))).toEqual({
      key: `done:${step}`,
      notBeforeMs: nowMs + 3_000,
      work: { kind: "dispatch", input: { type: "done_ran_out", step } },
    });
  });

  test("a reject's own screen ends after two and a half seconds: the next customer where no confirm was meant", () => {
    const closing = { key: `W1:closing:${nowMs}`, notBeforeMs: nowMs + 2_500 };
    expect(screen(...rejecting)).toEqual([{ ...closing, work: { kind: "repaint" } }]);
    expect(screen(...rejectingUnseen)).toEqual([
      { ...closing, work: { kind: "dispatch", input: { type: "closing_ran_out", withdrawalId: "W1" } } },
    ]);
  });

  test("a drawer with a sensor is asked while the cash is counted", () => {
    const settings = (sensor: boolean): Event => ({
      type: "settings_changed",
      settings: settingsSchema.parse({ drawer: { kind: "network", host: "10.0.0.9", port: 9100, sensor } }),
    });
    const sensed: Event = { type: "drawer_sensed", withdrawalId: "W1", drawer: "open" };
    const asked = (checks: number): Effect => ({
      key: `W1:drawer_state:1:${checks}`,
      notBeforeMs: nowMs + 1_500,
      work: { kind: "drawer_state", withdrawalId: "W1" },
    });
    expect(screen(...counting, settings(true))).toEqual([asked(0)]);
    expect(screen(...counting, sensed, settings(true))).toEqual([asked(1)]);
    expect(screen(...counting, settings(false))).toEqual([]);
    expect(screen(...counting)).toEqual([]);
    expect(screen(...payable, settings(true))).toEqual([]);
  });

  test("a review ends when the order does, by the service's clock", () => {
    const clock: Event = { type: "service_responded", dateMs: 500_000 };
    const review = (expiresAtMs: number | null): Event => ({
      type: "review_opened",
      facts: of,
      createdAtMs: null,
      expiresAtMs,
    });
    const before = begun.slice(0, 3);
    expect(screen(...before, clock, review(520_000))).toEqual([
      {
        key: "W1:review",
        notBeforeMs: nowMs + 20_000,
        work: { kind: "dispatch", input: { type: "review_ran_out", withdrawalId: "W1" } },
      },
    ]);
    const later = { ...moment, monotonicMs: nowMs + 3_000 };
    const learned = due(evolve(given(...before, review(520_000)), clock, later));
    expect(learned.find(({ key }) => key === "W1:review")?.notBeforeMs).toBe(nowMs + 23_000);
    expect(screen(...before, clock, review(null))).toEqual([]);
    const beyond = screen(...before, clock, review(520_000), confirmIntended);
    expect(beyond.map(({ work }) => work.kind)).toEqual(["confirm"]);
    expect(screen(...before, review(520_000))).toEqual([]);
    expect(screen(...installed)).toEqual([]);
    expect(screen(...installed, { type: "withdrawal_shown", withdrawalId: "W1" })).toEqual([]);
  });
});

describe("about the service", () => {
  const calls = (state: State) => due(state, true).map(({ key, notBeforeMs }) => [key, notBeforeMs]);
  const silent: Event = { type: "service_silent" };
  const online: readonly Event[] = [...installed, { type: "service_responded", dateMs: null }];
  const shopRead: Event = { type: "shop_read", profile: null, restore: null, isSaid: true };
  const shopUnsaid: Event = { ...shopRead, isSaid: false };
  const later = (ms: number) => ({ ...moment, monotonicMs: nowMs + ms });
  test("a probe at once, ever more seldom in silence, every three minutes else, each by a draw of its own; the rest only while it answers and the key holds", () => {
    expect(calls(given(...installed))).toEqual([["probe:0", 0]]);
    expect(calls(given(...installed, silent))).toEqual([["probe:0", nowMs + 3_750]]);
    const probed = { type: "probed", fraction: 0 } as const;
    const silentFor = (probes: number) => Array.from({ length: probes }, () => [silent, probed]).flat();
    const pauses = [1, 2, 3, 4, 9].map(
      (probes) => Number(calls(given(...installed, ...silentFor(probes)))[0]?.[1]) - nowMs,
    );
    expect(pauses).toEqual([5_000, 10_000, 20_000, 30_000, 30_000]);
    const again = given(...installed, ...silentFor(9), { type: "service_responded", dateMs: null }, silent);
    expect(calls(again)).toEqual([["probe:9", nowMs + 2_500]]);
    // Somebody stands there, or a report waits for the first answer.
    const scanned = given(...installed, ...silentFor(9), { type: "look_up_begun", transactionId: "T1" });
    expect(calls(scanned).find(([key]) => key === "probe:9")).toEqual(["probe:9", nowMs + 2_500]);
    const probes = calls(given(...begun, ...silentFor(9))).filter(([key]) => key === "probe:9");
    expect(probes).toEqual([["probe:9", nowMs + 2_500]]);
    expect(calls(given(...online))).toEqual([
      ["shop:demo-shop:first", nowMs],
      ["journal-head:0", 0],
    ]);
    const refused: Event = { type: "credential_checked", verdict: "refused" };
    expect(calls(given(...online, refused))).toEqual([["probe:0", nowMs + 225_000]]);
    expect(calls(given(...online, refused, { type: "probed", fraction: 0.25 }))).toEqual([
      ["probe:1", nowMs + 202_500],
    ]);
    expect(effectsOf({ ...given(...online), device: null })).toEqual([]);
  });

  test.each<[string, readonly Event[], number]>([
    ["cash of an earlier run waits for its word", [...payable, started, shopUnsaid], 5_000],
    ["nothing of an earlier run waits", [...payable, shopUnsaid], 225_000],
    ["it has said so", [...payable, started, shopRead, shopUnsaid], 225_000],
  ])("whether it was put back is asked again soon where %s", (_, events, pauseMs) => {
    const [, shopMs] = calls(given(...online, ...events)).find(([key]) => String(key).startsWith("shop:")) ?? [];
    expect(Number(shopMs) - nowMs).toBe(pauseMs);
  });

  test("where it never says so it is asked ever more seldom, by a draw of its own, and as late as it wants; a press asks at once", () => {
    let state = given(...online, ...payable, started);
    const shopOf = () => calls(state).find(([key]) => String(key).startsWith("shop:"))?.[1];
    const ask = (said: ReturnType<typeof answer>, fraction = 1): number => {
      const input = { type: "shop_answered", merchantId: "demo-shop", answer: said } as const;
      const { events } = decide(state, input, moment, { id: "W", fraction });
      for (const event of events) state = evolve(state, event, moment);
      return Number(shopOf()) - nowMs;
    };
    expect([503, 503, 500, 429, 503, 503].map((status) => ask(answer(status)))).toEqual([
      5_000, 10_000, 20_000, 40_000, 60_000, 60_000,
    ]);
    expect(ask(answer(503), 0)).toBe(30_000);
    expect(ask({ ...answer(429), retryAfterMs: 90_000 } as never)).toBe(90_000);
    state = evolve(state, { type: "retry_requested", withdrawalId: "W1" }, moment);
    expect(shopOf()).toBe(nowMs);
  });

  const monthMs = 30 * 86_400_000;
  test.each([
    ["is right", 0, 0],
    ["runs a month ahead of this one", monthMs, -monthMs],
    ["is a month behind this one: it hides no report", -monthMs, 0],
  ])("after a restore reports are collected from a week before, where the service's clock %s", (_, aheadMs, thenMs) => {
    const forgotSinceMs = moment.wallMs - monthMs;
    const restore = { restoredAt: "2026-11-20T07:00:00Z", forgotSinceMs, keptHead: null };
    const answered: Event = { type: "service_responded", dateMs: moment.wallMs + aheadMs };
    const [collecting] = due(
      given(...installed, answered, { type: "shop_read", profile: null, restore, isSaid: true }),
    );
    const atMs = forgotSinceMs + thenMs - 7 * 86_400_000;
    expect(collecting?.work).toMatchObject({ kind: "collect_reports", since: { head: null, atMs } });
  });

  const restoredAt = "2026-11-20T07:00:00Z";
  test.each<[string, object, readonly Event[], readonly object[]]>([
    [
      "it was put back, and nothing tells its clock",
      {},
      [],
      [
        {
          key: `restore:0:${restoredAt}`,
          notBeforeMs: nowMs,
          work: { kind: "collect_reports", restoredAt, since: { head: null, atMs: monthMs - 7 * 86_400_000 } },
        },
      ],
    ],
    ["all was reported again already", {}, [{ type: "restore_answered", restoredAt }], []],
    ["it says no more that it was put back", { restoredAt: null }, [{ type: "restore_answered", restoredAt }], []],
    ["it cannot say since when", { forgotSinceMs: null }, [], []],
  ])("what is repeated after a restore where %s", (_, more, events, effects) => {
    const restore = { restoredAt, forgotSinceMs: monthMs, keptHead: null, ...more };
    const read: Event = { type: "shop_read", profile: null, restore, isSaid: true };
    expect(due(given(...online, ...events, read))).toEqual(effects);
  });

  test("what was asked is asked again after four and a half minutes; a head when its pause is over, else every twenty hours", () => {
    const read = given(
      ...online,
      shopRead,
      { type: "duplicate_device_checked" },
      { type: "head_answered", outcome: "taken" },
    );
    const asked = evolve(read, { type: "service_responded", dateMs: null }, later(60_000));
    expect(calls(asked)).toEqual([
      [`shop:demo-shop:${nowMs}`, nowMs + 270_000],
      ["journal-head:1", nowMs + 20 * 3_600_000],
    ]);
    expect(calls(evolve(asked, { type: "head_failed", notBeforeMs: nowMs + 750 }, moment))[1]).toEqual([
      "journal-head:2",
      nowMs + 750,
    ]);
    expect(due(given(...online), true).map(({ work }) => work)).toContainEqual({ kind: "read_service_head" });
    expect(due(asked, true).map(({ work }) => work)).toEqual([
      { kind: "read_shop", merchantId: "demo-shop" },
      { kind: "report_journal_head" },
    ]);
  });

  test("the shop is asked in the place of a probe, unless the service is in doubt or answers no such call", () => {
    const afterAnswer = (ms: number, ...before: readonly Event[]) =>
      evolve(given(...online, shopRead, ...before), { type: "service_responded", dateMs: null }, later(ms));
    // A probe is due 225 s after the answer, the shop 270 s after the last time.
    expect(calls(afterAnswer(0))[0]).toEqual([`shop:demo-shop:${nowMs}`, nowMs + 225_000]);
    expect(calls(afterAnswer(0, { type: "probed", fraction: 0 }))[0]).toEqual([
      `shop:demo-shop:${nowMs}`,
      nowMs + 180_000,
    ]);
    expect(calls(afterAnswer(44_999))[0]).toEqual([`shop:demo-shop:${nowMs}`, nowMs + 269_999]);
    expect(calls(afterAnswer(45_001))[0]).toEqual([`shop:demo-shop:${nowMs}`, nowMs + 270_000]);
    const doubted = evolve(afterAnswer(45_001), { type: "service_doubted" }, later(46_000));
    expect(calls(doubted)[0]).toEqual(["probe:0", nowMs + 45_001]);
    // A gateway that swallows the shop's call: it ended without an answer.
    const swallowed = evolve(given(...online), shopRead, later(45_001));
    expect(calls(swallowed).slice(0, 2)).toEqual([
      ["probe:0", nowMs + 225_000],
      [`shop:demo-shop:${nowMs + 45_001}`, nowMs + 315_001],
    ]);
  });

  test("nothing before the start, nor when it is blocked", () => {
    expect(effectsOf(given())).toEqual([]);
    expect(effectsOf(given(...online, { type: "blocked", blocked: { why: "journal_newer" } }))).toEqual([]);
  });
});

test("a drawer that is opened without a sale is opened once, each time under another key", () => {
  const sale = { reason: "other", note: "", by: "counter", approvedBy: null, atMs: 1 } as const;
  const opened = (number: number): Event => ({ type: "no_sale", number, noSale: sale });
  const settings: Event = {
    type: "settings_changed",
    settings: settingsSchema.parse({ drawer: { kind: "network", host: "10.0.0.9", port: 9100 } }),
  };
  const drawer = (number: number): Effect => ({
    key: `no_sale:${number}`,
    notBeforeMs: 0,
    work: { kind: "no_sale", number },
  });
  const ended: Event = { type: "no_sale_ended", number: 1, result: "opened" };
  expect(due(given(...installed, settings, opened(1)))).toEqual([drawer(1)]);
  expect(due(given(...installed, settings, opened(1), ended))).toEqual([]);
  expect(due(given(...installed, settings, opened(1), ended, opened(2)))).toEqual([drawer(2)]);
});

describe("about the printer", () => {
  const asked: readonly Event[] = [
    ...installed,
    { type: "receipt_requested", withdrawalId: "W1", copies: ["shop"], receipt },
  ];
  const failed = (kind: "not_printed" | "unclear"): Event =>
    ({ type: "print_ended", number: 1, answer: { kind, why: "unreachable" } }) as Event;
  test.each<[string, readonly Event[], readonly Effect[]]>([
    ["nothing waits", installed, []],
    ["one waits", asked, [{ key: "print:1:0", notBeforeMs: nowMs, work: { kind: "print", number: 1 } }]],
    [
      "one failed: again after two seconds",
      [...asked, failed("not_printed")],
      [
        {
          key: "print-again:1:1",
          notBeforeMs: nowMs + 2_000,
          work: { kind: "dispatch", input: { type: "print_pause_ended" } },
        },
      ],
    ],
    ["one may be on paper: nothing by itself", [...asked, failed("unclear")], []],
    [
      "one failed as often as it is tried",
      [
        ...asked,
        ...[1, 2, 3].flatMap((): Event[] => [failed("not_printed"), { type: "print_retried" }]),
        failed("not_printed"),
      ],
      [],
    ],
  ])("%s", (_, events, effects) => {
    expect(due(given(...events))).toEqual(effects);
  });
});
