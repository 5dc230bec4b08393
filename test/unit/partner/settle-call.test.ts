/** One call of a Settle order: whether it goes out, what its answer becomes of the row, and what is said of it. */
import { expect, onTestFinished, test } from "vitest";
import { callsOf, type OnSettleAnswer, type Order, settleOrders } from "../../../backend/partner/orders.ts";
import type { Partner } from "../../../backend/partner/partners.ts";
import { createQueueReport, deliver, leaseMs } from "../../../backend/partner/queue.ts";
import { raiseAlarm, raiseDispute } from "../../../backend/partner/send.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import { adhoc, type Store } from "../../../backend/store/store.ts";
import { bank } from "../../service/world.ts";
import { callStage, http, silent } from "./call-stage.ts";

const stage = callStage();

const anOrder = async (changes: Partial<RowOf<"outbox">> = {}): Promise<RowOf<"outbox">> => {
  const order: RowOf<"outbox"> = {
    id: "settle_x",
    transaction_id: "x",
    partner_id: bank.partnerId,
    body: '{"SvcTransactionReferenceId":"x"}',
    attempts: 1,
    due_at: stage.clock.now() + leaseMs,
    claimed_by: "worker",
    created_at: stage.clock.now(),
    last_error: null,
    partner_reference: "ref-1",
    unsent_attempts: 0,
    ...changes,
  };
  await stage.file.write((tx) => tx.run(adhoc((db) => db.insertInto("outbox").values(order))));
  return order;
};
const answered: (string | null)[] = [];
const settle = (
  order: RowOf<"outbox">,
  onAnswer: OnSettleAnswer = async (_, __, answer) => {
    answered.push(answer);
  },
) => deliver(stage.service, settleOrders(onAnswer), order, () => false);

test("a Settle order goes out signed, to its bank's path, with the bank's own name for it", async () => {
  const told: unknown[] = [];
  expect(await settle(await anOrder(), async (_, { id }, ...answer) => void told.push(id, answer))).toBeNull();
  expect(told).toEqual(["settle_x", ["accepted", ""]]);
  expect(stage.requests).toMatchObject([
    {
      url: "http://bank/api/svc/settlewithdrawal",
      body: '{"SvcTransactionReferenceId":"x"}',
      timeoutMs: 5_000,
      headers: { "webhook-id": "settle_x", "partner-reference": "ref-1" },
    },
  ]);
  expect(stage.counted.calls).toEqual(["settle:accepted"]);
  await stage.empty();
  await settle(await anOrder({ partner_reference: null }));
  expect(stage.requests[1]?.headers).not.toHaveProperty("partner-reference");
});

test.each([
  [1, 2],
  [0, 1],
])("a call is signed by the calendar, and %i ms before a rotation ends with %i keys", async (ms, count) => {
  Object.assign(stage.clock, { calendar: () => 7_900 });
  onTestFinished(async () => void (await stage.setPartner({ previous_secret: null, previous_secret_until: null })));
  await stage.setPartner({ previous_secret: "old", previous_secret_until: stage.clock.now() + ms });
  await settle(await anOrder());
  const { "webhook-timestamp": at, "webhook-signature": signatures } = stage.requests[0]?.headers ?? {};
  expect([at, signatures?.split(" ").length]).toEqual(["7", count]);
});

test.each([
  ["a status that says nothing", silent, "http_500", 500],
  ["a refusal with Retry-After", http(503, "7"), "http_503", 7_000],
  ["a Retry-After below the usual pause", http(429, "0"), "http_429", 500],
])("%s: put off, with the reason, and somebody is told", async (_, answer, why, pauseMs) => {
  stage.answerWith(answer);
  expect(await settle(await anOrder())).toBe(pauseMs);
  expect(await stage.rows("outbox")).toMatchObject([{ due_at: stage.clock.now() + pauseMs, last_error: why }]);
  expect([stage.counted.calls, stage.counted.alarms]).toEqual([["settle:none"], [`settle:${why}`]]);
  expect(stage.logged).toMatchObject([{ partner: "bank", transaction_id: "x", call: "settle", attempt: 1, why }]);
});

