/** Connections to devices, one job at a time each; opening the drawer goes first and cuts off a print job's waits. */
import { execFile } from "node:child_process";
import { lookup } from "node:dns";
import { constants, type FileHandle, open } from "node:fs/promises";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { isPrivateAddress } from "../../../preload/device-address.ts";
import type { Clock } from "../ports.ts";

type Sent = "sent" | "not_sent" | "maybe_sent";

/** One open connection. Calls are bounded in time and never reject; once it is lost, `send` answers `not_sent`. */
export interface Line {
  /** `not_sent` if the connection was lost before the first byte; `maybe_sent` if it broke or stalled later. */
  send(bytes: Uint8Array, timeoutMs: number): Promise<Sent>;
  /** Passes incoming bytes to `read` until it returns a value; null after the time-out or if the connection is lost. */
  listen<T>(read: (byte: number) => T | null, timeoutMs: number): Promise<T | null>;
  pause(ms: number): Promise<void>;
  /** True for a cable, which accepts bytes even without a device; over the network somebody accepted the connection, even if silent. */
  readonly silenceMeansAbsent: boolean;
  /** Ends it at once without what is still on its way. Not what the device's own buffer holds by then, nor what is on a cable. */
  drop(): void;
  close(): void;
}

/** Opens a line; null if refused, not found, or not answered in time. */
export type OpenLine = () => Promise<Line | null>;

type Urgency = "kick" | "print";

/** A device shared by several drivers; each job has exclusive use of the line. */
export type Connection = ReturnType<typeof createConnection>;

/** Opens the line for each job, so that a device is found again after it was unplugged. */
export const createConnection = (open: OpenLine) => {
  const waiting: Readonly<{ urgency: Urgency; run: (signal: AbortSignal) => Promise<void> }>[] = [];
  let current: AbortController | null = null;

  const next = (): void => {
    if (current !== null) return;
    const at = Math.max(
      0,
      waiting.findIndex(({ urgency }) => urgency === "kick"),
    );
    const [job] = waiting.splice(at, 1);
    if (job === undefined) return;
    current = new AbortController();
    void job.run(current.signal).finally(() => {
      current = null;
      next();
    });
  };

  return {
    /** Opens a line when it is the job's turn (by `openIts` if given) and closes it afterwards. `job` gets null if there is no line. */
    use: <T>(
      urgency: Urgency,
      job: (line: Line | null, signal: AbortSignal) => Promise<T>,
      openIts = open,
    ): Promise<T> =>
      new Promise((resolve, reject) => {
        const run = async (signal: AbortSignal): Promise<void> => {
          const line = await openIts();
          try {
            resolve(await job(line, signal));
          } catch (error) {
            reject(error);
          } finally {
            line?.close();
          }
        };
        waiting.push({ urgency, run });
        if (urgency === "kick") current?.abort();
        next();
      }),
  };
};

/** Delivers a line's incoming bytes to one `listen` at a time, each bounded by `timeoutMs`. */
export const createListener = (clock: Clock) => {
  let onByte: ((byte: number) => void) | null = null;
  let stop: (() => void) | null = null;
  let ended = false;
  return {
    listen: <T>(read: (byte: number) => T | null, timeoutMs: number): Promise<T | null> =>
      new Promise((resolve) => {
        if (ended) return resolve(null);
        const finish = (answer: T | null): void => {
          onByte = null;
          stop = null;
          cancel();
          resolve(answer);
        };
        const cancel = clock.after(timeoutMs, () => finish(null));
        stop = () => finish(null);
        onByte = (byte) => {
          const answer = read(byte);
          if (answer !== null) finish(answer);
        };
      }),
    deliver(bytes: Uint8Array): void {
      for (const byte of bytes) onByte?.(byte);
    },
    /** Ends the line: a pending `listen` resolves with null. */
    end(): void {
      ended = true;
      stop?.();
    },
  };
};

const overSocket = (socket: Socket, clock: Clock): Line => {
  let alive = true;
  const { listen, deliver, end } = createListener(clock);
  const onGone = (): void => {
    alive = false;
    end();
  };
  socket.on("error", onGone);
  socket.on("close", onGone);
  socket.on("end", onGone);
  socket.on("data", deliver);
  return {
    send: (bytes, timeoutMs) =>
      new Promise<Sent>((resolve) => {
        if (!alive) return resolve("not_sent");
        const cancel = clock.after(timeoutMs, () => resolve("maybe_sent"));
        socket.write(bytes, (error) => {
          cancel();
          resolve(error ? "maybe_sent" : "sent");
        });
      }),
    listen,
    pause: (ms) => new Promise((resolve) => clock.after(ms, resolve)),
    silenceMeansAbsent: false,
    // A socket that is only destroyed leaves its bytes to the system, which may deliver them much later.
    drop: () => void socket.resetAndDestroy(),
    /** Flushes what was written; destroyed if the peer does not read it or keeps sending. */
    close() {
      if (socket.destroyed) return;
      socket.end();
      const cancel = clock.after(closeTimeoutMs, () => socket.destroy());
      socket.once("close", cancel);
    },
  };
};

const closeTimeoutMs = 2_000;

/** Resolves a host name to private addresses only, even if it pointed elsewhere when it was chosen. */
const lookupPrivate: LookupFunction = (hostname, options, done) =>
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const usable = (found ?? []).filter(({ address }) => isPrivateAddress(address));
    const [first] = usable;
    const refused = Object.assign(new Error("not in this network"), { code: "ENOTFOUND" });
    if (error !== null || first === undefined) return done(error ?? refused, []);
    if (options.all === true) done(null, usable);
    else done(null, first.address, first.family);
  });

