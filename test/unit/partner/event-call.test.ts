/** One call of a status event: whether it goes out, and what its answer becomes of the row. */
import { expect, onTestFinished, test } from "vitest";
import { eventLifetimeMs } from "../../../backend/contract/webhook-events.ts";
import { eventMessages, eventTriesMin } from "../../../backend/partner/events.ts";
import { updatePartner } from "../../../backend/partner/partners.ts";
import { deliver, leaseMs, retrySchedules } from "../../../backend/partner/queue.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import { adhoc } from "../../../backend/store/store.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { bank, otherBank } from "../../service/world.ts";
import { callStage, http, trueBody } from "./call-stage.ts";

const stage = callStage();

const deliverEvent = (event: RowOf<"status_events">) => deliver(stage.service, eventMessages, event, () => false);

const anEvent = async (changes: Partial<RowOf<"status_events">> = {}): Promise<RowOf<"status_events">> => {
  const event: RowOf<"status_events"> = {
    id: "event_x_1",
    transaction_id: "x",
    partner_id: bank.partnerId,
    body: trueBody,
    attempts: 1,
    due_at: stage.clock.now(),
    claimed_by: "worker",
    created_at: stage.clock.now(),
    last_error: null,
    partner_reference: "ref-1",
    ...changes,
  };
  await stage.file.write((tx) => tx.run(adhoc((db) => db.insertInto("status_events").values(event))));
  return event;
};

test.each([
  [200, true],
  [204, true],
  [299, true],
  [300, false],
  [199, false],
  [503, false],
])("an event that is answered %d is taken: %s", async (status, isTaken) => {
  stage.answerWith(http(status, "3"));
  const again = await deliverEvent(await anEvent());
  expect(stage.requests).toMatchObject([
    {
      url: "http://bank/events",
      timeoutMs: 5_000,
      headers: { "webhook-id": "event_x_1", "partner-reference": "ref-1" },
    },
  ]);
  const pauseMs = status === 503 ? 3_000 : retrySchedules.event.firstMs;
  expect(again).toBe(isTaken ? null : pauseMs);
  expect([stage.counted.calls, stage.counted.tookMs]).toEqual([[isTaken ? "event:accepted" : "event:none"], [0]]);
  expect(stage.counted.alarms).toEqual(isTaken ? [] : [`event:http_${status}`]);
  if (isTaken) expect(await stage.rows("status_events")).toEqual([]);
  else
    expect(await stage.rows("status_events")).toMatchObject([
      { due_at: stage.clock.now() + pauseMs, last_error: `http_${status}` },
    ]);
});

test("an event that nobody wants any more ends unsent; one without an address or without an answer comes again", async () => {
  await stage.setPartner({ events_url: null });
  expect(await deliverEvent(await anEvent())).toBeNull();
  expect([stage.requests, stage.counted.calls, await stage.rows("status_events")]).toEqual([[], [], []]);
  await stage.setPartner({ events_url: "http://bank/events" });
  Object.assign(stage.service.options, { boundPartners: new Map() });
  expect(await deliverEvent(await anEvent({ partner_reference: null, attempts: 2 }))).toBe(2_000);
  expect(await stage.rows("status_events")).toMatchObject([{ last_error: "no_address" }]);
  expect(stage.logged).toMatchObject([{ call: "event", attempt: 2 }]);
});

test("an event goes nowhere where no bank can be", async () => {
  Object.assign(stage.service.options, { isSandbox: false });
  await stage.setPartner({ events_url: "https://169.254.169.254/latest" });
  expect(await deliverEvent(await anEvent())).toBe(retrySchedules.event.firstMs);
  expect([stage.requests, await stage.rows("status_events")]).toMatchObject([[], [{ last_error: "not_usable" }]]);
});

