/** When a terminal was heard of is kept rarely and told truly, and those that are silent while their shop is open are counted; on both stores. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { addCredential } from "../../backend/access/credentials.ts";
import { createSecretHasher } from "../../backend/access/secrets.ts";
import { createContacts, terminalVersion, watchTerminals } from "../../backend/access/terminals.ts";
import { systemRandom } from "../../backend/adapters.ts";
import { openForMs } from "../../backend/merchants/opening.ts";
import { addMerchant, setMerchant } from "../../backend/operate/merchants.ts";
import { listTerminals } from "../../backend/operate/terminals.ts";
import { stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import type { World } from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

const [minute, hour] = [60_000, 3_600_000];
/** A Friday, 10:00 in Vienna. */
const friday = Date.UTC(2026, 10, 20, 9);
const quickSecrets = createSecretHasher(systemRandom, { N: 2, r: 1, p: 1 });
const program = (version: string) => `Tillcash-Terminal/${version}`;

describe.each(stores)("on %s", (dialect) => {
  let clock: VirtualClock;
  let world: World;
  worldPerTest(dialect, { beginsAt: friday, options: { pollMs: 1e9 } }, (stage) => {
    ({ clock, world } = stage);
  });
  const addTill = async (id: string, device: string) => {
    const key = { kind: "terminal", ownerId: id, deviceId: device } as const;
    await addCredential(world.service, quickSecrets, key, undefined, "chosen");
    return { ...key, scopes: [], expiresAt: 0 };
  };
  const newContacts = () => {
    const { store } = world.service;
    const begun: Promise<unknown>[] = [];
    const write: typeof store.write = (unit, about) => {
      const written = store.write(unit, about);
      begun.push(written);
      return written;
    };
    const contacts = createContacts({ ...world.service, store: { ...store, write } });
    /** Makes a call. @returns how often it was written. */
    return async (...call: Parameters<typeof contacts>) => {
      contacts(...call);
      return (await Promise.all(begun.splice(0))).length;
    };
  };
  const list = async (flags: Record<string, string> = {}) =>
    (await listTerminals(world.service, flags)).map(
      ({ terminal, heard, silent, version }) => `${terminal} ${heard?.slice(11, 16) ?? "never"} ${version} ${silent}`,
    );
  const counted = async (owns = true) => {
    world.counted.silentCount = -1;
    const watch = watchTerminals({ ...world.service, owns: () => owns });
    await clock.advance(1);
    await expect.poll(() => world.counted.silentCount, { interval: 2 }).not.toBe(-1);
    await watch.stop();
    return world.counted.silentCount;
  };
  const open = { id: "corner", opening: "mon-fri 08:00-20:00", "time-zone": "Europe/Vienna" };

  test("a call is written once in five minutes, another version once in one; a clock that was set back does not stop it", async () => {
    await addMerchant(world.service, { id: "corner", name: "Corner" });
    const till = await addTill("corner", "till-1");
    const heard = newContacts();
    expect(await heard(till, program("1.2.3"))).toBe(1);
    expect(await list()).toEqual(["till-1 09:00 1.2.3 null"]);
    clock.jump(5 * minute - 1);
    expect(await heard(till, program("1.2.3"))).toBe(0);
    clock.jump(1);
    expect(await heard(till, program("1.2.3"))).toBe(1);
    expect(await list()).toEqual(["till-1 09:05 1.2.3 null"]);
    expect(await heard(till, program("1.2.4"))).toBe(0);
    clock.jump(minute);
    expect(await heard(till, program("1.2.4"))).toBe(1);
    expect(await heard(till, undefined)).toBe(0);
    clock.jump(-hour);
    expect(await heard(till, undefined)).toBe(1);
    expect(await list()).toEqual(["till-1 08:06 null null"]);
    expect(await heard({ ...till, kind: "client" }, program("1.2.3"))).toBe(0);
    clock.jump(3 * hour);
    expect(await listTerminals(world.service, {})).toMatchObject([{ minutes_ago: 180 }]);
    expect(await list({ older: "180" })).toEqual(["till-1 08:06 null null"]);
    expect(await list({ older: "181" })).toEqual([]);
    expect(await list({ silent: "1" })).toEqual([]);
  });

  test("a terminal that calls while the list is read is in it", async () => {
    await addMerchant(world.service, { id: "corner", name: "Corner" });
    const heard = newContacts();
    await heard(await addTill("corner", "till-1"), program("1.2.3"));
    const now = vi.spyOn(clock, "now").mockReturnValueOnce(friday - 1);
    expect(await listTerminals(world.service, {})).toMatchObject([{ minutes_ago: 0 }]);
    now.mockRestore();
  });

  test("silent is what was heard once, and not for 20 minutes of its shop's hours; the list and the metric agree", async () => {
    await addMerchant(world.service, { id: "corner", name: "Corner" });
    await addMerchant(world.service, { id: "other", name: "Other" });
    const [first, second] = [await addTill("corner", "till-1"), await addTill("corner", "till-2")];
    await addTill("corner", "till-3");
    const heard = newContacts();
    await heard(first, program("1.2.3"));
    await heard(await addTill("other", "till-9"), program("1.2.3"));
    const silent = async () => {
      const listed = await list({ silent: "1" });
      expect(await counted()).toBe(listed.length);
      return listed.map((line) => line.slice(0, 6));
    };
    clock.jump(20 * minute);
    await heard(second, program("1.2.3"));
    expect(await silent()).toEqual([]);
    await setMerchant(world.service, open);
    expect(await silent()).toEqual(["till-1"]);
    expect(await counted(false)).toBeNull();
    clock.jump(20 * minute);
    expect(await silent()).toEqual(["till-1", "till-2"]);
    await heard(first, program("1.2.3"));
    expect(await silent()).toEqual(["till-2"]);
    // Closed, over the weekend, and 20 minutes from when it opens on Monday.
    clock.jump(9 * hour + 40 * minute);
    expect(await silent()).toEqual([]);
    clock.jump(2 * 24 * hour + 11 * hour + 59 * minute);
    expect(await list({ silent: "1" })).toEqual([]);
    clock.jump(20 * minute);
    expect(await silent()).toEqual(["till-1", "till-2"]);
    await setMerchant(world.service, { id: "corner", opening: "none" });
    expect(await silent()).toEqual([]);
  });

  test("a clock that was ahead does not make a terminal that is silent seem to be there", async () => {
    await addMerchant(world.service, { id: "corner", name: "Corner" });
    await setMerchant(world.service, open);
    const till = await addTill("corner", "till-1");
    const heard = newContacts();
    clock.jump(365 * 24 * hour);
    await heard(till, program("1.2.3"));
    clock.jump(-365 * 24 * hour);
    expect(await list()).toEqual(["till-1 09:00 1.2.3 null"]);
    expect(await counted()).toBe(0);
    clock.jump(20 * minute);
    expect(await counted()).toBe(1);
    expect(await list({ silent: "1" })).toEqual(["till-1 09:00 1.2.3 while open"]);
  });

  test.each([
    [{ opening: "mon-fri 8-20", "time-zone": "Europe/Vienna" }, /--opening must be as/],
    [{ opening: "mon 25:00-26:00", "time-zone": "Europe/Vienna" }, /--opening must be as/],
    [{ opening: "mon 08:00-08:00", "time-zone": "Europe/Vienna" }, /--opening must be as/],
    [{ opening: "mon 08:00-20:00" }, /by which clocks\? add --time-zone/],
    [{ opening: "mon 08:00-20:00", "time-zone": "Europe/Wien" }, /--time-zone must be as Europe\/Vienna/],
  ])("%j is refused", async (wanted, message) => {
    await addMerchant(world.service, { id: "corner", name: "Corner" });
    await expect(setMerchant(world.service, { id: "corner", ...wanted })).rejects.toThrow(message);
  });

  test("no hours need no clock, and hours keep theirs", async () => {
    const corner = { id: "corner" };
    await addMerchant(world.service, { ...corner, name: "Corner" });
    expect(await setMerchant(world.service, { ...corner, opening: "none" })).toMatchObject({ opening: null });
    await setMerchant(world.service, { ...corner, opening: "mon 08:00-20:00", "time-zone": "Europe/Vienna" });
    await expect(setMerchant(world.service, { ...corner, "time-zone": "none" })).rejects.toThrow(/by which clocks\?/);
  });
});

