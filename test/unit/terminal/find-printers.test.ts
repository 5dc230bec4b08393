/** Printers are found at this machine's ports and in its own networks: real listeners on loopback, and trees shaped as systems have them. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { createClock } from "../../../main/terminal/adapters.ts";
import { findPrinters, type PrinterPlaces } from "../../../main/terminal/devices/find-printers.ts";

const machine = createClock();
/** Nobody is given up because the machine is busy: each limit is thirty times as long. */
const clock: typeof machine = {
  ...machine,
  after: (delayMs, run) => machine.after(delayMs * 30, run),
  monotonicMs: () => machine.monotonicMs() / 30,
};
const open: Server[] = [];
const folders: string[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of open.splice(0)) server.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const nowhere: PrinterPlaces = {
  platform: "linux",
  root: "/nowhere",
  addresses: () => [],
  port: 9100,
  windowsPorts: async () => "",
};

/** A listener that counts what it is sent. */
const listen = async (host: string, port = 0) => {
  let bytes = 0;
  const server = createServer((socket) => {
    socket.on("data", (data) => {
      bytes += data.length;
    });
    socket.on("error", () => {});
    socket.on("end", () => socket.end());
  });
  open.push(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const connections = (): Promise<number> =>
    new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
  return { port: (server.address() as AddressInfo).port, bytes: () => bytes, connections };
};

const places = (found: Awaited<ReturnType<typeof findPrinters>>) =>
  found.map(({ name, printer }) => {
    if (printer.kind === "none") return [name];
    return [name, printer.kind === "network" ? `${printer.host}:${printer.port}` : printer.path];
  });

// Linux alone takes every address of 127.0.0.0/8 as its own.
test.runIf(process.platform === "linux")(
  "what listens where printers do is found around each address, once, is sent nothing, and let go",
  async () => {
    const first = await listen("127.7.0.9");
    const second = await listen("127.7.0.200", first.port);
    const elsewhere = await listen("127.8.0.9", first.port);
    const found = await findPrinters(clock, {
      ...nowhere,
      addresses: () => ["127.7.0.1", "127.7.0.2"],
      port: first.port,
    });
    expect(places(found)).toEqual([
      [null, `127.7.0.9:${first.port}`],
      [null, `127.7.0.200:${first.port}`],
    ]);
    expect(found[0]?.printer).toMatchObject({ kind: "network", model: "generic", receipts: "customer" });
    expect([first.bytes(), second.bytes(), elsewhere.bytes()]).toEqual([0, 0, 0]);
    await expect.poll(async () => [await first.connections(), await second.connections()]).toEqual([0, 0]);
  },
);

test.runIf(process.platform === "linux")(
  "this machine is none of its neighbours, and its own ports come first",
  async () => {
    const [own, other] = [await listen("127.9.0.1"), "127.9.0.200"];
    await listen(other, own.port);
    const found = await findPrinters(clock, {
      ...nowhere,
      root: tree(linux),
      addresses: () => ["127.9.0.1"],
      port: own.port,
    });
    expect(places(found).map(([, place]) => place)).toEqual([
      "/dev/usb/lp0",
      "/dev/usb/lp1",
      "/dev/ttyS0",
      "/dev/ttyUSB0",
      `${other}:${own.port}`,
    ]);
  },
);

/** A tree of files and links; a value that begins with `->` is a link. */
const tree = (files: Readonly<Record<string, string>>): string => {
  const root = mkdtempSync(path.join(tmpdir(), "tillcash-devices-"));
  folders.push(root);
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    if (content.startsWith("-> ")) symlinkSync(content.slice(3), file);
    else writeFileSync(file, content);
  }
  return root;
};

/**
 * sysfs as the kernel shows it: `pnp0` against `platform/serial8250` as in the kernel list's comparison of 2023-10-25 ("find
 * /sys -name ttyS*"), usblp's `ieee1284_id` beside the interface, and `manufacturer` and `product` on the USB device above it.
 */
