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

interface SerialPortLike {
  getInfo(): { usbVendorId?: number; usbProductId?: number };
  /** Null: it is not open. */
  readonly readable: object | null;
}

interface SerialLike extends EventTarget {
  getPorts(): Promise<readonly SerialPortLike[]>;
}

/** Opens a chosen scanner; resolves as `PointOfSaleScanner.connect`. */
type Opening = (scanner: PointOfSaleScanner) => Promise<void>;

/** What reads or tries. Each serial port has one of its own: two on one would cut each other's codes. */
interface Reader {
  readonly scanner: PointOfSaleScanner;
  connectedAtMs: number | null;
  isBusy: boolean;
}

/** Each emits when a device is plugged in or out; undefined where the browser has no such devices. */
const browser = (): { readonly hid?: HidLike; readonly serial?: SerialLike } =>
  navigator as unknown as { readonly hid?: HidLike; readonly serial?: SerialLike };

/**
 * The scanners that were chosen before, are plugged in and not open: serial ones by their ports, as the package opens none of two with
 * the same ids; of those in HID mode all, of which one is read.
 */
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
      return port.readable === null && usbVendorId !== undefined && usbProductId !== undefined;
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
  readonly #readers: Reader[] = [];
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
    const reader = await this.#takeReader();
    this.#follow(reader, reader.scanner.connect());
  }

  stop(): void {
    this.#ended.abort();
  }

  /** It is busy until `#follow` has seen its end. */
  async #takeReader(): Promise<Reader> {
    const Scanner = await load[this.#kind]();
    const free = this.#readers.find(
      ({ connectedAtMs, isBusy }) => this.#kind === "hid" || (connectedAtMs === null && !isBusy),
    );
    if (free) {
      free.isBusy = true;
      return free;
    }
    const scanner = new Scanner(this.#kind === "serial" ? serialOptions : {});
    const reader: Reader = { scanner, connectedAtMs: null, isBusy: true };
    this.#readers.push(reader);
    scanner.addEventListener("connected", () => this.#notify(reader, true));
    scanner.addEventListener("disconnected", () => {
      // `#follow` has closed it, and opens it again after its pause.
      if (reader.connectedAtMs === null) return;
      this.#notify(reader, false);
      // Another one may be plugged in.
      void this.#reconnect();
    });
    scanner.addEventListener("barcode", (barcode) => this.#take(barcode));
    return reader;
  }

  get #isConnected(): boolean {
    return this.#readers.some(({ connectedAtMs }) => connectedAtMs !== null);
  }

  #notify(reader: Reader, connected: boolean): void {
    reader.connectedAtMs = connected ? performance.now() : null;
    if (!this.#ended.signal.aborted) noteDevice(this.#kind, this.#isConnected ? "connected" : "absent");
  }

  /** Opens a serial scanner again whose reading ended while it is plugged in, as after an error of its port. */
  #follow(reader: Reader, connection: Promise<void>): void {
    const reopen = async (): Promise<void> => {
      if (this.#kind === "hid" || reader.connectedAtMs === null || this.#ended.signal.aborted) return;
      const readForMs = performance.now() - reader.connectedAtMs;
      await reader.scanner.disconnect().catch(() => undefined);
      this.#notify(reader, false);
      // A port that ends at once each time is not opened all the time.
      await this.#reconnect(readForMs < reconnectPausesMs[1] ? 1 : 0);
    };
    void connection
      .catch(() => undefined)
      .then(() => {
        reader.isBusy = false;
        return reopen();
      });
  }

  /** @param first the pause to begin with, by its place. */
  async #reconnect(first = 0): Promise<void> {
    this.#searches += 1;
    const search = this.#searches;
    for (let tries = first; ; tries += 1) {
      const waitMs = reconnectPausesMs[Math.min(tries, reconnectPausesMs.length - 1)];
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (this.#ended.signal.aborted || search !== this.#searches) return;
      if (this.#kind === "hid" && this.#isConnected) return;
      const closed = await chosenDevices(this.#kind).catch(() => []);
      if (closed.length === 0) return;
      for (const openDevice of this.#kind === "hid" ? closed.slice(0, 1) : closed) {
        const reader = await this.#takeReader();
        this.#follow(reader, openDevice(reader.scanner));
      }
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
