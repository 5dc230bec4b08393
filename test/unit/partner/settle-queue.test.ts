/** The queue of Settle orders: which it takes up, when it asks again, and what it leaves to others at its end. */
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { statusEvents } from "../../../backend/partner/events.ts";
import { createSettleQueue, insertOrder, orderId, outbox, unansweredOrder } from "../../../backend/partner/orders.ts";
import { updatePartner } from "../../../backend/partner/partners.ts";
import { createQueueReport, endOldLeases } from "../../../backend/partner/queue.ts";
import type { Clock } from "../../../backend/ports.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import { adhoc } from "../../../backend/store/store.ts";
import type { Row } from "../../../backend/withdrawals/store.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { bank, otherBank } from "../../service/world.ts";
import { callStage, silent, turn } from "./call-stage.ts";

const stage = callStage();
const leaseMs = 10_000;
const callMs = 5_000;

/** One that is due now, left by another process. */
const orderOf = (id: string, changes: Partial<RowOf<"outbox">> = {}): RowOf<"outbox"> => ({
  id: orderId(id),
  transaction_id: id,
  partner_id: bank.partnerId,
  body: JSON.stringify({ userId: "ann", TransactionId: id, DateOperation: "then", SvcTransactionReferenceId: id }),
  attempts: 1,
  due_at: stage.clock.now(),
  claimed_by: "another",
  created_at: stage.clock.now(),
  last_error: null,
  partner_reference: null,
  unsent_attempts: 0,
  ...changes,
});
const insert = async (...orders: readonly RowOf<"outbox">[]): Promise<readonly RowOf<"outbox">[]> => {
  for (const order of orders) {
    const { transaction_id: id, partner_id, partner_reference } = order;
    const settling = rowWith({
      id,
      partner_id,
      partner_reference,
      status: "settling",
      idempotency_key: id,
      transaction_id_partner: id,
    });
    await stage.file.write(async (tx) => {
      await tx.run(
        adhoc((db) =>
          db
            .insertInto("withdrawals")
            .values(settling)
            .onConflict((on) => on.doNothing()),
        ),
      );
      await tx.run(adhoc((db) => db.insertInto("outbox").values(order)));
    });
  }
  return orders;
};
/** Leased by this process, as the commit that wrote it has it. */
const own = (id: string): RowOf<"outbox"> => orderOf(id, { due_at: stage.clock.now() + leaseMs, claimed_by: "w" });
const sent = (): (string | undefined)[] =>
  stage.requests.map(({ headers }) => headers["webhook-id"]?.replace("settle_", ""));

const queue = (onAnswer?: () => Promise<void>) => {
  const orders = createSettleQueue(
    () => stage.service,
    "w",
    onAnswer ?? (async ({ store }, { id }) => void (await store.write((tx) => tx.run(outbox.delete({ id }))))),
  );
  onTestFinished(async () => {
    await stage.end(orders.stop());
  });
  return orders;
};
const started = async () => {
  const orders = queue();
  orders.start();
  await stage.pass(0);
  return orders;
};
beforeEach(() => {
  Object.assign(stage.service.options, { pollMs: 60_000 });
});

test("what is due goes out at the start; what is leased, once its lease has ended", async () => {
  Object.assign(stage.service.options, { pollMs: 250 });
  const orders = await started();
  await insert(orderOf("due"), orderOf("leased", { due_at: stage.clock.now() + 2_000 }));
  await stage.pass(250);
  expect(sent()).toEqual(["due"]);
  await stage.pass(1_700);
  expect(sent()).toEqual(["due"]);
  await stage.pass(300);
  expect(sent()).toEqual(["due", "leased"]);
  // A second start changes nothing: what is under way is not taken up again.
  stage.hang();
  orders.send((await insert(own("mine")))[0] as RowOf<"outbox">);
  await stage.pass(250);
  orders.start();
  await stage.pass(500);
  expect(sent()).toEqual(["due", "leased", "mine"]);
  await stage.answerOne();
});

