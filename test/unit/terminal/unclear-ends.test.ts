/** Every withdrawal that was unclear ends in a message that somebody presses away, also over a restart. */
import { describe, expect, test } from "vitest";
import { problems } from "./books-stage.ts";
import { createRig, idNumber, MemoryJournal, type Rig, type RigOptions } from "./rig.ts";
import { http } from "./stories/at-stage.ts";

const id = idNumber(1);
const minute = 60_000;
const away = () => ({ kind: "silence", why: "unreachable" }) as const;

/** Confirmed, out of reach, and left by the cashier for the next customer. */
const leftUnclear = async (journal = new MemoryJournal(), options: RigOptions = {}) => {
  const till = await createRig({ journal, ...options });
  const order = till.service.order({ transaction_id: id });
  await till.scan(id);
  till.service.fault = away;
  await till.send({ type: "confirm" });
  await till.clock.advance(5_000);
  expect(till.screen().kind).toBe("unknown");
  await till.send({ type: "dismiss" });
  expect(till.screen().kind).toBe("ready");
  return { till, order, journal };
};
const reach = async (till: Rig): Promise<void> => {
  till.service.fault = () => null;
  await till.clock.advance(2 * minute);
};
/** The next start. */
const next = async ({ till, journal }: { till: Rig; journal: MemoryJournal }): Promise<Rig> => {
  await till.terminal.close();
  const { clock, service } = till;
  const again = await createRig({ journal, clock, service, idsFrom: 500 });
  await clock.advance(1_000);
  return again;
};
const message = { kind: "ended", transactionId: id, money: { amount: "50.00", currency: "EUR" } } as const;
const seen = (journal: MemoryJournal): number => journal.types().filter((type) => type === "message_seen").length;

describe("a withdrawal that was unclear and", () => {
  test("is not paid says so on a free screen, with its time, until somebody presses", async () => {
    const { till, order, journal } = await leftUnclear();
    const beganAt = till.clock.now() - 5_000;
    order.status = "canceled";
    order.reason = "sca_denied";
    await reach(till);
    expect(till.screen()).toMatchObject({ ...message, outcome: "sca_denied", late: new Date(beganAt).toISOString() });
    await till.clock.advance(10 * minute);
    expect(till.screen().kind).toBe("ended");
    expect(await till.send({ type: "dismiss" })).toEqual({ ok: true });
    expect([till.screen().kind, seen(journal)]).toEqual(["ready", 1]);
    expect((await next({ till, journal })).screen().kind).toBe("ready");
  });

  test("is paid asks for its cash", async () => {
    const { till, order } = await leftUnclear();
    Object.assign(order, { status: "settled", transaction_id_partner: "till-1" });
    const confirm = till.service.calls("/transaction/confirm")[0]?.body as { transaction_id_partner: string };
    order.transaction_id_partner = confirm.transaction_id_partner;
    await reach(till);
    expect(till.screen()).toMatchObject({ kind: "payable", recovered: true, transactionId: id });
  });

  test("stays unclear says so, and is the manager's", async () => {
    const { till, order } = await leftUnclear();
    order.status = "PAID";
    order.transaction_id_partner = null;
    till.service.fault = ({ path }) => {
      if (path === "/transaction/confirm") return away();
      return path === "/transaction/reject" ? http(409) : null;
    };
    await till.clock.advance(30 * minute);
    expect(till.screen()).toMatchObject({ ...message, outcome: "unclear" });
    expect(await problems(till)).toMatchObject([{ kind: "unresolved", transactionId: id }]);
  });

  test("ends while the next customer is served waits for its turn", async () => {
    const { till, order, journal } = await leftUnclear();
    till.service.fault = () => null;
    till.service.order({ transaction_id: idNumber(2) });
    await till.scan(idNumber(2));
    order.status = "expired";
    await till.clock.advance(2 * minute);
    expect(till.screen()).toMatchObject({ kind: "review", transactionId: idNumber(2) });
    await till.send({ type: "reject" });
    await till.clock.advance(5_000);
    await till.send({ type: "dismiss" });
    expect(till.screen()).toMatchObject({ ...message, outcome: "order_expired" });
    // A scan is for the next customer; what nobody pressed away comes back.
    till.service.order({ transaction_id: idNumber(3) });
    expect(await till.scan(idNumber(3))).toEqual({ ok: true });
    expect([till.screen().kind, seen(journal)]).toEqual(["review", 0]);
    await till.send({ type: "reject" });
    await till.clock.advance(5_000);
    await till.send({ type: "dismiss" });
    expect(till.screen()).toMatchObject(message);
    await till.send({ type: "dismiss" });
    expect([till.screen().kind, seen(journal)]).toEqual(["ready", 1]);
  });

  test("has ended before a start says so after it, and after one more", async () => {
    const before = await leftUnclear();
    before.order.status = "canceled";
    await reach(before.till);
    const again = await next(before);
    expect(again.screen()).toMatchObject({ ...message, outcome: "canceled" });
    const third = await next({ till: again, journal: before.journal });
    expect(third.screen()).toMatchObject(message);
    await third.send({ type: "dismiss" });
    expect((await next({ till: third, journal: before.journal })).screen().kind).toBe("ready");
  });

  test("ends on the screen, after a start, is told until it is pressed away", async () => {
    const { till, order, journal } = await leftUnclear();
    order.status = "canceled";
    till.service.fault = () => null;
    const again = await next({ till, journal });
    expect(again.screen()).toMatchObject({ ...message, outcome: "canceled", late: null });
    const third = await next({ till: again, journal });
    expect(third.screen()).toMatchObject(message);
    await third.send({ type: "dismiss" });
    expect((await next({ till: third, journal })).screen().kind).toBe("ready");
  });
});

test("a withdrawal that the cashier watched to its end leaves no message", async () => {
  const journal = new MemoryJournal();
  const till = await createRig({ journal });
  const order = till.service.order({ transaction_id: id });
  await till.scan(id);
  await till.send({ type: "confirm" });
  Object.assign(order, { status: "canceled", reason: "sca_denied" });
  await till.clock.advance(1_000);
  expect(till.screen()).toMatchObject({ kind: "ended", outcome: "sca_denied", late: null });
  expect((await next({ till, journal })).screen().kind).toBe("ready");
  expect(journal.types()).not.toContain("message_seen");
});
