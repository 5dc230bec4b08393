/** What the service says besides the status: amounts, clocks, other terminals, refused credentials. */
import { describe, expect, test } from "vitest";
import { createRig, MemoryJournal } from "../rig.ts";
import { http, id, setStatus, waiting } from "./at-stage.ts";

describe("one look at the service", () => {
  test("an amount that changed after the review is never paid, and the books say so", async () => {
    const till = await waiting();
    const order = till.service.orders.get(id);
    if (order !== undefined) order.amount = "500.00";
    await setStatus(till, "settled");
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "not_handed_out" });
    expect(till.snapshots.some(({ screen }) => screen.kind === "payable")).toBe(false);
    expect(till.service.orders.get(id)?.status).toBe("undelivered");
    expect(till.journal.types()).toContain("discrepancy");
  });

  describe("a till copied with its journal", () => {
    const copied = async () => {
      const journal = new MemoryJournal();
      const first = await createRig({ journal });
      const { clock, service } = first;
      const second = await createRig({ journal: journal.cut(journal.entries.length), clock, service, idsFrom: 5_000 });
      await clock.advance(1_000);
      service.order({ transaction_id: id });
      await first.scan(id);
      await first.send({ type: "confirm" });
      return { first, second };
    };

    test("shows when it meets the other's confirm; its own it knows", async () => {
      const { first, second } = await copied();
      await second.scan(id);
      expect(second.snapshot().header.sameDeviceElsewhere).toBe(true);
      await first.clock.advance(10_000);
      expect(first.snapshot().header.sameDeviceElsewhere).toBe(false);
    });

    test("shows when the shop is read", async () => {
      const { first, second } = await copied();
      const { service } = first;
      const order = service.orders.get(id);
      service.fault = ({ path }) =>
        path.startsWith("/ext/v1/till?since=") ? http(200, { store_name: "Corner", confirmed: [order] }) : null;
      await first.clock.advance(11 * 60_000);
      expect(second.snapshot().header.sameDeviceElsewhere).toBe(true);
      expect(first.snapshot().header.sameDeviceElsewhere).toBe(false);
    });
  });

  test("a credential that the service refuses leads to the set-up, and enrolling mends it", async () => {
    const till = await createRig({ credential: null });
    expect(till.screen()).toMatchObject({ kind: "setup", why: "not_enrolled" });
    expect(await till.scan(id)).toEqual({ ok: false, code: "not_enrolled" });
    const enroll = {
      type: "enroll",
      serviceUrl: "http://service",
      merchantId: "demo-shop",
      deviceId: "till-1",
    } as const;
    expect(await till.send({ ...enroll, secret: "wrong" })).toEqual({ ok: false, code: "denied" });
    expect(till.secrets.credential).toBeNull();
    expect(await till.send({ ...enroll, secret: "till-secret" })).toEqual({ ok: true });
    expect(till.screen().kind).toBe("ready");
    till.service.secret = "rotated";
    till.service.fault = ({ token }) => (token === undefined ? null : http(401));
    till.service.order({ transaction_id: id });
    await till.scan(id);
    await till.send({ type: "dismiss" });
    expect(till.screen()).toMatchObject({ kind: "setup", why: "credential_refused" });
    till.service.fault = () => null;
    expect(await till.send({ ...enroll, secret: "rotated" })).toEqual({ ok: true });
    expect(till.screen().kind).toBe("ready");
    expect(JSON.stringify(till.snapshots)).not.toContain("till-secret");
  });
});
