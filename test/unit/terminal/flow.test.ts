/** Given these events, when this comes in, then these events: the core's decisions as tables. */
import { describe, expect, test } from "vitest";
import { decide } from "../../../main/terminal/flow.ts";
import type { ServiceAnswer } from "../../../main/terminal/ports.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import type { Input } from "../../../main/terminal/withdrawal/inputs.ts";
import { stepOf } from "../../../main/terminal/withdrawal/screens.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
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
  rejectingUnsure,
  theirs,
  transaction,
  waiting,
  when,
} from "./flow-stage.ts";

describe("asked about a confirm without an answer", () => {
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
    [
      "another amount",
      transaction("settled", { ...ours, amount: "500.00" }),
      ["confirm_accepted", "discrepancy:amount_changed", "not_handed_out"],
    ],
    ...["20,00", "20.00 EUR", "-50.00", 0, { value: "20.00" }].map((amount): [string, ServiceAnswer, string[]] => [
      `${JSON.stringify(amount)}, which is no amount`,
      transaction("settled", { ...ours, amount }),
      ["confirm_accepted", "discrepancy:amount_changed", "not_handed_out"],
    ]),
    [
      "another currency",
      transaction("settled", { ...ours, currency: "USD" }),
      ["confirm_accepted", "discrepancy:amount_changed", "not_handed_out"],
    ],
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
    ["denied", transaction("canceled", { reason: "sca_denied" }), ["closed:sca_denied"]],
    ["refused by the bank", transaction("failed"), ["closed:settle_declined"]],
    ["linked by someone", transaction("linked"), ["discrepancy:linked_by_another", "closed:handed_out_before"]],
    ["decided by an operator", transaction("linked", { reason: "decided_by_operator" }), ["not_handed_out"]],
    ["Settled is not settled", transaction("Settled"), []],
    ["ready again", transaction("ready"), []],
    ["404", answer(404), []],
  ])("%s", (_, reply, then) => {
    expect(asked(waiting, reply)).toEqual(then);
  });
});

