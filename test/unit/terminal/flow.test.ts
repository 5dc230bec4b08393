/** Given these events, when this comes in, then these events: the core's decisions as tables. */
import { describe, expect, test } from "vitest";
import { decide } from "../../../main/terminal/flow.ts";
import type { ServiceAnswer } from "../../../main/terminal/ports.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import type { Input } from "../../../main/terminal/withdrawal/inputs.ts";
import { stepOf } from "../../../main/terminal/withdrawal/screens.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import { drawerFailed, drawerOpened, drawerReopened, handedOutBy, handOutIntended, settled } from "./entries.ts";
import {
  answer,
  asked,
  begun,
  confirming,
  given,
  moment,
  numberOf,
  of,
  ours,
  paying,
  rejecting,
  rejectingUnseen,
  theirs,
  transaction,
  waiting,
  when,
} from "./flow-stage.ts";

describe("asked about a confirm without an answer", () => {
  const otherMoney = ["confirm_accepted", "discrepancy:amount_changed", "not_handed_out"];
  test.each<[string, ServiceAnswer, string[]]>([
    ["awaiting approval, ours", transaction("awaiting_sca", ours), ["confirm_accepted"]],
    ["settling, ours", transaction("settling", ours), ["confirm_accepted"]],
    ["settled, ours", transaction("settled", ours), ["confirm_accepted", "settled"]],
    ["settled, another till's", transaction("settled", theirs), ["closed:in_use_elsewhere"]],
    ["settled, whose is not said", transaction("settled"), []],
    ["settled, nobody's", transaction("settled", { transaction_id_partner: null }), []],
    ["awaiting approval, whose is not said", transaction("awaiting_sca"), []],
    ["an unknown word", transaction("PAID"), []],
    ["canceled", transaction("canceled", { reason: "user_canceled" }), ["closed:user_canceled"]],
    ["expired", transaction("expired"), ["closed:order_expired"]],
    ["another amount", transaction("settled", { ...ours, amount: "500.00" }), otherMoney],
    ...["20,00", "20.00 EUR", "-50.00", 0, { value: "20.00" }].map((amount): [string, ServiceAnswer, string[]] => [
      `${JSON.stringify(amount)}, which is no amount`,
      transaction("settled", { ...ours, amount }),
      otherMoney,
    ]),
    ["another currency", transaction("settled", { ...ours, currency: "USD" }), otherMoney],
    ["another transaction", answer(200, { transaction_id: "x", status: "settled", ...ours }), []],
    ["404 once", answer(404), []],
    ["500", answer(500), []],
    ["silence", { kind: "silence", why: "timeout" }, []],
  ])("%s", (_, reply, then) => {
    expect(asked(confirming, reply)).toEqual(then);
  });
});

describe("asked while the customer approves", () => {
  test.each<[string, ServiceAnswer, string[]]>([
    ["still", transaction("awaiting_sca"), []],
    ["settled in a thin body: the confirm was taken from this till", answer(200, { status: "settled" }), ["settled"]],
    ["settled for another till after all", transaction("settled", theirs), ["closed:in_use_elsewhere"]],
    ["settled, and its amount without zeros", transaction("settled", { amount: 50 }), ["settled"]],
    ["settled, and no currency", transaction("settled", { currency: undefined }), ["settled"]],
    ["a cent more", transaction("settled", { amount: 50.01 }), ["discrepancy:amount_changed", "not_handed_out"]],
    ["denied", transaction("canceled", { reason: "sca_denied" }), ["closed:sca_denied"]],
    ["its time is over", transaction("canceled", { reason: "sca_timeout" }), ["closed:sca_timeout"]],
    ["called off by the customer", transaction("canceled", { reason: "user_canceled" }), ["closed:user_canceled"]],
    ["canceled, and nobody says why", transaction("canceled"), ["closed:canceled"]],
    ["canceled, for a reason of next year", transaction("canceled", { reason: "a_word" }), ["closed:canceled"]],
    ["canceled after its end", transaction("canceled", { reason: "order_expired" }), ["closed:canceled"]],
    ["refused by the bank", transaction("failed", { reason: "settle_declined" }), ["closed:settle_declined"]],
    ["expired", transaction("expired", { reason: "order_expired" }), ["closed:order_expired"]],
    ["declined", transaction("declined", { reason: "partner_declined" }), ["closed:declined"]],
    ["rejected", transaction("rejected", { reason: "cashier_rejected" }), ["closed:rejected_before"]],
    ["rejected, as its time was over", transaction("rejected", { reason: "sca_timeout" }), ["closed:sca_timeout"]],
    ["linked by someone", transaction("linked"), ["discrepancy:linked_by_another", "closed:handed_out_before"]],
    ["declared by someone", transaction("undelivered"), ["discrepancy:undelivered_by_another", "closed:already_used"]],
    ["decided by an operator", transaction("linked", { reason: "decided_by_operator" }), ["not_handed_out"]],
    ["Settled is not settled", transaction("Settled"), []],
    ["ready again", transaction("ready"), []],
    ["requested again", transaction("requested"), []],
    ["404", answer(404), []],
  ])("%s", (_, reply, then) => {
    expect(asked(waiting, reply)).toEqual(then);
  });
});

