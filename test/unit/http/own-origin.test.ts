/** Whose page a browser's request comes from: the service's own address counts, and what only a rebound name could say does not. */
import { expect, test } from "vitest";
import { isOwnOrigin } from "../../../backend/http/request.ts";

const here = "http://127.0.0.1:8787";
const shop = "https://cash.example";

test.each([
  ["the service's own address", shop, shop, undefined, true],
  ["another port of it", "https://cash.example:8443", shop, undefined, false],
  ["plain http at its name", "http://cash.example", shop, undefined, false],
  ["this machine by another name", "http://localhost:8787", here, undefined, true],
  ["another program of this machine", "http://localhost:9999", here, undefined, false],
  ["this machine, where the service is elsewhere", "http://localhost:443", shop, undefined, false],
  ["the address in the network that was called", "http://192.168.1.20:8787", here, "192.168.1.20:8787", true],
  ["such an address by IPv6", "http://[fd00::20]:8787", here, "[fd00::20]:8787", true],
  ["an address that was not called", "http://203.0.113.9:8787", here, "192.168.1.20:8787", false],
  ["another port of the address that was called", "http://192.168.1.20:80", here, "192.168.1.20:8787", false],
  ["a name that was called, which may be rebound", "http://evil.example:8787", here, "evil.example:8787", false],
  ["a page without an origin", "null", here, "null", false],
])("%s", (_, origin, publicUrl, host, isOwn) => {
  expect(isOwnOrigin(origin, publicUrl, host)).toBe(isOwn);
});