describe("a reject's answer", () => {
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
    [
      "of an order that another till took",
      rejectingUnseen,
      transaction("settled", theirs),
      ["closed:in_use_elsewhere"],
    ],
    [
      "of an order that someone took, whose is not said",
      rejectingUnseen,
      transaction("settled"),
      ["closed:in_use_elsewhere"],
    ],
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

describe("a late answer is still taken in, but decides nothing any more", () => {
  test("a confirm's yes during the reject is written down", () => {
    const state = given(...rejectingUnsure);
    const late = { type: "confirm_answered", withdrawalId: "W1", number: 1 } as const;
    expect(when(state, { ...late, answer: transaction("awaiting_sca", ours) })).toEqual(["confirm_accepted"]);
    expect(when(state, { ...late, answer: answer(500) })).toEqual([]);
  });

  test("an old question's answer moves nothing back", () => {
    const old = { type: "status_answered", withdrawalId: "W1", number: 0, tookMs: 5 } as const;
    expect(when(given(...rejecting), { ...old, answer: transaction("awaiting_sca", ours) })).toEqual([]);
    expect(when(given(...rejecting), { ...old, answer: transaction("settled", ours) })).toEqual(["settled"]);
    const handedOut = given(
      ...paying,
      { type: "settled", withdrawal: of },
      { type: "hand_out_intended", withdrawal: of },
      { type: "handed_out", withdrawal: of, by: "drawer" },
    );
    expect(when(handedOut, { ...old, answer: transaction("settled", ours) })).toEqual([]);
  });

  const paid: readonly Event[] = [...paying, { type: "settled", withdrawal: of }];
  const opening: readonly Event[] = [...paid, { type: "hand_out_intended", withdrawal: of }];
  const handedOut: readonly Event[] = [...opening, { type: "handed_out", withdrawal: of, by: "drawer" }];
  test.each<[string, readonly Event[], string]>([
    ["payable", paid, "payable"],
    ["while the till opens", opening, "opening"],
    ["handed out", handedOut, "handed_out"],
    [
      "declared not handed out",
      [...paid, { type: "not_handed_out", withdrawal: of, reason: "other" }],
      "not_handed_out",
    ],
  ])("a confirm's late answer changes nothing any more: %s", (_, events, stage) => {
    const state = given(...events);
    const late = { type: "confirm_answered", withdrawalId: "W1" } as const;
    for (const number of [0, numberOf(state)])
      for (const reply of [
        transaction("settled", ours),
        transaction("linked", ours),
        transaction("settled", theirs),
        transaction("canceled"),
        answer(201),
        answer(404),
      ])
        expect(when(state, { ...late, number, answer: reply })).toEqual([]);
    const again = evolve(state, { type: "settled", withdrawal: of }, moment);
    expect(again.open.get("W1")?.stage.kind).toBe(stage);
  });

  test("a drawer's second answer changes nothing", () => {
    const state = given(...paying, { type: "settled", withdrawal: of }, { type: "hand_out_intended", withdrawal: of });
    const opened = { type: "drawer_answered", withdrawalId: "W1", result: "opened" } as const;
    expect(when(state, opened)).toEqual(["drawer_opened"]);
    for (const event of [
      { type: "drawer_opened", withdrawal: of },
      { type: "handed_out", withdrawal: of, by: "drawer" },
    ] as const)
      expect(when(evolve(state, event, moment), opened)).toEqual([]);
  });
});

describe("no button does anything on a screen it is not on", () => {
  const paid: readonly Event[] = [...paying, { type: "settled", withdrawal: of }];
  const pressed: Event = { type: "hand_out_asked", withdrawalId: "W1", by: "C1", approvedBy: null };
  const failed: Event = { type: "request_state_changed", withdrawalId: "W1", requestState: { failures: 1 } };
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
    ["payable", () => given(...paying, { type: "settled", withdrawal: of }), ["hand_out", "not_handed_out"]],
    [
      "opening",
      () => given(...paying, { type: "settled", withdrawal: of }, { type: "hand_out_intended", withdrawal: of }),
      [],
    ],
    [
      "drawer failed",
      () =>
        given(
          ...paying,
          { type: "settled", withdrawal: of },
          { type: "hand_out_intended", withdrawal: of },
          { type: "drawer_unsure", withdrawal: of, drawer: "failed" },
        ),
      ["hand_out", "not_handed_out", "open_drawer"],
    ],
    [
      "counting",
      () =>
        given(
          ...paying,
          { type: "settled", withdrawal: of },
          { type: "hand_out_intended", withdrawal: of },
          { type: "drawer_opened", withdrawal: of },
        ),
      ["hand_out", "not_handed_out", "open_drawer"],
    ],
    [
      "done",
      () => given(...paying, { type: "settled", withdrawal: of }, { type: "handed_out", withdrawal: of, by: "drawer" }),
      ["dismiss"],
    ],
  ];
  const buttons = ["confirm", "reject", "hand_out", "not_handed_out", "dismiss", "retry", "open_drawer"] as const;
  test.each(states)("%s", (_, stateOf, allowed) => {
    const state = stateOf();
    const step = stepOf(state, moment);
    const works = buttons.filter((type) => {
      const command = { type, step, ...(type === "not_handed_out" ? { reason: "other" } : {}) } as Input;
      const { events, reply } = decide(state, command, moment, { id: "W2", fraction: 0.5 });
      expect(reply.ok).toBe(events.length > 0);
      return reply.ok;
    });
    expect(works.sort()).toEqual([...allowed].sort());
    for (const type of buttons)
      expect(
        decide(state, { type, step: "0.gone", reason: "other" } as Input, moment, { id: "W2", fraction: 0.5 }),
      ).toEqual({
        events: [],
        reply: { ok: false, code: "stale" },
      });
  });
});

describe("a lost entry loses no money", () => {
  test.each([
    ["the intent", [{ type: "settled", withdrawal: of }]],
    ["all but the hand-out's intent", [{ type: "hand_out_intended", withdrawal: of }]],
    ["all but that the drawer was opened again", [{ type: "drawer_reopened", withdrawal: of }]],
    ["all but that the drawer is open", [{ type: "drawer_opened", withdrawal: of }]],
    ["all but that the drawer may be open", [{ type: "drawer_unsure", withdrawal: of, drawer: "unknown" }]],
    [
      "the hand-out's intent",
      [...paying, { type: "settled", withdrawal: of }, { type: "drawer_opened", withdrawal: of }],
    ],
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
    const state = given(
      { type: "installed", tag: "tag" },
      { type: "handed_out", withdrawal: of, by: "drawer" },
      { type: "started", damagedEntries: 1 },
    );
    expect(state.open.get("W1")?.stage.kind).toBe("handed_out");
    expect(state.activeScreen.kind).toBe("idle");
  });
});

describe("a confirm is refused", () => {
  const confirmAnswered = (events: readonly Event[], reply: ServiceAnswer): Input => ({
    type: "confirm_answered",
    withdrawalId: "W1",
    number: numberOf(given(...events)),
    answer: reply,
  });
  /** The events after an answer to the confirm, as they are applied. */
  const followedBy = (events: readonly Event[], reply: ServiceAnswer): readonly Event[] => {
    const state = given(...events);
    return [...events, ...decide(state, confirmAnswered(events, reply), moment, { id: "W2", fraction: 0.5 }).events];
  };
  const silence: ServiceAnswer = { kind: "silence", why: "timeout" };

  test.each<[string, () => readonly Event[], string[]]>([
    ["at once: it was never taken", () => confirming, ["closed:service_refused"]],
    ["after a silence that may hide a yes", () => followedBy(confirming, silence), []],
    ["after a 500, which may have been done", () => followedBy(confirming, answer(500)), []],
    ["after a proxy's page", () => followedBy(confirming, { ...answer(400), body: undefined } as ServiceAnswer), []],
    [
      "after the door was shut: nothing was taken",
      () => followedBy(confirming, { kind: "silence", why: "refused" }),
      ["closed:service_refused"],
    ],
    ["after two silences", () => followedBy(followedBy(confirming, silence), silence), []],
    [
      "after a restart: an earlier confirm may have been taken",
      () => [...confirming, { type: "started", damagedEntries: 0 }],
      [],
    ],
  ])("%s", (_, eventsBefore, then) => {
    const events = eventsBefore();
    for (const status of [403, 422])
      expect(when(given(...events), confirmAnswered(events, answer(status)))).toEqual(then);
    const missing = then.map((outcome) => outcome.replace("service_refused", "unknown_barcode"));
    expect(when(given(...events), confirmAnswered(events, answer(404)))).toEqual(missing);
  });
});
