/** The address of the service, as the core takes it from any screen. */
import { expect, test } from "vitest";
import { completeServiceUrl } from "../../../backend/contract/service-url.ts";
import { commandSchema } from "../../../preload/contract.ts";

const takes = (serviceUrl: string): boolean =>
  commandSchema.safeParse({ type: "enroll", serviceUrl, merchantId: "m", deviceId: "d", secret: "s" }).success;

test.each([
  "https://service.example",
  "https://service.example:8443/base",
  "http://127.0.0.1:8787",
  "http://127.12.0.255:8787",
  "http://localhost:8787/",
  "http://[::1]:8787",
])("takes %s", (address) => {
  expect(takes(address)).toBe(true);
});

test.each([
  "http://service.example",
  "http://127.0.0.1.evil.example",
  "http://evil-localhost",
  "http://evil.localhost",
  "http://localhost.evil.example",
  "http://127.0.0.1@evil.example",
  "http://192.168.0.7",
  "ftp://service.example/",
  "javascript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "service.example",
  "",
  `https://service.example/${"x".repeat(2_100)}`,
])("does not take %s", (address) => {
  expect(takes(address)).toBe(false);
});

test.each([
  ["cash.example.com", "https://cash.example.com"],
  [" cash.example.com:8443/base ", "https://cash.example.com:8443/base"],
  ["localhost:8787", "https://localhost:8787"],
  ["https://cash.example.com", "https://cash.example.com"],
  ["http://127.0.0.1:8787", "http://127.0.0.1:8787"],
  ["http://cash.example.com", "http://cash.example.com"],
  ["ftp://cash.example.com", "ftp://cash.example.com"],
  ["git+ssh2://cash.example.com", "git+ssh2://cash.example.com"],
  ["cash.example.com/?at=http://x", "https://cash.example.com/?at=http://x"],
  ["", ""],
])("%j as a person types it is %j", (typed, address) => {
  expect(completeServiceUrl(typed)).toBe(address);
});
