/** What the answer to a link, an undelivered report or a reject leads to: taken, tried again and when, or left to the manager. */
import { describe, expect, test } from "vitest";
import type { Answer } from "../../../main/terminal/service/answer.ts";
import type { Report } from "../../../main/terminal/service/client.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import type { Input } from "../../../main/terminal/withdrawal/inputs.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import { again, eventsOf, inMs, next, present, replyOf, silence } from "./decide-stage.ts";
import { discrepancy, handedOutBy, notHandedOut, rejectOvertaken, settled } from "./entries.ts";
import {
  answer,
  begun,
  given,
  moment,
  numberOf,
  of,
  ours,
  paying,
  rejecting,
  rejectingUnseen,
  rejectingUnsure,
  shopSaid,
  transaction,
  waiting,
} from "./flow-stage.ts";

const handedOut: readonly Event[] = [shopSaid, ...paying, settled, handedOutBy("cashier")];
const kept: readonly Event[] = [shopSaid, ...paying, settled, notHandedOut("till_short")];
const days = (count: number) => ({ ...moment, monotonicMs: moment.monotonicMs + count * 86_400_000 });
const inputOf = (state: State, report: Report, said: Answer) =>
  ({ type: "report_answered", report, ...present(state), restoredAt: null, answer: said }) as const;
const answered = (state: State, report: Report, said: Answer, at = moment) =>
  eventsOf(state, inputOf(state, report, said), at).slice(1);
const closed = (outcome: string) => ({ type: "closed", withdrawal: of, outcome }) as Event;
const taken = (report: Report): Event => ({ type: "report_accepted", withdrawal: of, report });
const refused = (report: Report, http: number): Event => ({ type: "report_refused", withdrawal: of, report, http });
const tried = (failures: number) => next({ failures });

describe("a link", () => {
  test.each<[string, readonly Event[], Answer, readonly Event[]]>([
    ["done", handedOut, transaction("linked", ours), [taken("link")]],
    ["done, thin", handedOut, answer(204), [taken("link")]],
    [
      "done, and the journal's head is kept with it",
      handedOut,
      transaction("linked", { ...ours, journal_kept: true }),
      [taken("link"), { type: "head_answered", outcome: "taken" }],
    ],
    ["done, and of the head nothing sure", handedOut, transaction("linked", { journal_kept: "yes" }), [taken("link")]],
    [
      "taken, though an operator had decided that no cash was handed out",
      handedOut,
      transaction("undelivered", ours),
      [discrepancy("decided_otherwise"), taken("link")],
    ],
    [
      "done before: the conflict shows it linked",
      handedOut,
      answer(409, { transaction: { transaction_id: of.transactionId, status: "linked" } }),
      [taken("link")],
    ],
    [
      "a conflict that shows it undelivered",
      handedOut,
      answer(409, { transaction: { status: "undelivered" } }),
      [refused("link", 409)],
    ],
    [
      "a conflict about another transaction",
      handedOut,
      answer(409, { transaction: { transaction_id: "x", status: "linked" } }),
      [refused("link", 409)],
    ],
    ["a conflict without a word", handedOut, answer(409), [refused("link", 409)]],
    ["a conflict with a text", handedOut, answer(409, "linked"), [refused("link", 409)]],
    [
      "another answer that shows it linked is no conflict",
      handedOut,
      answer(500, { transaction: { status: "linked" } }),
      [again(1)],
    ],
    ["about another transaction", handedOut, answer(200, { transaction_id: "x", status: "linked" }), [again(1)]],
    ["silence", handedOut, silence, [again(1)]],
    ["500 for the third time", [...handedOut, tried(2)], answer(500), [again(3, 3_000)]],
    ["pauses of at most five minutes", [...handedOut, tried(20)], answer(500), [again(21, 225_000)]],
    ["the service's own refusal", handedOut, answer(404, { code: "transaction_not_found" }), [refused("link", 404)]],
    ...(
      [
        ["before the service has said whether it was put back", handedOut.slice(1)],
        [
          "before it has said so under a new key",
          [...handedOut, { type: "enrolled", device: { merchantId: "demo-shop", deviceId: "till-1" } }],
        ],
      ] as const
    ).map(
      ([when, events]) =>
        [`its own refusal ${when}`, events, answer(404, { code: "transaction_not_found" }), [again(1)]] as [
          string,
          readonly Event[],
          Answer,
          readonly Event[],
        ],
    ),
    ["a gateway's refusal", [...handedOut, tried(30)], answer(404), [again(31, 225_000)]],
  ])("%s", (_, events, said, then) => {
    expect(answered(given(...events), "link", said)).toEqual(then);
  });

  test("a gateway's refusal is believed after seven days and twelve tries, not sooner", () => {
    const last = (failures: number, after: number) =>
      answered(given(...handedOut, tried(failures)), "link", answer(404), days(after))[0]?.type;
    expect(last(11, 7)).toBe("request_state_changed");
    expect(last(10, 7.001)).toBe("request_state_changed");
    expect(last(11, 7.001)).toBe("report_refused");
  });
});

