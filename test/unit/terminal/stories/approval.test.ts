/** The customer's time, and a bank that takes longer. */
import { describe, expect, test } from "vitest";
import type { ServiceAnswer } from "../../../../main/terminal/ports.ts";
import { createRig, handOver, idNumber } from "../rig.ts";
import { id, setStatus, waiting } from "./at-stage.ts";

describe("the customer's time", () => {
  test("does not run faster or slower when the clock jumps by an hour", async () => {
    const till = await waiting();
    // The service keeps its own time: only what this machine takes for the hour jumps.
    till.clock.jump(3_600_000);
    till.service.dateOffMs = -3_600_000;
    await till.clock.advance(20_000);
    expect(till.screen()).toMatchObject({ kind: "waiting", countdown: { remainingMs: 17_000 } });
    till.clock.jump(-7_200_000);
    till.service.dateOffMs = 3_600_000;
    await till.clock.advance(16_900);
    expect(till.screen().kind).toBe("waiting");
    await till.clock.advance(200);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "sca_timeout" });
  });

  test("a reject that the money overtook in the dark is named where the cash is offered, after a restart too", async () => {
    const till = await waiting();
    till.service.fault = () => "drop";
    await till.send({ type: "reject" });
    await till.clock.advance(5_000);
    await setStatus(till, "settled");
    till.service.fault = () => null;
    await till.clock.advance(60_000);
    expect(till.screen()).toMatchObject({ kind: "payable", recovered: true, rejectedHere: true });
    const { journal, clock, service } = till;
    const again = await createRig({ journal, clock, service, idsFrom: 1_000 });
    await again.clock.advance(5_000);
    expect(again.screen()).toMatchObject({ kind: "payable", rejectedHere: true });
  });

  test("a reject without an answer ends in a screen that lets the next customer come", async () => {
    const till = await waiting();
    till.service.fault = () => "drop";
    await till.send({ type: "reject" });
    expect(till.screen()).toMatchObject({ kind: "closing", why: "cashier" });
    await till.clock.advance(5_000);
    expect(till.screen()).toMatchObject({ kind: "unknown" });
    expect(await till.send({ type: "dismiss" })).toEqual({ ok: true });
    expect(till.screen().kind).toBe("ready");
    expect(till.snapshot().header.open).toMatchObject([{ state: "closing", transactionId: id }]);
    expect(till.snapshot().header).toMatchObject({ connection: "offline", pendingReports: { count: 1 } });
    till.service.fault = () => null;
    await till.clock.advance(60_000);
    expect(till.service.orders.get(id)?.status).toBe("rejected");
    expect(till.snapshot().header).toMatchObject({ open: [], pendingReports: null, connection: "online" });
  });
});

test("cash handed out before the confirm's own answer came is not offered again, and is linked", async () => {
  const till = await createRig();
  const order = till.service.order({ transaction_id: id });
  const answers: ((answer: ServiceAnswer) => void)[] = [];
  const send = till.service.send.bind(till.service);
  let isDark = false;
  till.service.send = (request) => {
    if (request.path === "/transaction/confirm" && !isDark) {
      order.transaction_id_partner = (request.body as { transaction_id_partner: string }).transaction_id_partner;
      return new Promise((resolve) => answers.push(resolve));
    }
    return send(request);
  };
  till.service.fault = ({ path }) =>
    (isDark && path.startsWith("/transaction")) || path === "/transaction/link" ? "drop" : null;
  await till.scan(id);
  isDark = true;
  await till.send({ type: "confirm" });
  await till.clock.advance(27_000);
  isDark = false;
  await till.clock.advance(5_500);
  expect(answers).toHaveLength(1);
  order.status = "settled";
  await till.clock.advance(5_000);
  expect(till.screen().kind).toBe("payable");
  await handOver(till);
  expect(till.screen().kind).toBe("done");
  const before = till.snapshots.length;
  answers[0]?.({ kind: "answer", status: 201, body: order, dateMs: null, retryAfterMs: null });
  await till.clock.advance(60_000);
  expect(till.screen().kind).toBe("ready");
  expect(till.snapshots.slice(before).some(({ screen }) => screen.kind === "payable")).toBe(false);
  expect(till.snapshot().header).toMatchObject({ open: [], pendingReports: { count: 1 } });
  till.service.fault = () => null;
  await till.clock.advance(6 * 60_000);
  expect(order.status).toBe("linked");
});

describe("a slow bank", () => {
  test("lets the next customer come, and the payable screen comes back by itself", async () => {
    const till = await waiting();
    await setStatus(till, "settling");
    await till.clock.advance(60_000);
    expect(till.screen()).toMatchObject({ kind: "waiting", phase: "payment" });
    expect(await till.send({ type: "dismiss" })).toEqual({ ok: true });
    expect(till.snapshot().header.open).toMatchObject([{ state: "unknown" }]);

    till.service.order({ transaction_id: idNumber(2) });
    await till.scan(idNumber(2));
    expect(till.screen().kind).toBe("review");
    await setStatus(till, "settled");
    expect(till.screen().kind).toBe("review");
    expect(till.snapshot().header.open).toMatchObject([{ state: "payable", transactionId: id }]);

    await till.send({ type: "reject" });
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "rejected" });
    await till.send({ type: "dismiss" });
    expect(till.screen()).toMatchObject({ kind: "payable", recovered: true, transactionId: id });
  });
});