test.each([
  ["forgotten", () => stage.empty()],
  [
    "taken over by another process",
    () => stage.file.write((tx) => tx.run(adhoc((db) => db.updateTable("outbox").set({ attempts: 2 })))),
  ],
])("no answer to an order that was %s meanwhile is said to be none", async (_, meanwhile) => {
  const told: unknown[] = [];
  const order = await anOrder();
  stage.answerWith(silent);
  const { post } = stage.service.transport;
  stage.service.transport.post = async (request) => {
    await meanwhile();
    return post(request);
  };
  await settle(order, async (_, { id }, answer) => void told.push(id, answer));
  expect(told).toEqual(["settle_x", null]);
});

test("no answer to an order that is still its own is said to nobody, and where it cannot be put off it is, until it can be written", async () => {
  const told: unknown[] = [];
  let failures = 2;
  const tell: OnSettleAnswer = async (_, { id }, answer) => {
    told.push(id, answer);
    failures -= 1;
    if (failures >= 0) throw new Error("no disk");
  };
  stage.answerWith(silent);
  await settle(await anOrder(), tell);
  expect(told).toEqual([]);
  await stage.empty();
  const broken: Store = { ...stage.file, write: () => Promise.reject(new Error("no disk")) };
  const on = { ...stage.service, store: broken };
  expect(await stage.inTime(deliver(on, settleOrders(tell), await anOrder(), () => false))).toBe(500);
  expect(told).toEqual(["settle_x", null, "settle_x", null, "settle_x", null]);
  expect(stage.logged).toContainEqual({ err: new Error("no disk"), call: "settle", transaction_id: "x" });
});

test("a bank without an address, or whose call fails, has given no answer", async () => {
  expect(await settle(await anOrder({ partner_id: "nobody" }))).toBe(500);
  expect(await stage.rows("outbox")).toMatchObject([{ last_error: "no_address" }]);
  await stage.empty();
  stage.answerWith(() => {
    throw new Error("x".repeat(300));
  });
  await settle(await anOrder());
  expect(await stage.rows("outbox")).toMatchObject([{ last_error: "x".repeat(200) }]);
  expect(stage.requests).toHaveLength(1);
});

test("a bank that only the installation knows is asked too", async () => {
  Object.assign(stage.service.options, { boundPartners: new Map([["bound", { url: "http://bound", secret: "s" }]]) });
  expect(await settle(await anOrder({ partner_id: "bound" }))).toBeNull();
  expect(stage.requests).toMatchObject([{ url: "http://bound/api/svc/settlewithdrawal" }]);
});

test("a bank whose stored address cannot be used is not called, under no other one either", async () => {
  Object.assign(stage.service.options, { isSandbox: false });
  onTestFinished(async () => void (await stage.setPartner({ url: null, secret: null })));
  await stage.setPartner({ url: "http://bank.example", secret: "secret" });
  expect(await settle(await anOrder())).toBe(500);
  expect([stage.requests, await stage.rows("outbox")]).toMatchObject([[], [{ last_error: "not_usable" }]]);
});

test.each([
  ["just after the commit that read it", 999, "before"],
  ["a second after", 1_000, "bank"],
  ["from a clock that was ahead by as much", -1_000, "bank"],
])("an order goes where its bank was then, or is by now: %s", async (_, ageMs, host) => {
  const { partnerId: id } = bank;
  const before: Partner = {
    ...{ id, url: "http://before", secret: "secret", events_url: null, answers: null, previous_secret: null },
    ...{ previous_secret_until: null, slots: null, sca_url: null, user_day_max: null, user_day_currency: null },
  };
  const order = await anOrder({ created_at: stage.clock.now() - ageMs });
  await settle({ ...order, bank: before } as Order);
  expect(stage.requests.map(({ url }) => new URL(url).host)).toEqual([host]);
});

