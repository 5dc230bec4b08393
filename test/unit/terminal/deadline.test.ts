/** One instant for everybody: the terminal counts to the service's deadline less three seconds, and calls its end by its name. */
import { describe, expect, test } from "vitest";
import { createRig, idNumber, MemoryJournal, type RigOptions } from "./rig.ts";

const id = idNumber(1);

const waiting = async (options: RigOptions = {}, shape?: (fields: Record<string, unknown>) => unknown) => {
  const till = await createRig(options);
  const order = till.service.order({ transaction_id: id });
  if (shape) till.service.shape = shape;
  await till.scan(id);
  await till.send({ type: "confirm" });
  expect(till.screen()).toMatchObject({ kind: "waiting", phase: "approval" });
  return { ...till, order };
};
const rejects = (till: { service: { calls(what: string): readonly { body?: unknown }[] } }) =>
  till.service.calls("/transaction/reject").map(({ body }) => body);

describe("the countdown", () => {
  test("ends three seconds before the service's own deadline, and the reject says why", async () => {
    const till = await waiting();
    expect(till.screen()).toMatchObject({ countdown: { totalMs: 37_000, remainingMs: 37_000 } });
    await till.clock.advance(36_900);
    expect(till.screen().kind).toBe("waiting");
    await till.clock.advance(300);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "sca_timeout" });
    expect(rejects(till)).toEqual([{ transaction_id: id, reason: "sca_timeout" }]);
    expect(till.order.status).toBe("rejected");
  });

  test("is the terminal's own 35 s where the service names no deadline", async () => {
    const till = await waiting({}, ({ sca_expires_at: _, ...rest }) => rest);
    expect(till.screen()).toMatchObject({ countdown: { totalMs: 35_000 } });
    await till.clock.advance(35_100);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "sca_timeout" });
  });

  // It was confirmed ten seconds before, so that what the service allows in all is no bound.
  test.each([3_600_000, -3_600_000])(
    "follows the service's clock, however wrong the terminal's own is: %i ms",
    async (offMs) => {
      const till = await createRig();
      const order = till.service.order({ transaction_id: id });
      till.service.dateOffMs = offMs;
      const shifted = (time: unknown, byMs = offMs) =>
        typeof time === "string" ? new Date(Date.parse(time) + byMs).toISOString() : null;
      till.service.shape = (fields) => ({
        ...fields,
        expires_at: shifted(fields.expires_at),
        confirmed_at: shifted(fields.confirmed_at, offMs - 10_000),
        sca_expires_at: shifted(fields.sca_expires_at),
      });
      await till.scan(id);
      await till.send({ type: "confirm" });
      expect(till.screen()).toMatchObject({ kind: "waiting", countdown: { totalMs: 47_000, remainingMs: 37_000 } });
      expect(order.status).toBe("awaiting_sca");
    },
  );

  test("goes on to the same instant after a restart", async () => {
    const before = await waiting({ journal: new MemoryJournal() });
    await before.clock.advance(10_000);
    await before.terminal.close();
    const { clock, service, journal } = before;
    const till = await createRig({ clock, service, journal, idsFrom: 100 });
    await till.clock.advance(500);
    const { screen } = till.snapshot();
    if (screen.kind !== "waiting" || screen.countdown === null) throw new Error(screen.kind);
    expect(screen.countdown.remainingMs).toBeGreaterThan(26_000);
    expect(screen.countdown.remainingMs).toBeLessThanOrEqual(27_000);
  });
});

describe("what ended because the time ran out is called that", () => {
  test("when the service closed it, in whatever status", async () => {
    for (const status of ["canceled", "rejected"]) {
      const till = await waiting();
      Object.assign(till.order, { status, reason: "sca_timeout" });
      await till.clock.advance(1_500);
      expect(till.screen()).toMatchObject({ kind: "ended", outcome: "sca_timeout" });
    }
  });

  test("but not what the cashier rejected", async () => {
    const till = await waiting();
    await till.send({ type: "reject" });
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "rejected" });
    expect(rejects(till)).toEqual([{ transaction_id: id }]);
  });

  test("and nothing is said about the customer while the service is silent", async () => {
    const till = await waiting();
    till.service.fault = () => "drop";
    await till.clock.advance(60_000);
    expect(till.screen().kind).toBe("unknown");
    expect(till.snapshots.some(({ screen }) => screen.kind === "ended")).toBe(false);
  });
});

describe("a code that another terminal has", () => {
  test.each(["awaiting_sca", "settling", "settled"])("says so while it is %s, with the amount", async (status) => {
    const till = await createRig();
    till.service.order({ transaction_id: id, status, transaction_id_partner: "till-2.abc.W1" });
    await till.scan(id);
    expect(till.screen()).toMatchObject({
      kind: "ended",
      outcome: "in_use_elsewhere",
      money: { amount: "50.00" },
      canRetry: false,
    });
  });

  test.each(["awaiting_sca", "settling", "settled"])("also when it was faster and it is %s", async (status) => {
    const till = await createRig();
    const order = till.service.order({ transaction_id: id });
    await till.scan(id);
    Object.assign(order, { status, transaction_id_partner: "till-2.abc.W1" });
    await till.send({ type: "confirm" });
    await till.clock.advance(100);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "in_use_elsewhere" });
    expect(till.service.calls("/transaction/confirm")).toHaveLength(1);
  });

  test.each(["linked", "undelivered"])("is used up once it is %s", async (status) => {
    const till = await createRig();
    till.service.order({ transaction_id: id, status, transaction_id_partner: "till-2.abc.W1" });
    await till.scan(id);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "already_used" });
  });
});
