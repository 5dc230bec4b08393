/** Scanners in HID and serial mode: found again by themselves, heard while the page is open, and what is kept of what they said. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { settingsSchema } from "../../../preload/contract.ts";
import { noteActivity, useScannerState } from "../../../renderer/scan/activity.ts";
import { scanTextLengthMax } from "../../../renderer/scan/scan.ts";
import { chooseDevice, startDeviceScanners } from "../../../renderer/scan/usb/usb-scanner.ts";
import { seededId } from "../../scan-frames/symbol.ts";

const played = vi.hoisted(() => {
  class Scanner {
    static made: Scanner[] = [];
    readonly tries: unknown[] = [];
    /** What it has open. */
    reads: unknown = null;
    begin(): void {
      this.reads = this.tries.findLast((tried) => typeof tried === "object");
      this.heard.get("connected")?.();
    }
    end(): void {
      this.reads = null;
      this.heard.get("disconnected")?.();
    }
    readonly heard = new Map<string, (event?: unknown) => void>();
    readonly options: object;
    constructor(options: object) {
      this.options = options;
      Scanner.made.push(this);
    }
    addEventListener(event: string, listener: (event?: unknown) => void): void {
      this.heard.set(event, listener);
    }
    /** webserial-barcode-scanner.esm.js, open: a serial one reads until then. */
    static reading = Promise.resolve();
    reading = Scanner.reading;
    async reconnect(device: unknown): Promise<void> {
      this.tries.push(device);
      await this.reading;
    }
    /** A serial one, by its port. */
    async open(port: { getInfo(): { usbVendorId: number; usbProductId: number } }): Promise<void> {
      const { usbVendorId: vendorId, usbProductId: productId, ...more } = port.getInfo();
      await this.reconnect({ vendorId, productId, ...more });
    }
    async disconnect(): Promise<void> {
      this.reads = null;
      this.tries.push("closed");
      // event-emitter.js of the package tells of it a turn later.
      setTimeout(() => this.heard.get("disconnected")?.());
    }
    async connect(): Promise<void> {
      this.tries.push("chosen");
    }
  }
  return Scanner;
});
vi.mock("@point-of-sale/webhid-barcode-scanner", () => ({ default: played }));
vi.mock("@point-of-sale/webserial-barcode-scanner", () => ({ default: played }));

// Loaded once, so that a later import takes turns and no time.
await Promise.all([
  import("@point-of-sale/webhid-barcode-scanner"),
  import("@point-of-sale/webserial-barcode-scanner"),
]);

const id = seededId(7);
const settings = settingsSchema.parse({});
let devices: { vendorId: number; productId: number }[] = [];
let ports: { usbVendorId?: number; usbProductId?: number; at?: string }[] = [];
/** Chromium's port has a stream from its opening to its end. */
const isOpen = ({ usbVendorId: vendorId, usbProductId: productId, ...more }: (typeof ports)[number]) =>
  played.made.some(({ reads }) => JSON.stringify(reads) === JSON.stringify({ vendorId, productId, ...more }));
