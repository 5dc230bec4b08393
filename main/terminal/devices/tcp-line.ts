/** A line over TCP, as network printers offer it on port 9100. */
import { lookup } from "node:dns";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { isPrivateAddress } from "../../../preload/device-address.ts";
import type { Clock } from "../ports.ts";
import { createListener, type Line, type Sent } from "./line.ts";

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
    /** What was written still goes out; a peer that does not take it, or goes on talking, is left after a while. */
    close() {
      socket.end();
      const cancel = clock.after(closeTimeoutMs, () => socket.destroy());
      socket.once("close", cancel);
    },
  };
};

const closeTimeoutMs = 2_000;

/** A name that leads out of the shop's network leads nowhere, whatever it led to when it was chosen. */
const lookupPrivate: LookupFunction = (hostname, options, done) =>
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const usable = (found ?? []).filter(({ address }) => isPrivateAddress(address));
    const [first] = usable;
    const refused = Object.assign(new Error("not in this network"), { code: "ENOTFOUND" });
    if (error !== null || first === undefined) return done(error ?? refused, []);
    if (options.all === true) done(null, usable);
    else done(null, first.address, first.family);
  });

/** Connects, or gives null: outside of this network, refused, no such host, or no answer in time. */
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