test("a bank's orders are its owner's; every five seconds the others take up what the owner has left", async () => {
  Object.assign(stage.service.options, { pollMs: 250 });
  Object.assign(stage.service, { owns: (work: string) => work === `orders of ${bank.partnerId}` });
  await started();
  await insert(orderOf("mine"), orderOf("theirs", { partner_id: otherBank.partnerId }));
  await stage.pass(4_700);
  expect(sent()).toEqual(["mine"]);
  await stage.pass(400);
  expect(sent()).toEqual(["mine", "theirs"]);
});

test("who has had to do with other processes' banks alone looks every five seconds, and often again once one is its own", async () => {
  Object.assign(stage.service.options, { pollMs: 250 });
  let [owned, looks] = ["", 0];
  const { store } = stage.service;
  const read: typeof store.read = (unit, isShort) => {
    looks += isShort ? 0 : 1;
    return store.read(unit, isShort);
  };
  Object.assign(stage.service, { store: { ...store, read }, owns: (work: string) => work === owned });
  const looksWithin = async (ms: number) => {
    looks = 0;
    await stage.pass(ms);
    return looks;
  };
  const orders = await started();
  expect(await looksWithin(5_000)).toBe(20);
  orders.send((await insert(own("sent")))[0] as RowOf<"outbox">);
  await stage.pass(250);
  expect(await looksWithin(20_000)).toBe(4);
  owned = `orders of ${bank.partnerId}`;
  await stage.pass(5_000);
  expect(await looksWithin(5_000)).toBe(20);
});

test("who has to do with banks of its own too, or is not done with another's, looks as often as ever", async () => {
  Object.assign(stage.service.options, { pollMs: 250 });
  let [owned, looks] = [`orders of ${otherBank.partnerId}`, 0];
  const { store } = stage.service;
  const read: typeof store.read = (unit, isShort) => {
    looks += isShort ? 0 : 1;
    return store.read(unit, isShort);
  };
  Object.assign(stage.service, { store: { ...store, read }, owns: (work: string) => work === owned });
  const orders = await started();
  for (const { partnerId: partner_id } of [bank, otherBank])
    orders.send((await insert({ ...own(`of ${partner_id}`), partner_id }))[0] as RowOf<"outbox">);
  await stage.pass(250);
  looks = 0;
  await stage.pass(5_000);
  expect(looks).toBe(20);
  owned = "";
  stage.hang();
  await insert(...["a", "b", "c"].map((id) => orderOf(id, { due_at: stage.clock.now() - 2_000 })));
  await stage.pass(5_250);
  looks = 0;
  await stage.pass(5_000);
  expect([sent().slice(-2), looks]).toEqual([["a", "b"], 20]);
});

test.each([
  [1_000, ["left"]],
  [999, []],
])("another process's order is left to it until it is due for a second: after %d ms %j goes out", async (ms, ids) => {
  // The bound within which a look at all banks may be early by the database's clock.
  Object.assign(stage.service.options, { pollMs: 4_900 });
  Object.assign(stage.service, { owns: () => false });
  await started();
  await insert(orderOf("left", { due_at: stage.clock.now() + 4_900 - ms }));
  await stage.pass(4_900);
  expect(sent()).toEqual(ids);
  await stage.pass(4_900);
  expect(sent()).toEqual(["left"]);
});

test("a time that no clock can have meant is found with nothing else due, with what is due, and in no more places than are free", async () => {
  const never = stage.clock.now() + 1_000_000;
  await started();
  await insert(orderOf("n1", { due_at: never }));
  await stage.pass(60_000);
  expect(sent()).toEqual(["n1"]);
  await insert(orderOf("due", { due_at: stage.clock.now() + 58_000 }));
  await insert(...["n2", "n3", "n4"].map((id) => orderOf(id, { due_at: never })));
  stage.hang();
  await stage.pass(60_000);
  expect(sent()).toEqual(["n1", "due", "n2"]);
});

