/**
 * HTTP without sockets and without web streams. Behind a real server the service reads bodies from the socket and answers
 * with `@hono/node-server`'s light Response; undici's own classes would cost more here than all the rest of a call.
 */
import type { IncomingMessage } from "node:http";

/** A request as its sender has it. */
export interface SentRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Where it comes from; the bank's and the auditor's by default. */
  readonly address?: string;
  /** Aborted when the caller has hung up. */
  readonly signal?: AbortSignal;
}

/** As `app.fetch` takes them. */
export const toFetch = (sent: SentRequest): { request: Request; bindings: { incoming: IncomingMessage } } => {
  const headers = {
    get: (name: string) => sent.headers[name.toLowerCase()] ?? null,
    forEach: (each: (value: string, name: string) => void) => {
      for (const [name, value] of Object.entries(sent.headers)) each(value, name);
    },
  };
  const request = {
    method: sent.method,
    url: sent.url,
    headers,
    body: null,
    get signal() {
      return sent.signal ?? new AbortController().signal;
    },
  };
  return { request: request as unknown as Request, bindings: { incoming: incomingOf(sent) } };
};

/** Tells its one piece and its end as soon as somebody listens. */
const incomingOf = (sent: SentRequest): IncomingMessage => {
  const listeners = new Map<string, (piece?: Buffer) => void>();
  const incoming = {
    headers: sent.headers,
    socket: { remoteAddress: sent.address ?? "127.0.0.1" },
    on(event: string, listener: (piece?: Buffer) => void) {
      listeners.set(event, listener);
      if (event === "end")
        queueMicrotask(() => {
          listeners.get("data")?.(Buffer.from(sent.body ?? ""));
          listeners.get("end")?.();
        });
      return incoming;
    },
    off(event: string) {
      listeners.delete(event);
      return incoming;
    },
  };
  return incoming as unknown as IncomingMessage;
};

/** The few headers of an answer, looked through for each of the few questions. */
class LightHeaders {
  readonly #sent: Readonly<Record<string, string>>;
  constructor(sent: Readonly<Record<string, string>>) {
    this.#sent = sent;
  }
  get(name: string): string | null {
    for (const sent in this.#sent) if (sent.toLowerCase() === name) return this.#sent[sent] ?? null;
    return null;
  }
}

type Light = Pick<Response, "status" | "text" | "body"> & { readonly headers: LightHeaders };

const lightResponse = (text: string, { status = 200, headers = {} }: ResponseInit): Light => ({
  status,
  headers: new LightHeaders(headers as Record<string, string>),
  text: () => Promise.resolve(text),
  // Nobody who gets one reads it as a stream.
  body: null,
});

/** As the real server does, for this whole process. Whatever is no text (a report is a stream) stays a native Response. */
export const installLightResponses = (): void => {
  globalThis.Response = new Proxy(globalThis.Response, {
    construct: (native, [body, init = {}]: [(BodyInit | null)?, ResponseInit?]) =>
      body == null || typeof body === "string" ? lightResponse(body ?? "", init) : new native(body, init),
  });
};

/** A header by its name in lower case; works for both kinds. */
export const headerOf = (response: Response, name: string): string | null => response.headers.get(name);
