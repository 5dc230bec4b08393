/** The operator's code for a forgotten manager's PIN: once, at its terminal, slowed down, in the audit; on both stores. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEnrolment, createManagerReset } from "../../backend/access/one-time-codes.ts";
import { serviceKeysFrom } from "../../backend/access/secrets.ts";
import { systemClock, systemRandom } from "../../backend/adapters.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { adhoc } from "../../backend/store/store.ts";
import { createHttpStage, type HttpStage } from "./http-stage.ts";
import { stopClocks } from "./stop-clocks.ts";
import { stores } from "./stores.ts";

const settings = { SERVICE_KEY: "a service key of the tests" };

describe.each(stores)("on %s", (dialect) => {
  let stage: HttpStage;
  const command = (...args: string[]) =>
    manage(parseCommandLine(args, { DATABASE_URL: stage.place.url, ...settings, PUBLIC_URL: "https://cash.example" }));
  const codeFor = async (device: string): Promise<string> => {
    const [made] = await command("credentials", "reset-manager", "terminal", "demo-shop", device);
    return String(made?.code);
  };
  const redeem = (code: unknown, device = "till-1", from = "203.0.113.9") =>
    stage.call("POST", "/ext/v1/manager-resets", {
      json: { merchant_id: "demo-shop", device_id: device, code },
      headers: { "x-forwarded-for": from },
    });
  beforeAll(async () => {
    stage = await createHttpStage(dialect, { ...settings, TRUSTED_PROXIES: "127.0.0.1" });
  });
  afterAll(() => stage.dispose());

  test("works once, at the terminal that it was made for, however it is typed", async () => {
    const [made] = await command("credentials", "reset-manager", "terminal", "demo-shop", "till-1");
    expect(made).toEqual({
      merchant_id: "demo-shop",
      device_id: "till-1",
      code: expect.stringMatching(/^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/),
      valid_until: expect.any(String),
    });
    const typed = String(made?.code).toLowerCase().replaceAll("-", " ");
    expect((await redeem(typed, "till-2")).status).toBe(404);
    const { status, body } = await redeem(typed);
    expect([status, body]).toEqual([201, { merchant_id: "demo-shop", device_id: "till-1" }]);
    expect((await redeem(typed)).status).toBe(404);
  });

  test("several uses at once are one; a newer code ends the older; after 24 hours it is dead", async () => {
    const code = await codeFor("till-1");
    const statuses = (await Promise.all([redeem(code), redeem(code), redeem(code)])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 404, 404]);
    const first = await codeFor("till-1");
    const [second] = await command("credentials", "reset-manager", "terminal", "demo-shop", "till-1");
    expect((await redeem(first)).status).toBe(404);
    const hours = (Date.parse(String(second?.valid_until)) - Date.now()) / 3_600_000;
    expect(hours).toBeCloseTo(24, 1);
    const store = await stage.place.open();
    const endAt = (expires_at: number) =>
      store.write((tx) => tx.run(adhoc((db) => db.updateTable("manager_resets").set({ expires_at }))));
    await endAt(1);
    expect((await redeem(second?.code)).status).toBe(404);
    // Its time alone has ended it.
    await endAt(Date.parse(String(second?.valid_until)));
    expect((await redeem(second?.code)).status).toBe(201);
  });

  test("a newer code ends the older also where the clock of who makes them is ahead", async () => {
    const store = await stage.place.open();
    const ahead = { store, clock: { ...systemClock, now: () => systemClock.now() + 60_000 }, random: systemRandom };
    const keys = serviceKeysFrom(settings.SERVICE_KEY, true);
    const terminal = { merchantId: "demo-shop", deviceId: "till-1" };
    const [reset, newer] = [
      await createManagerReset(ahead, keys, terminal),
      await createManagerReset(ahead, keys, terminal),
    ];
    expect([(await redeem(reset.code)).status, (await redeem(newer.code)).status]).toEqual([404, 201]);
    const enrolments = [
      await createEnrolment(ahead, keys, terminal, true),
      await createEnrolment(ahead, keys, terminal, true),
    ];
    const statuses = [];
    for (const { code } of enrolments)
      statuses.push((await stage.call("POST", "/ext/v1/enrolments", { json: { code } })).status);
    expect(statuses).toEqual([404, 201]);
  });

  test("neither kind of code works in the other's place", async () => {
    const code = await codeFor("till-1");
    expect((await stage.call("POST", "/ext/v1/enrolments", { json: { code } })).status).toBe(404);
    const [made] = await command("credentials", "add", "terminal", "demo-shop", "till-60", "--enrol");
    expect((await redeem(made?.code, "till-60")).status).toBe(404);
    expect((await redeem(code)).status).toBe(201);
    expect((await stage.call("POST", "/ext/v1/enrolments", { json: { code: made?.code } })).status).toBe(201);
  });

  test("guessing is slowed down by address, and others go on", async () => {
    stopClocks();
    const statuses: number[] = [];
    for (let at = 0; at < 7; at += 1) statuses.push((await redeem("0000-0000-0000", "till-1", "198.51.100.7")).status);
    expect(statuses).toEqual([404, 404, 404, 404, 404, 429, 429]);
    expect((await redeem(await codeFor("till-1"))).status).toBe(201);
    for (const wrong of ["", 7, null, "x".repeat(65)]) expect((await redeem(wrong)).status).toBe(400);
  });

  test("is for a terminal with a key in use alone, and in the audit with both names", async () => {
    await expect(command("credentials", "reset-manager", "client", "demo-bank", "s")).rejects.toThrow(
      /only a terminal/,
    );
    await expect(codeFor("till-404")).rejects.toThrow(/no credential in use/);
    await command("credentials", "add", "terminal", "demo-shop", "till-61");
    await command("credentials", "revoke", "terminal", "demo-shop", "till-61");
    await expect(codeFor("till-61")).rejects.toThrow(/no credential in use/);
    const audit = (await command("audit")).map(({ event, object }) => `${event} ${object}`);
    expect(audit).toContain("credentials reset-manager terminal demo-shop till-1");
    expect(audit).toContain("manager_pin_reset terminal demo-shop/till-1");
    expect(audit.some((line) => line.startsWith("manager_reset_refused"))).toBe(true);
  });
});
