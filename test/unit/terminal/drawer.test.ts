/** The network drawer against a real TCP server that plays the printer. */
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createClock } from "../../../main/terminal/adapters.ts";
import { createConfiguredDevices } from "../../../main/terminal/devices/configured.ts";
import { connectLine, createConnection } from "../../../main/terminal/devices/line.ts";
import { createPrinterDrawer, readLevel } from "../../../main/terminal/devices/printer.ts";
import { type Settings, settingsSchema } from "../../../preload/contract.ts";
import { createPatientClock } from "./patient-clock.ts";

const open: { server: Server; sockets: Socket[] }[] = [];

afterEach(async () => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

interface Printer {
  readonly port: number;
  kicks: number;
}

/** `before` and `after` are the status bytes around a kick; null stays silent. */
const printer = async (behaviour: {
  before: number | null;
  after: number | null;
  onKick?: (socket: Socket) => void;
}): Promise<Printer> => {
  const sockets: Socket[] = [];
  const made = { port: 0, kicks: 0 };
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", (data) => {
      if (data.includes(Buffer.from([0x1b, 0x70]))) {
        made.kicks += 1;
        behaviour.onKick?.(socket);
      }
      if (!data.includes(Buffer.from([0x10, 0x04, 0x01]))) return;
      const level = made.kicks === 0 ? behaviour.before : behaviour.after;
      if (level !== null) socket.write(Buffer.from([level]));
    });
  });
  open.push({ server, sockets });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  made.port = typeof address === "object" && address !== null ? address.port : 0;
  return made;
};

const low = 0b0001_0010;
const high = 0b0001_0110;
const pulse = { pin: 2, onMs: 50, offMs: 250 } as const;
const drawerAt = (port: number, sensor = true, clock = createPatientClock()) => {
  return createPrinterDrawer(
    { sensor, pulse },
    createConnection(() => connectLine({ host: "127.0.0.1", port }, clock, 2_000)),
    clock,
  );
};

test.each([
  ["the level rises", low, high],
  ["the level falls", high, low],
])("%s with the kick: opened, and its state is known from then on", async (_, before, after) => {
  const made = await printer({ before, after });
  const drawer = drawerAt(made.port);
  expect(await drawer.state()).toBe("unknown");
  expect(await drawer.open()).toBe("opened");
  expect(await drawer.state()).toBe("open");
  expect(made.kicks).toBe(1);
});

test.each([
  ["the level stays", low, low, undefined, "unknown"],
  ["the printer says nothing", null, null, undefined, "unknown"],
  ["the printer answers nonsense", 0xff, 0xff, undefined, "unknown"],
  ["the line breaks with the kick", low, high, (socket: Socket) => socket.destroy(), "unknown"],
] as const)("%s: %s", async (_, before, after, onKick, expected) => {
  const made = await printer({ before, after, ...(onKick === undefined ? {} : { onKick }) });
  // Here a silence is to end.
  expect(await drawerAt(made.port, true, createClock()).open()).toBe(expected);
  expect(made.kicks).toBe(1);
});

test("a drawer that stood open and is pushed shut during an order has not opened; the next order learns its level anew", async () => {
  // Opens, stays open for the order that finds it shut behind it, opens again.
  const levels = [low, high, low, high];
  const behaviour = { before: low, after: low, onKick: () => (behaviour.after = levels[made.kicks] ?? high) };
  const made = await printer(behaviour);
  const drawer = drawerAt(made.port);
  expect(await drawer.open()).toBe("opened");
  expect(await drawer.open()).toBe("unknown");
  expect(await drawer.state()).toBe("unknown");
  expect([await drawer.open(), await drawer.state()]).toEqual(["opened", "open"]);
});

test("a drawer without a switch counts as open when the printer lives behind the kick", async () => {
  const made = await printer({ before: low, after: high });
  const drawer = drawerAt(made.port, false);
  expect(await drawer.open()).toBe("opened");
  // The other level is no word of a switch that it has not.
  expect(await drawer.state()).toBe("unknown");
});

test("a drawer without a switch is unknown when the printer died with the kick", async () => {
  const made = await printer({ before: low, after: low, onKick: (socket) => socket.destroy() });
  expect(await drawerAt(made.port, false).open()).toBe("unknown");
});

test("nobody there: failed, nothing was sent", async () => {
  const made = await printer({ before: low, after: high });
  for (const { server } of open.splice(0)) await new Promise((resolve) => server.close(resolve));
  expect(await drawerAt(made.port).open()).toBe("failed");
  expect(await drawerAt(made.port).state()).toBe("unknown");
});

test.each([
  [0b0001_0010, "low"],
  [0b0001_0110, "high"],
  [0b0011_0110, "high"],
  [0, null],
  [0xff, null],
  [0x41, null],
])("status byte %i is %s", (byte, level) => {
  expect(readLevel(byte)).toBe(level);
});

test("a tried drawer is opened and asked in the place of that of the settings, which goes on knowing what it has learned", async () => {
  const [used, tried] = [await printer({ before: low, after: high }), await printer({ before: low, after: high })];
  const at = ({ port }: Printer) =>
    settingsSchema.parse({ drawer: { kind: "network", host: "127.0.0.1", port } }).drawer;
  const settings = { drawer: at(used), printer: { kind: "none" } } as const;
  const { drawer } = createConfiguredDevices(() => settings, createPatientClock());
  expect([await drawer.open(at(tried)), await drawer.state(at(tried))]).toEqual(["opened", "open"]);
  expect([used.kicks, tried.kicks]).toEqual([0, 1]);
  expect(await drawer.state()).toBe("unknown");
  expect(await drawer.open()).toBe("opened");
  expect([await drawer.open(at(tried)), await drawer.state(at(tried))]).toEqual(["opened", "open"]);
  expect([await drawer.state(), used.kicks, tried.kicks]).toEqual(["open", 1, 2]);
});

test("the drawer follows the settings", async () => {
  const made = await printer({ before: low, after: high });
  let chosen: () => Settings["drawer"] = () => ({ kind: "none" });
  const { drawer } = createConfiguredDevices(
    () => ({ drawer: chosen(), printer: { kind: "none" } }),
    createPatientClock(),
  );
  expect([await drawer.open(), await drawer.state()]).toEqual(["opened", "unknown"]);
  chosen = () => settingsSchema.parse({ drawer: { kind: "printer" } }).drawer;
  expect([await drawer.open(), await drawer.state()]).toEqual(["opened", "unknown"]);
  chosen = () => ({ kind: "simulated" });
  expect([await drawer.state(), await drawer.open(), await drawer.state()]).toEqual(["closed", "opened", "open"]);
  chosen = () => ({ kind: "network", host: "127.0.0.1", port: made.port, sensor: true, pulse });
  expect([await drawer.open(), await drawer.state()]).toEqual(["opened", "open"]);
});
