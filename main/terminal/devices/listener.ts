/** The receiving half of a line: one question listens at a time, and what nobody waits for is dropped. */
import type { Clock } from "../ports.ts";

/** What a line does with incoming bytes; `timeoutMs` bounds each wait. */
export interface Listener {
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
