/** A withdrawal step by step: each entry and each event of the service, in one order; and what the service is asked for. */
import { describe, expect, test } from "vitest";
import {
  clockShift,
  mergeSteps,
  readReport,
  readServiceSteps,
  stepOfEntry,
} from "../../../main/terminal/history/story.ts";
import type { Answer } from "../../../main/terminal/service/answer.ts";
import type { StoryStep } from "../../../preload/contract.ts";
import { silence } from "./decide-stage.ts";
import {
  closedAs,
  confirmAccepted,
  confirmIntended,
  discrepancy,
  drawerFailed,
  drawerOpened,
  handedOutBy,
  notHandedOut,
  rejectIntended,
  reportAccepted,
  reportRefused,
} from "./entries.ts";
import { of } from "./flow-stage.ts";
import { http } from "./stories/at-stage.ts";

const receipt = (isReprint: boolean) => ({
  type: "receipt_requested",
  withdrawalId: "W1",
  copies: ["customer"],
  receipt: { ...of, atMs: 5, terminal: "till-1", cashier: null, training: false, isReprint },
});

test.each<[Record<string, unknown>, Partial<StoryStep> | null]>([
  [confirmIntended, {}],
  [confirmAccepted("settling"), {}],
  [{ type: "settled", withdrawal: of, actor: "terminal" }, { by: "terminal" }],
  [
    { type: "hand_out_intended", withdrawal: of, actor: "C2", approvedBy: "M1" },
    { by: "C2", byName: "M1" },
  ],
  [{ type: "drawer_reopened", withdrawal: of, approvedBy: null }, {}],
  [drawerOpened, {}],
  [drawerFailed, { about: "failed" }],
  [rejectIntended("cashier", false), { about: "cashier" }],
  [handedOutBy("drawer"), { about: "drawer" }],
  [notHandedOut("customer_left"), { about: "customer_left" }],
  [closedAs("canceled"), { about: "canceled" }],
  [
    { type: "decided", withdrawal: of, decision: "handed_out", actor: "M1", note: "seen" },
    { by: "M1", about: "seen" },
  ],
  [
    { type: "acknowledged", withdrawalId: "W1", actor: "M1", note: "booked" },
    { by: "M1", about: "booked" },
  ],
  [reportAccepted("link"), { what: "link_accepted" }],
  [reportRefused("undelivered"), { what: "undelivered_refused" }],
  [discrepancy("amount_changed"), { about: "amount_changed" }],
  [receipt(true), { about: "reprint" }],
  [receipt(false), {}],
  [{ type: "message_seen", withdrawalId: "W1" }, null],
  [{ type: "of_a_later_version", withdrawal: of }, null],
])("an entry as a step: %j", (event, told) => {
  const step = stepOfEntry({ sequence: 7, at: 5, body: JSON.stringify(event) });
  const plain = { side: "here", atMs: 5, what: event.type, about: null, by: null, byName: null };
  expect(step).toEqual(told && { ...plain, ...told });
});

/** Times in milliseconds after noon. */
const noon = Date.UTC(2026, 10, 20, 12);
const at = (ms: number): string => new Date(noon + ms).toISOString();
const event = { kind: "transition", to: "settled", at: at(7) };
const theirs = { side: "there", atMs: noon + 7, what: "there_settled", about: null, by: null, byName: null };

describe("the service's half", () => {
  const stepsOf = (answer: Answer) => readServiceSteps({ getEvents: async () => answer } as never, "T1");
  const told = (...events: readonly unknown[]) => stepsOf(http(200, { events }));

  test.each<[object, Partial<StoryStep> | null]>([
    [{}, {}],
    [{ to: "linked" }, { what: "there_linked" }],
    [{ kind: "approved", to: null }, { what: "there_approved" }],
    [{ kind: "contradicted", to: "linked" }, { what: "there_contradicted" }],
    [{ kind: "reported_again" }, { what: "there_reported_again" }],
    [
      { kind: "dispute_closed", actor: "operator", actor_id: "Ann", reason: "paid back" },
      { what: "there_dispute_closed", by: "operator", byName: "Ann", about: "paid back" },
    ],
    [{ kind: "decided", actor: "", reason: 5 }, { what: "there_decided" }],
    [{ reason: "x".repeat(501) }, { about: "x".repeat(500) }],
    [{ to: "odd", kind: "odd" }, null],
    [{ at: 5 }, null],
    [{ at: "soon" }, null],
  ])("an event as a step: %j", async (changed, step) => {
    expect(await told({ ...event, ...changed })).toEqual(step === null ? [] : [{ ...theirs, ...step }]);
  });

  test("is read as far as five hundred events, and leaves out what is none", async () => {
    expect(await told(null, event, "x")).toEqual([theirs]);
    expect(await told(...Array.from({ length: 501 }, () => event))).toHaveLength(500);
  });

  const found = { events: [event], lines: [] };
  const answers: readonly (readonly [string, Answer, string, string])[] = [
    ["silence", silence, "offline", "offline"],
    ["a failure", http(503, found), "offline", "offline"],
    ["a missing right", http(403, { code: "insufficient_scope" }), "offline", "offline"],
    ["an unknown withdrawal", http(404, { code: "transaction_not_found" }), "not_known", "not_offered"],
    ["no such path", http(404, { ...found, code: "not_found" }), "not_offered", "not_offered"],
    ["a refusal", http(400, found), "not_offered", "not_offered"],
    [
      "a proxy's page",
      { kind: "answer", status: 404, body: undefined, dateMs: null, retryAfterMs: null },
      "not_offered",
      "not_offered",
    ],
    ["a body that is no list", http(200, { events: "x", lines: 1 }), "not_offered", "not_offered"],
  ];
  test.each(answers)("is missing after %s, and so is the report", async (_, answer, steps, report) => {
    expect(await stepsOf(answer)).toBe(steps);
    expect(await readReport({ getReport: async () => answer } as never, "s", 0, noon, noon + 1)).toBe(report);
  });
});

