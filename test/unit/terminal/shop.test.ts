import { describe, expect, it } from "vitest";
import type { Surroundings } from "../../../main/terminal/withdrawal/state.ts";
import { FakeService } from "./fake-service.ts";
import { createRig, idNumber, leadToPayable } from "./rig.ts";
import { http } from "./stories/at-stage.ts";
import { VirtualClock } from "./virtual-clock.ts";

const said = {
  store_name: "Corner Shop",
  currency: "EUR",
  amount_min: "10.00",
  amount_max: "500.00",
  amount_step: "10.00",
  sca_timeout_seconds: 25,
  support: { text: "Head office, 8 to 18 h", phone: "+49 30 123456" },
  server_time: "2026-11-21T18:00:00.000Z",
};

const other = {
  serviceUrl: "https://service.example",
  merchantId: "other-shop",
  deviceId: "till-7",
  secret: "till-secret",
};

const serviceThatSays = (clock: VirtualClock, shop: Record<string, unknown> | null): FakeService => {
  const service = new FakeService(clock);
  service.shop = shop;
  return service;
};

const rigWith = async (shop: Record<string, unknown> | null, kept?: Parameters<typeof createRig>[0]) => {
  const clock = new VirtualClock();
  const till = await createRig({ clock, service: serviceThatSays(clock, shop), ...kept });
  await clock.advance(100);
  return till;
};