const hid = Object.assign(new EventTarget(), { getDevices: async () => devices });
const serial = Object.assign(new EventTarget(), {
  getPorts: async () => ports.map((info) => ({ getInfo: () => info, readable: isOpen(info) ? {} : null })),
});
const scans: object[] = [];
let stop = () => {};
const pass = async (ms: number): Promise<void> => {
  for (const step of [0, ms]) {
    await vi.advanceTimersByTimeAsync(step);
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
};
const start = async (): Promise<void> => {
  stop = startDeviceScanners(
    (scan) => scans.push(scan),
    () => settings,
  );
  await pass(0);
};
const plugIn = async (bus: EventTarget): Promise<void> => {
  bus.dispatchEvent(new Event("connect"));
  await pass(0);
};
const [first, second] = [
  { vendorId: 1, productId: 2 },
  { vendorId: 3, productId: 4 },
];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  vi.stubGlobal("navigator", { hid, serial });
  [devices, ports, scans.length, played.made.length, played.reading] = [[], [], 0, 0, Promise.resolve()];
  useScannerState.setState({ activities: [], devices: { hid: "unsupported", serial: "unsupported" } });
});
afterEach(() => {
  stop();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("a browser without such devices says so, and one with them that none is connected", async () => {
  vi.stubGlobal("navigator", { hid });
  await start();
  expect(useScannerState.getState().devices).toEqual({ hid: "absent", serial: "unsupported" });
  await chooseDevice("serial");
  expect(played.made).toEqual([]);
  await chooseDevice("hid");
  expect(played.made.map(({ tries }) => tries)).toEqual([["chosen"]]);
});

test("a scanner that was chosen before is opened, again and again until it is connected, and not after that", async () => {
  devices = [first, second];
  await start();
  const [scanner] = played.made;
  expect(scanner?.tries).toEqual([first]);
  await pass(4_000);
  expect(scanner?.tries).toEqual([first, first, first]);
  await pass(30_000);
  expect(scanner?.tries).toHaveLength(6);
  scanner?.heard.get("connected")?.();
  expect(useScannerState.getState().devices.hid).toBe("connected");
  await plugIn(hid);
  await pass(60_000);
  expect([scanner?.tries.length, played.made.length]).toEqual([6, 1]);
  scanner?.heard.get("disconnected")?.();
  expect(useScannerState.getState().devices.hid).toBe("absent");
  await plugIn(hid);
  expect(scanner?.tries).toHaveLength(7);
});

test("one that is plugged in again is looked for by one search alone; without one there is none", async () => {
  await start();
  await pass(60_000);
  expect(played.made).toEqual([]);
  ports = [{}, { usbVendorId: 1 }, { usbVendorId: 1, usbProductId: 2 }];
  await plugIn(serial);
  await pass(500);
  await plugIn(serial);
  const [scanner] = played.made;
  expect(scanner?.options).toEqual({ baudRate: 9600 });
  expect(scanner?.tries).toEqual([first, first]);
  await pass(4_000);
  expect(scanner?.tries).toHaveLength(4);
  stop();
  await pass(60_000);
  expect(scanner?.tries).toHaveLength(4);
});

test("a serial scanner that reads no more while it is plugged in is closed, opened again, and not called connected meanwhile", async () => {
  ports = [{ usbVendorId: 1, usbProductId: 2 }];
  await start();
  const [scanner] = played.made;
  if (scanner === undefined) throw new Error("there is no scanner");
  const { promise, resolve: end } = Promise.withResolvers<void>();
  scanner.reading = promise;
  await pass(1_000);
  scanner.begin();
  await pass(60_000);
  expect([scanner.tries, useScannerState.getState().devices.serial]).toEqual([[first, first], "connected"]);
  end();
  await pass(0);
  expect([scanner.tries, useScannerState.getState().devices.serial]).toEqual([
    [first, first, "closed", first],
    "absent",
  ]);
});

test("two serial scanners of one model are read at once, each by itself, and the one that is left once the other is unplugged", async () => {
  const model = { usbVendorId: 1, usbProductId: 2 };
  ports = [
    { ...model, at: "left" },
    { ...model, at: "right" },
  ];
  played.reading = new Promise(() => {});
  await start();
  const [left, right] = played.made;
  expect([left?.tries, right?.tries]).toEqual([[{ ...first, at: "left" }], [{ ...first, at: "right" }]]);
  for (const scanner of [left, right]) scanner?.begin();
  await pass(60_000);
  for (const text of [id, "ABC"])
    (text === id ? left : right)?.heard.get("barcode")?.({ value: text, bytes: [new Uint8Array([1])] });
  expect(scans).toMatchObject([{ text: id }, { text: "ABC" }]);
  ports.shift();
  left?.end();
  await pass(60_000);
  expect(useScannerState.getState().devices.serial).toBe("connected");
  expect([left?.tries.length, right?.tries.length, played.made.length]).toEqual([1, 1, 2]);
  right?.end();
  expect(useScannerState.getState().devices.serial).toBe("absent");
});

/** A serial scanner that has been connected for a while. */
const connectedSerial = async () => {
  ports = [{ usbVendorId: 1, usbProductId: 2 }];
  await start();
  const [scanner] = played.made;
  if (scanner === undefined) throw new Error("there is no scanner");
  scanner.begin();
  await pass(60_000);
  return scanner;
};

test("whoever looks for another serial scanner while one is read leaves that alone, and keeps it also without choosing one", async () => {
  await connectedSerial();
  await chooseDevice("serial");
  await pass(60_000);
  const tries = played.made.map((each) => each.tries);
  expect([tries, useScannerState.getState().devices.serial]).toEqual([[[first], ["chosen"]], "connected"]);
});

test("a serial port that ends each time it is opened is opened once a second, not all the time", async () => {
  const scanner = await connectedSerial();
  vi.spyOn(scanner, "reconnect").mockImplementation(async (device) => {
    scanner.tries.push(device);
    scanner.begin();
  });
  scanner.end();
  await plugIn(serial);
  scanner.tries.length = 0;
  for (let seconds = 0; seconds < 10; seconds += 1) await pass(1_000);
  expect(scanner.tries.filter((tried) => tried === "closed")).toHaveLength(10);
});

test("what it reads is a scan each, with its symbology, is noted, and is no scan once the page has stopped it", async () => {
  devices = [first];
  await start();
  const say = (value: string, symbology?: string): void =>
    played.made[0]?.heard.get("barcode")?.({ value, symbology, bytes: [new Uint8Array([1, 2]), new Uint8Array([3])] });
  say(`${id}\r\n]Q1ABC`, "code128");
  expect(scans).toEqual([
    { text: id, source: "hid", symbology: "code128" },
    { text: "ABC", source: "hid", symbology: "qr" },
  ]);
  expect(useScannerState.getState().activities).toMatchObject([
    { text: "ABC", source: "hid", symbology: "qr", fault: "length", detail: "HID POS" },
    { text: id, raw: `${id}\r\n]Q1ABC`, bytes: [1, 2, 3], symbology: "code128", fault: null, timing: null },
  ]);
  say("x".repeat(scanTextLengthMax + 1));
  expect(scans.at(-1)).toEqual({ text: "x".repeat(scanTextLengthMax), source: "hid" });
  stop();
  say(id);
  played.made[0]?.heard.get("connected")?.();
  expect(scans).toHaveLength(3);
  expect(useScannerState.getState().devices.hid).toBe("absent");
});

test("the latest two hundred are kept, newest first, with their bytes", () => {
  const one = { source: "pasted", symbology: null, fault: null, timing: null, detail: "" } as const;
  for (let at = 0; at < 201; at += 1) noteActivity({ ...one, text: `${at}`, raw: `${at}é` });
  const { activities } = useScannerState.getState();
  expect([activities.length, activities[0]?.text, activities.at(-1)?.text]).toEqual([200, "200", "1"]);
  expect(activities[0]?.bytes).toEqual([50, 48, 48, 195, 169]);
  expect(new Set(activities.map((activity) => activity.id)).size).toBe(200);
});
