import { expect, test } from "vitest";
import { type App, callerAddress } from "../../backend/http/app-context.ts";
import { createClientAddress, type HttpContext } from "../../backend/http/request.ts";
import { isProxyRange } from "../../backend/network.ts";

const proxies = ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"];

test.each([
  ["no proxy: the header is the caller's own word", "203.0.113.9", "1.2.3.4", "203.0.113.9"],
  ["one proxy", "10.1.2.3", "203.0.113.9", "203.0.113.9"],
  ["what the caller wrote himself stands first", "10.1.2.3", "1.1.1.1, 203.0.113.9", "203.0.113.9"],
  ["two proxies", "192.0.2.7", "203.0.113.9, 10.9.9.9", "203.0.113.9"],
  ["an IPv4 peer on an IPv6 socket", "::ffff:10.1.2.3", "203.0.113.9", "203.0.113.9"],
  ["an IPv4 caller on an IPv6 socket", "::ffff:203.0.113.9", undefined, "203.0.113.9"],
  ["an IPv4 caller by a proxy on an IPv6 socket", "10.1.2.3", "::ffff:203.0.113.9", "203.0.113.9"],
  ["IPv6", "2001:db8::1", "2001:bad::5", "2001:bad::5"],
  ["IPv6 that ends as IPv4 does", "64:ff9b::ffff:10.1.2.3", "203.0.113.9", "64:ff9b::ffff:10.1.2.3"],
  ["a proxy that says nothing", "10.1.2.3", undefined, "10.1.2.3"],
  ["a proxy that says nonsense", "10.1.2.3", "unknown", "10.1.2.3"],
  ["nothing but proxies", "10.1.2.3", "10.2.2.2", "10.2.2.2"],
  ["in the process itself", "in-process", "1.2.3.4", "in-process"],
] as const)("%s", (_, peer, forwardedFor, caller) => {
  expect(createClientAddress(proxies)(peer, forwardedFor)).toBe(caller);
});

test("without a trusted proxy the peer is the caller", () => {
  expect(createClientAddress([])("10.1.2.3", "203.0.113.9")).toBe("10.1.2.3");
});

test.each([
  ["the connection's other end", { incoming: { socket: { remoteAddress: "10.1.2.3" } } }, "10.1.2.3"],
  ["a connection that is gone", { incoming: { socket: {} } }, "in-process"],
  ["a call of this process with nothing around it", {}, "in-process"],
  ["a call of this process", undefined, "in-process"],
])("who is asked for is %s", (_, env, peer) => {
  const app = { clientAddress: (...heard: readonly unknown[]) => heard.join(" by ") } as unknown as App;
  const context = { env, req: { header: (name: string) => name } } as unknown as HttpContext;
  expect(callerAddress(app, context)).toBe(`${peer} by x-forwarded-for`);
});

test.each(["10.0.0.0/33", "10.0.0", "proxy.internal", "::/129", "10.0.0.0/8/8", "1.2.3.4/", ""])(
  "%j is no range",
  (text) => {
    expect(isProxyRange(text)).toBe(false);
  },
);