test("an event is given up at three days of age and after twenty tries, which the log says, and not before", async () => {
  stage.answerWith(http(500));
  const created_at = stage.clock.now() - eventLifetimeMs;
  const attempts = eventTriesMin;
  for (const early of [
    { created_at: created_at + 1, attempts },
    { created_at, attempts: attempts - 1 },
  ]) {
    expect(await deliverEvent(await anEvent(early))).not.toBeNull();
    expect(stage.logged.at(-1)).not.toHaveProperty("event");
    await stage.empty();
  }
  expect(await deliverEvent(await anEvent({ created_at, attempts }))).toBeNull();
  expect([await stage.rows("status_events"), stage.logged.at(-1)]).toMatchObject([
    [],
    { event: "event_x_1", why: "http_500" },
  ]);
});

test("what became of an event and could not be written is left to the end of its lease", async () => {
  const event = await anEvent();
  Object.assign(stage.service, { store: { ...stage.file, write: () => Promise.reject(new Error("no disk")) } });
  expect(await deliverEvent(event)).toBe(leaseMs);
  expect(stage.logged).toMatchObject([{ call: "event", transaction_id: "x", err: { message: "no disk" } }]);
  stage.answerWith(http(500));
  expect(await deliverEvent(event)).toBe(leaseMs);
});

test("an event that another process has taken over meanwhile is that one's, and its pause is kept", async () => {
  stage.answerWith(http(500));
  const event = await anEvent({ attempts: 2 });
  expect(await deliverEvent({ ...event, attempts: 1 })).toBe(retrySchedules.event.firstMs);
  expect(stage.logged).toMatchObject([{ why: "http_500" }]);
  expect(await stage.rows("status_events")).toMatchObject([{ attempts: 2, last_error: null }]);
});

test("what an event is about is read among the short reads, which no long one holds up", async () => {
  const { file } = stage;
  const read: typeof file.read = (unit, isShort) =>
    isShort === true ? file.read(unit, isShort) : Promise.reject(new Error("waits for a long one"));
  Object.assign(stage.service, { store: { ...file, read } });
  expect(await deliverEvent(await anEvent())).toBeNull();
  expect(stage.requests).toHaveLength(1);
});

test("a call that fails is no answer, and how long it took is measured", async () => {
  stage.answerWith(() => {
    stage.clock.jump(70);
    throw new Error("x".repeat(300));
  });
  expect(await deliverEvent(await anEvent({ partner_reference: null }))).toBe(1_000);
  expect(await stage.rows("status_events")).toMatchObject([{ last_error: "x".repeat(200) }]);
  expect([stage.counted.calls, stage.counted.tookMs]).toEqual([["event:none"], [70]]);
  expect(stage.requests[0]?.headers).not.toHaveProperty("partner-reference");
});

test("an event of a bank that is gone is wanted by nobody", async () => {
  expect(await deliverEvent(await anEvent({ partner_id: "nobody" }))).toBeNull();
  expect([stage.requests, stage.counted.alarms]).toEqual([[], []]);
});

