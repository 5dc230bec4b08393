/** A line over TCP, as network printers offer it on port 9100. */
import { connect, type Socket } from "node:net";
import type { Clock } from "../ports.ts";
import type { Line, Sent } from "./line.ts";
import { createListener } from "./listener.ts";

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
    /** What was written still goes out; a peer that does not take it is left after a while. */
    close() {
      socket.end();
      socket.setTimeout(closeTimeoutMs, () => socket.destroy());
    },
  };
};

const closeTimeoutMs = 2_000;

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
