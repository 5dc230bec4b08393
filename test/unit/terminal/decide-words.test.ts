/** What else the service says: that it is there, whose terminal this is, what a barcode stands for, how the shop is called. */
import { describe, expect, test } from "vitest";
import type { Answer } from "../../../main/terminal/service/answer.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import type { Input } from "../../../main/terminal/withdrawal/inputs.ts";
import type { Moment, ServiceHead, State } from "../../../main/terminal/withdrawal/state.ts";
import { books, eventsOf, handedOut, next, payable, present, responded, silence, started } from "./decide-stage.ts";
import { confirmIntended } from "./entries.ts";
import {
  answer,
  begun,
  device,
  given,
  moment,
  of,
  paying,
  rejectingUnseen,
  shopSaid,
  transaction,
} from "./flow-stage.ts";

const installed = begun.slice(0, 2);
const unsafe: Event = { type: "credential_checked", verdict: "unsafe" };
const refusedKey: Event = { type: "credential_checked", verdict: "refused" };

describe("every answer", () => {
  const heard = (state: State, said: Answer) => eventsOf(state, { type: "probe_answered", answer: said }).slice(0, -1);
  const good: Event = { type: "credential_checked", verdict: "good" };
  test.each<[string, readonly Event[], Answer, readonly Event[]]>([
    ["silence", installed, silence, [{ type: "service_silent" }]],
    [
      "an answer with its Date",
      installed,
      { ...answer(200), dateMs: 7 } as Answer,
      [{ type: "service_responded", dateMs: 7 }],
    ],
    [
      "a key that is refused",
      installed,
      { kind: "unauthorized", why: "invalid_client", retryAfterMs: null },
      [responded, refusedKey],
    ],
    [
      "too many sign-ins say nothing about the key",
      installed,
      { kind: "unauthorized", why: "throttled", retryAfterMs: null },
      [responded],
    ],
    ["an answer to an earlier key says nothing", installed, { ...answer(200), ofEarlierKey: true } as Answer, []],
    ["a refused key that works again", [...installed, refusedKey], answer(200), [responded, good]],
    ["also shown by a refusal of something else", [...installed, refusedKey], answer(404), [responded, good]],
    ["but not by 429", [...installed, refusedKey], answer(429), [responded]],
    ["nor by 403", [...installed, refusedKey], answer(403), [responded]],
    ["a service that was unsafe and answers again", [...installed, unsafe], answer(200), [responded, good]],
    ["a key that was never refused", installed, answer(200), [responded]],
  ])("%s", (_, events, said, then) => {
    expect(heard(given(...events), said)).toEqual(then);
  });
});

describe("one silence", () => {
  const silent = (word: "silent" | "doubted"): Event => ({ type: `service_${word}` });
  const lookedUp: Input = { type: "look_up_answered", transactionId: of.transactionId, answer: silence };
  const shopAsked: Input = { type: "shop_answered", merchantId: device.merchantId, answer: silence };
  test.each<[string, readonly Event[], Input, Event]>([
    ["of a look-up means that it is away", [...installed, responded], lookedUp, silent("silent")],
    [
      "of a call in the background does not, while others are answered",
      [...installed, responded],
      shopAsked,
      silent("doubted"),
    ],
    ["does where none was answered before", installed, shopAsked, silent("silent")],
  ])("%s", (_, events, input, then) => {
    expect(eventsOf(given(...events), input)[0]).toEqual(then);
  });
});

