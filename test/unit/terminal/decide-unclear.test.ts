/** What is asked about again and again: whose confirm it was, words nobody knows, and what the journal has as payable after a restart. */
import { describe, expect, test } from "vitest";
import type { Answer } from "../../../main/terminal/service/answer.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import { offersCash } from "../../../main/terminal/withdrawal/withdrawal.ts";
import {
  accepted,
  again,
  asked,
  askedOn,
  books,
  closed,
  inMs,
  leftToBooks,
  minutes,
  next,
  silence,
  started,
  unknown,
} from "./decide-stage.ts";
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

/** `after`: minutes from now. */
type AskedRow = [name: string, events: readonly Event[], said: Answer, then: readonly Event[], after?: number];

describe("whose confirm it was is not said", () => {
  const conflicted: readonly Event[] = [...confirming, next({ conflict: true })];
  const clash = [books("confirm_conflict", 409), closed("service_refused")];
  test.each<AskedRow>([
    ["conflict, and nobody has it", conflicted, transaction("ready"), clash],
    ["conflict, and nobody has it yet", conflicted, transaction("requested"), clash],
    ["conflict, and someone has it", conflicted, transaction("settled"), [closed("in_use_elsewhere")]],
    ["conflict, and it is over for someone", conflicted, transaction("linked"), [closed("already_used")]],
    [
      "conflict after a silence: it may be ours",
      [...confirming, next({ conflict: true, silentConfirms: 1 })],
      transaction("settled"),
      leftToBooks("confirm_conflict", 409),
    ],
    ["ours in an unknown word", confirming, transaction("PAID", ours), [accepted(null)]],
    [
      "five minutes after the confirm nobody has it",
      confirming,
      transaction("ready"),
      [next({ checkFirst: false, notBeforeMs: minutes(5).monotonicMs })],
      5,
    ],
    ["later it is given up", confirming, transaction("ready"), [rejectIntended("given_up")], 5.001],
    [
      "five tries",
      [...confirming, next({ confirms: 5 })],
      transaction("ready"),
      [next({ checkFirst: false, ...inMs(0) })],
    ],
    [
      "six tries are enough",
      [...confirming, next({ confirms: 6 })],
      transaction("ready"),
      [rejectIntended("given_up")],
    ],
    [
      "someone has it, however long: the confirm is repeated",
      confirming,
      transaction("settled"),
      [next({ checkFirst: false, notBeforeMs: minutes(6).monotonicMs })],
      6,
    ],
    [
      "rejected without an answer, and someone has it: learn whose",
      [...rejectingUnsure, next({ confirms: 5 })],
      transaction("settled"),
      [rejectOvertaken("confirming")],
    ],
    [
      "rejected without an answer, and then an unknown word: asked again",
      rejectingUnsure,
      transaction("COMPLETED"),
      [again(1)],
    ],
    [
      "rejected without an answer, and said to be nobody's",
      rejectingUnsure,
      transaction("settled", { transaction_id_partner: null }),
      [again(1)],
    ],
    [
      "not for ever",
      [...rejectingUnsure, next({ confirms: 6 })],
      transaction("settled"),
      leftToBooks("confirm_unclear"),
    ],
    [
      "nor after a conflict",
      [...rejectingUnsure, next({ conflict: true })],
      transaction("settled"),
      leftToBooks("confirm_unclear"),
    ],
    ["an unknown word while the customer has time", waiting, transaction("PAID"), [askedOn(1_000, minutes(60))], 60],
    ["an unknown word while the bank pays", paying, transaction("PAID"), [askedOn(1_000, minutes(10))], 10],
    ["is left to the books in the end", paying, transaction("PAID"), leftToBooks("status_unclear"), 10.001],
    ["so is an order that is ready again", paying, transaction("ready"), leftToBooks("status_unclear"), 10.001],
    ["a bank that still pays is waited for", paying, transaction("settling"), [askedOn(1_000, minutes(600))], 600],
    [
      "a reject that is not done is asked about",
      rejecting,
      transaction("ready"),
      [next({ failures: 1, rejectRefused: false, notBeforeMs: minutes(10).monotonicMs + 750 })],
      10,
    ],
    ["and left to the books in the end", rejecting, transaction("COMPLETED"), leftToBooks("status_unclear"), 10.001],
  ])("%s", (_, events, said, then, after = 0) => {
    expect(asked(given(...events), said, minutes(after))).toEqual(then);
  });
});

