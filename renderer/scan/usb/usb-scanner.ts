import type { Settings } from "../../../preload/contract.ts";
import { type DeviceKind, noteActivity, noteDevice } from "../activity.ts";
import { idFault, type OnScan, scanTextLengthMax } from "../scan.ts";
import { textsOf } from "./barcode-text.ts";

/** USB ids, by which a scanner is known again. */
interface DeviceIds {
  readonly vendorId: number;
  readonly productId: number;
}

interface HidLike extends EventTarget {
  getDevices(): Promise<readonly DeviceIds[]>;
}

interface SerialLike extends EventTarget {
  getPorts(): Promise<readonly { getInfo(): { usbVendorId?: number; usbProductId?: number } }[]>;
}

/** Opens a chosen scanner; resolves as `PointOfSaleScanner.connect`. */
type Opening = (scanner: PointOfSaleScanner) => Promise<void>;

/** Each emits when a device is plugged in or out; undefined where the browser has no such devices. */
const browser = (): { readonly hid?: HidLike; readonly serial?: SerialLike } =>
  navigator as unknown as { readonly hid?: HidLike; readonly serial?: SerialLike };

/** The scanners that were chosen before and are plugged in. A serial one by its port: the package opens none of two with the same ids. */
const chosenDevices = async (kind: DeviceKind): Promise<readonly Opening[]> => {
  if (kind === "hid")
    return ((await browser().hid?.getDevices()) ?? []).map(
      ({ vendorId, productId }) =>
        (scanner) =>
          scanner.reconnect({ vendorId, productId }),
    );
  const ports = (await browser().serial?.getPorts()) ?? [];
  return ports
    .filter((port) => {
      const { usbVendorId, usbProductId } = port.getInfo();
      return usbVendorId !== undefined && usbProductId !== undefined;
    })
    .map((port) => (scanner) => scanner.open(port));
};

const load = {
  hid: async () => (await import("@point-of-sale/webhid-barcode-scanner")).default,
  serial: async () => (await import("@point-of-sale/webserial-barcode-scanner")).default,
} as const;

/** What many serial scanners are set to; USB ones accept any rate. */
const serialOptions = { baudRate: 9600 };
/**
 * Pauses before each try to open a scanner that was plugged in: short while it starts up. The last one repeats, since another program
 * may hold its port for longer, as the modem service of a Linux does with each new one.
 */
const reconnectPausesMs = [0, 1000, 3000, 10_000] as const;

/** A scanner in HID POS or serial mode: chosen once by a person, found again by itself from then on. */
class DeviceScanner {
  readonly #kind: DeviceKind;
  readonly #onScan: OnScan;
  readonly #settings: () => Settings;
  readonly #ended = new AbortController();
  #scanner: Promise<PointOfSaleScanner> | null = null;
  #connectedAtMs: number | null = null;
  /** A scanner that is plugged in begins the pauses anew. */
  #searches = 0;

  constructor(kind: DeviceKind, onScan: OnScan, settings: () => Settings) {
    this.#kind = kind;
    this.#onScan = onScan;
    this.#settings = settings;
    const bus = browser()[kind];
    if (!bus) return;
    noteDevice(kind, "absent");
    bus.addEventListener("connect", () => void this.#reconnect(), { signal: this.#ended.signal });
    void this.#reconnect();
  }

  /** Asks the person which device; only in answer to a tap. */
  async choose(): Promise<void> {
    if (!browser()[this.#kind]) return;
    const scanner = await this.#open();
    this.#follow(scanner, scanner.connect());
  }

  stop(): void {
    this.#ended.abort();
  }

  #open(): Promise<PointOfSaleScanner> {
    this.#scanner ??= load[this.#kind]().then((Scanner) => {
      const scanner = new Scanner(this.#kind === "serial" ? serialOptions : {});
      scanner.addEventListener("connected", () => this.#notify(true));
      scanner.addEventListener("disconnected", () => {
        // `#follow` has closed it, and opens it again after its pause.
        if (this.#connectedAtMs === null) return;
        this.#notify(false);
        // Another one may be plugged in.
        void this.#reconnect();
      });
      scanner.addEventListener("barcode", (barcode) => this.#take(barcode));
      return scanner;
    });
    return this.#scanner;
  }

  #notify(connected: boolean): void {
    this.#connectedAtMs = connected ? performance.now() : null;
    if (!this.#ended.signal.aborted) noteDevice(this.#kind, connected ? "connected" : "absent");
  }

  /** Opens a serial scanner again whose reading ended while it is plugged in, as after an error of its port. */
  #follow(scanner: PointOfSaleScanner, connection: Promise<void>): void {
    const begunAtMs = performance.now();
    const reopen = async (): Promise<void> => {
      const connectedAtMs = this.#connectedAtMs;
      if (this.#kind === "hid" || connectedAtMs === null || this.#ended.signal.aborted) return;
      // A person has chosen none, and the one of before goes on.
      if (connectedAtMs < begunAtMs) return;
      const readForMs = performance.now() - connectedAtMs;
      await scanner.disconnect().catch(() => undefined);
      this.#notify(false);
      // A port that ends at once each time is not opened all the time.
      await this.#reconnect(readForMs < reconnectPausesMs[1] ? 1 : 0);
    };
    void connection.then(reopen, () => undefined);
  }

  /** @param first the pause to begin with, by its place. */
  async #reconnect(first = 0): Promise<void> {
    this.#searches += 1;
    const search = this.#searches;
    for (let tries = first; ; tries += 1) {
      const waitMs = reconnectPausesMs[Math.min(tries, reconnectPausesMs.length - 1)];
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (this.#connectedAtMs !== null || this.#ended.signal.aborted || search !== this.#searches) return;
      const [openDevice] = await chosenDevices(this.#kind).catch(() => []);
      if (!openDevice) return;
      const scanner = await this.#open();
      this.#follow(scanner, openDevice(scanner));
    }
  }

  #take({ value, symbology, bytes }: PointOfSaleBarcode): void {
    if (this.#ended.signal.aborted) return;
    for (const { text, symbology: kind } of textsOf(value.slice(0, scanTextLengthMax), symbology)) {
      noteActivity({
        source: this.#kind,
        text,
        raw: value,
        bytes: bytes.flatMap((part) => [...part]),
        symbology: kind,
        fault: idFault(text, this.#settings()),
        timing: null,
        detail: this.#kind === "hid" ? "HID POS" : "serial",
      });
      this.#onScan({ text, source: this.#kind, ...(kind && { symbology: kind }) });
    }
  }
}

const running = new Map<DeviceKind, DeviceScanner>();

/** Starts looking for chosen HID and serial scanners. The result stops it. */
export const startDeviceScanners = (onScan: OnScan, settings: () => Settings): (() => void) => {
  for (const kind of ["hid", "serial"] as const) running.set(kind, new DeviceScanner(kind, onScan, settings));
  const started = [...running.values()];
  return () => {
    for (const scanner of started) scanner.stop();
  };
};

/** Lets a person choose a scanner; only in answer to a tap. */
export const chooseDevice = async (kind: DeviceKind): Promise<void> => running.get(kind)?.choose();