describe("another terminal under this one's name", () => {
  const at = { ...moment, wallMs: moment.wallMs + 3_600_000 };
  const found: Event = { type: "duplicate_device_found" };
  const checked: Event = { type: "duplicate_device_checked" };
  const line = {
    transaction_id_partner: "till-1.other.W9",
    confirmed_at: new Date(at.wallMs - 60_000).toISOString(),
  };
  const minutesAgo = (count: number) => new Date(at.wallMs - count * 60_000).toISOString();
  const shop = (confirmed: unknown, said: Partial<Answer> = {}) => ({
    type: "shop_answered" as const,
    merchantId: device.merchantId,
    answer: { ...answer(200, { store_name: "Corner", currency: "EUR", confirmed }), ...said } as Answer,
  });
  const decided = (confirmed: unknown, state = given(...installed)) => eventsOf(state, shop(confirmed), at).slice(2);
  test.each<[string, unknown, readonly Event[]]>([
    ["a line that it did not make", [line], [found, checked]],
    ["said once, however many", [line, line], [found, checked]],
    ["none", [], [checked]],
    ["no list", { more: 1 }, []],
    ["nothing, as an earlier service says", undefined, []],
    ["a text", "till-1.other.W9", []],
    ["lines that are none", [null, 7, "x"], [checked]],
    ["a line of another device's id", [{ ...line, transaction_id_partner: "till-2.other.W9" }], [checked]],
    ["a line without an id", [{ ...line, transaction_id_partner: null }], [checked]],
    ["a line without a time", [{ ...line, confirmed_at: null }], [checked]],
    ["a line with a time that is no text", [{ ...line, confirmed_at: 2026 }], [checked]],
    ["a line with a time that is none", [{ ...line, confirmed_at: "soon" }], [checked]],
    ["a confirm from before this installation", [{ ...line, confirmed_at: minutesAgo(61) }], [checked]],
    ["a confirm of its first moment", [{ ...line, confirmed_at: minutesAgo(60) }], [found, checked]],
    [
      "this journal's tag, lately, and not in this journal: a copy",
      [{ ...line, transaction_id_partner: "till-1.tag.W9" }],
      [found, checked],
    ],
    [
      "this journal's tag, a quarter of an hour ago",
      [{ ...line, transaction_id_partner: "till-1.tag.W9", confirmed_at: minutesAgo(15) }],
      [found, checked],
    ],
    [
      "this journal's tag, longer ago",
      [{ ...line, transaction_id_partner: "till-1.tag.W9", confirmed_at: minutesAgo(16) }],
      [checked],
    ],
    ["another tag, longer ago", [{ ...line, confirmed_at: minutesAgo(16) }], [found, checked]],
  ])("%s", (_, body, events) => {
    expect(decided(body)).toEqual(events);
  });

  test("its own confirm is known; what was found is said once; without a name or a journal there is no double", () => {
    const mine = given(...begun, confirmIntended);
    expect(decided([{ ...line, transaction_id_partner: of.terminalReference }], mine)).toEqual([checked]);
    expect(decided([line], given(...installed, found))).toEqual([checked]);
    expect(decided([line], { ...given(...installed), device: null })).toEqual([]);
    expect(decided([line], given())).toEqual([checked]);
  });

  test("how long ago it was is counted by the service's clock, however wrong this one is", () => {
    const dateMs = at.wallMs - 2 * 3_600_000;
    const state = given(...installed, { type: "service_responded", dateMs });
    const confirmed_at = new Date(dateMs - 60_000).toISOString();
    expect(decided([{ ...line, confirmed_at }], state)).toEqual([found, checked]);
  });

  test.each<[string, readonly Event[], (state: State, said: Answer) => Input]>([
    [
      "looked up",
      begun.slice(0, 3),
      (_, said) => ({ type: "look_up_answered", transactionId: of.transactionId, answer: said }),
    ],
    [
      "confirmed",
      [...begun, confirmIntended],
      (state, said) => ({ type: "confirm_answered", ...present(state), answer: said }),
    ],
    [
      "asked about",
      [...begun, confirmIntended],
      (state, said) => ({ type: "status_answered", ...present(state), answer: said, tookMs: 5 }),
    ],
  ])("it is found by an order that it has taken, too, when that is %s", (_, events, input) => {
    const state = given(...events);
    expect(eventsOf(state, input(state, transaction("awaiting_sca", line)), at)).toContainEqual(found);
  });

  test("an order of another tag that does not say when it was confirmed is no double, whatever time it is there", () => {
    const state = given(...begun.slice(0, 3), { type: "service_responded", dateMs: 0 });
    const said = transaction("ready", { transaction_id_partner: line.transaction_id_partner });
    const looked = { type: "look_up_answered", transactionId: of.transactionId, answer: said } as const;
    expect(eventsOf(state, looked, at)).not.toContainEqual(found);
  });

  test("a terminal that does not know who it is has no double", () => {
    const state = { ...given(...begun.slice(0, 3)), device: null };
    const said = transaction("awaiting_sca", line);
    const looked = { type: "look_up_answered", transactionId: of.transactionId, answer: said } as const;
    expect(eventsOf(state, looked, at)).not.toContainEqual(found);
  });

  test("an answer to an earlier key is about another terminal", () => {
    expect(eventsOf(given(...installed), shop([line], { ofEarlierKey: true }), at)).toEqual([]);
  });

  test("ten thousand lines are read", () => {
    const fill = (count: number) =>
      Array.from({ length: count }, () => ({ ...line, transaction_id_partner: "till-2.a.W9" }));
    expect(decided([...fill(9_999), line])).toEqual([found, checked]);
    expect(decided([...fill(10_000), line])).toEqual([checked]);
  });
});