describe("a reject's answer", () => {
  const taken = "closed:in_use_elsewhere";
  const rejected = (events: readonly Event[], reply: ServiceAnswer): string[] => {
    const state = given(...events);
    return when(state, {
      type: "report_answered",
      withdrawalId: "W1",
      report: "reject",
      number: numberOf(state),
      restoredAt: null,
      answer: reply,
    });
  };
  test.each<[string, readonly Event[], ServiceAnswer, string[]]>([
    ["the service was faster", rejecting, transaction("canceled"), ["closed:sca_timeout"]],
    ["done, thin", rejecting, answer(201), ["closed:sca_timeout"]],
    ["done before by the service", rejecting, transaction("canceled", { reason: "sca_denied" }), ["closed:sca_denied"]],
    ["taken, but the money has moved", rejecting, transaction("settled", ours), ["settled"]],
    ["of an order nobody confirmed", rejectingUnseen, transaction("rejected"), ["closed:rejected"]],
    ["of an order that another till took", rejectingUnseen, transaction("settled", theirs), [taken]],
    ["of an order that someone took, whose is not said", rejectingUnseen, transaction("settled"), [taken]],
  ])("%s", (_, events, reply, then) => {
    expect(rejected(events, reply)).toEqual(then);
  });

  test.each<[string, readonly Event[], ServiceAnswer, string[]]>([
    ["the money moves", rejecting, transaction("settling"), ["reject_overtaken:payment"]],
    ["the money has moved", rejecting, transaction("settled"), ["settled"]],
    ["gone, and never confirmed here", rejectingUnseen, answer(404, {}), ["closed:rejected"]],
  ])("asked after a conflict: %s", (_, events, reply, then) => {
    expect(asked(events, reply)).toEqual(then);
  });
});

test.each([
  ["opened", "drawer_opened"],
  ["failed", "drawer_unsure"],
  ["unknown", "drawer_unsure"],
] as const)("a drawer's answer that it %s counts once", (result, then) => {
  const state = given(...paying, settled, handOutIntended);
  const answered = { type: "drawer_answered", withdrawalId: "W1", result } as const;
  expect(when(state, answered)).toEqual([then]);
  for (const event of [drawerOpened, handedOutBy("drawer")])
    expect(when(evolve(state, event, moment), answered)).toEqual([]);
});