test("the seven days of a report begin with the hand-out, however long the payment took", () => {
  const late = [settled, handedOutBy("cashier")] as const;
  const state = [...late, tried(11)].reduce((before, event) => evolve(before, event, days(6)), given(...paying));
  expect(answered(state, "link", answer(404), days(8))[0]?.type).toBe("request_state_changed");
  expect(answered(state, "link", answer(404), days(13.001))[0]?.type).toBe("report_refused");
});

describe("an undelivered report", () => {
  test.each<[string, readonly Event[], Answer, readonly Event[]]>([
    ["done", kept, transaction("undelivered", ours), [taken("undelivered")]],
    [
      "taken, though an operator had decided that the cash was handed out",
      kept,
      transaction("linked", ours),
      [discrepancy("decided_otherwise"), taken("undelivered")],
    ],
    ["done before", kept, answer(409, { transaction: { status: "undelivered" } }), [taken("undelivered")]],
    [
      "a conflict that shows it linked",
      kept,
      answer(409, { transaction: { status: "linked" } }),
      [refused("undelivered", 409)],
    ],
    [
      "a service without the call, in its own words",
      kept,
      answer(404, { code: "not_found" }),
      [refused("undelivered", 404)],
    ],
    ["a server without the call, eleven times", [...kept, tried(10)], answer(404), [again(11, 225_000)]],
    ["the twelfth time", [...kept, tried(11)], answer(404), [refused("undelivered", 404)]],
  ])("%s", (_, events, said, then) => {
    expect(answered(given(...events), "undelivered", said)).toEqual(then);
  });
});

describe("a reject", () => {
  const asking = next({ failures: 1, checkFirst: true, rejectRefused: true, ...inMs(0) });
  test.each<[string, readonly Event[], Answer, readonly Event[]]>([
    ["done, in a thin body, by the cashier", rejectingUnseen, answer(201), [closed("rejected")]],
    ["done without a status", rejecting, answer(200, { transaction_id: of.transactionId }), [closed("sca_timeout")]],
    ["done", rejecting, transaction("rejected"), [closed("sca_timeout"), again(1)]],
    [
      "done in a word nobody knows: only asking can tell",
      rejecting,
      transaction("COMPLETED"),
      [next({ failures: 1, checkFirst: true, rejectRefused: true, ...inMs(750) })],
    ],
    ["about another transaction", rejecting, answer(200, { transaction_id: "x" }), [again(1)]],
    ["taken, not done yet: again", rejecting, transaction("awaiting_sca"), [again(1)]],
    [
      "whose it is is not said: only asking can tell",
      rejectingUnsure,
      transaction("settled"),
      [next({ failures: 1, rejectRefused: true, ...inMs(750) })],
    ],
    [
      "the money moves, and whose it is is not said: again",
      rejecting,
      transaction("settling", { transaction_id_partner: null }),
      [rejectOvertaken("payment"), again(1)],
    ],
    [
      "still in the customer's hands, and said to be nobody's: only asking can tell",
      rejecting,
      transaction("awaiting_sca", { transaction_id_partner: null }),
      [next({ failures: 1, rejectRefused: true, ...inMs(750) })],
    ],
    ["nobody's yet: again", rejectingUnsure, transaction("ready", { transaction_id_partner: null }), [again(1)]],
    ["the money moves", rejecting, transaction("settling"), [rejectOvertaken("payment"), again(1)]],
    ["conflict", rejecting, answer(409, {}), [asking]],
    ["the service does not know it", rejecting, answer(404, { code: "transaction_not_found" }), [asking]],
    ["the service finds it invalid", rejecting, answer(400, { code: "validation_failed" }), [asking]],
    ["a gateway's 404: again", rejecting, answer(404), [again(1)]],
    ["a gateway's 403 the eleventh time: again", [...rejecting, tried(10)], answer(403), [again(11, 3_000)]],
    [
      "the twelfth time: ask",
      [...rejecting, tried(11)],
      answer(403),
      [{ ...asking, requestState: { failures: 12, checkFirst: true, rejectRefused: true, ...inMs(0) } } as Event],
    ],
    ["silence", rejecting, silence, [again(1)]],
    ["500 for the second time", [...rejecting, tried(1)], answer(500), [again(2, 1_500)]],
  ])("%s", (_, events, said, then) => {
    expect(answered(given(...events), "reject", said)).toEqual(then);
  });
});

