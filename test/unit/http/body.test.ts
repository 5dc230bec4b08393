/** What of a body is read, of a call in this process too, where no server has measured it. */
import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { Hono } from "hono";
import { expect, test, vi } from "vitest";
import { bodyBytesMax } from "../../../backend/contract/errors.ts";
import { type Bindings, endAfterUnreadBody, parseBody } from "../../../backend/http/request.ts";
import { ServiceError } from "../../../backend/service-error.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

const [json, form] = ["application/json", "application/x-www-form-urlencoded"];
/** A text of so many bytes in pieces, without a length. */
const streamed = (bytes: number) => new Blob([`"${"x".repeat(bytes - 2)}"`]).stream();

test.each<[string, string, BodyInit | null, Record<string, string>, unknown]>([
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
  ["longer by its own word", json, "{}", { "content-length": String(bodyBytesMax + 1) }, "payload_too_large"],
])("%s", async (_, type, body, headers, expected) => {
  const app = new Hono<{ Bindings: Bindings }>();
  app.post("/", async (c) =>
    c.json(await parseBody(c, "too").catch((error: unknown) => (error instanceof ServiceError ? error.code : "?"))),
  );
  const sent = { method: "POST", headers: { "content-type": type, ...headers }, body, duplex: "half" } as RequestInit;
  expect(await (await app.request("/", sent)).json()).toEqual(expected);
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
  await clock.advance(499);
  expect(socket.destroy).not.toHaveBeenCalled();
  await clock.advance(1);
  expect(socket.destroy).toHaveBeenCalledOnce();
});
