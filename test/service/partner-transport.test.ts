import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { createHttpTransport, signedHeaders } from "../../backend/partner/send.ts";
import type { Clock, PartnerTransport } from "../../backend/ports.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let handler: Handler;
let connections = 0;
/** Calls of the test that runs whose time is counted still: one before it may have left some. */
let counting = { calls: 0 };
let transport: PartnerTransport;
/** Ends the time of the last call. */
let timeIsUp = () => {};
const counted: Clock = {
  ...systemClock,
  after(delayMs, run) {
    const of = counting;
    of.calls += 1;
    timeIsUp = run;
    const cancel = systemClock.after(delayMs, run);
    let isOver = false;
    return () => {
      if (!isOver) of.calls -= 1;
      isOver = true;
      cancel();
    };
  },
};
beforeEach(() => {
  counting = { calls: 0 };
  transport = createHttpTransport(counted);
});
afterEach(() => {
  transport.close();
  expect(counting.calls).toBe(0);
});
beforeAll(
  () =>
    new Promise<void>((resolve) => {
      server = createServer((request, response) => handler(request, response));
      // A kept connection is the other side's to end.
      server.keepAliveTimeout = 0;
      server.on("connection", () => {
        connections += 1;
      });
      server.listen(0, "127.0.0.1", resolve);
    }),
);
afterEach(() => {
  connections = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Longer than a test may last: no call's time comes to its end. */
const untimedMs = 3_600_000;

const post = (body = "{}", path = "/") =>
  transport.post({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    headers: signedHeaders(["secret"], "id-1", Date.now(), body),
    body,
    timeoutMs: untimedMs,
  });

test("a 204, which never has a length, is whole", async () => {
  handler = (_, response) => response.writeHead(204).end();
  expect(await post()).toMatchObject({ status: 204, body: "" });
});

test("hands on Retry-After as it came", async () => {
  handler = (_, response) => response.writeHead(503, { "retry-after": "17" }).end();
  expect(await post()).toMatchObject({ status: 503, retryAfter: "17" });
});

test("sends a signed POST that the receiver's own library verifies", async () => {
  const received = Promise.withResolvers<{ method: string; headers: Record<string, string>; body: string }>();
  handler = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.resolve({
      method: request.method ?? "",
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks).toString(),
    });
    response.end("ok");
  };
  const body = '{"userId":"Zoë €"}';
  expect(await post(body)).toMatchObject({ status: 200, body: "ok" });
  const call = await received.promise;
  expect(call).toMatchObject({
    method: "POST",
    body,
    headers: { "content-type": "application/json", accept: "application/json", "webhook-id": "id-1" },
  });
  expect(new Webhook(Buffer.from("secret"), { format: "raw" }).verify(call.body, call.headers)).toEqual({
    userId: "Zoë €",
  });
  expect(() => new Webhook(Buffer.from("other"), { format: "raw" }).verify(call.body, call.headers)).toThrow();
});

test("a whsec_ secret is the base64 of the key", () => {
  const key = Buffer.from("0123456789abcdef0123456789abcdef");
  const headers = signedHeaders([`whsec_${key.toString("base64")}`], "m", Date.now(), "{}");
  expect(new Webhook(key, { format: "raw" }).verify("{}", headers)).toEqual({});
});

test("calls one after another share a connection", async () => {
  handler = (_, response) => response.end("{}");
  for (let n = 0; n < 20; n += 1) await post();
  expect(connections).toBe(1);
});

test("an answer that has come in time counts, also where this process was away until the time was over", async () => {
  let end = () => {};
  const after: Clock["after"] = (_, run) => {
    end = run;
    return () => {};
  };
  const away = createHttpTransport({ ...systemClock, after });
  onTestFinished(() => away.close());
  handler = (_, response) => {
    response.end("{}");
    setTimeout(() => end());
    // Nothing of this process runs, as where the machine gives the processor to others: both are there when it goes on.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const answer = () => away.post({ url, headers: {}, body: "{}", timeoutMs: untimedMs });
  expect(await answer()).toMatchObject({ status: 200 });
  // Its connection is not ended either.
  handler = (_, response) => response.end("{}");
  expect([await answer(), connections]).toMatchObject([{ status: 200 }, 1]);
});

describe("what is no answer", () => {
  const tooLate = /^timeout$/;
  const cases: [string, Handler, RegExp][] = [
    ["silence", () => {}, tooLate],
    ["headers, then silence", (_, response) => void response.writeHead(200).flushHeaders(), tooLate],
    [
      "a drip that never ends",
      (_, response) => {
        const timer = setInterval(() => response.write(" "), 20);
        response.on("close", () => clearInterval(timer));
      },
      tooLate,
    ],
    ["a reset", (request) => void request.socket.resetAndDestroy(), /^ECONNRESET$/],
    [
      "half a body",
      (request) => void request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"status"'),
      /^cut_off$/,
    ],
    [
      "a bank that dies after its headers, without having said a length",
      (request) => void request.socket.end("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"),
      /^cut_off$/,
    ],
    ["more than 64 KiB", (_, response) => response.end("x".repeat(64 * 1024 + 1)), /^too_large$/],
  ];
  test.each(cases)("%s", async (_, how, why) => {
    const closed = Promise.withResolvers<void>();
    handler = (request, response) => {
      request.socket.on("close", () => closed.resolve());
      how(request, response);
      if (why === tooLate) setTimeout(timeIsUp, 100);
    };
    await expect(post()).rejects.toThrow(why);
    await closed.promise;
  });

  test("nobody there", async () => {
    const call = transport.post({ url: "http://127.0.0.1:9", headers: {}, body: "{}", timeoutMs: untimedMs });
    await expect(call).rejects.toThrow(expect.objectContaining({ message: "ECONNREFUSED", cause: expect.any(Error) }));
  });

  test("one that speaks no TLS where it should", async () => {
    handler = () => {};
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(transport.post({ url, headers: {}, body: "{}", timeoutMs: untimedMs })).rejects.toThrow(
      /^(EPROTO|ERR_SSL_\w+|ECONNRESET)$/,
    );
  });

  test("an address that is no address", async () => {
    await expect(transport.post({ url: "nonsense", headers: {}, body: "", timeoutMs: untimedMs })).rejects.toThrow();
  });
});

test("an empty answer that says so, and a body that ends with its connection, are answers", async () => {
  handler = (_, response) => void response.writeHead(200, { "content-length": "0" }).end();
  expect(await post()).toMatchObject({ status: 200, body: "" });
  handler = (request) => void request.socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{"status":"accepted"}');
  expect(await post()).toEqual({ status: 200, body: '{"status":"accepted"}' });
});

test("an answer of 64 KiB is one", async () => {
  handler = (_, response) => response.end("x".repeat(64 * 1024));
  expect((await post()).body).toHaveLength(64 * 1024);
});

test("an end of the transport ends the connections that it kept", async () => {
  const closed = Promise.withResolvers<void>();
  handler = (request, response) => {
    request.socket.on("close", () => closed.resolve());
    response.end("{}");
  };
  await post();
  transport.close();
  await closed.promise;
});

test("follows no redirect", async () => {
  const paths: string[] = [];
  handler = (request, response) => {
    paths.push(request.url ?? "");
    response.writeHead(307, { location: "/elsewhere" }).end();
  };
  expect((await post("{}", "/here")).status).toBe(307);
  expect(paths).toEqual(["/here"]);
});
