/** Links, rejects and undelivered reports until the service has taken them. */
import { describe, expect, test } from "vitest";
import { misroutedReportTriesMax } from "../../../../main/terminal/bounds.ts";
import { createRig, handOver, leadToPayable, MemoryJournal, type Rig } from "../rig.ts";
import { http, id, payable, setStatus, waiting } from "./at-stage.ts";

describe("the outbox", () => {
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
    expect(plain.service.calls("undelivered")).toHaveLength(misroutedReportTriesMax);
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

const byHand = { drawer: { kind: "none" } } as const;
const key = { serviceUrl: "http://service", merchantId: "demo-shop", deviceId: "till-1", secret: "till-secret" };

test.each<[string, (till: Rig, journal: MemoryJournal) => Promise<unknown>]>([
  [
    "at a start",
    async ({ terminal, clock, service }, journal) => {
      await terminal.close();
      return createRig({ journal, clock, service, settings: byHand, idsFrom: 500 });
    },
  ],
  ["under a new key", ({ terminal }) => terminal.dispatch({ type: "enroll", ...key })],
])(
  "a link that a service which was put back refuses %s, before it has said so, is sent again with what is known",
  async (_, anew) => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal, settings: byHand });
    const { service, clock } = till;
    service.shop = { store_name: "Corner", restored_at: null, forgot_since: null, kept_head: null };
    await leadToPayable(till, id);
    service.fault = ({ path }) => (path === "/transaction/link" ? "drop" : null);
    await handOver(till);
    const ago = (ms: number) => new Date(clock.now() - ms).toISOString();
    service.shop = { ...service.shop, restored_at: ago(0), forgot_since: ago(7_200_000) };
    let isRefused = false;
    service.fault = ({ path, body }) => {
      if (path.startsWith("/ext/v1/till")) return isRefused ? null : "drop";
      if (path !== "/transaction/link") return null;
      if ("as_reported" in (body as object)) return http(201, { status: "linked" });
      isRefused = true;
      return http(404, { code: "transaction_not_found" });
    };
    await anew(till, journal);
    await clock.advance(600_000);
    expect(isRefused).toBe(true);
    expect(journal.types()).not.toContain("report_refused");
    expect(journal.types().at(-1)).toBe("report_accepted");
  },
);