test("a look that finds nothing to claim writes nothing, with an order ahead neither", async () => {
  Object.assign(stage.service.options, { pollMs: 250 });
  await insert(orderOf("due"));
  await started();
  await insert(orderOf("ahead", { due_at: stage.clock.now() + 60_000 }));
  await stage.pass(1_000);
  let writes = 0;
  const { store } = stage.service;
  const write: typeof store.write = (unit, about) => {
    writes += 1;
    return store.write(unit, about);
  };
  Object.assign(stage.service, { store: { ...store, write } });
  await stage.pass(10_000);
  expect([sent(), writes]).toEqual([["due"], 0]);
});

test("and looks no later where the database's clock, which it follows, is a little behind its timers", async () => {
  Object.assign(stage.service.options, { pollMs: 250 });
  Object.assign(stage.service, { owns: () => false });
  const orders = await started();
  orders.send((await insert(own("sent")))[0] as RowOf<"outbox">);
  await stage.pass(5_500);
  const { clock } = stage;
  const behind: Clock = {
    now: () => clock.now() - 20,
    after: (delayMs, run) => clock.after(delayMs, run),
    soon: (run) => clock.soon(run),
  };
  Object.assign(stage.service, { clock: behind });
  await insert(orderOf("left", { due_at: clock.now() - 2_000 }));
  await stage.pass(5_000);
  expect(sent()).toEqual(["sent", "left"]);
});

test("what another process left is found as before where the clock was set back", async () => {
  Object.assign(stage.service.options, { pollMs: 250 });
  Object.assign(stage.service, { owns: () => false });
  await started();
  stage.clock.putBack(stage.clock.now() - 600_000);
  await insert(orderOf("left", { due_at: stage.clock.now() - 2_000 }));
  await stage.pass(5_000);
  expect(sent()).toEqual(["left"]);
});

test("what the dead owner of a bank's orders left goes out in seconds, however long it has been due", async () => {
  Object.assign(stage.service.options, { pollMs: 250 });
  Object.assign(stage.service, { owns: () => false });
  await started();
  await stage.pass(30_000);
  const now = stage.clock.now();
  const left = Array.from({ length: 5 }, (_, n) => orderOf(`left-${n}`, { due_at: now - 25_000 }));
  await insert(...left, orderOf("expired", { due_at: now - 2_000 }));
  await stage.pass(10_000);
  expect(sent()).toEqual([...left.map(({ transaction_id: id }) => id), "expired"]);
});

test("a look at the queue that fails holds up no bank of which a look before has seen that it waits", async () => {
  const { store } = stage.service;
  const fail = () => Promise.reject(new Error("too long"));
  // The bank's address can still be read.
  const read: typeof store.read = (unit, isShort) => (isShort ? store.read(unit, isShort) : fail());
  await insert(...["a", "b", "c"].map((id) => orderOf(id)));
  Object.assign(stage.service, { store: { ...store, write: fail } });
  await started();
  expect(sent()).toEqual([]);
  Object.assign(stage.service, { store: { ...store, read } });
  await stage.pass(60_000);
  expect([sent(), stage.logged]).toMatchObject([["a", "b", "c"], Array(2).fill({ err: { message: "too long" } })]);
});

test("what no look on from the last one sees is found within a minute by a look from the beginning", async () => {
  Object.assign(stage.service.options, { pollMs: 250 });
  await started();
  await stage.pass(18_000);
  // The next look sees what was committed a tenth of a second after it was due.
  await insert(orderOf("soon", { due_at: stage.clock.now() - 100 }));
  await stage.pass(1_000);
  expect(sent()).toEqual(["soon"]);
  await stage.pass(1_000);
  // Committed twenty seconds after it was due.
  await insert(orderOf("late", { due_at: stage.clock.now() - 20_000 }));
  await stage.pass(39_000);
  expect(sent()).toEqual(["soon"]);
  await stage.pass(1_500);
  expect(sent()).toEqual(["soon", "late"]);
});

