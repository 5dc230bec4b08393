/** The HMAC of the service's history is the one that everybody else computes. */
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hmacUnder } from "../../backend/hmac.ts";

test("agrees with Node's own for any key of at most 64 bytes and any texts one after the other", () => {
  const key = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes));
  const long = fc.string({ unit: "binary", minLength: 1_300, maxLength: 3_000 });
  fc.assert(
    fc.property(key, fc.array(fc.oneof(fc.string({ unit: "binary" }), long), { maxLength: 5 }), (secret, texts) => {
      const hmac = hmacUnder(secret);
      for (const text of texts) expect(hmac(text)).toBe(createHmac("sha256", secret).update(text).digest("base64url"));
    }),
    { numRuns: 50 },
  );
});

test("a key that is changed afterwards, or another one, has no part in it", () => {
  const key = Buffer.alloc(32, 1);
  const [one, other] = [hmacUnder(key), hmacUnder(Buffer.alloc(32, 2))];
  const expected = one("a");
  key.fill(2);
  expect(other("a")).not.toBe(expected);
  expect(one("a")).toBe(expected);
});

test("refuses a longer key, which would be another one", () => {
  expect(() => hmacUnder(Buffer.alloc(65))).toThrow("64 bytes");
});
