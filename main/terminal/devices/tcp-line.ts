/** One TCP connection to a device: bytes out, single answers in, everything bounded in time. Nothing here rejects. */
import { connect, type Socket } from "node:net";
import type { Clock } from "../ports.ts";

/** An open connection to a device. */
export interface Line {
  /** `not_sent` when the connection was gone before the first byte; `maybe_sent` when it broke on the way. */
  send(bytes: Buffer): Promise<"sent" | "not_sent" | "maybe_sent">;
  /** Sends a question and gives the last byte of the first answer, or null. */
  query(bytes: Buffer, timeoutMs: number): Promise<number | null>;
  pause(ms: number): Promise<void>;
  close(): void;
}

const overSocket = (socket: Socket, clock: Clock): Line => {
  let alive = true;
  let onByte: ((byte: number | null) => void) | null = null;
  const onGone = (): void => {
    alive = false;
    onByte?.(null);
  };
  socket.on("error", onGone);
  socket.on("close", onGone);
  socket.on("end", onGone);
  socket.on("data", (data) => onByte?.(data.at(-1) ?? null));

  const send = (bytes: Buffer): Promise<"sent" | "not_sent" | "maybe_sent"> =>
    new Promise((resolve) => {
      if (!alive) return resolve("not_sent");
      socket.write(bytes, (error) => resolve(error ? "maybe_sent" : "sent"));
    });

  return {
    send,
    query: (bytes, timeoutMs) =>
      new Promise((resolve) => {
        if (!alive) return resolve(null);
        const cancel = clock.after(timeoutMs, () => onByte?.(null));
        onByte = (byte) => {
          onByte = null;
          cancel();
          resolve(byte);
        };
        void send(bytes);
      }),
    pause: (ms) => new Promise((resolve) => clock.after(ms, resolve)),
    close() {
      socket.destroy();
    },
  };
};

/** Connects, or gives null: refused, no such host, or no answer in time. */
export const connectLine = (
  at: { readonly host: string; readonly port: number },
  clock: Clock,
  timeoutMs: number,
): Promise<Line | null> =>
  new Promise((resolve) => {
    const socket = connect(at.port, at.host);
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
