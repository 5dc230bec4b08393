/** What the answer to a question about a withdrawal leads to, with the next call: asked again, left to the books, or over. */
import { describe, expect, test } from "vitest";
import type { Answer } from "../../../main/terminal/service/answer.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import {
  again,
  asked,
  askedOn,
  books,
  closed,
  eventsOf,
  inMs,
  leftToBooks,
  minutes,
  next,
  replyOf,
  responded,
  silence,
  unknown,
} from "./decide-stage.ts";
import { handedOutBy, notHandedOut, phaseSeen, settled } from "./entries.ts";
import {
  answer,
  begun,
  confirming,
  given,
  moment,
  ours,
  paying,
  rejecting,
  rejectingUnseen,
  rejectingUnsure,
  transaction,
  waiting,
} from "./flow-stage.ts";

/** `after`: minutes from now. */
type AskedRow = [name: string, events: readonly Event[], said: Answer, then: readonly Event[], after?: number];

describe("the next question", () => {
  test.each<[string, readonly Event[], Answer, readonly Event[]]>([
    ["after silence: a pause", waiting, silence, [again(1)]],
    ["after 500: a pause", waiting, answer(500), [again(1)]],
    ["after two failures: a longer one", [...waiting, next({ failures: 1 })], silence, [again(2, 1_500)]],
    [
      "nobody took the confirm: it is repeated at once",
      confirming,
      transaction("ready"),
      [next({ checkFirst: false, ...inMs(0) })],
    ],
    [
      "the customer still approves: after a second",
      [...waiting, next({ failures: 3, checkFirst: true })],
      transaction("awaiting_sca"),
      [askedOn(1_000)],
    ],
    ["not secured any more: after a second", waiting, transaction("requested", ours), [askedOn(1_000)]],
    ["the money moved: at once", waiting, transaction("settling"), [phaseSeen("payment"), askedOn(0)]],
    [
      "a refused reject is tried again when the order still is in the customer's hands",
      [...rejecting, next({ failures: 1, rejectRefused: true })],
      transaction("awaiting_sca"),
      [next({ failures: 2, rejectRefused: false, ...inMs(1_500) })],
    ],
    [
      "and when nobody has it",
      [...rejectingUnsure, next({ rejectRefused: true })],
      transaction("ready"),
      [next({ failures: 1, rejectRefused: false, ...inMs(750) })],
    ],
    [
      "but not when its word is unknown",
      [...rejecting, next({ rejectRefused: true })],
      transaction("COMPLETED"),
      [again(1)],
    ],
  ])("%s", (_, events, said, then) => {
    expect(asked(given(...events), said)).toEqual(then);
  });

  test.each([
    [899, 1_000],
    [900, 0],
    [20_000, 0],
  ])("an answer that took %i ms is followed by the next question after %i ms", (tookMs, pauseMs) => {
    expect(asked(given(...waiting), transaction("awaiting_sca"), moment, tookMs)).toEqual([askedOn(pauseMs)]);
  });
});

describe("an answer to an earlier question", () => {
  const late = (state: State, said: Answer) =>
    eventsOf(state, { type: "status_answered", withdrawalId: "W1", number: -1, answer: said, tookMs: 5 });
  test.each<[string, Answer, readonly Event[]]>([
    ["silence", silence, [{ type: "service_silent" }]],
    ["500", answer(500), [responded]],
    ["404", unknown, [responded]],
    ["still approving", transaction("awaiting_sca"), [responded]],
    ["paid", transaction("settled"), [responded, settled]],
    ["over", transaction("canceled", { reason: "sca_denied" }), [responded, closed("sca_denied")]],
    [
      "another amount",
      transaction("settled", { amount: "500.00" }),
      [responded, books("amount_changed"), notHandedOut("other")],
    ],
    ["settling", transaction("settling"), [responded, phaseSeen("payment")]],
    [
      "an operator has decided that no cash was handed out",
      transaction("undelivered", { reason: "decided_by_operator" }),
      [responded, notHandedOut("other")],
    ],
  ])("%s", (_, said, events) => {
    expect(late(given(...waiting), said)).toEqual(events);
  });

  test("about what is payable already counts for nothing", () => {
    const payable = given(...paying, settled);
    for (const said of [transaction("canceled"), transaction("linked"), unknown, transaction("settled")])
      expect(late(payable, said)).toEqual([responded]);
  });

  test.each<[string, State]>([
    ["gone", given(...begun.slice(0, 2))],
    ["in review", given(...begun)],
    ["handed out", given(...paying, settled, handedOutBy("drawer"))],
  ])("about what is %s is stale", (_, state) => {
    const input = { type: "status_answered", withdrawalId: "W1", number: 0, answer: unknown, tookMs: 5 } as const;
    expect([eventsOf(state, input), replyOf(state, input)]).toEqual([[responded], { ok: false, code: "stale" }]);
  });
});

describe("not known there", () => {
  const missed = (failures: number) => next({ failures });
  test.each<AskedRow>([
    ["the service's own word, four times: asked again", [...confirming, missed(4)], unknown, [again(5, 3_000)]],
    [
      "the fifth time it is believed of a confirm that nobody answered",
      [...confirming, missed(5)],
      unknown,
      [books("not_found", 404), closed("unknown_barcode")],
    ],
    [
      "a confirm that was taken is asked about longer",
      [...waiting, missed(9)],
      unknown,
      [again(10, 3_000, minutes(10))],
      10,
    ],
    ["and then left to the books", [...waiting, missed(9)], unknown, leftToBooks("not_found", 404), 10.001],
    ["so is a gateway's word", [...confirming, missed(9)], answer(404, {}), leftToBooks("not_found", 404), 10.001],
    ["and a refusal", [...confirming, missed(9)], answer(403, {}), leftToBooks("not_found", 403), 10.001],
    ["a gateway's word is not believed at once", [...confirming, missed(5)], answer(404, {}), [again(6, 3_000)]],
    ["500 is never believed", [...confirming, missed(5)], answer(500), [again(6, 3_000, minutes(60))], 60],
    ["what was never confirmed is over", rejectingUnseen, answer(403, {}), [closed("rejected")]],
  ])("%s", (_, events, said, then, after = 0) => {
    expect(asked(given(...events), said, minutes(after))).toEqual(then);
  });
});
