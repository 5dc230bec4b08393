/** What of a body is read, of a call in this process too, where no server has measured it. */
import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { Hono } from "hono";
import { expect, test, vi } from "vitest";
import { bodyBytesMax } from "../../../backend/contract/errors.ts";
import { type Bindings, endAfterUnreadBody, type HttpContext, parseBody } from "../../../backend/http/request.ts";
import { ServiceError } from "../../../backend/service-error.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

const [json, form] = ["application/json", "application/x-www-form-urlencoded"];
/** A text of so many bytes in pieces, without a length. */
const streamed = (bytes: number) => () => new Blob([`"${"x".repeat(bytes - 2)}"`]).stream();

test.each<[string, string, BodyInit | (() => BodyInit) | null, Record<string, string>, unknown]>([
  ["JSON", json, '{"a":1}', {}, { a: 1 }],
  ["JSON as it is", json, '{"a":1}', { "content-encoding": "Identity" }, { a: 1 }],
  ["a form", form, "scope=a&client_id=b", {}, { scope: "a", client_id: "b" }],
  ["a form with an empty field, which counts as none", form, "scope=a&client_id=&x=", {}, { scope: "a" }],
  ["a form with a field twice, empty once", form, "scope=&scope=a", {}, "validation_failed"],
  ["a form with a prototype", form, "__proto__=a", {}, "validation_failed"],
  ["a form with NUL", form, "scope=a%00", {}, "validation_failed"],
  ["nothing", json, null, {}, "validation_failed"],
  ["bytes that are no text", json, new Uint8Array([0x22, 0xff, 0x22]), {}, "validation_failed"],
  ["text", "text/plain", "a", {}, "unsupported_media_type"],
  ["JSON of another alphabet", `${json}; charset=latin1`, "{}", {}, "unsupported_media_type"],
  ["compressed by gzip", json, "{}", { "content-encoding": "gzip" }, "unsupported_media_type"],
  ["compressed by Brotli", json, "{}", { "content-encoding": "br" }, "unsupported_media_type"],
  ["as long as can be", json, streamed(bodyBytesMax), {}, "x".repeat(bodyBytesMax - 2)],
  ["a byte longer", json, streamed(bodyBytesMax + 1), {}, "payload_too_large"],
  ["a form of bytes that are no text", form, new Uint8Array([0x61, 0x3d, 0xff]), {}, "validation_failed"],
  ["as long as can be by its own word", json, "{}", { "content-length": String(bodyBytesMax) }, {}],
  ["longer by its own word", json, "{}", { "content-length": String(bodyBytesMax + 1) }, "payload_too_large"],
])("%s", async (_, type, body, headers, expected) => {
  const app = new Hono<{ Bindings: Bindings }>();
  app.post("/", async (c) =>
    c.json(await parseBody(c, "too").catch((error: unknown) => (error instanceof ServiceError ? error.code : "?"))),
  );
  const read = typeof body === "function" ? body() : body;
  const sent = {
    method: "POST",
    headers: { "content-type": type, ...headers },
    body: read,
    duplex: "half",
  } as RequestInit;
  expect(await (await app.request("/", sent)).json()).toEqual(expected);
});

/** What is made of a body of this type, in calls that take forms `takesForms`. */
const read = async (type: string, body: string, takesForms?: "too" | "only") => {
  const app = new Hono<{ Bindings: Bindings }>();
  app.post("/", async (c) => c.json(await parseBody(c, takesForms).catch((error: ServiceError) => error.code)));
  const sent = { method: "POST", headers: { "content-type": type }, body };
  return (await app.request("/", sent)).json();
};
test.each([
  ["", true],
  [";", true],
  ["; charset=utf-8", true],
  [';charset="UTF-8"', true],
  ["  ;  charset  =  utf-8  ;  ", true],
  ["; charset=utf8", false],
  ["; charset=utf-8; a=b", false],
  ["; charset=utf-8x", false],
  ["; a=b", false],
  ["x", false],
])("behind the type of a body %j may stand: %s", async (more, isTaken) => {
  const refused = "unsupported_media_type";
  expect(await read(`${json}${more}`, '{"a":1}')).toEqual(isTaken ? { a: 1 } : refused);
  expect(await read(`${json.toUpperCase()}${more}`, '{"a":1}')).toEqual(isTaken ? { a: 1 } : refused);
  expect(await read(`${form}${more}`, "a=1", "only")).toEqual(isTaken ? { a: "1" } : refused);
  expect(await read(`x${json}${more}`, '{"a":1}')).toEqual(refused);
  expect(await read(`x${form}${more}`, "a=1", "too")).toEqual(refused);
});

