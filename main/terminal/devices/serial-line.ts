/**
 * A line over a serial device file: `/dev/ttyUSB0`, `/dev/ttyACM0`, `/dev/usb/lp0`, `/dev/cu.usbserial-1`, `COM3`. It is opened
 * without waiting for anybody (O_NONBLOCK), so that a printer that holds its line never holds this program.
 */
import { execFile } from "node:child_process";
import { constants, type FileHandle, open } from "node:fs/promises";
import type { Clock } from "../ports.ts";
import { createListener, type Line, type Sent } from "./line.ts";

/** How a serial port is opened. */
export interface SerialSettings {
  readonly path: string;
  readonly baudRate: number;
}

const pauseMs = 20;
const setUpTimeoutMs = 2_000;

const isWindows = process.platform === "win32";

/** Windows' own program of that name: the first one on PATH could be anybody's. */
export const windowsProgram = (name: string): string => `${process.env.SystemRoot ?? "C:\\Windows"}\\System32\\${name}`;

/** Raw bytes at this speed, without echo: what the system's own tool sets. A device that is no serial line needs none of it. */
const setUp = ({ path, baudRate }: SerialSettings): Promise<void> => {
  const [program, args] = isWindows
    ? [windowsProgram("mode.com"), [path, `BAUD=${baudRate}`, "PARITY=N", "DATA=8", "STOP=1"]]
    : ["stty", [process.platform === "linux" ? "-F" : "-f", path, String(baudRate), "raw", "-echo", "clocal"]];
  return new Promise((resolve) => {
    execFile(program as string, args as string[], { timeout: setUpTimeoutMs, windowsHide: true }, () => resolve());
  });
};

const isFull = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "EAGAIN";

const overFile = (file: FileHandle, clock: Clock): Line => {
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
  // A COM port's read would hold one of the program's few threads until a byte comes.
  if (!isWindows) void readOn();

  return {
    async send(bytes, timeoutMs) {
      const untilMs = clock.monotonicMs() + timeoutMs;
      let sent = 0;
      const broken = (): Sent => (sent > 0 ? "maybe_sent" : "not_sent");
      while (sent < bytes.length) {
        if (!alive || clock.monotonicMs() > untilMs) return broken();
        try {
          const { bytesWritten } = await file.write(bytes, sent, bytes.length - sent, null);
          sent += bytesWritten;
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
    close: onGone,
  };
};

/** A device and nothing else: bytes for a printer would overwrite a file of that name. */
const openDevice = async (path: string): Promise<FileHandle | null> => {
  if (isWindows) {
    const [, port] = /^(?:\\\\\.\\)?(COM\d+)$/i.exec(path) ?? [];
    return port === undefined ? null : open(`\\\\.\\${port}`, "r+");
  }
  const file = await open(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOCTTY);
  if ((await file.stat()).isCharacterDevice()) return file;
  await file.close();
  return null;
};

/** Opens the device, or gives null: not there, not allowed, or no device. */
export const openSerialLine = async (at: SerialSettings, clock: Clock): Promise<Line | null> => {
  try {
    const file = await openDevice(at.path);
    if (file === null) return null;
    await setUp(at);
    return overFile(file, clock);
  } catch {
    return null;
  }
};