describe("the report", () => {
  const day = 86_400_000;
  const line = { transaction_id: "T1", confirmed_at: at(0), status: "linked" };
  const asked = async (store: string | null, offMs: number, length: number, failAt = 99) => {
    const calls: unknown[] = [];
    const getReport = async (...words: readonly unknown[]) =>
      calls.push(words) === failAt ? http(503) : http(200, { lines: [line] });
    const lines = await readReport({ getReport } as never, store, offMs, noon, noon + length);
    return { calls, lines: typeof lines === "string" ? lines : lines.length };
  };

  test("is asked for a day at a time, ten minutes beyond, by the service's clock", async () => {
    const [from, to] = [noon - 5_000 - 600_000, noon - 5_000 + 2 * day + 600_000];
    expect(await asked("shop", 5_000, 2 * day)).toEqual({
      calls: [
        ["shop", from, from + day],
        ["shop", from + day, from + 2 * day],
        ["shop", from + 2 * day, to],
      ],
      lines: 3,
    });
    expect((await asked("shop", 0, day - 1_200_000)).calls).toHaveLength(1);
  });

  test("is not asked for by a terminal without a shop, nor on after a failure", async () => {
    expect(await asked(null, 0, day)).toEqual({ calls: [], lines: "offline" });
    expect(await asked("shop", 0, 3 * day, 2)).toMatchObject({ calls: { length: 2 }, lines: "offline" });
  });
});

const here = (what: StoryStep["what"], ms: number): StoryStep => ({ ...theirs, side: "here", what, atMs: ms });
const there = (what: StoryStep["what"], ms: number): StoryStep => ({ ...here(what, ms), side: "there" });

test.each<[string, readonly StoryStep[], readonly StoryStep[], number]>([
  ["nothing to go by", [here("drawer_opened", 5)], [there("there_ready", 90)], 20],
  ["no cause after its effect", [here("handed_out", 100)], [there("there_linked", 85)], 20],
  ["an effect before its cause", [here("handed_out", 100)], [there("there_linked", 70)], 30],
  ["a cause after what the terminal learnt of it", [here("settled", 100)], [there("there_settled", 95)], 5],
  ["the terminal learnt it later", [here("settled", 100)], [there("there_settled", 70)], 20],
  [
    "the first of several",
    [here("settled", 100), here("settled", 500)],
    [there("there_settled", 95), there("there_settled", 5)],
    5,
  ],
  [
    "both bounds",
    [here("not_handed_out", 100), here("undelivered_accepted", 130)],
    [there("there_undelivered", 70)],
    30,
  ],
  [
    "bounds that no shift can keep",
    [here("reject_intended", 100), here("link_accepted", 100)],
    [there("there_rejected", 10), there("there_linked", 95)],
    20,
  ],
  ["half of a pair", [here("settled", 100), here("handed_out", 100)], [there("there_undelivered", 95)], 20],
  ["the confirm and what follows", [here("confirm_intended", 100)], [there("there_settling", 60)], 40],
  [
    "the approval that is awaited",
    [here("confirm_intended", 100), here("confirm_accepted", 140)],
    [there("there_awaiting_sca", 110)],
    20,
  ],
])("the service's times are moved by %j", (_, own, its, shift) => {
  expect(clockShift(own, its, 20)).toBe(shift);
});

test.each<[string, readonly StoryStep[], readonly StoryStep[], readonly StoryStep["what"][]]>([
  [
    "by time",
    [here("settled", 5), here("handed_out", 9)],
    [there("there_settled", 1), there("there_linked", 7), there("there_ready", 12)],
    ["there_settled", "settled", "there_linked", "handed_out", "there_ready"],
  ],
  [
    "at once, the service first",
    [here("drawer_opened", 5)],
    [there("there_linked", 5)],
    ["there_linked", "drawer_opened"],
  ],
  [
    "at once, but its cause first",
    [here("drawer_opened", 5), here("handed_out", 5)],
    [there("there_linked", 5)],
    ["drawer_opened", "handed_out", "there_linked"],
  ],
  [
    "at once as what is no cause of it",
    [here("handed_out", 5)],
    [there("there_settled", 5)],
    ["there_settled", "handed_out"],
  ],
  [
    "at once, the cause is over",
    [here("handed_out", 5), here("drawer_opened", 5)],
    [there("there_linked", 5)],
    ["handed_out", "there_linked", "drawer_opened"],
  ],
  [
    "earlier than its cause, which no shift could mend",
    [here("drawer_opened", 5), here("handed_out", 9)],
    [there("there_linked", 5)],
    ["there_linked", "drawer_opened", "handed_out"],
  ],
])("both halves in one order: %s", (_, own, its, order) => {
  expect(mergeSteps(own, its, 0).map(({ what }) => what)).toEqual(order);
  expect(mergeSteps([], its, 3).map(({ atMs }) => atMs)).toEqual(its.map(({ atMs }) => atMs + 3));
});
