/** Finds possible printers at this machine and in its networks, without sending anything; and this machine's addresses. */
import { execFile } from "node:child_process";
import { readdir, readFile, realpath } from "node:fs/promises";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import path from "node:path";
import { defaultPrinterPort } from "../../../preload/choices.ts";
import { type FoundPrinter, printerSchema } from "../../../preload/contract.ts";
import type { Clock } from "../ports.ts";
import { connectLine, windowsProgram } from "./line.ts";

/** RFC 1918, without link-local addresses (169.254), which no phone reaches. */
const isLan = (address: string): boolean => /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/.test(address);

/** Bridges of containers and virtual machines, and tunnels: no phones there. */
const isVirtual = (card: string): boolean =>
  /^(docker|podman|br-|cni|veth|virbr|vmnet|vboxnet|tun|tap|utun|wg|zt|tailscale)|virtual|vethernet|vpn|hyper-v|wsl/i.test(
    card,
  );

const addressesMax = 4;

/** Private IPv4 addresses, which can be typed; at most four. */
export const lanAddresses = (cards: NodeJS.Dict<readonly NetworkInterfaceInfo[]>) => {
  const found = Object.entries(cards).flatMap(([card, infos = []]) =>
    infos
      .filter(({ family, internal, address }) => family === "IPv4" && !internal && isLan(address))
      .map(({ address }) => ({ address, card })),
  );
  const real = found.filter(({ card }) => !isVirtual(card));
  // A virtual machine has only virtual cards.
  return (real.length > 0 ? real : found).slice(0, addressesMax);
};
/** An address of this machine, and the name of its network card. */
export type LanAddress = Readonly<ReturnType<typeof lanAddresses>[number]>;

const connectTimeoutMs = 800;
const searchTimeoutMs = 6_000;
const connectionsMax = 128;
const windowsTimeoutMs = 3_000;

const queryWindowsPorts = (): Promise<string> =>
  new Promise((resolve) => {
    const args = ["query", "HKLM\\HARDWARE\\DEVICEMAP\\SERIALCOMM"];
    const options = { timeout: windowsTimeoutMs, windowsHide: true };
    execFile(windowsProgram("reg.exe"), args, options, (_, output) => resolve(output));
  });

const thisMachine = {
  platform: process.platform,
  /** The folder that holds `dev` and `sys`. */
  root: "/",
  /** This machine's own addresses in private networks. */
  addresses: (): readonly string[] => lanAddresses(networkInterfaces()).map(({ address }) => address),
  port: defaultPrinterPort as number,
  /** Windows' list of serial ports, as `reg query` prints it. */
  windowsPorts: queryWindowsPorts,
};
/** What the search reads from this machine; tests replace it. */
export type PrinterPlaces = Readonly<typeof thisMachine>;

/** The other hosts of an address's /24; a shop's network is rarely larger. */
const neighborsOf = (address: string): readonly string[] => {
  const network = address.slice(0, address.lastIndexOf(".") + 1);
  return Array.from({ length: 254 }, (_, at) => `${network}${at + 1}`).filter((host) => host !== address);
};

const inNetwork = async ({ addresses, port }: PrinterPlaces, clock: Clock): Promise<readonly FoundPrinter[]> => {
  const hosts = [...new Set(addresses().flatMap(neighborsOf))];
  const untilMs = clock.monotonicMs() + searchTimeoutMs;
  const found = new Set<string>();
  const waiting = hosts.values();
  const work = async (): Promise<void> => {
    for (const host of waiting) {
      if (clock.monotonicMs() >= untilMs) return;
      const line = await connectLine({ host, port }, clock, connectTimeoutMs);
      if (line !== null) found.add(host);
      line?.close();
    }
  };
  await Promise.all(Array.from({ length: connectionsMax }, work));
  return hosts
    .filter((host) => found.has(host))
    .map((host) => ({ name: null, printer: printerSchema.parse({ kind: "network", host, port }) }));
};

const list = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);
const read = (file: string): Promise<string> =>
  readFile(file, "utf8")
    .then((text) => text.trim())
    .catch(() => "");

/** Manufacturer and model from a USB printer's device id such as `MFG:EPSON;CMD:ESC/POS;MDL:TM-T20II;`. */
const namedById = (id: string): string =>
  ["MFG|MANUFACTURER", "MDL|MODEL"]
    .flatMap((key) => new RegExp(`(?:^|;)(?:${key}):([^;]*)`).exec(id)?.[1]?.trim() ?? [])
    .join(" ");

const usbNameAbove = async (root: string, device: string): Promise<string | null> => {
  for (let at = device; at.length > root.length; at = path.dirname(at)) {
    const product = await read(path.join(at, "product"));
    if (product !== "") return [await read(path.join(at, "manufacturer")), product].filter(Boolean).join(" ");
  }
  return null;
};

const serial = (file: string, name: string | null): FoundPrinter => ({
  name,
  printer: printerSchema.parse({ kind: "serial", path: file }),
});

/** USB printers (`/dev/usb/lp0`) and serial ports that have hardware: the kernel lists more than exist. */
const onLinux = async ({ root }: PrinterPlaces): Promise<readonly FoundPrinter[]> => {
  const inClass = async (name: string, wanted: RegExp, dev: string): Promise<readonly FoundPrinter[]> => {
    const folder = path.join(root, "sys", "class", name);
    const entries = (await list(folder)).filter((entry) => wanted.test(entry)).toSorted();
    const found = await Promise.all(
      entries.map(async (entry) => {
        const device = await realpath(path.join(folder, entry)).catch(() => "");
        if (device === "" || /\/(virtual|platform\/serial8250)\//.test(device)) return [];
        const id = namedById(await read(path.join(device, "device", "ieee1284_id")));
        return serial(path.posix.join("/dev", dev, entry), id || (await usbNameAbove(root, device)));
      }),
    );
    return found.flat();
  };
  return [...(await inClass("usbmisc", /^lp\d+$/, "usb")), ...(await inClass("tty", /^tty(USB|ACM|S|AMA)\d+$/, ""))];
};

const notOfPrinters = /Bluetooth-Incoming-Port|debug-console|wlan-debug/;

const onMac = async ({ root }: PrinterPlaces): Promise<readonly FoundPrinter[]> =>
  (await list(path.join(root, "dev")))
    .filter((entry) => entry.startsWith("cu.") && !notOfPrinters.test(entry))
    .toSorted()
    .map((entry) => serial(`/dev/${entry}`, entry.slice("cu.".length)));

/** A line looks like `    \Device\VCP0    REG_SZ    COM3`. */
const onWindows = async ({ windowsPorts }: PrinterPlaces): Promise<readonly FoundPrinter[]> =>
  [...(await windowsPorts()).matchAll(/\\Device\\(\S+)\s+REG_SZ\s+(COM\d+)/g)].map(([, driver = "", port = ""]) =>
    serial(port, driver),
  );

/** Finds this machine's printers first, then the network's. Hosts, parallel connections and time are bounded; never rejects. */
export const findPrinters = async (
  clock: Clock,
  given: Partial<PrinterPlaces> = {},
): Promise<readonly FoundPrinter[]> => {
  const places = { ...thisMachine, ...given };
  const { platform } = places;
  const onThisMachine = platform === "win32" ? onWindows : platform === "darwin" ? onMac : onLinux;
  const [local, network] = await Promise.all([onThisMachine(places), inNetwork(places, clock)]);
  return [...local, ...network];
};
