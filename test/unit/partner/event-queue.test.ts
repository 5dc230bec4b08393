/** The queue of status events: which it takes up, how many at once, and what it leaves at its end. */
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createStatusEvents, insertEvent, waitingEvents } from "../../../backend/partner/events.ts";
import { leaseMs, maxPlausibleDueAheadMs } from "../../../backend/partner/queue.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import { adhoc } from "../../../backend/store/store.ts";
import { bank, otherBank } from "../../service/world.ts";
import { callStage, silent, trueBody, turn } from "./call-stage.ts";

const stage = callStage();
const callMs = 5_000;

const leased = (id: string) => ({
  id,
  transaction_id: "x",
  partner_id: bank.partnerId,
  body: trueBody,
  partner_reference: null,
});
/** Events of other processes that are due now and have not been tried. */
const insert = async (ids: readonly string[], changes: Partial<RowOf<"status_events">> = {}): Promise<void> => {
  const now = stage.clock.now();
  const rest = { attempts: 0, due_at: now, claimed_by: "", created_at: now, last_error: null, ...changes };
  for (const id of ids)
    await stage.file.write((tx) =>
      tx.run(adhoc((db) => db.insertInto("status_events").values({ ...leased(id), ...rest }))),
    );
};
const sent = (): (string | undefined)[] => stage.requests.map(({ headers }) => headers["webhook-id"]);
const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `e${String(at).padStart(3, "0")}`);

const queue = async () => {
  const events = createStatusEvents(() => stage.service, "w");
  onTestFinished(async () => {
    await stage.end(events.stop());
  });
  events.start();
  await stage.pass(0);
  return events;
};
beforeEach(() => {
  Object.assign(stage.service.options, { pollMs: 250 });
});

test("what is due goes out, once a second; what is not is left, but for a time that no clock can have meant", async () => {
  const events = await queue();
  const now = stage.clock.now();
  await insert(["due"]);
  await insert(["later"], { due_at: now + 3_000 });
  await insert(["far"], { due_at: now + 1_000 + maxPlausibleDueAheadMs("event") });
  await insert(["never"], { due_at: now + 1_000 + maxPlausibleDueAheadMs("event") + 1 });
  await stage.pass(999);
  expect(sent()).toEqual([]);
  stage.hang();
  await stage.pass(1);
  expect(sent()).toEqual(["due", "never"]);
  expect(await stage.rows("status_events")).toMatchObject([
    { id: "due", attempts: 1, claimed_by: "w", due_at: now + 1_000 + leaseMs },
    { id: "later", attempts: 0 },
    { id: "far", attempts: 0 },
    { id: "never", attempts: 1 },
  ]);
  // What is under way is not taken up again, neither by the next look nor by a second start.
  events.start();
  await stage.pass(1_000);
  expect(sent()).toEqual(["due", "never"]);
  await stage.pass(1_000);
  expect(sent()).toEqual(["due", "never", "later"]);
  for (const _ of sent()) await stage.answerOne();
  expect(await stage.rows("status_events")).toMatchObject([{ id: "far" }]);
});

test("an event of a clock that was ahead lives from its first claim on, any other one from its commit", async () => {
  await queue();
  stage.hang();
  const now = stage.clock.now();
  await insert(["ahead"], { created_at: now + 86_400_000 });
  await insert(["usual"], { created_at: now - 1 });
  await stage.pass(1_000);
  expect(await stage.rows("status_events")).toMatchObject([
    { id: "ahead", attempts: 1, created_at: now + 1_000 },
    { id: "usual", attempts: 1, created_at: now - 1 },
  ]);
});

test("an event without an answer comes again after its pause, not with the next look", async () => {
  Object.assign(stage.service.options, { pollMs: 60_000 });
  stage.answerWith(silent);
  await insert(["a"]);
  await queue();
  await stage.pass(999);
  expect(sent()).toEqual(["a"]);
  await stage.pass(1);
  expect(sent()).toEqual(["a", "a"]);
});

test("those that failed before have eight slots of their own, and follow as they come free", async () => {
  stage.hang();
  await insert(numbered(20), { last_error: "http_503" });
  await queue();
  expect(sent()).toHaveLength(8);
  await stage.pass(2_000);
  expect(sent()).toHaveLength(8);
  Object.assign(stage.service.options, { pollMs: 60_000 });
  await stage.pass(1_000);
  for (let ended = 0; ended < 4; ended += 1) {
    expect(sent()).toHaveLength(8);
    await stage.answerOne();
  }
  await stage.pass(1);
  expect(sent()).toHaveLength(12);
  await insert(["first"]);
  (await queue()).wake();
  await stage.pass(10);
  expect(sent()).toContain("first");
});

test("a place that comes free is filled with the next look, also where most are taken", async () => {
  stage.hang();
  await insert(numbered(20), { last_error: "http_503" });
  await queue();
  // The next looks begin after all of them.
  await stage.pass(2_000);
  await stage.answerOne();
  expect(sent()).toHaveLength(8);
  await stage.pass(1_000);
  expect(sent()).toHaveLength(9);
});

