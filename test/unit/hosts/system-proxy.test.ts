import { expect, test, vi } from "vitest";
import { firstProxy, withSystemProxy } from "../../../main/electron/system-proxy.ts";

vi.mock("electron", () => ({ app: { resolveProxy: async () => "PROXY proxy.shop:3128; DIRECT" } }));

// As Chromium writes its list: net/proxy_resolution/proxy_list.cc, ToPacString.
test.each([
  ["DIRECT", null],
  ["PROXY proxy.shop:3128; DIRECT", "http://proxy.shop:3128"],
  ["HTTPS secure.shop:443", "https://secure.shop:443"],
  ["PROXY [fd00::1]:8080", "http://[fd00::1]:8080"],
  ["SOCKS5 old.shop:1080; DIRECT", null],
  ["", null],
])("of %j the first way", (ways, proxy) => expect(firstProxy(ways)).toBe(proxy));

test("the variables win over the system's settings", async () => {
  expect(await withSystemProxy({}, "https://x.example/")).toEqual({ HTTPS_PROXY: "http://proxy.shop:3128" });
  const own = { https_proxy: "http://own:1" };
  expect(await withSystemProxy(own, "https://x.example/")).toBe(own);
});