const failed = (afterMs: number): Event => ({ type: "head_failed", notBeforeMs: moment.monotonicMs + afterMs });

describe("the newest link of the journal", () => {
  const head = (said: Answer | null, ...events: readonly Event[]) =>
    eventsOf(given(...installed, ...events), { type: "journal_head_answered", changes: 2, answer: said });
  const outcome = (word: "taken" | "forked" | "unsupported"): Event => ({
    type: "head_answered",
    outcome: word,
    changes: 2,
  });
  const forked = answer(409, { code: "journal_forked" });
  const fork = (serviceHash: string): Event => ({ type: "journal_forked", serviceHash });
  const acknowledged: Event = { type: "acknowledged", withdrawalId: "journal", actor: "M1", note: "" };
  const holds = (hash: string): Event => ({ type: "service_head_read", head: { kind: "known", sequence: 9, hash } });
  test.each<[string, Answer | null, readonly Event[], readonly Event[]]>([
    ["there is none yet", null, [], [failed(750)]],
    ["answered to an earlier key", { ...answer(200), ofEarlierKey: true } as Answer, [], [failed(0)]],
    ["taken", answer(201), [], [responded, outcome("taken")]],
    ["a service without the call", answer(404), [], [responded, outcome("unsupported")]],
    ["a conflict of another kind", answer(409, {}), [], [responded, outcome("unsupported")]],
    ["too many", answer(429), [], [responded, failed(750)]],
    ["too many, in a minute", { ...answer(429), retryAfterMs: 60_000 } as Answer, [], [responded, failed(60_000)]],
    ["500", answer(500), [], [responded, failed(750)]],
    ["500 for the fourth time", answer(500), [failed(0), failed(0), failed(0)], [responded, failed(6_000)]],
    ["500 for the twelfth time", answer(500), Array(11).fill(failed(0)), [responded, failed(225_000)]],
    ["500 after one that was taken", answer(500), [failed(0), failed(0), outcome("taken")], [responded, failed(750)]],
    ["another journal is known there", forked, [], [responded, { type: "journal_forked" }, outcome("forked")]],
    ["written down once", forked, [{ type: "journal_forked" }], [responded, outcome("forked")]],
    [
      "another one, after the service's was compared: a newer head of this one may have overtaken it",
      forked,
      [outcome("taken")],
      [responded, { type: "service_head_read", head: { kind: "not_asked" } }],
    ],
    [
      "another one, after it was compared and acknowledged",
      forked,
      [fork("one"), acknowledged, outcome("forked")],
      [responded, outcome("forked")],
    ],
    [
      "what the service holds is written down with it",
      forked,
      [holds("one")],
      [responded, { type: "journal_forked", serviceHash: "one" }, outcome("forked")],
    ],
    ["acknowledged", forked, [fork("one"), acknowledged], [responded, outcome("forked")]],
    [
      "acknowledged, and the service holds the same",
      forked,
      [fork("one"), acknowledged, holds("one")],
      [responded, outcome("forked")],
    ],
    [
      "acknowledged, and the service holds another one",
      forked,
      [fork("one"), acknowledged, holds("two")],
      [responded, fork("two"), outcome("forked")],
    ],
  ])("%s", (_, said, events, then) => {
    expect(head(said, ...events)).toEqual(then);
  });
});

describe("what the service holds of the journal", () => {
  const read = (head: ServiceHead): Event => ({ type: "service_head_read", head });
  const unsupported: Event = { type: "head_answered", outcome: "unsupported" };
  const known = {
    heads: [
      { seq: 9, head: "nine" },
      { seq: 4, head: "four" },
    ],
  };
  test.each<[string, Answer, Event]>([
    ["its newest link", answer(200, known), read({ kind: "known", sequence: 9, hash: "nine" })],
    ["nothing yet", answer(200, { heads: [] }), read({ kind: "compared" })],
    ["an answer that cannot be read", { ...answer(200), body: undefined } as Answer, failed(750)],
    ["another server's", answer(200, { status: "ok" }), unsupported],
    ["a service without the call", answer(404), unsupported],
    ["one without it that shows heads", answer(404, known), unsupported],
    ["a gateway's page", { ...answer(404), body: undefined } as Answer, unsupported],
    ["too many", answer(429), failed(750)],
    ["500", answer(500), failed(750)],
  ])("%s", (_, said, then) => {
    expect(eventsOf(given(...installed), { type: "service_head_answered", answer: said })).toEqual([responded, then]);
  });

  test("an answer to an earlier key says nothing", () => {
    const said = { ...answer(200, known), ofEarlierKey: true } as Answer;
    expect(eventsOf(given(...installed), { type: "service_head_answered", answer: said })).toEqual([failed(0)]);
  });
});

