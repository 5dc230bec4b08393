/** HTTP through ky, with nothing repeated on the way: the core alone decides what may be sent again. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import ky from "ky";
import { parseStrictJson } from "../../../backend/contract/ambiguity.ts";
import { environmentHeader, sandboxEnvironment } from "../../../backend/contract/environment.ts";
import { isServiceUrl } from "../../../backend/contract/service-url.ts";
import manifest from "../../../package.json" with { type: "json" };
import type { Clock, ServiceAnswer, Transport, UnsafeService } from "../ports.ts";

/** Largest answer that is read; a Transaction has less than one of these. */
const bodyCharactersMax = 4 * 1024 * 1024;

/** An error and what it came from. */
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
/** OpenSSL's and Node's words for a certificate that does not hold, or for no TLS at all at that port. */
const certificate = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;

/** As undici says that a proxy refused the tunnel: it has no code of its own for that. */
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
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
};

/** `undefined` for what is no JSON, and for JSON that two readers could read differently: that decides nothing about money. */
const parse = (text: string): unknown => {
  if (text.trim() === "") return null;
  const parsed = parseStrictJson(text);
  return parsed.ok ? parsed.value : undefined;
};

/** Certainly not done: nothing went out, or a sign-in alone. */
const refused = (because: UnsafeService): ServiceAnswer => ({ kind: "silence", why: "refused", because });

/** Calls with each connection that the other side ends, idle ones included. @returns ends it. */
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

/** Makes one call, as the global `fetch` does. */
export type Fetch = (request: Request) => Promise<Response>;

/** Which services are spoken to, and how. */
export interface TransportOptions {
  /** A service without a bank may be signed in to: in training, never where money is real. Default: false. */
  readonly takesSandbox?: boolean;
  /** For developers: plain http to this machine's own addresses, where any program can answer. Default: false. */
  readonly takesPlainHttp?: boolean;
  /** The way to a service that this program runs itself, whoever has its port; null for every other address. Default: none. */
  readonly ownServiceAt?: (address: string) => Fetch | null;
}

const mayGoOut = (address: string, takesPlainHttp: boolean): boolean =>
  takesPlainHttp ? isServiceUrl(address) : URL.parse(address)?.protocol === "https:";

/** The clock bounds each request and reads a Retry-After that is a date. */
export const createKyTransport = (
  clock: Clock,
  { takesSandbox = false, takesPlainHttp = false, ownServiceAt = () => null }: TransportOptions = {},
): Transport => ({
  async send(request) {
    const address = request.baseUrl.replace(/\/+$/, "");
    const own = ownServiceAt(address);
    // Any program of this machine can answer plain http there, also at an address that was kept from before.
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
        ...(request.body === undefined ? {} : { json: request.body }),
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
      if (response.status >= 200 && response.status < 300 && body === undefined)
        return { kind: "silence", why: "garbled" };
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
