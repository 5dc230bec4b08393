/** One device, one user at a time: a kick of the drawer goes before everything that prints and cuts short what may wait. */
import type { Clock } from "../ports.ts";

/** One open connection to a device: bytes out, bytes in, everything bounded in time. Nothing here rejects. */
export type Sent = "sent" | "not_sent" | "maybe_sent";

/** One open connection. Once it is gone, `send` answers `not_sent` and `listen` null. */
export interface Line {
  /** `not_sent` when the connection was gone before the first byte; `maybe_sent` when it broke or stalled on the way. */
  send(bytes: Uint8Array, timeoutMs: number): Promise<Sent>;
  /** Gives each byte that comes in to `read` until it returns something, or null when time is up or the line is gone. */
  listen<T>(read: (byte: number) => T | null, timeoutMs: number): Promise<T | null>;
  pause(ms: number): Promise<void>;
  /** A cable takes bytes also when nobody is behind it; a connection that was accepted has somebody, who may be mute. */
  readonly silenceMeansAbsent: boolean;
  close(): void;
}

/** Opens a line, or gives null: refused, no such device, or no answer in time. */
export type OpenLine = () => Promise<Line | null>;

/** The device as its drivers share it: each job has the line for itself. */
export interface Connection {
  /** Opens a line for `job` when it is its turn, and closes it behind it. `job` gets null when there is no line. */
  use<T>(urgency: "kick" | "print", job: (line: Line | null, signal: AbortSignal) => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly urgency: "kick" | "print";
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Calls `open` for each job, so that a device that was unplugged between two jobs is found again. */
export const createConnection = (open: OpenLine): Connection => {
  const waiting: Waiting[] = [];
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
    use: (urgency, job) =>
      new Promise((resolve, reject) => {
        const run = async (signal: AbortSignal): Promise<void> => {
          const line = await open();
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

/** What a line does with incoming bytes; `timeoutMs` bounds each wait. */
interface Listener {
  listen<T>(read: (byte: number) => T | null, timeoutMs: number): Promise<T | null>;
  /** What came in. */
  deliver(bytes: Uint8Array): void;
  /** The line is gone: whoever listens gets null. */
  end(): void;
}

/** Nobody listens at first; each `listen` must have answered before the next one. */
export const createListener = (clock: Clock): Listener => {
  let onByte: ((byte: number) => boolean) | null = null;
  let stop: (() => void) | null = null;
  let ended = false;
  return {
    listen: (read, timeoutMs) =>
      new Promise((resolve) => {
        if (ended) return resolve(null);
        const finish = (answer: ReturnType<typeof read>): void => {
          onByte = null;
          stop = null;
          cancel();
          resolve(answer);
        };
        const cancel = clock.after(timeoutMs, () => finish(null));
        stop = () => finish(null);
        onByte = (byte) => {
          const answer = read(byte);
          if (answer === null) return false;
          finish(answer);
          return true;
        };
      }),
    deliver(bytes) {
      for (const byte of bytes) if (onByte === null || onByte(byte)) return;
    },
    end() {
      ended = true;
      stop?.();
    },
  };
};
