/** Links that the service does not take for days: each day is some hundred tries, so that these stories take a second together. */
import { describe, expect, test } from "vitest";
import type { ServiceAnswer } from "../../../../main/terminal/ports.ts";
import { createRig, handOver, idNumber } from "../rig.ts";
import { http, id, payable, silence } from "./at-stage.ts";

describe("the outbox", () => {
  test.each([
    ["silence", silence],
    ["500", http(500)],
    ["429", http(429)],
    ["503", http(503)],
  ])("keeps a link through %s, for days and across restarts", async (_, answer) => {
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
    await again.clock.advance(2.9 * 86_400_000);
    expect(again.snapshot().header.pendingReports).toMatchObject({ count: 1 });
    await again.clock.advance(0.2 * 86_400_000);
    expect(again.snapshot().header.pendingReports).toBeNull();
    const history = await again.terminal.dispatch({ type: "list_history", before: null, limit: 10 });
    expect(history).toMatchObject({ data: [{ outcome: "handed_out", discrepancy: "link_refused" }] });
  });
});