describe("a look-up", () => {
  const looking = begun.slice(0, 3);
  const shown = (state: State, said: Answer, at = moment) =>
    eventsOf(state, { type: "look_up_answered", transactionId: of.transactionId, answer: said }, at).slice(1);
  const end = (outcome: string, canRetry: boolean, money: object | null = null) =>
    ({ type: "ended_shown", outcome, transactionId: of.transactionId, money, canRetry }) as Event;
  const euros = { amount: "50.00", currency: "EUR" };
  const soon = { ...moment, monotonicMs: moment.monotonicMs + 6_000 };
  const late = { ...moment, monotonicMs: moment.monotonicMs + 6_001 };
  const review = (shop: string, currency = "EUR", amount = "50.00"): Event => ({
    type: "review_opened",
    facts: { ...of, withdrawalId: "W2", terminalReference: "till-1.tag.W2", shop, currency, amount },
    createdAtMs: null,
    expiresAtMs: null,
  });
  const down = end("service_down", true);
  const elsewhere = end("in_use_elsewhere", false, euros);
  const refusedThere = end("service_refused", false);
  const anothers = { transaction_id_partner: "till-2.x.W1" };
  type LookUpRow = [name: string, said: Answer, events: readonly Event[], at?: Moment];
  test.each<LookUpRow>([
    ["ready", transaction("ready"), [review("demo-shop")]],
    ["no status", answer(200, { amount: "50.00", currency: "EUR" }), [review("demo-shop")]],
    ["another shop's name", transaction("ready", { store: "s2", store_name: "Second" }), [review("Second")]],
    ["another shop without a name", transaction("ready", { store: "s2" }), [review("s2")]],
    ["another shop whose name is its id", transaction("ready", { store: "s2", store_name: "s2" }), [review("s2")]],
    ["no currency", answer(200, { status: "ready", amount: "1.234" }), [review("demo-shop", "XXX", "1.234")]],
    [
      "not secured yet",
      transaction("requested"),
      [{ type: "look_up_postponed", notBeforeMs: soon.monotonicMs + 1_000 }],
      soon,
    ],
    ["not secured for long", transaction("requested"), [end("service_down", true, euros)], late],
    ["closed", transaction("expired"), [end("order_expired", false, euros)]],
    ...["awaiting_sca", "settling", "settled"].map(
      (status): LookUpRow => [`taken, and ${status}`, transaction(status), [elsewhere]],
    ),
    ...["linked", "undelivered"].map(
      (status): LookUpRow => [`used up: ${status}`, transaction(status), [end("already_used", false, euros)]],
    ),
    [
      "taken, with no currency",
      answer(200, { status: "settled", amount: "50.00" }),
      [end("in_use_elsewhere", false, { amount: "50.00", currency: "XXX" })],
    ],
    ["another terminal's, in a word nobody knows", transaction("COMPLETED", anothers), [elsewhere]],
    ["ready, but another terminal's", transaction("ready", anothers), [elsewhere]],
    ["no amount", answer(200, { status: "ready" }), [refusedThere]],
    [
      "an amount that its currency cannot make up",
      transaction("ready", { amount: "50.005" }),
      [end("service_refused", false, { ...euros, amount: "50.005" })],
    ],
    [
      "such an amount, taken",
      transaction("settled", { amount: "50.005" }),
      [end("in_use_elsewhere", false, { ...euros, amount: "50.005" })],
    ],
    ["a currency in small letters", transaction("ready", { currency: "eur" }), [review("demo-shop")]],
    ["a currency that cannot be read", transaction("ready", { currency: "978" }), [review("demo-shop", "XXX")]],
    ["not readable", answer(200, []), [down]],
    ["another transaction", answer(200, { transaction_id: "x", status: "ready", amount: "5.00" }), [down]],
    ["an amount that is none", transaction("ready", { amount: "-5.00" }), [refusedThere]],
    ...[400, 403, 409].map((status): LookUpRow => [`refused with ${status}`, answer(status, {}), [refusedThere]]),
    ...[429, 500, 503].map((status): LookUpRow => [`${status}`, answer(status, {}), [down]]),
    ["not known", answer(404, {}), [end("unknown_barcode", false)]],
    ["a proxy's page", { ...answer(404), body: undefined } as Answer, [down]],
    ["garbled", { kind: "silence", why: "garbled" }, [down]],
    ...(["timeout", "refused", "unreachable"] as const).map(
      (why): LookUpRow => [`silence: ${why}`, { kind: "silence", why }, [end("no_network", true)]],
    ),
  ])("%s", (_, said, events, at) => {
    expect(shown(given(...looking), said, at)).toEqual(events);
  });

  test("of this shop's own, called by its id, has the name that the service has told", () => {
    const profile = { merchantId: "demo-shop", name: "Corner", limits: null, scaTimeoutSeconds: null, support: null };
    const state = given({ type: "shop_read", profile, restore: null, isSaid: true }, ...looking);
    for (const fields of [{}, { store: "demo-shop" }, { store: "demo-shop", store_name: "demo-shop" }])
      expect(shown(state, transaction("ready", fields))).toEqual([review("Corner")]);
  });

  test("of an order that is over by the answer's own time ends, whatever time it was before", () => {
    const state = given({ type: "service_responded", dateMs: 1_000 }, ...looking);
    const at = (dateMs: number | null): Answer =>
      ({ ...transaction("ready", { expires_at: new Date(60_000).toISOString() }), dateMs }) as Answer;
    expect(shown(state, at(60_000))).toEqual([end("order_expired", false, euros)]);
    const ready = [{ ...review("demo-shop"), expiresAtMs: 60_000 }];
    for (const early of [at(59_000), at(null)]) expect(shown(state, early)).toEqual(ready);
    // Without a Date the service's clock as it is known counts, and this one's never.
    const known = given({ type: "service_responded", dateMs: 60_000 }, ...looking);
    expect(shown(known, at(null))).toEqual([end("order_expired", false, euros)]);
    expect(shown(given(...looking), at(null))).toEqual(ready);
  });

  test("counts only for the look-up on the screen", () => {
    const other: Event = { type: "look_up_begun", transactionId: "0000000000000000" };
    const ended: Event = {
      type: "ended_shown",
      outcome: "no_network",
      transactionId: of.transactionId,
      money: null,
      canRetry: true,
    };
    for (const events of [installed, begun, [...installed, other], [...installed, ended]])
      expect(shown(given(...events), transaction("ready"))).toEqual([]);
  });

  test("a terminal that does not know who it is opens no review, nor one for what it has under way", () => {
    const state = given(...looking);
    for (const without of [{ device: null }, { installation: null }])
      expect(shown({ ...state, ...without }, transaction("ready"))).toEqual([end("service_refused", false, euros)]);
    const open = given(...begun, confirmIntended, { type: "screen_cleared" }, ...looking.slice(2));
    expect(shown(open, transaction("ready"))).toEqual([{ type: "screen_cleared" }]);
  });
});

