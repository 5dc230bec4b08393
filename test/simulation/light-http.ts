/**
 * HTTP without sockets and without web streams. Behind a real server the service reads bodies from the socket and answers
 * with `@hono/node-server`'s light Response; undici's own classes would cost more here than all the rest of a call.
 */
import type { IncomingMessage } from "node:http";

export interface SentRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
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
      return new AbortController().signal;
    },
  };
  return { request: request as unknown as Request, bindings: { incoming: incomingOf(sent) } };
};

/** Tells its one piece and its end as soon as somebody listens. */
const incomingOf = (sent: SentRequest): IncomingMessage => {
  const listeners = new Map<string, (piece?: Buffer) => void>();
  const incoming = {
    headers: sent.headers,
    socket: { remoteAddress: "127.0.0.1" },
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

const NativeResponse = globalThis.Response;

/** Text and headers, kept as they were given. Whatever is no text is a native Response. */
class LightResponse {
  readonly status: number;
  readonly headers: Headers | Map<string, string>;
  readonly #text: string;

  constructor(body: BodyInit | null = null, init: ResponseInit = {}) {
    this.status = init.status ?? 200;
    this.#text = typeof body === "string" ? body : "";
    const given = init.headers ?? {};
    this.headers = new Map(
      Object.entries(given as Record<string, string>).map(([name, value]) => [name.toLowerCase(), value]),
    );
    if (body !== null && typeof body !== "string") return new NativeResponse(body, init) as unknown as LightResponse;
  }

  text(): Promise<string> {
    return Promise.resolve(this.#text);
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof NativeResponse || (typeof value === "object" && value !== null && "text" in value);
  }
}

/** As the real server does, for this whole process. */
export const useLightResponses = (): void => {
  globalThis.Response = LightResponse as unknown as typeof Response;
};

/** Works for both kinds. */
export const headerOf = (response: Response, name: string): string | null => response.headers.get(name) ?? null;
