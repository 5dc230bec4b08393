/** A server of the plain specification: without our extensions, with thin bodies and words of its own. */
import { describe, expect, test } from "vitest";
import { createRig, handOver, idNumber, leadToPayable } from "../rig.ts";
import { http, id, setStatus, waiting } from "./at-stage.ts";

describe("a server of the plain specification", () => {
  test("without wait, without /ext, with thin bodies: the job is done by asking every second", async () => {
    const till = await createRig();
    till.service.holds = false;
    till.service.extended = false;
    till.service.shape = ({ status, amount }) => ({ status, amount });
    const order = till.service.order({ transaction_id: id });
    await till.scan(id);
    expect(till.screen()).toMatchObject({
      kind: "review",
      money: { amount: "50.00", currency: "XXX" },
      expires: null,
      orderedMsAgo: null,
    });
    await till.send({ type: "confirm" });
    await till.clock.advance(10_000);
    // The look-up, and one each second from the confirm on.
    expect(till.service.calls("GET /transaction")).toHaveLength(12);
    order.status = "settled";
    await till.clock.advance(1_100);
    expect(till.screen().kind).toBe("payable");
    await till.send({ type: "not_handed_out", reason: "till_short" } as never);
    expect(till.snapshot().header.pendingReports).toBeNull();
    const history = await till.terminal.dispatch({ type: "list_history", before: null, limit: 10 });
    expect(history).toMatchObject({ data: [{ outcome: "not_handed_out", discrepancy: "undelivered_refused" }] });
    await till.send({ type: "dismiss" });
    const next = await leadToPayable(till, idNumber(2));
    await handOver(till);
    await till.clock.advance(100);
    expect(next.status).toBe("linked");
    expect(till.snapshot().header).toMatchObject({ unfinished: 0, pendingReports: null });
  });

  test("a confirm of which a thin body says nothing is repeated, never assumed", async () => {
    const till = await createRig();
    till.service.holds = false;
    till.service.shape = ({ status, amount }) => ({ status, amount });
    till.service.order({ transaction_id: id, sca_required: false });
    till.service.fault = ({ path }, nth) => (path === "/transaction/confirm" && nth === 1 ? "lose" : null);
    await till.scan(id);
    await till.send({ type: "confirm" });
    const order = till.service.orders.get(id);
    if (order !== undefined) order.status = "settled";
    await till.clock.advance(8_000);
    expect(till.service.calls("/transaction/confirm")).toHaveLength(2);
    expect(till.screen().kind).toBe("payable");
  });

  test("a settled order whose confirm was refused to this till is not payable here", async () => {
    const till = await createRig();
    till.service.holds = false;
    till.service.shape = ({ status, amount }) => ({ status, amount });
    const order = till.service.order({ transaction_id: id });
    await till.scan(id);
    order.status = "settled";
    order.transaction_id_partner = "another";
    await till.send({ type: "confirm" });
    await till.clock.advance(5_000);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "in_use_elsewhere" });
  });

  test("a settled order whose confirm may have been this till's may have been paid, and says so", async () => {
    const till = await createRig();
    till.service.holds = false;
    till.service.shape = ({ status, amount }) => ({ status, amount });
    const order = till.service.order({ transaction_id: id });
    till.service.fault = ({ path }, nth) => (path === "/transaction/confirm" && nth === 1 ? "drop" : null);
    await till.scan(id);
    await till.send({ type: "confirm" });
    order.status = "settled";
    order.transaction_id_partner = "another";
    await till.clock.advance(15_000);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "unclear" });
  });

  test.each(["SETTLED", "paid", "Settled", "success", ""])("the status word %j is not payable", async (word) => {
    const till = await waiting();
    await setStatus(till, word);
    await till.clock.advance(10_000);
    expect(till.screen().kind).toBe("waiting");
    await till.clock.advance(30_000);
    expect(["ended", "unknown", "closing"]).toContain(till.screen().kind);
    expect(till.snapshots.some(({ screen }) => screen.kind === "payable")).toBe(false);
  });

  test("a reject answered in a word nobody knows is asked about, never taken for a reject", async () => {
    const till = await waiting();
    till.service.shape = (fields) => ({ ...fields, status: "COMPLETED" });
    till.service.fault = ({ path }) => {
      const order = till.service.orders.get(id);
      return path === "/transaction/reject" ? http(200, { ...order, status: "COMPLETED" }) : null;
    };
    await setStatus(till, "settled");
    await till.clock.advance(60_000);
    expect(till.screen().kind).toBe("unknown");
    const calls = till.service.calls("/transaction").map(({ method, path }) => `${method} ${path}`);
    const rejected = calls.indexOf("POST /transaction/reject");
    expect(new Set(calls.slice(rejected))).toEqual(new Set(["POST /transaction/reject", `GET /transaction?id=${id}`]));
    expect(till.service.calls("/transaction/reject")).toHaveLength(1);
    await till.clock.advance(12 * 60_000);
    const history = await till.terminal.dispatch({ type: "list_history", before: null, limit: 10 });
    expect(history).toMatchObject({ data: [{ outcome: "unclear", discrepancy: "status_unclear" }] });
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "unclear" });
  });

  test("what it says in words nobody knows is left to reconciliation in the end", async () => {
    const till = await waiting();
    till.service.fault = ({ path }) => (path === "/transaction/reject" ? http(409) : null);
    await setStatus(till, "PAID");
    await till.clock.advance(45_000);
    expect(till.screen().kind).toBe("unknown");
    await till.send({ type: "dismiss" });
    expect(till.snapshot().header.open).toHaveLength(1);
    await till.clock.advance(12 * 60_000);
    expect(till.snapshot().header.open).toEqual([]);
    const history = await till.terminal.dispatch({ type: "list_history", before: null, limit: 10 });
    expect(history).toMatchObject({ data: [{ outcome: "unclear", discrepancy: "status_unclear" }] });
  });
});