const usb = "sys/devices/pci0000:00/0000:00:14.0/usb1";
const linux = {
  [`${usb}/1-1/manufacturer`]: "EPSON\n",
  [`${usb}/1-1/product`]: "TM-T20II\n",
  [`${usb}/1-1/1-1:1.0/ieee1284_id`]: "MFG:EPSON;CMD:ESC/POS;MDL:TM-T20II;CLS:PRINTER;DES:EPSON TM-T20II;\n",
  [`${usb}/1-1/1-1:1.0/usbmisc/lp0/device`]: "-> ../../../1-1:1.0",
  "sys/class/usbmisc/lp0": `-> ../../../${usb}/1-1/1-1:1.0/usbmisc/lp0`,
  [`${usb}/1-4/product`]: "USB Printing Support\n",
  [`${usb}/1-4/1-4:1.0/ieee1284_id`]: "MANUFACTURER:Star;COMMAND SET:STAR;MODEL:TSP143;\n",
  [`${usb}/1-4/1-4:1.0/usbmisc/lp1/device`]: "-> ../../../1-4:1.0",
  "sys/class/usbmisc/lp1": `-> ../../../${usb}/1-4/1-4:1.0/usbmisc/lp1`,
  [`${usb}/1-2/1-2:1.0/usbmisc/hiddev0/dev`]: "180:96\n",
  "sys/class/usbmisc/hiddev0": `-> ../../../${usb}/1-2/1-2:1.0/usbmisc/hiddev0`,
  [`${usb}/1-3/manufacturer`]: "FTDI\n",
  [`${usb}/1-3/product`]: "FT232R USB UART\n",
  [`${usb}/1-3/1-3:1.0/ttyUSB0/tty/ttyUSB0/dev`]: "188:0\n",
  "sys/class/tty/ttyUSB0": `-> ../../../${usb}/1-3/1-3:1.0/ttyUSB0/tty/ttyUSB0`,
  "sys/devices/pnp0/00:04/00:04:0/00:04:0.0/tty/ttyS0/dev": "4:64\n",
  "sys/class/tty/ttyS0": "-> ../../../sys/devices/pnp0/00:04/00:04:0/00:04:0.0/tty/ttyS0",
  "sys/devices/platform/serial8250/serial8250:0/serial8250:0.1/tty/ttyS1/dev": "4:65\n",
  "sys/class/tty/ttyS1": "-> ../../../sys/devices/platform/serial8250/serial8250:0/serial8250:0.1/tty/ttyS1",
  "sys/devices/platform/serial8250/tty/ttyS2/dev": "4:66\n",
  "sys/class/tty/ttyS2": "-> ../../../sys/devices/platform/serial8250/tty/ttyS2",
  "sys/devices/virtual/tty/tty1/dev": "4:1\n",
  "sys/class/tty/tty1": "-> ../../../sys/devices/virtual/tty/tty1",
  // Pulled out while it is looked at.
  "sys/class/tty/ttyUSB1": `-> ../../../${usb}/1-5/1-5:1.0/ttyUSB1/tty/ttyUSB1`,
};

test("Linux: USB printers by their own names, USB serial ports, and those that have hardware behind them", async () => {
  expect(places(await findPrinters(clock, { ...nowhere, root: tree(linux) }))).toEqual([
    ["EPSON TM-T20II", "/dev/usb/lp0"],
    ["Star TSP143", "/dev/usb/lp1"],
    [null, "/dev/ttyS0"],
    ["FTDI FT232R USB UART", "/dev/ttyUSB0"],
  ]);
});

test("macOS: the call-out devices, without those of the system itself", async () => {
  // As `ls /dev/cu.*` shows them: the last three are there on a Mac that nothing is plugged into.
  const root = tree({
    "dev/cu.usbserial-A50285BI": "",
    "dev/tty.usbserial-A50285BI": "",
    "dev/cu.Bluetooth-Incoming-Port": "",
    "dev/cu.debug-console": "",
    "dev/cu.wlan-debug": "",
  });
  expect(places(await findPrinters(clock, { ...nowhere, platform: "darwin", root }))).toEqual([
    ["usbserial-A50285BI", "/dev/cu.usbserial-A50285BI"],
  ]);
});

test("Windows: the ports of the registry's list, and none where there is no list", async () => {
  // As `reg query HKLM\HARDWARE\DEVICEMAP\SERIALCOMM` prints it.
  const output = [
    "",
    "HKEY_LOCAL_MACHINE\\HARDWARE\\DEVICEMAP\\SERIALCOMM",
    "    \\Device\\Serial0    REG_SZ    COM1",
    "    \\Device\\VCP0    REG_SZ    COM12",
    "",
  ].join("\r\n");
  const on = (windowsPorts: string) =>
    findPrinters(clock, { ...nowhere, platform: "win32", windowsPorts: async () => windowsPorts });
  expect(places(await on(output))).toEqual([
    ["Serial0", "COM1"],
    ["VCP0", "COM12"],
  ]);
  expect(await on("")).toEqual([]);
});

/** A program that says that there is a port. */
const plant = (file: string, port: string): void =>
  writeFileSync(file, `#!/bin/sh\necho '    \\Device\\Planted    REG_SZ    ${port}'\n`, { mode: 0o755 });

// A backslash is a letter of a file's name here: what Windows would run can be put in its place.
test.runIf(process.platform === "linux")("Windows: its own reg.exe is run, and no other of that name", async () => {
  const root = tree({ "bin/keep": "", "windows/keep": "" });
  plant(path.join(root, "bin", "reg"), "COM66");
  plant(path.join(root, "bin", "reg.exe"), "COM66");
  const { windowsPorts: _, ...withoutPorts } = nowhere;
  const search = () => findPrinters(clock, { ...withoutPorts, platform: "win32" });
  vi.stubEnv("PATH", `${path.join(root, "bin")}:${process.env.PATH}`);
  vi.stubEnv("SystemRoot", path.join(root, "windows"));
  expect(await search()).toEqual([]);
  plant(`${path.join(root, "windows")}\\System32\\reg.exe`, "COM3");
  expect(places(await search())).toEqual([["Planted", "COM3"]]);
});
