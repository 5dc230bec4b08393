/** What of a request's head is believed: its ids, its form, the page that it comes from, and its headers as node:http has them. */
import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import {
  answerHeaders,
  encodeBody,
  formProblem,
  type HttpContext,
  headerOf,
  isEchoableRequestId,
  isSaneRequestId,
  refuseCrossSite,
} from "../../../backend/http/request.ts";

test.each([
  ["a", true, true],
  ["till-7/42", true, true],
  ["two words", true, true],
  ["!~", true, true],
  ["x".repeat(255), true, true],
  ["x".repeat(256), false, false],
  ["", false, false],
  [" a", false, true],
  ["a ", false, true],
  ["a\tb", false, true],
  ["é", false, true],
  ["a\nb", false, true],
])("the request's id %j is one for logs: %s; one to be given back: %s", (id, isSane, isEchoable) => {
  expect([isSaneRequestId(id), isEchoableRequestId(id)]).toEqual([isSane, isEchoable]);
});

test.each([
  ["r-1", "{}"],
  ["a\tb ~", "{}"],
  ["é", new Uint8Array([0x7b, 0x7d])],
  ["aé", new Uint8Array([0x7b, 0x7d])],
  ["éa", new Uint8Array([0x7b, 0x7d])],
])("beside the id %j a body goes out as %j", (id, body) => expect(encodeBody(id, "{}")).toEqual(body));

test("an answer is dated by the service's clock, kept by nobody, and framed by nobody", () => {
  expect(answerHeaders("r-1", 0, "text/plain")).toEqual({
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    Date: "Thu, 01 Jan 1970 00:00:00 GMT",
    "X-Request-Id": "r-1",
    "Content-Type": "text/plain",
  });
});

test.each([
  ["as it should be", {}, null],
  ["without a host", { headers: {} }, "validation_failed"],
  ["without a host, of HTTP/1.0", { headers: {}, httpVersion: "1.0" }, null],
  [
    "with a header twice",
    { rawHeaders: ["Host", "x", "Authorization", "a", "authorization", "b"] },
    "validation_failed",
  ],
  ["with an escape in its path", { url: "/%74ransaction?id=A" }, "not_found"],
  ["with an escape in its query alone", { url: "/transaction?id=%41" }, null],
  ["with an escape, and no query", { url: "/transaction/%41" }, "not_found"],
  ["with half an escape at its end", { url: "/transaction%" }, "not_found"],
  ["of no path", { url: undefined }, null],
])("a request %s", (_, more, code) => {
  const usual = { rawHeaders: ["Host", "x"], headers: { host: "x" }, httpVersion: "1.1", url: "/transaction?id=A" };
  expect(formProblem({ ...usual, ...more } as IncomingMessage)?.code ?? null).toBe(code);
});

const own = "https://cash.example";
test.each([
  ["of no page", {}, false],
  ["of the service's own page", { origin: own, site: "same-origin" }, false],
  ["that a person typed", { site: "none" }, false],
  ["of another page", { origin: "https://evil.example" }, true],
  ["of another page that says it is this one's", { origin: "https://evil.example", site: "same-origin" }, true],
  ["of a sister's page", { site: "same-site" }, true],
  ["of another site's page that hides its name", { site: "cross-site" }, true],
  ["of this page, the browser says of another", { origin: own, site: "cross-site" }, true],
  ["of a page at the address that was called", { origin: "http://192.168.1.20:80", host: "192.168.1.20" }, false],
])("a call %s may change something, or not", (_, sent, isRefused) => {
  const headers = { origin: undefined, site: undefined, host: undefined, ...sent };
  const refuse = () => refuseCrossSite(headers, () => own);
  if (isRefused) expect(refuse).toThrow(expect.objectContaining({ code: "cross_site_request" }));
  else expect(refuse).not.toThrow();
});

test.each([
  ["x-a", "1"],
  ["x-b", undefined],
  ["set-cookie", undefined],
])("of a listening service's request the header %s is %j, whatever Hono says", (name, value) => {
  const headers = { "x-a": "1", "set-cookie": ["a", "b"] };
  const context = { env: { incoming: { headers } }, req: { header: () => "Hono's" } };
  expect(headerOf(context as unknown as HttpContext, name)).toBe(value);
});

test.each([{}, undefined])("of a call in this process, with %j around it, it is what Hono says", (env) => {
  expect(headerOf({ env, req: { header: () => "Hono's" } } as unknown as HttpContext, "x-a")).toBe("Hono's");
});
