/** Stands between a terminal and the service, writes down every request it sees, and breaks what a test tells it to break. */
import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { freePort } from "../../free-port.ts";

/** A request that came past, whatever became of it. */
interface SeenRequest {
  readonly method: string;
  /** Path and query as the terminal sent them. */
  readonly path: string;
  readonly body: string;
}

/**
 * `html`, `half_json`: an answer that is none; the service never hears of the request. `nothing`: taken, never answered.
 * `cut`: the connection ends before the service hears of it. `answer_lost`: the service does it, the answer is dropped.
 * `answer_half`: the service does it, the answer breaks off in the middle. `answer`: a made-up answer. `delayMs`, `after`: the
 * service hears of it later.
 */
export type Fault =
  | "html"
  | "half_json"
  | "nothing"
  | "cut"
  | "answer_lost"
  | "answer_half"
  | { readonly answer: { readonly status: number; readonly body: unknown; readonly type?: string } }
  | { readonly delayMs: number }
  | { readonly after: Promise<void> };

/** What to do to a request; null lets it through. */
type FaultRule = (request: SeenRequest) => Fault | null;

/** The proxy, and what it saw. */
export interface FaultyProxy {
  readonly url: string;
  /** All requests so far, oldest first, waiting reads and sign-ins included. */
  readonly seen: readonly SeenRequest[];
  /** POSTs to a path, for "exactly one". */
  posts(path: string): readonly SeenRequest[];
  /** What was called about one withdrawal, oldest first: the last part of each path, `transaction` for a read. */
  callsAbout(id: string): readonly string[];
  breakWith(rule: FaultRule): void;
  /** Breaks the next `count` requests that the path starts with. */
  breakNext(path: string, fault: Fault, count?: number): void;
  /** Holds the requests that the path starts with until the result is called. */
  hold(path: string): () => void;
  heal(): void;
  /** Refuses connections, as a pulled cable does at best. */
  goOffline(): Promise<void>;
  goOnline(): Promise<void>;
  close(): Promise<void>;
}

const page = "<!doctype html><title>Sign in to the shop's Wi-Fi</title><h1>Welcome</h1>";

/** Listens on a free port of this machine, the same again after it was offline, and passes on to `target`; breaks nothing at first. */
export const startFaultyProxy = async (target: string): Promise<FaultyProxy> => {
  const seen: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let rule: FaultRule = () => null;

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const request = { method: incoming.method ?? "GET", path: incoming.url ?? "/", body: body.toString("utf8") };
    seen.push(request);
    await answer(rule(request), target, incoming, body, outgoing);
  };

  const port = await freePort();
  const listen = async (): Promise<http.Server> => {
    // As the service keeps connections that are idle: a terminal sees by their end that it is gone.
    const server = http.createServer({ keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
      handle(incoming, outgoing).catch(() => outgoing.destroy());
    });
    server.on("connection", (socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return server;
  };

  let server: http.Server | null = await listen();
  const goOffline = async (): Promise<void> => {
    const closing = server;
    server = null;
    closing?.close();
    for (const socket of sockets) socket.destroy();
  };

  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    posts: (path) => seen.filter((request) => request.method === "POST" && request.path.split("?")[0] === path),
    callsAbout: (id) =>
      seen
        .filter(({ path, body }) => path.includes(id) || body.includes(id))
        .map(({ path }) => path.split("?")[0]?.split("/").at(-1) ?? ""),
    breakWith: (next) => {
      rule = next;
    },
    breakNext: (path, fault, count = 1) => {
      let left = count;
      rule = (request) => {
        if (left === 0 || !request.path.startsWith(path)) return null;
        left -= 1;
        return fault;
      };
    },
    hold: (path) => {
      const { promise: after, resolve } = Promise.withResolvers<void>();
      rule = (request) => (request.path.startsWith(path) ? { after } : null);
      return () => {
        rule = () => null;
        resolve();
      };
    },
    heal: () => {
      rule = () => null;
    },
    goOffline,
    goOnline: async () => {
      server ??= await listen();
    },
    close: goOffline,
  };
};

const answer = async (
  fault: Fault | null,
  target: string,
  incoming: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
): Promise<void> => {
  if (fault === "nothing") return;
  if (fault === "cut") {
    outgoing.destroy();
    return;
  }
  if (fault === "html") {
    outgoing.writeHead(200, { "content-type": "text/html" }).end(page);
    return;
  }
  if (fault === "half_json") {
    outgoing.writeHead(200, { "content-type": "application/json" }).end('{"transaction_id":"7F3K9Q2M');
    return;
  }
  if (fault !== null && typeof fault === "object" && "answer" in fault) {
    const text = typeof fault.answer.body === "string" ? fault.answer.body : JSON.stringify(fault.answer.body);
    outgoing.writeHead(fault.answer.status, { "content-type": fault.answer.type ?? "application/json" }).end(text);
    return;
  }
  if (fault !== null && typeof fault === "object") {
    if ("after" in fault) await fault.after;
    else await new Promise((done) => setTimeout(done, fault.delayMs));
  }
  const reply = await forward(target, incoming, body);
  if (fault === "answer_lost") {
    outgoing.destroy();
    return;
  }
  outgoing.writeHead(reply.status, reply.headers);
  if (fault === "answer_half") {
    outgoing.write(reply.body.subarray(0, reply.body.length >> 1));
    setImmediate(() => outgoing.destroy());
    return;
  }
  outgoing.end(reply.body);
};

interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

const forward = (target: string, incoming: IncomingMessage, body: Buffer): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const headers = { ...incoming.headers, host: new URL(target).host, connection: "close" };
    const request = http.request(
      new URL(incoming.url ?? "/", target),
      { method: incoming.method, headers },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on("data", (chunk: Buffer) => chunks.push(chunk));
        reply.on("error", reject);
        reply.on("end", () => {
          const { connection: _, ...kept } = reply.headers;
          resolve({ status: reply.statusCode ?? 502, headers: kept, body: Buffer.concat(chunks) });
        });
      },
    );
    request.on("error", reject);
    request.end(body);
  });