/** Connects; null if the address is not private, refused, unknown, or not answered in time. */
export const connectLine = (
  at: { readonly host: string; readonly port: number },
  clock: Clock,
  timeoutMs: number,
): Promise<Line | null> =>
  new Promise((resolve) => {
    if (isIP(at.host) !== 0 && !isPrivateAddress(at.host)) return resolve(null);
    const socket = connect({ port: at.port, host: at.host, lookup: lookupPrivate });
    socket.setNoDelay(true);
    const cancel = clock.after(timeoutMs, () => {
      socket.destroy();
      resolve(null);
    });
    socket.once("error", () => {
      cancel();
      resolve(null);
    });
    socket.once("connect", () => {
      cancel();
      resolve(overSocket(socket, clock));
    });
  });

interface SerialSettings {
  readonly path: string;
  readonly baudRate: number;
}

const pauseMs = 20;
const setUpTimeoutMs = 2_000;
/** A write that is still under way so long after its time counts as stuck. */
const stuckMs = 1_000;

const thisSystem = {
  platform: process.platform,
  open: (path: string, flags: number | string): Promise<FileHandle> => open(path, flags),
  /** Resolves when the program has ended, whatever came of it. */
  run: (program: string, args: readonly string[]) =>
    new Promise<void>((resolve) => {
      execFile(program, args, { timeout: setUpTimeoutMs, windowsHide: true }, () => resolve());
    }),
};
/** What serial ports ask of the system; tests bring a system of their own. */
export type SerialSystem = Readonly<typeof thisSystem>;

/** Path of a Windows system program: the first on PATH could be another program. */
export const windowsProgram = (name: string): string => `${process.env.SystemRoot ?? "C:\\Windows"}\\System32\\${name}`;

const isFull = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "EAGAIN";

const overFile = (file: FileHandle, clock: Clock, isWindows: boolean): Line => {
  const pause = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));
  let alive = true;
  const { listen, deliver, end } = createListener(clock);
  const onGone = (): void => {
    if (!alive) return;
    alive = false;
    end();
    void file.close().catch(() => undefined);
  };

  const readOn = async (): Promise<void> => {
    const buffer = new Uint8Array(64);
    while (alive) {
      try {
        const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
        if (bytesRead > 0) deliver(buffer.subarray(0, bytesRead));
        else await pause(pauseMs);
      } catch (error) {
        if (!isFull(error)) return onGone();
        await pause(pauseMs);
      }
    }
  };
  // Reading a COM port would block one of libuv's few threads until a byte arrives.
  if (!isWindows) void readOn();

  /** Null if Windows does not end the write: it waits for a device that takes no more, as no other system does here. */
  const write = (bytes: Uint8Array, from: number, timeoutMs: number): Promise<number | null> =>
    new Promise((resolve, reject) => {
      const cancel = clock.after(timeoutMs + stuckMs, () => resolve(null));
      file
        .write(bytes, from, bytes.length - from, null)
        .then(({ bytesWritten }) => resolve(bytesWritten), reject)
        .finally(cancel);
    });

  return {
    async send(bytes, timeoutMs) {
      const untilMs = clock.monotonicMs() + timeoutMs;
      let sent = 0;
      const broken = (): Sent => (sent > 0 ? "maybe_sent" : "not_sent");
      while (sent < bytes.length) {
        const leftMs = untilMs - clock.monotonicMs();
        if (!alive || leftMs < 0) return broken();
        try {
          const written = await write(bytes, sent, leftMs);
          if (written === null) {
            onGone();
            return "maybe_sent";
          }
          sent += written;
        } catch (error) {
          if (!isFull(error)) {
            onGone();
            return broken();
          }
          await pause(pauseMs);
        }
      }
      return "sent";
    },
    listen,
    pause,
    silenceMeansAbsent: !isWindows,
    drop: onGone,
    close: onGone,
  };
};

/** Windows gives a COM port to one program at a time: it is set up before it is opened, and stays as `mode` has set it. */
const openComPort = async (
  { path, baudRate }: SerialSettings,
  { open, run }: SerialSystem,
): Promise<FileHandle | null> => {
  const [, port] = /^(?:\\\\\.\\)?(COM\d+)$/i.exec(path) ?? [];
  if (port === undefined) return null;
  await run(windowsProgram("mode.com"), [port, `BAUD=${baudRate}`, "PARITY=N", "DATA=8", "STOP=1"]);
  return open(`\\\\.\\${port}`, "r+");
};

/**
 * Opens character devices only: printing to a regular file would overwrite it. Set to raw mode at this speed, without echo, once it
 * is open, as macOS forgets that with the last who closes it; devices other than serial ports do not need it.
 */
const openDeviceFile = async (
  at: SerialSettings,
  { platform, open, run }: SerialSystem,
): Promise<FileHandle | null> => {
  const file = await open(at.path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOCTTY);
  if (!(await file.stat()).isCharacterDevice()) {
    await file.close();
    return null;
  }
  await run("stty", [platform === "linux" ? "-F" : "-f", at.path, String(at.baudRate), "raw", "-echo", "clocal"]);
  return file;
};

/** Opens the device; null if it is missing, not allowed, or no device. */
export const openSerialLine = async (at: SerialSettings, clock: Clock, system = thisSystem): Promise<Line | null> => {
  const isWindows = system.platform === "win32";
  try {
    const file = await (isWindows ? openComPort : openDeviceFile)(at, system);
    return file && overFile(file, clock, isWindows);
  } catch {
    return null;
  }
};
