/** What the answer to a confirm says about the next call, whatever else it says. */
import { describe, expect, test } from "vitest";
import type { Answer } from "../../../main/terminal/service/answer.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import { accepted, closed, eventsOf, inMs, next, present, replyOf, responded } from "./decide-stage.ts";
import { handedOutBy, rejectOvertaken, settled } from "./entries.ts";
import {
  answer,
  begun,
  confirming,
  given,
  moment,
  of,
  ours,
  paying,
  rejecting,
  rejectingUnsure,
  theirs,
  transaction,
  waiting,
} from "./flow-stage.ts";

const answered = (state: State, said: Answer) =>
  eventsOf(state, { type: "confirm_answered", ...present(state), answer: said });
const silent: Event = { type: "service_silent" };
const slow = { kind: "answer", status: 429, body: null, dateMs: null, retryAfterMs: 10_000 } as const;

describe("the first answer", () => {
  test.each<[string, Answer, readonly Event[]]>([
    [
      "500",
      answer(500),
      [responded, next({ confirms: 1, failures: 1, checkFirst: true, silentConfirms: 1, ...inMs(750) })],
    ],
    [
      "a proxy's page",
      { ...answer(404), body: undefined } as Answer,
      [responded, next({ confirms: 1, failures: 1, checkFirst: true, silentConfirms: 1, ...inMs(750) })],
    ],
    [
      "no answer in time",
      { kind: "silence", why: "timeout" },
      [silent, next({ confirms: 1, failures: 1, checkFirst: true, silentConfirms: 1, ...inMs(750) })],
    ],
    [
      "a door that was shut: it was not taken",
      { kind: "silence", why: "refused" },
      [silent, next({ confirms: 1, failures: 1, checkFirst: true, silentConfirms: 0, ...inMs(750) })],
    ],
    [
      "no way there: it was not taken",
      { kind: "silence", why: "unreachable" },
      [silent, next({ confirms: 1, failures: 1, checkFirst: true, silentConfirms: 0, ...inMs(750) })],
    ],
    [
      "no token: it was never sent, and is sent as it was",
      { kind: "unauthorized", why: "unavailable", retryAfterMs: null },
      [responded, next({ confirms: 1, failures: 1, ...inMs(750) })],
    ],
    [
      "too many requests: not before the service says",
      slow,
      [responded, next({ confirms: 1, failures: 1, ...inMs(10_000) })],
    ],
    [
      "conflict: ask at once",
      answer(409, {}),
      [responded, next({ confirms: 1, checkFirst: true, conflict: true, ...inMs(0) })],
    ],
    ["taken, with a thin body", answer(201), [responded, accepted(null)]],
    ["taken, the bank pays already", transaction("settling", ours), [responded, accepted("settling")]],
    ["taken and paid", transaction("settled", ours), [responded, accepted("settled"), settled]],
    ["taken from another terminal", transaction("settled", theirs), [responded, closed("in_use_elsewhere")]],
    ["used up by another terminal", transaction("linked", theirs), [responded, closed("already_used")]],
    [
      "about another transaction: whether this one was taken is not known",
      answer(201, { transaction_id: "x", status: "settled", ...ours }),
      [responded, next({ failures: 1, checkFirst: true, silentConfirms: 1, ...inMs(750) })],
    ],
    ["not known there", answer(404, {}), [responded, closed("unknown_barcode")]],
    ["refused", answer(422, {}), [responded, closed("service_refused")]],
    ["refused by the terminal's limit", answer(409, { code: "limit_reached" }), [responded, closed("limit_reached")]],
  ])("%s", (_, said, events) => {
    expect(answered(given(...confirming), said)).toEqual(events);
  });
});

describe("a later answer", () => {
  const silence: Event = next({ confirms: 1, failures: 1, silentConfirms: 1 });
  test.each<[string, readonly Event[], Answer, readonly Event[]]>([
    [
      "a refusal after a silence that may hide a yes: ask",
      [...confirming, silence],
      answer(403, {}),
      [responded, next({ confirms: 2, failures: 2, checkFirst: true, ...inMs(1_500) })],
    ],
    [
      "a silence after a silence",
      [...confirming, silence],
      answer(500),
      [responded, next({ confirms: 2, failures: 2, checkFirst: true, silentConfirms: 2, ...inMs(1_500) })],
    ],
    [
      "another answer about another transaction",
      [...confirming, silence],
      answer(201, { transaction_id: "x" }),
      [responded, next({ failures: 2, checkFirst: true, silentConfirms: 2, ...inMs(1_500) })],
    ],
    [
      "later, once more",
      [...confirming, silence],
      slow,
      [responded, next({ confirms: 2, failures: 2, ...inMs(10_000) })],
    ],
    [
      "a refusal while the customer approves is no end",
      waiting,
      answer(403, {}),
      [responded, next({ confirms: 1, failures: 1, checkFirst: true, ...inMs(750) })],
    ],
    [
      "a yes during the reject",
      rejectingUnsure,
      transaction("awaiting_sca", ours),
      [responded, accepted("awaiting_sca")],
    ],
    [
      "a yes again: what was accepted is not accepted twice",
      waiting,
      transaction("settled", ours),
      [responded, settled],
    ],
    [
      "paid meanwhile, during the reject",
      rejecting,
      transaction("settling", ours),
      [responded, rejectOvertaken("payment")],
    ],
    ["paid meanwhile, and known", paying, transaction("settling", ours), [responded]],
  ])("%s", (_, before, said, events) => {
    expect(answered(given(...before), said)).toEqual(events);
  });

  test("while someone stands there the pause ends at four seconds, else at thirty", () => {
    const failed = [...confirming, next({ failures: 9 })];
    const pauseOf = (state: State) => {
      const changed = answered(state, answer(500)).at(-1);
      return changed?.type === "request_state_changed" ? changed.requestState.notBeforeMs : null;
    };
    expect(pauseOf(given(...failed))).toBe(moment.monotonicMs + 3_000);
    expect(pauseOf(given(...failed, { type: "screen_cleared" }))).toBe(moment.monotonicMs + 22_500);
    const another: Event = { type: "look_up_begun", transactionId: "0000000000000000" };
    expect(pauseOf(given(...failed, another))).toBe(moment.monotonicMs + 22_500);
    const other = { ...of, withdrawalId: "W9", transactionId: "0000000000000000" };
    const reviewed: Event = { type: "review_opened", facts: other, createdAtMs: null, expiresAtMs: null };
    expect(pauseOf(given(...failed, another, reviewed))).toBe(moment.monotonicMs + 22_500);
  });

  test("an answer to an earlier try counts only when it is a yes", () => {
    const state = given(...confirming, silence);
    const late = { type: "confirm_answered", withdrawalId: "W1", number: 0 } as const;
    for (const said of [answer(500), answer(403, {}), answer(409, {}), slow])
      expect(eventsOf(state, { ...late, answer: said })).toEqual([responded]);
    expect(eventsOf(state, { ...late, answer: answer(201) })).toEqual([responded, accepted(null)]);
  });

  test.each<[string, readonly Event[]]>([
    ["what is gone", begun.slice(0, 2)],
    ["a review", begun],
    ["what is payable", [...paying, settled]],
    ["what was handed out", [...paying, settled, handedOutBy("drawer")]],
  ])("is stale about %s", (_, events) => {
    const late = { type: "confirm_answered", withdrawalId: "W1", number: 0, answer: answer(201) } as const;
    const state = given(...events);
    expect(eventsOf(state, late)).toEqual([responded]);
    expect(replyOf(state, late)).toEqual({ ok: false, code: "stale" });
  });
});