test("what is found while a claim of its bank is under way is claimed with the next look", async () => {
  Object.assign(stage.service.options, { pollMs: 250 });
  const orders = await started();
  const { store } = stage.service;
  const claimed = Promise.withResolvers<void>();
  let isSlow = true;
  const write: typeof store.write = async (unit, about) => {
    const result = await store.write(unit, about);
    if (isSlow) {
      isSlow = false;
      await claimed.promise;
    }
    return result;
  };
  Object.assign(stage.service, { store: { ...store, write } });
  await insert(orderOf("a"));
  await stage.pass(250);
  await stage.pass(1_000);
  await insert(orderOf("b", { due_at: stage.clock.now() - 500 }));
  // As another call's pause does that ends.
  (orders as typeof orders & { wake(): void }).wake();
  await stage.pass(1_000);
  claimed.resolve();
  await stage.pass(1_000);
  expect(sent()).toEqual(["a", "b"]);
});

test("of a bank with a backlog the oldest goes first, also where younger ones came due meanwhile", async () => {
  Object.assign(stage.service.options, { pollMs: 250 });
  await insert(...["a", "b", "c"].map((id) => orderOf(id)));
  stage.hang();
  await started();
  await stage.pass(2_000);
  await insert(orderOf("d"));
  await stage.pass(2_000);
  for (const _ of ["a", "b", "c"]) await stage.answerOne();
  expect(sent()).toEqual(["a", "b", "c", "d"]);
});

test("an order without an answer is sent again after its pause, not with the next look at the queue", async () => {
  stage.answerWith(silent);
  await insert(orderOf("a"));
  await started();
  expect(sent()).toEqual(["a"]);
  await stage.pass(1_000);
  expect(sent()).toEqual(["a", "a"]);
});

test("more than there are slots follow one another, without a look at the queue between them", async () => {
  await insert(...["a", "b", "c", "d", "e"].map((id) => orderOf(id)));
  stage.hang();
  await started();
  expect(sent()).toEqual(["a", "b"]);
  await stage.answerOne();
  expect(sent()).toEqual(["a", "b", "c"]);
  for (const _ of ["b", "c", "d", "e"]) await stage.answerOne();
  expect(sent()).toEqual(["a", "b", "c", "d", "e"]);
});

test("a bank has the slots that an operator set, from the next look at all banks on; another has as many as before", async () => {
  Object.assign(stage.service.options, { pollMs: 250 });
  const set = (slots: number | null) =>
    stage.file.write((tx) => tx.first(updatePartner(otherBank.partnerId, { slots })));
  const slow = Array.from({ length: 20 }, (_, n) => orderOf(`slow-${n}`, { partner_id: otherBank.partnerId }));
  const inFlight = () => [sent().filter((id) => id?.startsWith("slow")).length, sent().length];
  await stage.file.write((tx) => tx.first(updatePartner(otherBank.partnerId, { url: "http://other", secret: "s" })));
  await set(6);
  stage.hang();
  await started();
  await insert(...slow, orderOf("a"), orderOf("b"), orderOf("c"));
  await stage.pass(250);
  expect(inFlight()).toEqual([6, 8]);
  await set(10);
  await stage.pass(4_750);
  expect(inFlight()).toEqual([10, 12]);
  await set(null);
  await stage.pass(5_000);
  for (let n = 0; n < 5; n += 1) await stage.answerOne();
  expect(inFlight()).toEqual([10, 13]);
  // No place is free while more are under way than it has places again.
  for (let n = 0; n < 4; n += 1) await stage.answerOne();
  await stage.pass(250);
  expect(inFlight()).toEqual([10, 13]);
});

