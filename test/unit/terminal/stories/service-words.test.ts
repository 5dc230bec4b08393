/** What the service says besides the status: amounts, clocks, other terminals, refused credentials. */
import { describe, expect, test } from "vitest";
import { createRig, idNumber, MemoryJournal } from "../rig.ts";
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

  test.each<[string, object, object]>([
    ["a number, then a text without its zeros", { amount: 50 }, { amount: "50" }],
    ["a text with one zero, then with two", { amount: "50.0" }, { amount: "50.00" }],
    ["no currency at the look-up", { currency: undefined }, {}],
    ["no currency at the look-up, three digits", { amount: 12.345, currency: undefined }, { amount: "12.345" }],
    ["no currency at the end", {}, { currency: undefined }],
    ["the code for no currency", { currency: "XXX" }, {}],
  ])("an amount that is only spelt otherwise is paid: %s", async (_, first, then) => {
    const till = await createRig();
    const order = till.service.order({ transaction_id: id });
    let answers = 0;
    till.service.shape = (fields) => ({ ...fields, ...(answers++ === 0 ? first : then) });
    await till.scan(id);
    await till.send({ type: "confirm" });
    order.status = "settled";
    await till.clock.advance(1_500);
    expect(till.screen().kind).toBe("payable");
  });

  test.each<[string, object, object]>([
    ["ten times as much", { amount: "50" }, { amount: "500" }],
    ["ten times as much, spelt with zeros", { amount: 50 }, { amount: "500.00" }],
    ["a cent more", { amount: "50.00" }, { amount: 50.01 }],
    ["another currency", { currency: "EUR" }, { currency: "CHF" }],
  ])("another amount is not: %s", async (_, first, then) => {
    const till = await createRig();
    const order = till.service.order({ transaction_id: id });
    let answers = 0;
    till.service.shape = (fields) => ({ ...fields, ...(answers++ === 0 ? first : then) });
    await till.scan(id);
    await till.send({ type: "confirm" });
    order.status = "settled";
    await till.clock.advance(1_500);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "not_handed_out" });
  });

  test("a clock that is off by more than a minute shows", async () => {
    const till = await createRig();
    till.service.dateOffMs = -90_000;
    till.service.order({ transaction_id: id });
    await till.scan(id);
    expect(till.snapshot().header.clockOffMs).toBe(90_000);
    till.service.dateOffMs = -59_000;
    await till.send({ type: "confirm" });
    expect(till.snapshot().header.clockOffMs).toBeNull();
  });

  test("a confirm under this device's name that this till never made shows", async () => {
    const till = await createRig();
    await till.clock.advance(1_000);
    till.service.order({
      transaction_id: id,
      status: "awaiting_sca",
      transaction_id_partner: "till-1.another1.W9",
      confirmed_at: new Date(till.clock.now()).toISOString(),
    });
    await till.scan(id);
    expect(till.snapshot().header.sameDeviceElsewhere).toBe(true);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "in_use_elsewhere" });
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

    test("shows in the report", async () => {
      const { first, second } = await copied();
      const { service } = first;
      const order = service.orders.get(id);
      service.fault = ({ path }) =>
        path.startsWith("/ext/v1/reconciliation") ? http(200, [{ ...order, device_id: "till-1" }]) : null;
      await first.clock.advance(11 * 60_000);
      expect(second.snapshot().header.sameDeviceElsewhere).toBe(true);
      expect(first.snapshot().header.sameDeviceElsewhere).toBe(false);
    });
  });

  test("a confirm from before this till was installed is no duplicate device's, however wrong its clock is", async () => {
    const till = await createRig();
    till.clock.jump(-86_400_000);
    till.service.dateOffMs = 86_400_000;
    const again = await createRig({ clock: till.clock, service: till.service });
    await again.clock.advance(5_000);
    till.service.order({
      transaction_id: id,
      status: "awaiting_sca",
      transaction_id_partner: "till-1.another1.W9",
      confirmed_at: new Date(again.clock.now() + 86_400_000 - 60_000).toISOString(),
    });
    await again.scan(id);
    expect(again.snapshot().header.sameDeviceElsewhere).toBe(false);
    // One since then is.
    const since = new Date(again.clock.now() + 86_400_000).toISOString();
    const theirs = { status: "awaiting_sca", transaction_id_partner: "till-1.another1.W9", confirmed_at: since };
    till.service.order({ transaction_id: idNumber(2), ...theirs });
    await again.send({ type: "dismiss" });
    await again.scan(idNumber(2));
    expect(again.snapshot().header.sameDeviceElsewhere).toBe(true);
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
