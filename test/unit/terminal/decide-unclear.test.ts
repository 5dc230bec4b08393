/** What is asked about again and again: whose confirm it was, words nobody knows, and what the journal has as payable after a restart. */
import { describe, expect, test } from "vitest";
import type { Answer } from "../../../main/terminal/service/answer.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import { offersCash } from "../../../main/terminal/withdrawal/withdrawal.ts";
import { accepted, asked, books, closed, inMs, minutes, next, silence, started, unknown } from "./decide-stage.ts";
import { handOutIntended, notHandedOut, rejectIntended, rejectOvertaken, settled } from "./entries.ts";
import {
  answer,
  confirming,
  given,
  moment,
  of,
  ours,
  paying,
  rejecting,
  rejectingUnsure,
  shopSaid,
  theirs,
  transaction,
  waiting,
} from "./flow-stage.ts";

describe("whose confirm it was is not said", () => {
  test.each<[string, readonly Event[], Answer, number, readonly Event[]]>([
    [
      "conflict, and nobody has it",
      [...confirming, next({ conflict: true })],
      transaction("ready"),
      0,
      [books("confirm_conflict", 409), closed("service_refused")],
    ],
    [
      "conflict, and nobody has it yet",
      [...confirming, next({ conflict: true })],
      transaction("requested"),
      0,
      [books("confirm_conflict", 409), closed("service_refused")],
    ],
    [
      "conflict, and someone has it",
      [...confirming, next({ conflict: true })],
      transaction("settled"),
      0,
      [closed("in_use_elsewhere")],
    ],
    [
      "conflict, and it is over for someone",
      [...confirming, next({ conflict: true })],
      transaction("linked"),
      0,
      [closed("already_used")],
    ],
    [
      "conflict after a silence: it may be ours",
      [...confirming, next({ conflict: true, silentConfirms: 1 })],
      transaction("settled"),
      0,
      [books("confirm_conflict", 409), closed("unclear")],
    ],
    ["ours in an unknown word", confirming, transaction("PAID", ours), 0, [accepted(null)]],
    [
      "five minutes after the confirm nobody has it",
      confirming,
      transaction("ready"),
      5,
      [next({ checkFirst: false, notBeforeMs: minutes(5).monotonicMs })],
    ],
    ["later it is given up", confirming, transaction("ready"), 5.001, [rejectIntended("given_up")]],
    [
      "five tries",
      [...confirming, next({ confirms: 5 })],
      transaction("ready"),
      0,
      [next({ checkFirst: false, ...inMs(0) })],
    ],
    [
      "six tries are enough",
      [...confirming, next({ confirms: 6 })],
      transaction("ready"),
      0,
      [rejectIntended("given_up")],
    ],
    [
      "someone has it, however long: the confirm is repeated",
      confirming,
      transaction("settled"),
      6,
      [next({ checkFirst: false, notBeforeMs: minutes(6).monotonicMs })],
    ],
    [
      "rejected without an answer, and someone has it: learn whose",
      [...rejectingUnsure, next({ confirms: 5 })],
      transaction("settled"),
      0,
      [rejectOvertaken("confirming")],
    ],
    [
      "rejected without an answer, and then an unknown word: asked again",
      rejectingUnsure,
      transaction("COMPLETED"),
      0,
      [next({ failures: 1, ...inMs(750) })],
    ],
    [
      "rejected without an answer, and said to be nobody's",
      rejectingUnsure,
      transaction("settled", { transaction_id_partner: null }),
      0,
      [next({ failures: 1, ...inMs(750) })],
    ],
    [
      "not for ever",
      [...rejectingUnsure, next({ confirms: 6 })],
      transaction("settled"),
      0,
      [books("confirm_unclear"), closed("unclear")],
    ],
    [
      "nor after a conflict",
      [...rejectingUnsure, next({ conflict: true })],
      transaction("settled"),
      0,
      [books("confirm_unclear"), closed("unclear")],
    ],
    [
      "an unknown word while the customer has time",
      waiting,
      transaction("PAID"),
      60,
      [next({ failures: 0, checkFirst: false, notBeforeMs: minutes(60).monotonicMs + 1_000 })],
    ],
    [
      "an unknown word while the bank pays",
      paying,
      transaction("PAID"),
      10,
      [next({ failures: 0, checkFirst: false, notBeforeMs: minutes(10).monotonicMs + 1_000 })],
    ],
    [
      "is left to the books in the end",
      paying,
      transaction("PAID"),
      10.001,
      [books("status_unclear"), closed("unclear")],
    ],
    [
      "so is an order that is ready again",
      paying,
      transaction("ready"),
      10.001,
      [books("status_unclear"), closed("unclear")],
    ],
    [
      "a bank that still pays is waited for",
      paying,
      transaction("settling"),
      600,
      [next({ failures: 0, checkFirst: false, notBeforeMs: minutes(600).monotonicMs + 1_000 })],
    ],
    [
      "a reject that is not done is asked about",
      rejecting,
      transaction("ready"),
      10,
      [next({ failures: 1, rejectRefused: false, notBeforeMs: minutes(10).monotonicMs + 750 })],
    ],
    [
      "and left to the books in the end",
      rejecting,
      transaction("COMPLETED"),
      10.001,
      [books("status_unclear"), closed("unclear")],
    ],
  ])("%s", (_, events, said, after, then) => {
    expect(asked(given(...events), said, minutes(after))).toEqual(then);
  });
});