test("an own order waits for a free slot, and is left to others when its lease would end during the call", async () => {
  const orders = await started();
  stage.hang();
  const queued = await insert(own("a"), own("b"), own("c"));
  for (const order of queued) orders.send(order);
  await turn();
  expect(sent()).toEqual(["a", "b"]);
  await stage.answerOne();
  expect(sent()).toEqual(["a", "b", "c"]);
  orders.send((await insert(own("d")))[0] as RowOf<"outbox">);
  await stage.pass(leaseMs - callMs);
  await stage.answerOne();
  expect(sent()).toEqual(["a", "b", "c"]);
});

describe("at its end", () => {
  test.each([
    ["a call that can still end is begun", callMs, ["a"]],
    ["one that cannot is not", callMs - 1, []],
  ])("%s", async (_, untilMs, ids) => {
    const orders = await started();
    orders.drain(stage.clock.now() + untilMs);
    orders.send((await insert(own("a")))[0] as RowOf<"outbox">);
    await stage.pass(0);
    expect(sent()).toEqual(ids);
    expect(stage.clock.timers).toBe(0);
  });

  test("what waits is not begun any more, and nothing is claimed", async () => {
    await insert(...["a", "b", "c", "d"].map((id) => orderOf(id)));
    stage.hang();
    const orders = await started();
    orders.send((await insert(own("own")))[0] as RowOf<"outbox">);
    orders.drain(stage.clock.now() + callMs - 1);
    await stage.answerOne();
    await stage.answerOne();
    expect(sent()).toEqual(["a", "b"]);
    expect(
      (await stage.rows("outbox")).map(({ transaction_id: id, attempts }) => `${id} ${attempts}`).toSorted(),
    ).toEqual(["c 1", "d 1", "own 1"]);
  });

  test.each(["drain", "stop"] as const)(
    "a look at the queue that is under way at the %s claims nothing",
    async (how) => {
      await insert(orderOf("a"));
      const { store } = stage.service;
      const orders = queue();
      const read: typeof store.read = async (unit) => {
        const found = await store.read(unit);
        if (how === "drain") orders.drain(stage.clock.now() + 60_000);
        else void orders.stop();
        return found;
      };
      Object.assign(stage.service, { store: { ...store, read } });
      orders.start();
      await stage.pass(1_000);
      expect([sent(), await stage.rows("outbox")]).toMatchObject([[], [{ attempts: 1, claimed_by: "another" }]]);
    },
  );

  test("an answer that cannot be written is given up, and nothing is sent any more", async () => {
    let tries = 0;
    const orders = queue(async () => {
      tries += 1;
      throw new Error("no disk");
    });
    await insert(orderOf("a"));
    orders.start();
    await stage.pass(0);
    expect([sent(), tries]).toEqual([["a"], 1]);
    const stopped = orders.stop();
    await stage.pass(1_000);
    await stopped;
    expect(tries).toBe(2);
    orders.send((await insert(own("b")))[0] as RowOf<"outbox">);
    await stage.pass(60_000);
    expect([sent(), stage.clock.timers]).toEqual([["a"], 0]);
  });
});

test("an order holds what the bank has to know, and is leased by who wrote it", async () => {
  const row = { ...rowWith({ transaction_id_partner: "pos-7" }), answers_by_code: 1 };
  const order = await stage.file.write((tx) => insertOrder(tx, row, 1_000, "w"));
  expect([order]).toMatchObject(await stage.rows("outbox"));
  expect(order).toMatchObject({
    ...{ amount: row.amount, currency: row.currency },
    id: `settle_${row.id}`,
    due_at: 1_000 + leaseMs,
    claimed_by: "w",
    unsent_attempts: 1,
  });
  expect(order.partner_reference).toBe("ref-1");
  const again = { ...row, id: "again", reason: "restored" } as const;
  expect(await stage.file.write((tx) => insertOrder(tx, again, 1_000, "w"))).toMatchObject({ unsent_attempts: 0 });
  const nameless = { ...row, id: "nameless", transaction_id_partner: null };
  const { body } = await stage.file.write((tx) => insertOrder(tx, nameless, 1_000, "w"));
  expect(JSON.parse(body)).toMatchObject({ TransactionId: "", SvcTransactionReferenceId: "nameless" });
  expect(JSON.parse(order.body)).toEqual({
    userId: "ann",
    TransactionId: "pos-7",
    DateOperation: new Date(1_000).toISOString(),
    SvcTransactionReferenceId: row.id,
  });
});