test("of each bank it is known how many wait, and one of its answers", async () => {
  await insert(["a", "b"]);
  await insert(["c"], { last_error: "http_503" });
  await insert(["d"], { last_error: "http_500" });
  await insert(["e"], { partner_id: otherBank.partnerId });
  expect(await stage.file.read((tx) => tx.all(waitingEvents({})))).toEqual([
    { partner_id: bank.partnerId, count: 4, last_error: "http_503" },
    { partner_id: otherBank.partnerId, count: 1, last_error: null },
  ]);
});

test("an event of one's own goes out at once, or with the next free slot, unless others may have it by then", async () => {
  const events = await queue();
  stage.hang();
  for (const id of numbered(128)) events.send(leased(id));
  events.send(leased("waits"));
  await turn();
  expect(sent()).toHaveLength(128);
  await stage.answerOne();
  expect(sent().slice(128)).toEqual(["waits"]);
  events.send(leased("late"));
  await stage.pass(leaseMs - callMs);
  await stage.answerOne();
  expect(sent()).toHaveLength(129);
});

test("an event of one's own that its bank does not take comes again after a pause, not at the end of its lease", async () => {
  stage.answerWith(silent);
  const events = await queue();
  const now = stage.clock.now();
  await insert(["own"], { attempts: 1, due_at: now + leaseMs });
  events.send(leased("own"));
  await turn();
  await turn();
  expect(await stage.rows("status_events")).toMatchObject([{ due_at: now + 1_000, last_error: "http_500" }]);
});

test("a move that another process wrote goes out when it is told of, with those of the same moment", async () => {
  Object.assign(stage.service.options, { pollMs: 60_000 });
  const events = await queue();
  await insert(["a"]);
  events.wake();
  await insert(["b"]);
  await stage.pass(9);
  expect(sent()).toEqual([]);
  await stage.pass(1);
  expect(sent()).toEqual(["a", "b"]);
});

test("before its start nothing is looked for, and a queue that cannot be read is looked at again in a while", async () => {
  await insert(["a"]);
  const { store } = stage.service;
  Object.assign(stage.service, { store: { ...store, read: () => Promise.reject(new Error("away")) } });
  Object.assign(stage.service.options, { pollMs: 25 });
  const events = createStatusEvents(() => stage.service, "w");
  onTestFinished(() => stage.end(events.stop()));
  events.wake();
  expect(stage.clock.timers).toBe(0);
  events.start();
  await stage.pass(1_999);
  expect(stage.logged).toMatchObject([{ err: { message: "away" } }]);
  Object.assign(stage.service, { store });
  expect(sent()).toEqual([]);
  await stage.pass(1);
  expect(sent()).toEqual(["a"]);
});

test("how many wait is reported, and since when the oldest does", async () => {
  const shown: unknown[] = [];
  Object.assign(stage.service.telemetry, { statusEvents: (state: unknown) => void shown.push(state) });
  await insert(["a", "b"], { due_at: stage.clock.now() + 60_000, created_at: stage.clock.now() - 7_000 });
  Object.assign(stage.service, { store: { ...stage.file, dialect: "postgres" } });
  await insert(["c"], { due_at: stage.clock.now() + 60_000 });
  await queue();
  expect(shown).toEqual([{ depth: 3, oldestAgeMs: 7_000 }]);
});

test("after its end nothing is sent, and no time is waited for", async () => {
  stage.answerWith(silent);
  await insert(["a"], { last_error: "http_503" });
  stage.hang();
  const events = await queue();
  events.send(leased("own"));
  for (const id of numbered(127)) events.send(leased(id));
  events.send(leased("waits"));
  const stopped = events.stop();
  await turn();
  const before = sent().length;
  for (let ended = 0; ended < before; ended += 1) await stage.answerOne();
  await stopped;
  events.send(leased("behind"));
  events.wake();
  await stage.pass(60_000);
  expect([sent().length, stage.clock.timers]).toEqual([before, 0]);
});

test("a look at the queue that is under way at the stop claims nothing", async () => {
  await insert(["a"]);
  const events = createStatusEvents(() => stage.service, "w");
  const { store } = stage.service;
  const read: typeof store.read = async (unit) => {
    const found = await store.read(unit);
    void events.stop();
    return found;
  };
  Object.assign(stage.service, { store: { ...store, read } });
  events.start();
  await stage.pass(1_000);
  expect([sent(), await stage.rows("status_events")]).toMatchObject([[], [{ attempts: 0 }]]);
});

test("an event is written once, for a bank that has an address for them", async () => {
  const times = { now: 1_000, dueAt: 2_000, attempts: 1 } as const;
  const write = (changes: object) =>
    stage.file.write((tx) =>
      tx.first(insertEvent({ ...leased("a"), partner_reference: "ref-1", ...times, ...changes })),
    );
  expect([await write({}), await write({}), await write({ id: "b", partner_id: otherBank.partnerId })]).toEqual([
    { id: "a" },
    undefined,
    undefined,
  ]);
  expect(await stage.rows("status_events")).toEqual([
    {
      ...leased("a"),
      partner_reference: "ref-1",
      attempts: 1,
      due_at: 2_000,
      claimed_by: "",
      created_at: 1_000,
      last_error: null,
    },
  ]);
});