describe("payable in the journal, asked again after a restart", () => {
  const unsaid: readonly Event[] = [...paying, settled, started];
  const recovered: readonly Event[] = [...unsaid, shopSaid];
  const begunAgain: readonly Event[] = [...paying, settled, handOutIntended, started];
  const failed = again(1);
  const offered = askedOn(0);
  const otherAmount = transaction("settled", { ...ours, amount: "60.00" });
  const restore = { restoredAt: "2026-01-01T00:00:00.000Z", forgotSince: null, keptHead: null };
  const putBack = { type: "shop_read", profile: null, restore, isSaid: true } as unknown as Event;
  test.each<AskedRow>([
    ["settled", recovered, transaction("settled", ours), [offered]],
    [
      "settled, and the service has not said yet whether it was put back",
      unsaid,
      transaction("settled", ours),
      [failed],
    ],
    ["settled, in a thin body", recovered, answer(200, { status: "settled" }), [offered]],
    ["another amount", recovered, otherAmount, [books("amount_changed"), notHandedOut("other")]],
    [
      "an amount that nobody can read",
      recovered,
      transaction("settled", { ...ours, amount: "20,00" }),
      [books("amount_changed"), notHandedOut("other")],
    ],
    [
      "another amount at a service that was put back since",
      [...recovered, putBack],
      otherAmount,
      [books("amount_changed"), notHandedOut("other")],
    ],
    ["another amount, and the cash may be gone", begunAgain, otherAmount, leftToBooks("amount_changed")],
    [
      "another amount where the drawer was told to open, and the service was not put back",
      [...begunAgain, shopSaid],
      otherAmount,
      leftToBooks("amount_changed"),
    ],
    [
      "another amount, and the cash may have been given before journal and service were put back",
      [...recovered, books("put_back_with_service")],
      otherAmount,
      leftToBooks("amount_changed"),
    ],
    [
      "another amount, and the service has not said yet whether it was put back",
      unsaid,
      otherAmount,
      leftToBooks("amount_changed"),
    ],
    [
      "settled again, though an operator had decided about its cash: that was forgotten, and is not taken back",
      [...recovered, next({ checkFirst: true, operatorDecided: true })],
      transaction("settled", ours),
      [books("put_back_with_service"), failed],
    ],
    [
      "silence after a press: the journal has it as settled",
      [...recovered, offered, { type: "hand_out_asked", withdrawalId: "W1", by: "C1", approvedBy: null }],
      silence,
      [{ type: "hand_out_intended", withdrawal: of, approvedBy: null, actor: "C1" } as Event],
    ],
    [
      "declared",
      recovered,
      transaction("undelivered", ours),
      [books("undelivered_by_another"), closed("already_used")],
    ],
    [
      "decided by an operator, of this run: the cash is in the drawer",
      [...paying, settled],
      transaction("undelivered", { ...ours, reason: "decided_by_operator" }),
      [notHandedOut("other")],
    ],
    ["linked", recovered, transaction("linked", ours), [books("linked_by_another"), closed("handed_out_before")]],
    ["another terminal's", recovered, transaction("settled", theirs), leftToBooks("not_settled_any_more")],
    ["canceled", recovered, transaction("canceled", ours), leftToBooks("not_settled_any_more")],
    [
      "expired, with the reason of a restore",
      recovered,
      transaction("expired", { ...ours, reason: "restored" }),
      leftToBooks("not_settled_any_more"),
    ],
    [
      "canceled, with an operator's reason",
      recovered,
      transaction("canceled", { ...ours, reason: "decided_by_operator" }),
      leftToBooks("not_settled_any_more"),
    ],
    [
      "500 that shows it linked",
      recovered,
      answer(500, { transaction_id: of.transactionId, status: "linked", ...ours }),
      [failed],
    ],
    ["silence", recovered, silence, [again(1, 750, minutes(60))], 60],
    ["500", recovered, answer(500), [again(1, 750, minutes(60))], 60],
    ["about another transaction", recovered, answer(200, { transaction_id: "x", status: "settled" }), [failed]],
    ["an unknown word", recovered, transaction("PAID", ours), [again(1, 750, minutes(10))], 10],
    ["an unknown word for long", recovered, transaction("PAID", ours), leftToBooks("status_unclear"), 10.001],
    ["settling again", recovered, transaction("settling", ours), [failed]],
    ["404", recovered, unknown, [failed]],
    ["404 for long", recovered, unknown, leftToBooks("not_found", 404), 10.001],
    ["403 for long", recovered, answer(403, {}), leftToBooks("not_found", 403), 10.001],
  ])("%s", (_, events, said, then, after = 0) => {
    expect(asked(given(...events), said, minutes(after))).toEqual(then);
  });

  test.each<[string, readonly Event[]]>([
    ["before the service has said whether it was put back", [...paying, started]],
    ["where both were put back", [...paying, started, shopSaid, books("put_back_with_service")]],
  ])("another amount of what was under way %s is not said to be in the drawer", (_, events) => {
    const then = asked(given(...events), otherAmount);
    expect(then).toEqual(expect.arrayContaining([...leftToBooks("amount_changed")]));
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
