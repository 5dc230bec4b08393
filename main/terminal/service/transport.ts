/** HTTP by ky without its retries: only the core decides what may be sent again. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import ky from "ky";
import { parseStrictJson } from "../../../backend/contract/ambiguity.ts";
import { environmentHeader, sandboxEnvironment } from "../../../backend/contract/environment.ts";
import { isServiceUrl } from "../../../backend/contract/service-url.ts";
import manifest from "../../../package.json" with { type: "json" };
import type { Clock, ServiceAnswer, Transport, UnsafeService } from "../ports.ts";

/** Longest body that is accepted; a Transaction is far shorter. */
const bodyCharactersMax = 4 * 1024 * 1024;

/** An error and its causes. */
const causesOf = (error: unknown, depth = 5): readonly Error[] =>
  error instanceof Error && depth > 0 ? [error, ...causesOf(error.cause, depth - 1)] : [];

const causeCode = (error: unknown): string => {
  const [code] = causesOf(error).flatMap((one) => ("code" in one && typeof one.code === "string" ? [one.code] : []));
  return code ?? "";
};

const nameNotFound: readonly string[] = ["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA"];
const noRoute: readonly string[] = [
  "ENETUNREACH",
  "EHOSTUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
];
/** OpenSSL's and Node's codes for an invalid certificate, or a port without TLS. */
const certificate = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;

/** Whether a proxy refused the tunnel; undici has no error code for that, only this message. */
const isProxyRefusal = (error: unknown): boolean =>
  causesOf(error).some(({ message }) => /^Proxy response \(\d+\)/.test(message));

const silenceOf = (error: unknown): ServiceAnswer => {
  const code = causeCode(error);
  if (code === "ECONNREFUSED") return { kind: "silence", why: "refused" };
  if (nameNotFound.includes(code)) return { kind: "silence", why: "unreachable", because: "name_not_found" };
  if (noRoute.includes(code)) return { kind: "silence", why: "unreachable", because: "no_route" };
  if (isProxyRefusal(error)) return { kind: "silence", why: "reset", because: "proxy" };
  if (certificate.test(code)) return { kind: "silence", why: "reset", because: "certificate" };
  return { kind: "silence", why: "reset" };
};

const retryAfterMs = (header: string | null, nowMs: number): number | null => {
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
};

/** Undefined if it is not JSON or is ambiguous (such as duplicate keys): that must not decide about money. */
const parse = (text: string): unknown => {
  if (text.trim() === "") return null;
  const parsed = parseStrictJson(text);
  return parsed.ok ? parsed.value : undefined;
};

/** Not done: nothing was sent, or only a sign-in. */
const refused = (because: UnsafeService): ServiceAnswer => ({ kind: "silence", why: "refused", because });

/** Calls `lost` for each connection that the peer closes, idle ones included. @returns a function that stops it. */
export const onConnectionLost = (lost: () => void): (() => void) => {
  const watch = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    socket.once("end", lost);

    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNRESET") lost();
    });
  };
  subscribe("undici:client:connected", watch);
  return () => void unsubscribe("undici:client:connected", watch);
};

/** Like the global `fetch`. */
export type Fetch = (request: Request) => Promise<Response>;

/** Which services may be called, and how. */
export interface TransportOptions {
  /** Allows a service without a bank: for training, never for real money. Default: false. */
  readonly takesSandbox?: boolean;
  /** For developers: plain http to this machine's own addresses, where any program can answer. Default: false. */
  readonly takesPlainHttp?: boolean;
  /** Returns how to call this program's own service, whoever holds its port; null for other addresses. Default: none. */
  readonly ownServiceAt?: (address: string) => Fetch | null;
}

const mayGoOut = (address: string, takesPlainHttp: boolean): boolean =>
  takesPlainHttp ? isServiceUrl(address) : URL.parse(address)?.protocol === "https:";

/** @param clock for time-outs, and for a Retry-After that is a date. */
export const createKyTransport = (
  clock: Clock,
  { takesSandbox = false, takesPlainHttp = false, ownServiceAt = () => null }: TransportOptions = {},
): Transport => ({
  async send(request) {
    const address = request.baseUrl.replace(/\/+$/, "");
    const own = ownServiceAt(address);
    // Any program of this machine can answer plain http, also at a previously saved address.
    if (own === null && !mayGoOut(address, takesPlainHttp)) return refused("plain_http");
    const deadline = new AbortController();
    const cancel = clock.after(request.timeoutMs, () => deadline.abort());
    try {
      const response = await ky(new URL(address + request.path), {
        ...(own === null ? {} : { fetch: (input) => own(new Request(input)) }),
        method: request.method,
        retry: 0,
        timeout: false,
        signal: deadline.signal,
        throwHttpErrors: false,
        redirect: "manual",
        json: request.body,
        headers: {
          accept: "application/json",
          "user-agent": `Tillcash-Terminal/${manifest.version}`,
          ...request.headers,
          ...(request.token === undefined ? {} : { authorization: `Bearer ${request.token}` }),
        },
      });
      if (!takesSandbox && response.headers.get(environmentHeader) === sandboxEnvironment) return refused("sandbox");
      const text = await response.text();
      const body = text.length > bodyCharactersMax ? undefined : parse(text);
      if (response.ok && body === undefined) return { kind: "silence", why: "garbled" };
      const date = response.headers.get("date");
      const dateMs = date === null ? Number.NaN : Date.parse(date);
      return {
        kind: "answer",
        status: response.status,
        body,
        dateMs: Number.isFinite(dateMs) ? dateMs : null,
        retryAfterMs: retryAfterMs(response.headers.get("retry-after"), clock.now()),
      };
    } catch (error) {
      return deadline.signal.aborted ? { kind: "silence", why: "timeout" } : silenceOf(error);
    } finally {
      cancel();
    }
  },
});
