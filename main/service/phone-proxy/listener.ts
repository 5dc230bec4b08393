/** The one listener of a terminal that other machines reach: on one private address, for an hour, in training. */
import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { Cancel, Clock } from "../../terminal/ports.ts";
import { createPhoneProxy, type PhoneService } from "./phone-proxy.ts";

/** How long a phone may play without anybody opening it again. */
export const openForMs = 60 * 60_000;
const defaultPort = 8790;
const codeLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** 40 random bits for an hour: a neighbour who tries ten thousand a second finds it once in 30,000 such hours. */
const codeLength = 8;
/** A phone opens up to six connections. */
const connectionsMax = 32;

/** What a listener is opened with. */
export interface PhoneListenerOptions {
  /** A private address of this machine. */
  readonly address: string;
  /** Null while the training service does not run. */
  readonly service: () => PhoneService | null;
  readonly clock: Clock;
  /** Ports that others of this machine need. */
  readonly reserved: readonly number[];
  /** Runs when it ended by itself, after an hour. */
  readonly ended: () => void;
}

/** An open listener. */
export interface PhoneListener {
  readonly address: string;
  /** What a phone opens; its last part is the code. */
  readonly url: string;
  /** Wall clock, milliseconds since the epoch. */
  readonly untilMs: number;
  /** Ends it at once, with every connection. */
  close(): void;
}

const listenOn = (server: Server, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.removeListener("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

const newCode = (): string => [...randomBytes(codeLength)].map((byte) => codeLetters[byte & 31]).join("");

/** Rejects when the address cannot be listened on. The same port as last time where it is free: a firewall may know it. */
export const openPhoneListener = async (options: PhoneListenerOptions): Promise<PhoneListener> => {
  const { address, service, clock, reserved, ended } = options;
  const [code, key] = [newCode(), randomBytes(32).toString("base64url")];
  let answer: ReturnType<typeof createPhoneProxy> | null = null;
  const server = createAdaptorServer({
    fetch: (request, env) =>
      answer === null || isOver()
        ? new Response(null, { status: 410 })
        : answer(request, (env as { incoming: { rawHeaders: string[] } }).incoming.rawHeaders),
    // Electron's own pages are answered with the global `Response`.
    overrideGlobalObjects: false,
    serverOptions: { maxHeaderSize: 8 * 1024, headersTimeout: 10_000, requestTimeout: 15_000, keepAliveTimeout: 5_000 },
  }) as Server;
  server.maxConnections = connectionsMax;
  const port = reserved.includes(defaultPort)
    ? await listenOn(server, address, 0)
    : await listenOn(server, address, defaultPort).catch(() => listenOn(server, address, 0));
  const host = `${address}:${port}`;
  answer = createPhoneProxy({ host, service, code, key });

  // A machine that slept through the hour has no timer that fired: each request looks as well.
  const endsAtMs = clock.monotonicMs() + openForMs;
  const isOver = (): boolean => clock.monotonicMs() >= endsAtMs;
  let cancel: Cancel | null = null;
  const close = (): void => {
    cancel?.();
    server.close();
    server.closeAllConnections();
  };
  cancel = clock.after(openForMs, () => {
    close();
    ended();
  });
  return { address, url: `http://${host}/${code}`, untilMs: clock.now() + openForMs, close };
};
