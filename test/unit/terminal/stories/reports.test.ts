/** Links, rejects and undelivered reports until the service has taken them. */
import { describe, expect, test } from "vitest";
import type { ServiceAnswer } from "../../../../main/terminal/ports.ts";
import { createRig, handOver, idNumber } from "../rig.ts";
import { http, id, payable, setStatus, silence, waiting } from "./at-stage.ts";

describe("the outbox", () => {
  test.each([
    ["silence", silence],
    ["500", http(500)],
    ["429", http(429)],
    ["503", http(503)],
  ])(
    "keeps a link through %s, for days and across restarts",
    async (_, answer) => {
      const till = await payable();
      till.service.fault = ({ path }) => (path === "/transaction/link" ? answer : null);
      await handOver(till);
      await till.clock.advance(60_000);
      expect(till.snapshot().header.pendingReports).toMatchObject({ count: 1 });
      await till.terminal.close();
      const again = await createRig({ journal: till.journal, clock: till.clock, service: till.service, idsFrom: 100 });
      expect(again.screen().kind).toBe("ready");
      await again.clock.advance(3 * 86_400_000);
      expect(again.snapshot().header.pendingReports?.count).toBe(1);
      expect(again.snapshot().header.pendingReports?.oldestMs).toBeGreaterThan(3 * 86_400_000);
      const tries = till.service.calls("/transaction/link").length;
      expect(tries).toBeGreaterThan(500);
      expect(tries).toBeLessThan(2_500);
      till.service.fault = () => null;
      await again.clock.advance(6 * 60_000);
      expect(till.service.orders.get(id)?.status).toBe("linked");
      expect(again.snapshot().header.pendingReports).toBeNull();
    },
    60_000,
  );

  test.each([
    ["conflict", http(409)],
    ["transaction_not_found", http(404, { code: "transaction_not_found" })],
    ["validation_failed", http(400, { code: "validation_failed" })],
  ])("stops at the service's own %s and leaves a line for the manager", async (_, answer) => {
    const till = await payable();
    till.service.fault = ({ path }) => (path === "/transaction/link" ? answer : null);
    await handOver(till);
    await till.clock.advance(60_000);
    expect(till.service.calls("/transaction/link")).toHaveLength(1);
    expect(till.snapshot().header.pendingReports).toBeNull();
    const history = await till.terminal.dispatch({ type: "list_history", before: null, limit: 10 });
    expect(history).toMatchObject({ ok: true, data: [{ outcome: "handed_out", discrepancy: "link_refused" }] });
    await till.scan(id);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "already_used" });
  });

  test.each([
    ["a gateway's empty 404", http(404, null)],
    ["a gateway's page", { ...http(404), body: undefined } as ServiceAnswer],
    ["a gateway's 403", http(403, { message: "Forbidden" })],
    ["a gateway's 400", http(400, null)],
    ["a credential without its scope", http(403, { code: "insufficient_scope" })],
    ["a route that is gone for now", http(404, { code: "not_found" })],
    ["answers about another transaction", http(200, { transaction_id: idNumber(9), status: "linked" })],
  ])("keeps a link through %s for three days", async (_, answer) => {
    const till = await payable();
    till.service.fault = ({ path }) => (path === "/transaction/link" ? answer : null);
    await handOver(till);
    await till.clock.advance(3 * 86_400_000);
    expect(till.snapshot().header.pendingReports).toMatchObject({ count: 1 });
    till.service.fault = () => null;
    await till.clock.advance(6 * 60_000);
    expect(till.service.orders.get(id)?.status).toBe("linked");
    expect(till.snapshot().header.pendingReports).toBeNull();
  });

  test("gives a link up after more than a week of gateways' pages, with a line for the manager", async () => {
    const till = await payable();
    till.service.fault = ({ path }) => (path === "/transaction/link" ? http(404, null) : null);
    await handOver(till);
    await till.clock.advance(4 * 86_400_000);
    await till.terminal.close();
    const again = await createRig({ journal: till.journal, clock: till.clock, service: till.service, idsFrom: 100 });
    await again.clock.advance(3.1 * 86_400_000);
    expect(again.snapshot().header.pendingReports).toBeNull();
    const history = await again.terminal.dispatch({ type: "list_history", before: null, limit: 10 });
    expect(history).toMatchObject({ data: [{ outcome: "handed_out", discrepancy: "link_refused" }] });
  });

  test("of a server without the extension is left to the manager after a few tries, not at the first stray 404", async () => {
    const till = await payable();
    till.service.fault = ({ path }, nth) => (path.includes("undelivered") && nth < 3 ? http(404, null) : null);
    await till.send({ type: "not_handed_out", reason: "till_short" } as never);
    await till.clock.advance(60_000);
    expect(till.service.orders.get(id)?.status).toBe("undelivered");
    const plain = await payable();
    plain.service.fault = ({ path }) => (path.includes("undelivered") ? http(404, null) : null);
    await plain.send({ type: "not_handed_out", reason: "till_short" } as never);
    await plain.clock.advance(40 * 60_000);
    expect(plain.snapshot().header.pendingReports).toBeNull();
    const history = await plain.terminal.dispatch({ type: "list_history", before: null, limit: 10 });
    expect(history).toMatchObject({ data: [{ outcome: "not_handed_out", discrepancy: "undelivered_refused" }] });
  });

  test("a reject is repeated through a gateway's 404s", async () => {
    const till = await waiting();
    till.service.fault = ({ path }, nth) => (path === "/transaction/reject" && nth <= 4 ? http(404, null) : null);
    await till.send({ type: "reject" });
    await till.clock.advance(15_000);
    expect(till.service.orders.get(id)?.status).toBe("rejected");
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "rejected" });
  });

  test("is counted from the notice on, not from the withdrawal's beginning", async () => {
    const till = await waiting();
    await setStatus(till, "settling");
    await till.clock.advance(600_000);
    await setStatus(till, "settled");
    till.service.fault = ({ path }) => (path === "/transaction/link" ? "drop" : null);
    await handOver(till);
    await till.clock.advance(60_000);
    const oldestMs = () => till.snapshot().header.pendingReports?.oldestMs ?? 0;
    expect(oldestMs()).toBe(60_000);
    await till.terminal.close();
    const again = await createRig({ journal: till.journal, clock: till.clock, service: till.service, idsFrom: 100 });
    await again.clock.advance(60_000);
    expect(again.snapshot().header.pendingReports?.oldestMs).toBe(120_000);
  });

  test("a token that the service no longer takes is renewed once, and nothing is lost", async () => {
    const till = await payable();
    till.service.fault = ({ token, path }) => (path === "/transaction/link" && token === "token-1" ? http(401) : null);
    await handOver(till);
    expect(till.service.tokens).toBe(2);
    expect(till.service.orders.get(id)?.status).toBe("linked");
  });
});