test.each([
  ["long", 70, 70],
  ["by a clock that was set back, no time at all", -50, 0],
])("how long a call took is measured: %s", async (_, byMs, took) => {
  stage.answerWith(() => {
    stage.clock.jump(byMs);
    return { status: 200, body: '{"status":"accepted"}' };
  });
  await settle(await anOrder());
  expect(stage.counted.tookMs).toEqual([took]);
});

test("later tries wait longer", async () => {
  stage.answerWith(silent);
  expect(await settle(await anOrder({ attempts: 3 }))).toBe(2_000);
});

test.each<[string, Partial<RowOf<"outbox">>, boolean, attempts?: number]>([
  ["its lease ends with the call", { due_at: 5_000 }, true],
  ["its lease ends before the call could", { due_at: 4_999 }, false],
  ["it has never gone out and is still held", { unsent_attempts: 1 }, true],
  ["it has never gone out and another one holds it", { unsent_attempts: 1, claimed_by: "another" }, false],
  ["none of two tries has gone out and the second is still held", { unsent_attempts: 2, attempts: 2 }, true],
  ["it has never gone out and is a newer try by now", { unsent_attempts: 2, attempts: 2 }, false, 1],
])("an order goes out or not: %s", async (_, changes, isSent, attempts = changes.attempts ?? 1) => {
  const order = await anOrder(changes);
  const asked = {
    ...order,
    ...{ claimed_by: "worker", attempts, unsent_attempts: Math.min(order.unsent_attempts, attempts) },
    due_at: stage.clock.now() + (changes.due_at ?? leaseMs),
  };
  const again = await settle(asked);
  expect(stage.requests).toHaveLength(isSent ? 1 : 0);
  if (isSent) expect(again).toBeNull();
  else expect([again, stage.counted.calls]).toEqual([asked.due_at - stage.clock.now(), []]);
});

test("what goes out for the first time is recorded as sent before it goes", async () => {
  let sentAs: unknown;
  const order = await anOrder({ unsent_attempts: 1 });
  await anOrder({ id: "settle_y", transaction_id: "y", unsent_attempts: 1 });
  const { post } = stage.service.transport;
  stage.service.transport.post = async (request) => {
    sentAs = await stage.rows("outbox");
    return post(request);
  };
  await settle(order);
  expect(sentAs).toMatchObject([{ unsent_attempts: 0 }, { unsent_attempts: 1 }]);
});

test("what took so long to record that a call could outlast its lease does not go out", async () => {
  const order = await anOrder({ unsent_attempts: 1 });
  const slow: Store = {
    ...stage.file,
    async write(unit) {
      const result = await stage.file.write(unit);
      stage.clock.jump(leaseMs - 4_999);
      return result;
    },
  };
  const again = deliver(
    { ...stage.service, store: slow },
    settleOrders(() => Promise.resolve()),
    order,
    () => false,
  );
  expect([await again, stage.requests]).toEqual([4_999, []]);
});

test.each([
  [1, 1, "accepted"],
  [1, 0, null],
  [2, 2, "accepted"],
  [2, 1, null],
])("by status code: try %d of which %d never went out is %s", async (attempts, unsent_attempts, answer) => {
  await stage.setPartner({ answers: "by-status-code" });
  answered.length = 0;
  stage.answerWith(http(204));
  await settle(await anOrder({ attempts, unsent_attempts }));
  expect(answered).toEqual(answer === null ? [] : [answer]);
});