test("a link that was answered before the service's last word on a restore is sent again", () => {
  const state = given(...handedOut);
  for (const restoredAt of ["2026-01-01T00:00:00.000Z", null]) {
    const then = eventsOf(state, { ...inputOf(state, "link", answer(204)), restoredAt }).slice(1);
    expect(then).toEqual([restoredAt === null ? taken("link") : again(1, 0)]);
  }
});

test.each<[string, readonly Event[], Report, "present" | "first"]>([
  ["of what is gone", [], "link", "first"],
  ["of another report", handedOut, "undelivered", "present"],
  ["of an earlier try", [...handedOut, tried(1)], "link", "first"],
  ["of what is not rejected any more", waiting, "reject", "first"],
])("an answer %s changes nothing", (_, events, report, call) => {
  const state = given(...events);
  const number = call === "present" ? numberOf(state) : 0;
  const input = {
    type: "report_answered",
    withdrawalId: "W1",
    report,
    number,
    restoredAt: null,
    answer: answer(204),
  } as const;
  expect(eventsOf(state, input)).toEqual([{ type: "service_responded", dateMs: null }]);
  expect(replyOf(state, input)).toEqual({ ok: false, code: "stale" });
});

describe("what is repeated after the service's restore", () => {
  const restoredAt = "2026-01-01T00:00:00.000Z";
  const restore = { restoredAt, forgotSince: null, keptHead: null };
  const reported = { facts: of, report: "link", handOutId: "H1" } as const;
  const repeating = (failures = 0, more: object = {}): State => ({
    ...given(...begun.slice(0, 2)),
    serviceRestore: restore as never,
    repeats: { restoredAt, left: [{ ...reported, failures } as never], number: 3, failures: 2, notBeforeMs: 0 },
    ...more,
  });
  const repeated = (state: State, said: Answer, more: object = {}) => {
    const input = { type: "report_repeated", number: 3, restoredAt, answer: said, ...more } as Input;
    const reply = replyOf(state, input);
    return [...eventsOf(state, input), ...(reply.ok ? [] : [reply.code])].filter((one) => !isContact(one));
  };
  const isContact = (one: Event | string) => typeof one !== "string" && one.type.startsWith("service_");
  const ended = [{ type: "repeat_ended" }, { type: "restore_answered", restoredAt }];
  const postponed = (pauseMs: number) => [{ type: "repeat_postponed", ...inMs(pauseMs) }];
  const forgotten = (http: number) => [{ ...discrepancy("forgotten"), http }, ...ended];
  test.each<[string, number, Answer, readonly object[]]>([
    ["taken", 0, answer(204), ended],
    ["about another transaction", 0, answer(200, { transaction_id: "x" }), postponed(3_000)],
    ["the service's own refusal", 0, answer(404, { code: "transaction_not_found" }), forgotten(404)],
    ["a gateway's 404 the eleventh time", 10, answer(404), postponed(3_000)],
    ["the twelfth time", 11, answer(404), forgotten(404)],
    ["a gateway's 403 the eleventh time", 10, answer(403), postponed(3_000)],
    ["its twelfth", 11, answer(403), forgotten(403)],
    ["500 for the twelfth time", 11, answer(500), postponed(3_000)],
    ["silence for the twelfth time", 11, silence, postponed(3_000)],
  ])("%s", (_, failures, said, then) => {
    expect(repeated(repeating(failures), said)).toEqual(then);
  });

  test.each<[string, State, object]>([
    ["where nothing is repeated", { ...repeating(), repeats: null }, {}],
    ["of an earlier restore", repeating(), { restoredAt: "2025-01-01T00:00:00.000Z" }],
    ["of an earlier repeat", repeating(), { number: 2 }],
    ["to an earlier key", repeating(), { answer: { ...answer(204), ofEarlierKey: true } }],
  ])("an answer %s changes nothing", (_, state, more) => {
    expect(repeated(state, answer(204), more)).toEqual(["stale"]);
  });

  test("what is collected for it is repeated, and of nothing it is answered; for an earlier one or key it is stale", () => {
    const collected = (state: State, reports: readonly object[]) => {
      const input = { type: "reports_collected", restoredAt, keyNumber: 0, reports } as unknown as Input;
      return [...eventsOf(state, input), replyOf(state, input)];
    };
    const left = [{ ...reported, failures: 0 }];
    expect(collected(repeating(), [reported])).toEqual([{ type: "repeats_begun", restoredAt, left }, { ok: true }]);
    expect(collected(repeating(), [])).toEqual([{ type: "restore_answered", restoredAt }, { ok: true }]);
    const stale = { ok: false, code: "stale" };
    expect(collected(repeating(0, { serviceRestore: null }), [])).toEqual([stale]);
    const later = { ...restore, restoredAt: "2026-02-01T00:00:00.000Z" };
    expect(collected(repeating(0, { serviceRestore: later }), [])).toEqual([stale]);
    expect(collected({ ...repeating(), keyNumber: 1 }, [])).toEqual([stale]);
  });
});