describe("what the service says about the shop", () => {
  it("names the shop, and says whom to call", async () => {
    const till = await rigWith(said);
    expect(till.snapshot().header).toMatchObject({ shop: "Corner Shop", device: "till-1" });
    expect(till.snapshot().header.profile).toEqual({
      merchantId: "demo-shop",
      name: "Corner Shop",
      limits: { currency: "EUR", min: "10.00", max: "500.00", step: "10.00" },
      scaTimeoutSeconds: 25,
      support: said.support,
    });
  });

  it("is asked for again now and then, and at once after another enrolment", async () => {
    const till = await rigWith(said);
    expect(till.service.calls("/ext/v1/till")).toHaveLength(1);
    await till.clock.advance(300_000);
    expect(till.service.calls("/ext/v1/till")).toHaveLength(2);
    await till.send({ ...other, type: "enroll" });
    await till.clock.advance(100);
    expect(till.service.calls("/ext/v1/till")).toHaveLength(3);
    expect(till.snapshot().header.profile?.merchantId).toBe("other-shop");
  });

  it("changes with another enrolment, and what the host shows of the program stays", async () => {
    const till = await rigWith(said);
    const update = { state: "current", version: "1.2.3" } as unknown as Surroundings["update"];
    till.terminal.show({ update });
    await till.send({ ...other, type: "enroll" });
    await till.clock.advance(100);
    expect(till.snapshot().header).toMatchObject({ profile: { merchantId: "other-shop" }, update });
  });

  it("is not what another service says late of a shop of the same name", async () => {
    const till = await rigWith(said);
    let release = (): void => {};
    const late = { ...said, store_name: "Kiosk", restored_at: "2026-11-20T09:00:00.000Z", forgot_since: null };
    till.service.fault = ({ path }) =>
      path.startsWith("/ext/v1/till") ? new Promise((resolve) => (release = () => resolve(http(200, late)))) : null;
    await till.clock.advance(300_000);
    till.service.fault = () => null;
    await till.send({ ...other, merchantId: "demo-shop", type: "enroll" });
    await till.clock.advance(1_000);
    release();
    await till.clock.advance(1_000);
    const { shop } = till.snapshot().header;
    // Nor has this one forgotten anything: what it does not know is not paid.
    await leadToPayable(till, idNumber(1));
    till.service.orders.clear();
    await till.clock.advance(40_000);
    await till.send({ type: "hand_out" });
    expect([shop, till.screen().kind, till.drawer.opens]).toEqual(["Corner Shop", "unknown", 0]);
  });

  it("of another enrolment, in another journal, hears nothing of a call that was under way before", async () => {
    const till = await rigWith(said);
    let release = (): void => {};
    till.service.fault = ({ path }) =>
      path.startsWith("/transaction")
        ? new Promise((resolve) => (release = () => resolve({ kind: "silence", why: "timeout" })))
        : null;
    void till.send({ type: "scan", text: idNumber(1), source: "camera" });
    await till.clock.advance(10);
    expect(till.screen().kind).toBe("looking_up");
    till.service.fault = () => null;
    await till.send({ ...other, type: "enroll" });
    await till.clock.advance(1_000);
    release();
    await till.clock.advance(1);
    expect([till.screen().kind, till.snapshot().header.connection]).toEqual(["ready", "online"]);
  });

  it("is kept for a start at which the access key is refused", async () => {
    const before = await rigWith(said);
    const clock = new VirtualClock();
    const service = serviceThatSays(clock, said);
    service.secret = "another";
    const till = await createRig({ clock, service, kept: before.kept });
    await clock.advance(100);
    expect(till.screen()).toMatchObject({ kind: "setup", why: "credential_refused" });
    expect(till.snapshot().header).toMatchObject({ shop: "Corner Shop", profile: { support: said.support } });
    expect(service.calls("/ext/v1/till")).toHaveLength(0);
  });

  it("of another shop is not shown as this one's", async () => {
    const before = await rigWith(said);
    const kept = { shop: before.kept.shop && { ...before.kept.shop, merchantId: "other-shop" } };
    const till = await rigWith(null, { kept });
    expect(till.snapshot().header).toMatchObject({ shop: "demo-shop", profile: null });
  });

  it("keeps the terminal's own time-out below what the service waits", async () => {
    const till = await rigWith(said);
    till.service.shape = ({ sca_expires_at: _, ...thin }) => thin;
    till.service.order({ transaction_id: idNumber(1) });
    await till.scan(idNumber(1));
    await till.send({ type: "confirm" });
    expect(till.screen()).toMatchObject({ kind: "waiting", countdown: { totalMs: 22_000 } });
  });

  it("names the shop of a withdrawal that carries only its id, and never overrules the name it carries", async () => {
    const till = await rigWith(said);
    till.service.order({ transaction_id: idNumber(1) });
    await till.scan(idNumber(1));
    expect(till.screen()).toMatchObject({ kind: "review", shop: "Corner Shop" });
    await till.send({ type: "reject" });
    await till.clock.advance(5_000);
    if (till.screen().kind === "ended") await till.send({ type: "dismiss" });
    till.service.order({ transaction_id: idNumber(2), store_name: "Corner Shop, as it was" });
    await till.scan(idNumber(2));
    expect(till.screen()).toMatchObject({ kind: "review", shop: "Corner Shop, as it was" });
  });

  it.each([
    ["nothing", null],
    ["no name", { ...said, store_name: 7 }],
    ["an empty name", { store_name: "" }],
    ["a page", "<html>" as never],
  ])("may be %s: the terminal works on with the id", async (_, shop) => {
    const till = await rigWith(shop);
    expect(till.snapshot().header).toMatchObject({ shop: "demo-shop", profile: null, connection: "online" });
  });

  it("counts as far as it can be read", async () => {
    const till = await rigWith({
      store_name: "Corner Shop",
      support: "call us",
      amount_min: 10,
      sca_timeout_seconds: "40",
    });
    expect(till.snapshot().header.profile).toEqual({
      merchantId: "demo-shop",
      name: "Corner Shop",
      limits: null,
      scaTimeoutSeconds: null,
      support: null,
    });
  });

  it("leaves the manager's own name for the terminal", async () => {
    const till = await rigWith(said, { settings: { terminalName: "Front desk" } });
    expect(till.snapshot().header.device).toBe("Front desk");
  });
});