test("an answer that cannot be written is tried again with growing pauses, and given up for its lease at the end", async () => {
  let failures = 2;
  const logLines: number[] = [];
  const tries: number[] = [];
  const breaking = async () => {
    tries.push(stage.clock.now());
    logLines.push(stage.logged.length);
    failures -= 1;
    if (failures >= 0) throw new Error("no disk");
  };
  expect(await stage.inTime(settle(await anOrder(), breaking))).toBeNull();
  const [first = 0] = tries;
  expect(tries.map((at) => at - first)).toEqual([0, 200, 600]);
  expect(logLines).toEqual([0, 1, 1]);
  await stage.empty();
  failures = 1_000;
  tries.length = 0;
  const order = await anOrder();
  expect([await stage.inTime(settle(order, breaking)), tries.length]).toEqual([leaseMs, 60]);
  expect(stage.logged.at(-1)).toMatchObject({ transaction_id: "x", err: { message: "no disk" } });
  expect((tries[59] ?? 0) - (tries[58] ?? 0)).toBe(2_000);
  tries.length = 0;
  const again = { ...order, due_at: stage.clock.now() + leaseMs };
  expect([await deliver(stage.service, settleOrders(breaking), again, () => true), tries.length]).toEqual([leaseMs, 1]);
});

test("an alarm is a line for each bank, call and reason in ten seconds; the metrics count them all", () => {
  const message = {
    id: "settle_x",
    transaction_id: "x",
    partner_id: "bank",
    body: "{}",
    partner_reference: null,
    attempts: 1,
  };
  const alarm = (
    { kind = "settle", ...changes }: { kind?: "start" | "settle"; partner_id?: string },
    why = "timeout",
  ) => raiseAlarm(stage.service, kind, { ...message, ...changes }, why);
  alarm({});
  alarm({});
  alarm({ kind: "start" });
  alarm({ partner_id: "other-bank" });
  alarm({}, "http_500");
  expect([stage.logged.length, stage.counted.alarms.length]).toEqual([4, 5]);
  stage.clock.jump(9_999);
  alarm({});
  expect(stage.logged).toHaveLength(4);
  stage.clock.jump(1);
  alarm({});
  expect(stage.logged).toHaveLength(5);
  stage.clock.jump(-60_000);
  alarm({});
  expect(stage.logged).toHaveLength(6);
});

test("the calls that wait for a withdrawal's bank are its order and its status events", async () => {
  const { unsent_attempts: _, ...order } = await anOrder();
  await anOrder({ id: "settle_y", transaction_id: "y" });
  const event = { ...order, id: "event_x_1", attempts: 3, last_error: "http_500" };
  await stage.file.write((tx) => tx.run(adhoc((db) => db.insertInto("status_events").values(event))));
  const found = await stage.file.read((tx) => tx.all(callsOf({ id: "x" })));
  const { partner_id, created_at } = order;
  expect(found.toSorted((one, other) => one.attempts - other.attempts)).toEqual([
    { id: "settle_x", partner_id, attempts: 1, created_at, last_error: null },
    { id: "event_x_1", partner_id, attempts: 3, created_at, last_error: "http_500" },
  ]);
});

test("a contradiction is told every time", async () => {
  const order = await anOrder();
  for (let time = 0; time < 2; time += 1) raiseDispute(stage.service, order, "accepted");
  const why = "accepted_after_the_opposite";
  expect(stage.counted.alarms).toEqual([`settle:${why}`, `settle:${why}`]);
  const line = { partner: "bank", transaction_id: "x", call: "settle", why };
  expect(stage.logged).toEqual([line, line]);
});

test("a queue is reported every five seconds, by the one process whose work it is", async () => {
  const shown: unknown[] = [];
  const query = adhoc((db) =>
    db.selectFrom("outbox").select((q) => [q.fn.countAll<number>().as("depth"), q.fn.min("created_at").as("oldest")]),
  );
  const report = createQueueReport(
    () => stage.service,
    query,
    (state) => void shown.push(state),
  );
  await report(10_000);
  await anOrder({ created_at: 9_000 });
  await report(14_999);
  expect(shown).toEqual([{ depth: 0, oldestAgeMs: 0 }]);
  await report(15_000);
  await report(15_000);
  await report(8_000);
  expect(shown.slice(1)).toEqual([
    { depth: 1, oldestAgeMs: 6_000 },
    { depth: 1, oldestAgeMs: 0 },
  ]);
  Object.assign(stage.service, { owns: (work: string) => work !== "queue metrics" });
  await report(20_000);
  expect(shown.at(-1)).toBeNull();
});