describe("payable in the journal, asked again after a restart", () => {
  const unsaid: readonly Event[] = [...paying, settled, started];
  const recovered: readonly Event[] = [...unsaid, shopSaid];
  const begunAgain: readonly Event[] = [...paying, settled, handOutIntended, started];
  const failed = next({ failures: 1, ...inMs(750) });
  const offered = next({ checkFirst: false, failures: 0, ...inMs(0) });
  test.each<[string, readonly Event[], Answer, number, readonly Event[]]>([
    ["settled", recovered, transaction("settled", ours), 0, [offered]],
    [
      "settled, and the service has not said yet whether it was put back",
      unsaid,
      transaction("settled", ours),
      0,
      [failed],
    ],
    ["settled, in a thin body", recovered, answer(200, { status: "settled" }), 0, [offered]],
    [
      "another amount",
      recovered,
      transaction("settled", { ...ours, amount: "60.00" }),
      0,
      [books("amount_changed"), notHandedOut("other")],
    ],
    [
      "an amount that nobody can read",
      recovered,
      transaction("settled", { ...ours, amount: "20,00" }),
      0,
      [books("amount_changed"), notHandedOut("other")],
    ],
    [
      "another amount, and the cash may be gone",
      begunAgain,
      transaction("settled", { ...ours, amount: "60.00" }),
      0,
      [books("amount_changed"), closed("unclear")],
    ],
    [
      "another amount where the drawer was told to open, and the service was not put back",
      [...begunAgain, shopSaid],
      transaction("settled", { ...ours, amount: "60.00" }),
      0,
      [books("amount_changed"), closed("unclear")],
    ],
    [
      "another amount, and the cash may have been given before journal and service were put back",
      [...recovered, books("put_back_with_service")],
      transaction("settled", { ...ours, amount: "60.00" }),
      0,
      [books("amount_changed"), closed("unclear")],
    ],
    [
      "another amount, and the service has not said yet whether it was put back",
      unsaid,
      transaction("settled", { ...ours, amount: "60.00" }),
      0,
      [books("amount_changed"), closed("unclear")],
    ],
    [
      "settled again, though an operator had decided about its cash: that was forgotten, and is not taken back",
      [...recovered, next({ checkFirst: true, operatorDecided: true })],
      transaction("settled", ours),
      0,
      [books("put_back_with_service"), failed],
    ],
    [
      "silence after a press: the journal has it as settled",
      [...recovered, offered, { type: "hand_out_asked", withdrawalId: "W1", by: "C1", approvedBy: null }],
      silence,
      0,
      [{ type: "hand_out_intended", withdrawal: of, approvedBy: null, actor: "C1" } as Event],
    ],
    [
      "declared",
      recovered,
      transaction("undelivered", ours),
      0,
      [books("undelivered_by_another"), closed("already_used")],
    ],
    ["linked", recovered, transaction("linked", ours), 0, [books("linked_by_another"), closed("handed_out_before")]],
    [
      "another terminal's",
      recovered,
      transaction("settled", theirs),
      0,
      [books("not_settled_any_more"), closed("unclear")],
    ],
    ["canceled", recovered, transaction("canceled", ours), 0, [books("not_settled_any_more"), closed("unclear")]],
    ["silence", recovered, silence, 60, [next({ failures: 1, notBeforeMs: minutes(60).monotonicMs + 750 })]],
    ["500", recovered, answer(500), 60, [next({ failures: 1, notBeforeMs: minutes(60).monotonicMs + 750 })]],
    ["about another transaction", recovered, answer(200, { transaction_id: "x", status: "settled" }), 0, [failed]],
    [
      "an unknown word",
      recovered,
      transaction("PAID", ours),
      10,
      [next({ failures: 1, notBeforeMs: minutes(10).monotonicMs + 750 })],
    ],
    [
      "an unknown word for long",
      recovered,
      transaction("PAID", ours),
      10.001,
      [books("status_unclear"), closed("unclear")],
    ],
    ["settling again", recovered, transaction("settling", ours), 0, [failed]],
    ["404", recovered, unknown, 0, [failed]],
    ["404 for long", recovered, unknown, 10.001, [books("not_found", 404), closed("unclear")]],
    ["403 for long", recovered, answer(403, {}), 10.001, [books("not_found", 403), closed("unclear")]],
  ])("%s", (_, events, said, after, then) => {
    expect(asked(given(...events), said, minutes(after))).toEqual(then);
  });

  test.each<[string, readonly Event[]]>([
    ["before the service has said whether it was put back", [...paying, started]],
    ["where both were put back", [...paying, started, shopSaid, books("put_back_with_service")]],
  ])("another amount of what was under way %s is not said to be in the drawer", (_, events) => {
    const then = asked(given(...events), transaction("settled", { ...ours, amount: "60.00" }));
    expect(then).toEqual(expect.arrayContaining([books("amount_changed"), closed("unclear")]));
    expect(then.map(({ type }) => type)).not.toContain("not_handed_out");
  });

  test("what may have been handed out by an entry that cannot be read is not offered, however often it is settled", () => {
    const state = given(...recovered);
    const [withdrawal] = state.open.values();
    if (withdrawal === undefined) throw new Error("no withdrawal");
    const doubtful = { ...state, open: new Map([["W1", { ...withdrawal, doubtful: true }]]) };
    expect(asked(doubtful, transaction("settled", ours))).toEqual([failed]);
    const decided = { ...ours, reason: "decided_by_operator" };
    expect(asked(doubtful, transaction("undelivered", decided))).toEqual([
      next({ failures: 1, ...inMs(750), checkFirst: true, operatorDecided: true }),
    ]);
  });

  test.each<[string, Answer]>([
    ["paid", transaction("settled", ours)],
    ["decided by an operator", transaction("undelivered", { ...ours, reason: "decided_by_operator" })],
  ])("nor is it when the service first says so: %s", (_, said) => {
    const state = given(...paying);
    const [withdrawal] = state.open.values();
    if (withdrawal === undefined) throw new Error("no withdrawal");
    const doubtful = { ...state, open: new Map([["W1", { ...withdrawal, doubtful: true }]]) };
    const after = asked(doubtful, said).reduce<State>((so, event) => evolve(so, event, moment), doubtful);
    const [one] = after.open.values();
    expect(one).toMatchObject({ stage: { kind: "payable" } });
    expect(one && offersCash(one)).toBe(false);
  });
});