test.each([
  ["mon-fri 08:00-20:00", "Europe/Vienna", "2026-11-20T07:00:00Z", 0],
  ["mon-fri 08:00-20:00", "Europe/Vienna", "2026-11-20T06:59:00Z", null],
  ["mon-fri 08:00-20:00", "Europe/Vienna", "2026-11-20T19:00:00Z", null],
  ["mon-fri 08:00-20:00", "Europe/Vienna", "2026-11-21T10:00:00Z", null],
  ["Mon-Fri 08:00-20:00, sat 09:00-12:00", "Europe/Vienna", "2026-11-21T10:00:00Z", 120],
  ["mon-fri 08:00-20:00", "Asia/Kathmandu", "2026-11-20T03:00:00Z", 45],
  ["fri-sat 22:00-02:00", "UTC", "2026-11-22T01:00:00Z", 180],
  ["fri-sat 22:00-02:00", "UTC", "2026-11-21T01:59:00Z", 239],
  ["fri-sat 22:00-02:00", "UTC", "2026-11-20T01:00:00Z", null],
  ["sat-mon 00:00-24:00", "UTC", "2026-11-22T00:01:00Z", 1_441],
  ["sat-mon 00:00-24:00", "UTC", "2026-11-21T00:00:00Z", 0],
  ["mon-fri 08:00-12:00, mon-fri 12:00-20:00", "UTC", "2026-11-20T13:00:00Z", 300],
  ["mon-fri 08:00-12:00, mon-fri 12:01-20:00", "UTC", "2026-11-20T13:00:00Z", 59],
  ["fri 22:00-02:00, sat 02:00-04:00", "UTC", "2026-11-21T03:00:00Z", 300],
  ["mon-sun 00:00-24:00", "UTC", "2026-11-20T00:01:00Z", 10_081],
  ["sat-mon 00:00-24:00", "UTC", "2026-11-24T00:00:00Z", null],
  // The hour that is there twice.
  ["sun 00:00-24:00", "Europe/Vienna", "2026-10-25T00:30:00Z", 150],
  [null, "Europe/Vienna", "2026-11-20T10:00:00Z", null],
  ["mon-fri 08:00-20:00", null, "2026-11-20T10:00:00Z", null],
] as const)("%s in %s at %s has been open for %s minutes", (opening, zone, at, minutes) => {
  expect(openForMs(opening, zone, Date.parse(at))).toBe(minutes === null ? null : minutes * minute);
});

const zones = Intl.supportedValuesOf("timeZone").values();
test("a zone's clock is made once, however many terminals are looked at", () => {
  // One that this process has not looked at yet.
  const { value: zone = "UTC" } = zones.next();
  const made = vi.spyOn(Intl, "DateTimeFormat");
  onTestFinished(() => made.mockRestore());
  for (const at of [friday, friday + minute])
    expect(openForMs("mon-sun 00:00-24:00", zone, at)).toBeGreaterThan(7 * 24 * 60 * minute - 1);
  expect(made).toHaveBeenCalledTimes(1);
});

test.each([
  ["Tillcash-Terminal/1.2.3", "1.2.3"],
  ["Tillcash-Terminal/1.2.3-rc.1+b7", "1.2.3-rc.1+b7"],
  [`Tillcash-Terminal/${"1".repeat(33)}`, null],
  ["Tillcash-Terminal/<b>", null],
  ["Tillcash-Terminal/1 \u0007", null],
  ["curl/8", null],
  ["curl/8 Tillcash-Terminal/1.2.3", null],
  [undefined, null],
])("the header %j names the version %j", (header, version) => expect(terminalVersion(header)).toBe(version));