describe("the shop", () => {
  const said = (body: unknown, status = 200, merchantId = device.merchantId) =>
    eventsOf(given(...installed), { type: "shop_answered", merchantId, answer: answer(status, body) });
  const profile = { store_name: "Corner", currency: "EUR" };
  test("is read for the shop that was asked about; the service's clock is that of every answer", () => {
    expect(said({ ...profile, server_time: "2026-01-01T00:00:00.000Z" })).toMatchObject([
      responded,
      { type: "shop_read", profile: { name: "Corner", merchantId: "demo-shop" } },
    ]);
    expect(said(profile).map(({ type }) => type)).toEqual(["service_responded", "shop_read"]);
    expect(said(profile, 200, "another")).toEqual([responded]);
    const earlier: Answer = { ...answer(200, { ...profile, confirmed: [] }), ofEarlierKey: true };
    expect(eventsOf(given(...installed), { type: "shop_answered", merchantId: "demo-shop", answer: earlier })).toEqual(
      [],
    );
    const nothing = { type: "shop_read", profile: null, restore: null, isSaid: true };
    for (const status of [404, 403, 501]) expect(said(profile, status)).toEqual([responded, nothing]);
    expect(said(null)).toEqual([responded, nothing]);
    const page = { ...answer(200), body: undefined } as Answer;
    expect(eventsOf(given(...installed), { type: "shop_answered", merchantId: "demo-shop", answer: page })).toEqual([
      responded,
      { ...nothing, isSaid: false, againMs: expect.any(Number) },
    ]);
    for (const status of [500, 503, 429])
      expect(said(profile, status)).toEqual([responded, { ...nothing, isSaid: false, againMs: expect.any(Number) }]);
    const withoutDevice = { ...given(...installed), device: null };
    expect(
      eventsOf(withoutDevice, { type: "shop_answered", merchantId: "demo-shop", answer: answer(200, profile) }),
    ).toEqual([responded]);
  });

  test.each<[string, Answer, boolean]>([
    ["as before", answer(200, profile), true],
    ["no more, in the service's words", answer(404, { code: "not_found" }), true],
    ["no more, in a gateway's", answer(404, {}), false],
    ["no more, in a page", { ...answer(404), body: undefined } as Answer, false],
    ["as another body", answer(200, { restored_at: "2026-11-20T07:00:00Z" }), false],
  ])("that was read before is said %s: whether the service was put back", (_, read, isSaid) => {
    const known = { merchantId: "demo-shop", name: "Corner", limits: null, scaTimeoutSeconds: null, support: null };
    const state = given(...installed, { type: "shop_read", profile: known, restore: null, isSaid: true });
    const then = eventsOf(state, { type: "shop_answered", merchantId: device.merchantId, answer: read });
    expect(then[1]).toMatchObject({ type: "shop_read", isSaid, restore: null });
  });

  test("that was never read is not waited for where a page answers, nor is what a body says that is no shop", () => {
    const page = { ...answer(404), body: undefined } as Answer;
    for (const read of [page, answer(200, { restored_at: "2026-11-20T07:00:00Z", forgot_since: null })]) {
      const then = eventsOf(given(...installed), { type: "shop_answered", merchantId: "demo-shop", answer: read });
      expect(then[1]).toEqual({ type: "shop_read", profile: null, restore: null, isSaid: true });
    }
  });

  const restoredAt = "2026-11-20T07:00:00Z";
  const copied = { ...profile, restored_at: restoredAt, forgot_since: "2026-11-19T07:00:00Z", kept_head: null };
  const saidOf = (state: State, body: unknown, status = 200) =>
    eventsOf(state, { type: "shop_answered", merchantId: device.merchantId, answer: answer(status, body) });
  const begunToGive: Event = { type: "hand_out_intended", withdrawal: of, approvedBy: null };
  const doubt = books("put_back_with_service");
  test.each<[string, readonly Event[], Partial<State>, readonly Event[]]>([
    ["paid", [...payable, started], {}, [doubt]],
    ["under way", [...paying, started], {}, [doubt]],
    ["whose hand-out was begun", [...payable, begunToGive, started], {}, [doubt]],
    [
      "paid, of a journal that has answered another restore",
      [...payable, started],
      { restoreAnswered: "2026" },
      [doubt],
    ],
    ["paid, of a journal that has answered this one", [...payable, started], { restoreAnswered: restoredAt }, []],
    ["paid, of this run", payable, {}, []],
    ["paid, where the service has said so in this run", [...payable, started, shopSaid], {}, []],
    ["paid, and doubted already", [...payable, started, doubt], {}, []],
    ["rejected before any confirm", [...rejectingUnseen, started], {}, []],
    ["handed out", [...handedOut, started], {}, []],
  ])("says that it was put back: what this journal has as %s", (_, events, more, then) => {
    const found = saidOf({ ...given(...events), ...more }, copied);
    expect(found.filter(({ type }) => type === "discrepancy")).toEqual(then);
    expect(saidOf({ ...given(...events), ...more }, { ...copied, restored_at: null })).not.toContainEqual(doubt);
  });

  const failed = next({ failures: 1 });
  const again = next({ notBeforeMs: moment.monotonicMs });
  test.each<[string, readonly Event[], number, readonly Event[]]>([
    ["has said so", [...payable, started, failed], 200, [again]],
    ["cannot say so", [...payable, started, failed], 404, [again]],
    ["does not answer", [...payable, started, failed], 503, []],
    ["had said so before", [...payable, started, shopSaid, failed], 200, []],
    ["has said so: what is of this run waits for itself", [...payable, failed], 200, []],
    ["has said so: what is being asked waits for nothing", [...payable, started], 200, []],
  ])("what waits for it is asked again at once where the service %s", (_, events, status, then) => {
    expect(saidOf(given(...events), profile, status).filter(({ type }) => type === "request_state_changed")).toEqual(
      then,
    );
  });
});
