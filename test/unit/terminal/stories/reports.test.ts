/** Links, rejects and undelivered reports until the service has taken them. */
import { expect, test } from "vitest";
import { createRig, handOver, leadToPayable, MemoryJournal, type Rig } from "../rig.ts";
import { http, id, payable, silence } from "./at-stage.ts";

test("a link that the service does not take for days is kept, across restarts too, and sent once it takes it", async () => {
  const till = await payable();
  till.service.fault = ({ path }) => (path === "/transaction/link" ? silence : null);
  await handOver(till);
  await till.terminal.close();
  const again = await createRig({ journal: till.journal, clock: till.clock, service: till.service, idsFrom: 100 });
  await again.clock.advance(3 * 86_400_000);
  expect(again.snapshot().header.pendingReports?.count).toBe(1);
  expect(again.snapshot().header.pendingReports?.oldestMs).toBeGreaterThanOrEqual(3 * 86_400_000);
  const tries = till.service.calls("/transaction/link").length;
  expect([tries > 500, tries < 2_500]).toEqual([true, true]);
  till.service.fault = () => null;
  await again.clock.advance(6 * 60_000);
  expect(till.service.orders.get(id)?.status).toBe("linked");
  expect(again.snapshot().header.pendingReports).toBeNull();
});

test("a link that the service refuses for good is sent once, and leaves a line for the manager", async () => {
  const till = await payable();
  till.service.fault = ({ path }) => (path === "/transaction/link" ? http(409) : null);
  await handOver(till);
  await till.clock.advance(60_000);
  expect(till.service.calls("/transaction/link")).toHaveLength(1);
  expect(till.snapshot().header.pendingReports).toBeNull();
  const history = await till.terminal.dispatch({ type: "list_history", before: null, limit: 10 });
  expect(history).toMatchObject({ ok: true, data: [{ outcome: "handed_out", discrepancy: "link_refused" }] });
  await till.scan(id);
  expect(till.screen()).toMatchObject({ kind: "ended", outcome: "already_used" });
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
