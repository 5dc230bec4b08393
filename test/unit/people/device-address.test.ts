/** Where a drawer may be: never outside of the shop's network, never at a port that is no printer's, and a manager's to choose. */
import { createServer, Socket } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { createClock } from "../../../main/terminal/adapters.ts";
import { connectLine } from "../../../main/terminal/devices/line.ts";
import { type Command, settingsSchema } from "../../../preload/contract.ts";
import { isDeviceHost, isPrinterPort, isPrivateAddress } from "../../../preload/device-address.ts";
import { openCounter, openShop } from "./stage.ts";

const settings = settingsSchema.parse({});
const pulse = { pin: 2, onMs: 50, offMs: 250 } as const;
const at = (host: string, port: number): Command => ({
  type: "change_settings",
  settings: { ...settings, drawer: { kind: "network", host, port, sensor: false, pulse } },
});

test.each([
  "10.0.0.9",
  "172.16.0.1",
  "172.31.255.254",
  "192.168.1.50",
  "169.254.7.7",
  "fd12:3456::1",
  "fe80::1",
  "127.0.0.1",
  "::1",
  "fc00::1",
  "febf::1",
  "FD12:3456::1",
  "::ffff:10.0.0.9",
  "printer",
  "epson-tm.local",
  "EPSON-TM.local",
])("%s may be a device's", (host) => expect(isDeviceHost(host)).toBe(true));

test.each([
  ...[
    "8.8.8.8",
    "172.32.0.1",
    "172.15.0.1",
    "11.0.0.1",
    "192.169.0.1",
    "169.254.169.254",
    "0.0.0.0",
    "255.255.255.255",
    "100.64.0.1",
    "10.0.0.256",
  ],
  ...[
    "2001:db8::1",
    "::",
    "0x08080808",
    "::ffff:8.8.8.8",
    "ff02::1",
    "2130706433",
    "0x7f.0.0.1",
    "010.0.0.1",
    "10.1",
    "1.2.3.4.5",
  ],
  `${"a.".repeat(127)}a`,
  ...["", " ", "a b", "evil.example/", "user@10.0.0.9", "10.0.0.9:22", "-a", "a..b", "x".repeat(64)],
])("%j may not", (host) => expect(isDeviceHost(host)).toBe(false));

test("ports are those of printers", () => {
  const open = Array.from({ length: 65_536 }, (_, port) => port).filter(isPrinterPort);
  expect(open).toEqual([6101, ...Array.from({ length: 10 }, (_, index) => 9100 + index)]);
});

describe("what a manager's session can choose", () => {
  test.each([
    ["8.8.8.8", 9100],
    ["169.254.169.254", 9100],
    ["192.168.1.50", 22],
    ["192.168.1.50", 80],
    ["127.0.0.1", 5432],
    ["localhost", 22],
  ])("not %s:%i", async (host, port) => {
    const shop = await openShop();
    await shop.signIn("M1");
    expect(await shop.guard.dispatch(at(host, port))).toEqual({ ok: false, code: "invalid" });
    expect(shop.till.snapshot().settings.drawer.kind).toBe("none");
  });

  test("a printer's port in the own network, and what is kept already stays", async () => {
    const shop = await openShop({
      settings: { drawer: { kind: "network", host: "203.0.113.9", port: 7, sensor: false, pulse } },
    });
    await shop.signIn("M1");
    expect(await shop.guard.dispatch(at("203.0.113.9", 7))).toEqual({ ok: true });
    expect(await shop.guard.dispatch(at("192.168.1.50", 9100))).toEqual({ ok: true });
    expect(await shop.guard.dispatch(at("203.0.113.9", 7))).toEqual({ ok: false, code: "invalid" });
  });
});

test("before the first enrolment other settings are open to everybody, an address needs a manager", async () => {
  const counter = await openCounter({ credential: null });
  expect(await counter.guard.dispatch({ type: "change_settings", settings: { ...settings, language: "de" } })).toEqual({
    ok: true,
  });
  expect(await counter.guard.dispatch(at("192.168.1.50", 9100))).toEqual({ ok: false, code: "no_manager" });
  const printer = { kind: "serial", path: "/dev/ttyUSB0" } as const;
  const serial = settingsSchema.parse({ ...settings, printer });
  expect(await counter.guard.dispatch({ type: "change_settings", settings: serial })).toEqual({
    ok: false,
    code: "no_manager",
  });
});

test("an address outside the network is not connected to; a name counts by the address that it leads to", async () => {
  expect(isPrivateAddress("203.0.113.9")).toBe(false);
  const connects = vi.spyOn(Socket.prototype, "connect");
  expect(await connectLine({ host: "203.0.113.9", port: 9100 }, createClock(), 2_000)).toBeNull();
  expect(connects).not.toHaveBeenCalled();
  connects.mockRestore();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  // `localhost` leads to this machine: a name is looked up, and its figures count.
  const line = await connectLine({ host: "localhost", port }, createClock(), 60_000);
  expect(line).not.toBeNull();
  line?.close();
  server.close();
});
