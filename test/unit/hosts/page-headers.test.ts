/** What goes with each file of the terminal's pages: nothing from elsewhere, no frames, and of the devices those that it uses. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { asCustomerPage, openPage } from "../../../main/host/pages.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tillcash-pages-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(path.join(folder, "assets"));
for (const name of ["index.html", "customer-display.html", "assets/main.js", "icon.svg", "notes"])
  writeFileSync(path.join(folder, name), name);

const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-src 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "webrtc 'block'",
];
const allowed = ["camera=(self)", "hid=(self)", "serial=(self)", "fullscreen=(self)"];
const refused = "microphone geolocation display-capture screen-wake-lock usb midi payment accelerometer".split(" ");
const always = {
  "content-security-policy": policy.join("; "),
  "permissions-policy": [...allowed, ...refused.map((name) => `${name}=()`)].join(", "),
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};
const page = openPage(folder, undefined);
const at = (name: string) => new URL(name, "http://127.0.0.1");

test.each([
  ["/", 200, "text/html; charset=utf-8", "no-store"],
  ["/index.html", 200, "text/html; charset=utf-8", "no-store"],
  ["/assets/main.js", 200, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"],
  ["/icon.svg", 200, "image/svg+xml; charset=utf-8", "no-cache"],
  // Of no known type, and not there.
  ["/notes", 404, "text/plain", undefined],
  ["/credential.json", 404, "text/plain", undefined],
])("%s", async (name, status, type, cache) => {
  const file = await page(at(name));
  expect(file.status).toBe(status);
  const own = { "content-type": type, ...(cache && { "cache-control": cache }) };
  expect(file.headers).toEqual({ ...always, ...own });
});

test.each([
  ["its events alone", "http://127.0.0.1/customer-display/events"],
  ["nothing", null],
])("the customer's display connects to %s and uses no device", async (_, events) => {
  const { headers } = asCustomerPage(await page(at("/customer-display.html")), events);
  const connect = `connect-src ${events ?? "'none'"}`;
  expect(headers).toMatchObject({
    ...always,
    "content-security-policy": policy.map((one) => (one.startsWith("connect-src") ? connect : one)).join("; "),
    "permissions-policy": "camera=(), hid=(), serial=(), microphone=(), geolocation=(), usb=(), payment=()",
  });
});

test("a developer's server elsewhere than on this machine is not asked", async () => {
  const file = await openPage(folder, "http://203.0.113.9:5173")(at("/"));
  expect([file.status, String(file.body)]).toEqual([200, "index.html"]);
});