describe("no button does anything on a screen it is not on", () => {
  const paid: readonly Event[] = [...paying, settled];
  const opening: readonly Event[] = [...paid, handOutIntended];
  const pressed: Event = { type: "hand_out_asked", withdrawalId: "W1", by: "C1", approvedBy: null };
  const failed: Event = { type: "request_state_changed", withdrawalId: "W1", requestState: { failures: 1 } };
  const drawerUnsure: Event = { ...drawerFailed, drawer: "unknown" };
  const ended = (canRetry: boolean): Event =>
    ({ type: "ended_shown", outcome: "no_network", transactionId: of.transactionId, money: null, canRetry }) as const;
  const states: readonly [string, () => State, readonly string[]][] = [
    ["ready", () => given(...begun.slice(0, 2)), []],
    ["looking up", () => given(...begun.slice(0, 3)), ["dismiss"]],
    ["review", () => given(...begun), ["confirm", "reject"]],
    ["confirming", () => given(...confirming), []],
    ["waiting", () => given(...waiting), ["reject"]],
    ["payment", () => given(...paying), ["dismiss", "retry"]],
    ["closing", () => given(...rejecting), []],
    ["unknown", () => given(...confirming, failed), ["dismiss", "retry"]],
    ["unknown, though paid", () => given(...paid, { type: "started", damagedEntries: 0 }), ["dismiss", "retry"]],
    ["checking", () => given(...paid, pressed), []],
    ["ended", () => given(...begun.slice(0, 2), ended(false)), ["dismiss"]],
    ["ended, and it may be tried again", () => given(...begun.slice(0, 2), ended(true)), ["dismiss", "retry"]],
    ["payable", () => given(...paid), ["hand_out", "not_handed_out"]],
    ["opening", () => given(...opening), []],
    ["drawer failed", () => given(...opening, drawerFailed), ["hand_out", "not_handed_out", "open_drawer"]],
    ["drawer unsure", () => given(...opening, drawerUnsure), ["hand_out", "not_handed_out", "open_drawer"]],
    ["counting", () => given(...opening, drawerOpened), ["hand_out", "not_handed_out", "open_drawer"]],
    ["done", () => given(...paying, settled, handedOutBy("drawer")), ["dismiss"]],
  ];
  const fresh = { id: "W2", fraction: 0.5 };
  const buttons = ["confirm", "reject", "hand_out", "not_handed_out", "dismiss", "retry", "open_drawer"] as const;
  test.each(states)("%s", (_, stateOf, allowed) => {
    const state = stateOf();
    const step = stepOf(state, moment);
    const works = buttons.filter((type) => {
      const command = { type, step, ...(type === "not_handed_out" ? { reason: "other" } : {}) } as Input;
      const { events, reply } = decide(state, command, moment, fresh);
      expect(reply.ok).toBe(events.length > 0);
      return reply.ok;
    });
    expect(works.sort()).toEqual([...allowed].sort());
    for (const type of buttons)
      expect(decide(state, { type, step: "0.gone", reason: "other" } as Input, moment, fresh)).toEqual({
        events: [],
        reply: { ok: false, code: "stale" },
      });
  });
});

describe("a lost entry loses no money", () => {
  test.each([
    ["the intent", [settled]],
    ["all but the hand-out's intent", [handOutIntended]],
    ["all but that the drawer was opened again", [drawerReopened]],
    ["all but that the drawer is open", [drawerOpened]],
    ["all but that the drawer may be open", [{ type: "drawer_unsure", withdrawal: of, drawer: "unknown" }]],
    ["the hand-out's intent", [...paying, settled, drawerOpened]],
  ] as [string, Event[]][])("%s", (_, events) => {
    const state = given({ type: "installed", tag: "tag" }, ...events, { type: "started", damagedEntries: 1 });
    expect(state.open.get("W1")).toMatchObject({ stage: { kind: "payable" }, recovered: true, amount: "50.00" });
    expect(state.activeScreen).toEqual({ kind: "withdrawal", withdrawalId: "W1" });
    // The customer may have the cash, unless nothing but the payment is known.
    expect(state.open.get("W1")).toMatchObject({
      ...{ confirmAttempted: true, confirmed: true },
      handOutBegun: events.at(-1)?.type !== "settled",
    });
  });

  test("an entry about a hand-out without its beginning keeps the link due", () => {
    const state = given({ type: "installed", tag: "tag" }, handedOutBy("drawer"), {
      type: "started",
      damagedEntries: 1,
    });
    expect(state.open.get("W1")?.stage.kind).toBe("handed_out");
    expect(state.activeScreen.kind).toBe("idle");
  });
});
