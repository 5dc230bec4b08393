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