const lie = (changes: object, more: object = {}) => {
  const { transaction, ...event } = JSON.parse(trueBody) as { readonly transaction: object };
  return { body: JSON.stringify({ ...event, ...more, transaction: { ...transaction, ...changes } }) };
};
/** The same bank's, asked for at the same time: of 20.00, and nothing of it was handed out. */
const putUndelivered = async (table: "withdrawals" | "archived_withdrawals"): Promise<void> => {
  const row = rowWith({
    id: "z",
    status: "undelivered",
    amount: 2_000,
    idempotency_key: "z",
    transaction_id_partner: "z",
  });
  await stage.file.write(async (tx) => {
    const kept = table === "withdrawals" ? row : { ...row, archived_at: 4_000 };
    await tx.run(adhoc((db) => db.insertInto(table).values(kept)));
    const [step] = await tx.all(
      adhoc<RowOf<"withdrawal_events">>((db) => db.selectFrom("withdrawal_events").selectAll()),
    );
    const ended = { ...(step ?? expect.fail()), transaction_id: "z", to_status: "undelivered" } as const;
    await tx.run(adhoc((db) => db.insertInto("withdrawal_events").values(ended)));
  });
  onTestFinished(() =>
    stage.file.write(async (tx) => {
      await tx.run(adhoc((db) => db.deleteFrom(table).where("id", "=", "z")));
      await tx.run(adhoc((db) => db.deleteFrom("withdrawal_events").where("transaction_id", "=", "z")));
    }),
  );
};
test.each<[string, Partial<RowOf<"status_events">>]>([
  ["another bank's", { partner_id: otherBank.partnerId }],
  ["another withdrawal's", { transaction_id: "y" }],
  ["of one that nobody asked for", { ...lie({ transaction_id: "y" }), transaction_id: "y" }],
  ["of another time of asking", lie({ created_at: "2026-11-20T10:15:30.000Z" })],
  ["of no time of asking", lie({ created_at: "then" })],
  ["of a status that is not its own", lie({ status: "ready" })],
  ["of an end that another one came to", lie({ status: "undelivered" }, { type: "withdrawal.undelivered" })],
  ["of that end, by its type alone", lie({}, { type: "withdrawal.undelivered" })],
  [
    "of another one's end, with its terms, in that one's row",
    { ...lie({ status: "undelivered", amount: "20.00" }, { type: "withdrawal.undelivered" }), transaction_id: "z" },
  ],
  ["of another one's amount", lie({ amount: "20.00" })],
  ["of another currency", lie({ currency: "CHF" })],
  ["with a name in two spellings", lie({ Status: "undelivered" })],
  ["with another type, in another spelling", lie({}, { Type: "withdrawal.undelivered" })],
  ["without a withdrawal", { body: JSON.stringify({ type: "withdrawal.settled" }) }],
  ["no JSON", { body: "{" }],
])("an event that its withdrawal did not come to is not sent: %s", async (_, changes) => {
  await stage.file.write((tx) =>
    tx.run(updatePartner(otherBank.partnerId, { events_url: "http://other.bank/events" })),
  );
  await putUndelivered("withdrawals");
  expect(await deliverEvent(await anEvent(changes))).toBe(retrySchedules.event.firstMs);
  expect([stage.requests, stage.counted.calls, stage.counted.alarms]).toEqual([[], [], ["event:changed"]]);
  expect(await stage.rows("status_events")).toMatchObject([{ last_error: "changed" }]);
});

test("an event is sent too where its history is from before withdrawals' times stood in it", async () => {
  const say = (asked_at: number) =>
    stage.file.write((tx) => tx.run(adhoc((db) => db.updateTable("withdrawal_events").set({ asked_at }))));
  onTestFinished(() => say(1_000).then(() => {}));
  await say(0);
  expect(await deliverEvent(await anEvent())).toBeNull();
  await say(999);
  expect(await deliverEvent(await anEvent())).toBe(retrySchedules.event.firstMs);
  expect([stage.requests.length, stage.counted.alarms]).toEqual([1, ["event:changed"]]);
});

test("an event of what has ended is sent, with its own amount and not another one's", async () => {
  await putUndelivered("archived_withdrawals");
  const told = { transaction_id: "z", status: "undelivered", amount: "20.00" };
  const own = lie(told, { type: "withdrawal.undelivered" });
  expect(await deliverEvent(await anEvent({ ...own, transaction_id: "z" }))).toBeNull();
  expect([stage.requests.length, stage.counted.alarms]).toEqual([1, []]);
  expect(
    await deliverEvent(
      await anEvent({ ...lie({ ...told, amount: "50.00" }, { type: "withdrawal.undelivered" }), transaction_id: "z" }),
    ),
  ).toBe(retrySchedules.event.firstMs);
  expect([stage.requests.length, stage.counted.alarms]).toEqual([1, ["event:changed"]]);
});