test.each<[string, Partial<Row>, Partial<RowOf<"withdrawal_events">>, boolean]>([
  ["that its bank has approved", {}, {}, true],
  ["whose history is from before times of asking stood in it", {}, { asked_at: 0 }, true],
  ["that its bank has approved at another time of asking", {}, { asked_at: 999 }, false],
  ["that its bank has not approved", {}, { kind: "reported_again" }, false],
  ["that another one's bank has approved", {}, { transaction_id: "y" }, false],
  ["that is paid", { settled_at: 3_000 }, {}, false],
  ["that no restore has forgotten", { reason: null }, {}, false],
  ["that was not handed out", { status: "undelivered" }, {}, false],
])("an order of what was reported after a restore, %s, goes out or not", async (what, changes, step, goesOut) => {
  const reported = { status: "linked", reason: "restored", settled_at: null, transaction_id_partner: what } as const;
  const row = rowWith({ id: what, idempotency_key: what, partner_reference: null, ...reported, ...changes });
  const approved: RowOf<"withdrawal_events"> = {
    ...{ transaction_id: what, sequence: 5, kind: "approved", at: 3_000, actor: "partner", actor_id: null, day: 0 },
    ...{ from_status: null, to_status: "linked", request_id: null, reason: null, attempt: null, cashier: null },
    ...{ terms: null, address: null, hash: null, seal: null, asked_at: row.created_at, ...step },
  };
  await stage.file.write(async (tx) => {
    await tx.run(adhoc((db) => db.insertInto("withdrawals").values(row)));
    await tx.run(adhoc((db) => db.insertInto("withdrawal_events").values(approved)));
    await tx.run(adhoc((db) => db.insertInto("outbox").values(orderOf(what))));
  });
  onTestFinished(async () => {
    await stage.file.write((tx) => tx.run(adhoc((db) => db.deleteFrom("withdrawal_events").where("sequence", "=", 5))));
  });
  await started();
  expect([sent(), stage.counted.alarms]).toEqual(goesOut ? [[what], []] : [[], ["settle:changed"]]);
});

test.each<[string, Partial<RowOf<"outbox">>]>([
  ["under a name that its bank has not seen", { id: orderId("another") }],
  ["that says nothing", { body: "null" }],
])("an order %s is not sent but put off, and somebody is told", async (_, changes) => {
  await insert(orderOf("altered", changes));
  await started();
  expect([sent(), stage.counted.alarms]).toEqual([[], ["settle:changed"]]);
  expect(await stage.rows("outbox")).toMatchObject([{ last_error: "changed", due_at: stage.clock.now() + 1_000 }]);
});

test("an order of a withdrawal that its terminal has no name for goes out, whoever sends it", async () => {
  const unnamed = (id: string) => JSON.stringify({ ...JSON.parse(orderOf(id).body), TransactionId: "" });
  await insert(orderOf("no-name", { body: unnamed("no-name") }));
  const forget = adhoc((db) =>
    db.updateTable("withdrawals").set("transaction_id_partner", null).where("id", "=", "no-name"),
  );
  await stage.file.write((tx) => tx.run(forget));
  await started();
  expect(sent()).toEqual(["no-name"]);
});

