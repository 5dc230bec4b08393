/** A load of HTTP requests over kept connections, straight from sockets: the client must cost less than what it measures. */
import { connect, type Socket } from "node:net";

/** An answer as far as the bench looks at it. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** One connection, one request at a time; opened again where the server has closed it, as it does with one that stays silent. */
export class Connection {
  readonly #port: number;
  #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #take: { resolve(reply: Reply): void; reject(error: Error): void } | null = null;
  /** What waits for an answer on a connection that had one before: its server may just be closing it, and has then not read it. */
  #again: Buffer | null = null;
  #isUsed = false;

  constructor(port: number) {
    this.#port = port;
    this.#socket = this.#open();
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true });
    socket.on("data", (chunk) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#deliver();
    });
    const broken = () => {
      if (socket !== this.#socket) return;
      if (this.#again !== null && this.#received.length === 0) return this.#write(this.#again);
      this.#take?.reject(new Error("the connection broke"));
      this.#take = null;
    };
    socket.on("error", broken);
    socket.on("close", broken);
    return socket;
  }

  send(bytes: Buffer): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#take = { resolve, reject };
      this.#write(bytes);
    });
  }

  #write(bytes: Buffer): void {
    if (this.#socket.destroyed) {
      this.#socket = this.#open();
      this.#isUsed = false;
    }
    this.#again = this.#isUsed ? bytes : null;
    this.#isUsed = true;
    this.#socket.write(bytes);
  }

  close(): void {
    this.#socket.destroy();
  }

  #deliver(): void {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0 || this.#take === null) return;
    const head = this.#received.toString("latin1", 0, end);
    // Of a body that comes in chunks the text is of no interest, only its end.
    const chunksEnd = /transfer-encoding: *chunked/i.test(head) ? this.#received.indexOf("0\r\n\r\n", end + 4) : 0;
    if (chunksEnd < 0) return;
    const stated = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const length = chunksEnd > 0 ? chunksEnd + 5 - (end + 4) : stated;
    if (this.#received.length < end + 4 + length) return;
    const text = this.#received.toString("utf8", end + 4, end + 4 + length);
    this.#received = this.#received.subarray(end + 4 + length);
    const { resolve } = this.#take;
    this.#take = null;
    this.#again = null;
    resolve({ status: Number(head.slice(9, 12)), text });
  }
}

/** One HTTP/1.1 request with kept connection; a `body` goes as JSON. */
export const requestBytes = (
  method: string,
  path: string,
  token: string | null,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Buffer => {
  const text = body === undefined ? "" : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    ...(token === null ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === undefined ? [] : ["Content-Type: application/json"]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(method === "GET" ? [] : [`Content-Length: ${Buffer.byteLength(text)}`]),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${text}`);
};

/** Answers a second, and milliseconds from request to answer. */
interface Rate {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Runs `work` on so many connections for so long, after a warm-up of a fifth of it. */
export const measureRate = async (
  port: number,
  connections: number,
  durationMs: number,
  work: (connection: Connection, client: number) => Promise<void>,
): Promise<Rate> => {
  const open = Array.from({ length: connections }, () => new Connection(port));
  const run = async (forMs: number) => {
    const times: number[] = [];
    const startedAt = performance.now();
    await Promise.all(
      open.map(async (connection, client) => {
        while (performance.now() - startedAt < forMs) {
          const at = performance.now();
          await work(connection, client);
          times.push(performance.now() - at);
        }
      }),
    );
    return { times, elapsedMs: performance.now() - startedAt };
  };
  await run(durationMs / 5);
  const { times, elapsedMs } = await run(durationMs);
  for (const connection of open) connection.close();
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { perSecond: (times.length / elapsedMs) * 1000, p50Ms: at(0.5), p99Ms: at(0.99) };
};

/** The upper one of an even number; NaN for none. */
export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};
