/** A line over a serial device file, against a real pseudo terminal: `script` of util-linux makes one. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { createClock } from "../../../main/terminal/adapters.ts";
import { createConfiguredDevices } from "../../../main/terminal/devices/configured.ts";
import { openSerialLine } from "../../../main/terminal/devices/line.ts";
import { plain } from "../../../main/terminal/printing/paper.ts";
import { settingsSchema } from "../../../preload/contract.ts";
import { Interpreter } from "../../printer/interpreter.ts";
import { createPatientClock } from "./patient-clock.ts";

const hasScript = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
/** Where nobody answers, and is given up. */
const clock = createClock();
const patientClock = createPatientClock();
const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill();
});

interface Cable {
  readonly device: string;
  readonly received: number[];
  answer(bytes: Uint8Array): void;
  onBytes: (bytes: Uint8Array) => void;
  /** Takes nothing any more, until it goes on. */
  hold(): void;
  goOn(): void;
  pull(): void;
}

/** Both ends of a cable: the device file, and what arrives behind it. */
const layCable = async (): Promise<Cable> => {
  const child = spawn("script", ["-qfc", "tty; echo laid; sleep 60", "/dev/null"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  running.push(child);
  const cable: Cable = {
    device: "",
    received: [],
    answer: (bytes) => void child.stdin.write(bytes),
    onBytes: () => {},
    hold: () => void child.stdout.pause(),
    goOn: () => void child.stdout.resume(),
    pull: () => void child.kill(),
  };
  let head = "";
  return new Promise((resolve) => {
    child.stdout.on("data", (data: Buffer) => {
      if (cable.device !== "") {
        cable.received.push(...data);
        cable.onBytes(data);
        return;
      }
      head += data.toString("latin1");
      const found = /(\/dev\/pts\/\d+)\s+laid\r?\n/.exec(head);
      if (found?.[1] === undefined) return;
      resolve(Object.assign(cable, { device: found[1] }));
    });
  });
};

const settingsFor = (device: string) =>
  settingsSchema.parse({ printer: { kind: "serial", path: device }, drawer: { kind: "printer" } });

/** How the system has set a port, as `stty` says it. */
const settingsOf = ({ device }: Cable): string => spawnSync("stty", ["-F", device, "-a"]).stdout.toString();

/** A printer behind a cable. @param pulses what its drawer gets. */
const putPrinterBehind = (cable: Cable, pulses: unknown[] = []): Interpreter => {
  const interpreter = new Interpreter(504, {
    paperSensor: () => 0,
    automaticStatus: () => new Uint8Array(),
    send: (bytes) => cable.answer(bytes),
    onPulse: (pulse) => pulses.push(pulse),
  });
  cable.onBytes = (bytes) => {
    for (let at = 0; at < bytes.length; at++)
      if (bytes[at] === 0x10 && bytes[at + 1] === 0x04) {
        cable.answer(Uint8Array.of(bytes[at + 2] === 1 ? (pulses.length > 0 ? 0x16 : 0x12) : 0x12));
        at += 2;
      } else interpreter.take(bytes.subarray(at, at + 1));
    interpreter.run();
  };
  return interpreter;
};

test.skipIf(!hasScript)("a receipt and a kick go over a serial line, and its answers are read", async () => {
  const cable = await layCable();
  const pulses: unknown[] = [];
  const interpreter = putPrinterBehind(cable, pulses);
  const devices = createConfiguredDevices(() => settingsFor(cable.device), patientClock);
  expect(await devices.printer.print([plain("Grüße"), { kind: "cut" }])).toEqual({ kind: "printed", paperLow: false });
  expect(interpreter.lines).toContain("Grüße");
  expect(interpreter.unknown).toEqual([]);
  expect(await devices.drawer.open()).toBe("opened");
  expect(pulses).toEqual([{ pin: 2, onMs: 50, offMs: 250 }]);
  for (const setting of ["speed 9600 baud", "-icanon", "-opost", "-echo ", " clocal"])
    expect(settingsOf(cable)).toContain(setting);
});

test.skipIf(!hasScript)("a job that is larger than what the port takes at once goes over whole", async () => {
  const cable = await layCable();
  const line = await openSerialLine({ path: cable.device, baudRate: 9_600 }, clock);
  const job = Uint8Array.from({ length: 200_000 }, (_, at) => at % 251);
  expect(await line?.send(job, 60_000)).toBe("sent");
  await expect.poll(() => cable.received.length).toBe(job.length);
  expect(Buffer.compare(Uint8Array.from(cable.received), job)).toBe(0);
  line?.close();
});

test.skipIf(!hasScript)(
  "a printer that takes no more: what it has begun may be on paper, and nothing counts as sent once its buffers are full",
  async () => {
    const cable = await layCable();
    const line = await openSerialLine({ path: cable.device, baudRate: 9_600 }, clock);
    cable.hold();
    // More than all buffers on the way take, some of which a slow machine empties later.
    const job = new Uint8Array(500_000).fill(0x41);
    expect(await line?.send(job, 1_000)).toBe("maybe_sent");
    await expect.poll(() => line?.send(job, 100)).toBe("not_sent");
    line?.close();
  },
);

test.skipIf(!hasScript)(
  "a cable that is pulled: nothing counts as sent any more, and nobody is listened to",
  async () => {
    const cable = await layCable();
    const line = await openSerialLine({ path: cable.device, baudRate: 9_600 }, clock);
    cable.pull();
    await expect.poll(() => line?.send(Uint8Array.of(0x41), 1_000)).toBe("not_sent");
    const heard: unknown[] = [];
    void line?.listen(() => true, 3_600_000).then((answer) => heard.push(answer));
    await expect.poll(() => heard).toEqual([null]);
  },
);

test.skipIf(!hasScript)(
  "a port that is tried at another speed runs at that one, and is used by one job at a time",
  async () => {
    const cable = await layCable();
    const interpreter = putPrinterBehind(cable);
    const { printer } = settingsFor(cable.device);
    const devices = createConfiguredDevices(() => settingsFor(cable.device), patientClock);
    const tried = { ...printer, baudRate: 115_200 } as typeof printer;
    await devices.printer.print([plain("before")]);
    expect(await devices.printer.print([plain("alone")], tried)).toEqual({ kind: "printed", paperLow: false });
    expect(settingsOf(cable)).toContain("speed 115200 baud");
    const both = [devices.printer.print([plain("tried")], tried), devices.printer.print([plain("receipt")])];
    expect(await Promise.all(both)).toEqual(Array(2).fill({ kind: "printed", paperLow: false }));
    expect(interpreter.lines.filter((line) => /\w/.test(line))).toEqual(["before", "alone", "tried", "receipt"]);
  },
);

test.skipIf(!hasScript)("nobody behind the cable: nothing counts as printed, and the drawer as unknown", async () => {
  const cable = await layCable();
  const devices = createConfiguredDevices(() => settingsFor(cable.device), clock);
  expect(await devices.printer.print([plain("Grüße")])).toEqual({ kind: "not_printed", why: "unreachable" });
  expect(Buffer.from(cable.received).includes("Gr")).toBe(false);
  expect(await devices.drawer.open()).toBe("unknown");
});

test("no such device: nothing was sent", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "serial-"));
  try {
    const device = path.join(folder, "ttyUSB0");
    expect(await openSerialLine({ path: device, baudRate: 9_600 }, clock)).toBeNull();
    const devices = createConfiguredDevices(() => settingsFor(device), clock);
    expect(await devices.drawer.open()).toBe("failed");
    expect(await devices.printer.print([plain("x")])).toEqual({ kind: "not_printed", why: "unreachable" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a file that is no device is not written to", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "serial-"));
  try {
    const file = path.join(folder, "journal.db");
    writeFileSync(file, "what the shop needs");
    const devices = createConfiguredDevices(() => settingsFor(file), clock);
    expect(await devices.drawer.open()).toBe("failed");
    expect(await devices.printer.print([plain("x")])).toEqual({ kind: "not_printed", why: "unreachable" });
    expect(readFileSync(file, "utf8")).toBe("what the shop needs");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