test("an order without an answer is known by its age, and one from the future", async () => {
  await insert(
    orderOf("b", { created_at: 2_000 }),
    orderOf("a", { created_at: 1_000 }),
    orderOf("c", { created_at: 3_000 }),
    orderOf("e", { created_at: 9_001 }),
  );
  const found = await stage.file.read(async (tx) => {
    const ones = [];
    for (const id of ["a", "c", "d", "e"])
      ones.push(await tx.first(unansweredOrder({ id: orderId(id), before: 3_000, future: 9_000 })));
    return ones;
  });
  expect(found).toEqual([{ id: "settle_a" }, undefined, undefined, { id: "settle_e" }]);
});

test("a bank has something to claim since its oldest order is due, from the beginning or from a time on", async () => {
  const now = stage.clock.now();
  const due = (from: number) => stage.file.read((tx) => tx.all(outbox.duePartners({ from, now })));
  const ordered = (id: string, ms: number, { partnerId: partner_id }: typeof bank) =>
    insert(orderOf(id, { partner_id, due_at: now + ms }));
  await ordered("first", -3, otherBank);
  await ordered("second", -1, otherBank);
  await ordered("ahead", 1, otherBank);
  for (const from of [0, now - 3]) expect(await due(from)).toEqual([{ id: otherBank.partnerId, since: now - 3 }]);
  await ordered("not yet", 1, bank);
  for (const from of [0, now - 3]) expect(await due(from)).toHaveLength(1);
  expect(await due(now - 2)).toEqual([{ id: otherBank.partnerId, since: now - 1 }]);
});

test("a queue that cannot be read is looked at again, and not four times a second", async () => {
  Object.assign(stage.service.options, { pollMs: 250 });
  const { store } = stage.service;
  const read = () => Promise.reject(new Error("away"));
  // Of this process nothing else reads than the look.
  Object.assign(stage.service, { store: { ...store, read }, owns: (work: string) => work !== "queue metrics" });
  await started();
  await stage.pass(1_999);
  expect(stage.logged).toMatchObject([{ err: { message: "away" } }]);
  Object.assign(stage.service, { store });
  await insert(orderOf("a"));
  expect(sent()).toEqual([]);
  await stage.pass(1);
  expect(sent()).toEqual(["a"]);
});

test("how long the queue is, and since when its oldest waits", async () => {
  const shown: unknown[] = [];
  const report = createQueueReport(
    () => stage.service,
    outbox.state({}),
    (state) => void shown.push(state),
  );
  await insert(orderOf("a", { created_at: 3_000 }), orderOf("b", { created_at: 4_000 }));
  await report(10_000);
  expect(shown).toEqual([{ depth: 2, oldestAgeMs: 7_000 }]);
});

test.each([
  ["ends what another process had leased, where that was alone with its file", "sqlite", [5_000, 4_000]],
  ["leaves it where others use the database too", "postgres", [9_000, 4_000]],
])("a start %s", async (_, dialect, due) => {
  const event = { id: "e", transaction_id: "x", partner_id: "bank", body: "{}", attempts: 1, created_at: 0 };
  for (const due_at of [9_000, 4_000]) {
    await insert(orderOf(`o${due_at}`, { due_at }));
    const values = { ...event, id: `e${due_at}`, due_at, claimed_by: "", last_error: null, partner_reference: null };
    await stage.file.write((tx) => tx.run(adhoc((db) => db.insertInto("status_events").values(values))));
  }
  Object.assign(stage.service, { store: { ...stage.file, dialect } });
  stage.clock.jump(5_000 - stage.clock.now());
  await endOldLeases(stage.service, outbox);
  await endOldLeases(stage.service, statusEvents);
  for (const table of ["outbox", "status_events"] as const)
    expect((await stage.rows(table)).map(({ due_at }) => due_at)).toEqual(due);
  const write = () => Promise.reject(new Error("no disk"));
  Object.assign(stage.service, { store: { ...stage.file, dialect, write } });
  await endOldLeases(stage.service, outbox);
});