test.each([
  [undefined, { a: 1 }, "unsupported_media_type"],
  ["too", { a: 1 }, { a: "1" }],
  ["only", "unsupported_media_type", { a: "1" }],
] as const)("a call that takes forms %s makes of JSON %j, of a form %j", async (takesForms, ofJson, ofForm) => {
  expect([await read(json, '{"a":1}', takesForms), await read(form, "a=1", takesForms)]).toEqual([ofJson, ofForm]);
});

/** Reads a body as node:http brings it. */
const readFrom = (incoming: PassThrough, headers: object = { "content-type": json }) =>
  parseBody({ env: { incoming: Object.assign(incoming, { headers }) } } as unknown as HttpContext, undefined);
const code = (name: string) => expect.objectContaining({ code: name });

test("a body is read whole, in however many pieces it comes", async () => {
  for (const pieces of [['{"a":1}'], ['{"a"', ":1}"], ["{", '"a":', "1", "}"]]) {
    const incoming = new PassThrough();
    const body = readFrom(incoming);
    for (const piece of pieces) {
      incoming.write(piece);
      await new Promise(setImmediate);
    }
    incoming.end();
    expect(await body).toEqual({ a: 1 });
  }
});

test("a body that breaks off is none, whether that was before anybody read it or then", async () => {
  const [before, then] = [new PassThrough(), new PassThrough()];
  before.write("{}");
  before.destroy();
  await new Promise(setImmediate);
  await expect(readFrom(before)).rejects.toEqual(code("validation_failed"));
  const body = readFrom(then);
  then.write("{}");
  then.destroy();
  await expect(body).rejects.toEqual(code("validation_failed"));
});

test("a body that ended before anybody read it is empty, and one that is too long is read no further", async () => {
  const [empty, full, long] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const whole = readFrom(full);
  full.end(`"${"x".repeat(bodyBytesMax - 2)}"`);
  expect(await whole).toHaveLength(bodyBytesMax - 2);
  empty.end();
  empty.resume();
  await new Promise(setImmediate);
  await expect(readFrom(empty)).rejects.toEqual(code("validation_failed"));
  const body = readFrom(long);
  long.write(Buffer.alloc(bodyBytesMax, " "));
  long.write("x");
  await expect(body).rejects.toEqual(code("payload_too_large"));
  expect([long.isPaused(), long.listenerCount("data")]).toEqual([true, 0]);
});

test.each([
  ["of no length", {}, false, 1],
  ["whose length is bounded", { "content-length": String(bodyBytesMax) }, false, 0],
  ["that is longer by its own word", { "content-length": String(bodyBytesMax + 1) }, false, 1],
  ["that has ended", {}, true, 0],
])("a body %s is watched after its answer, or not", (_, headers, readableEnded, count) => {
  const outgoing = new EventEmitter();
  endAfterUnreadBody({ headers, readableEnded } as IncomingMessage, outgoing as ServerResponse, new VirtualClock());
  expect(outgoing.listenerCount("prefinish")).toBe(count);
});

test("a body that came whole before the answer's end is let go", () => {
  const [outgoing, incoming] = [new EventEmitter(), Object.assign(new PassThrough(), { headers: {}, complete: true })];
  endAfterUnreadBody(incoming as unknown as IncomingMessage, outgoing as ServerResponse, new VirtualClock());
  outgoing.emit("prefinish");
  expect(incoming.listenerCount("data")).toBe(0);
});

test("what comes of a refused body after its bound is cut off half a second behind the answer", async () => {
  const [clock, outgoing, socket] = [new VirtualClock(), new EventEmitter(), { end: vi.fn(), destroy: vi.fn() }];
  const incoming = Object.assign(new PassThrough(), { headers: {}, complete: false, socket });
  endAfterUnreadBody(incoming as unknown as IncomingMessage, outgoing as ServerResponse, clock);
  outgoing.emit("prefinish");
  incoming.write(Buffer.alloc(bodyBytesMax));
  await new Promise(setImmediate);
  expect(socket.end).not.toHaveBeenCalled();
  incoming.write("x");
  await new Promise(setImmediate);
  expect(socket.end).toHaveBeenCalledOnce();
  // node:http lets what is unread flow once more when the answer has ended.
  incoming.resume().write("x");
  await new Promise(setImmediate);
  expect([socket.end.mock.calls.length, clock.timers]).toEqual([1, 1]);
  await clock.advance(499);
  expect(socket.destroy).not.toHaveBeenCalled();
  await clock.advance(1);
  expect(socket.destroy).toHaveBeenCalledOnce();
});
