/** The chain's HMAC is the one that everybody else computes. */
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hmacSha256 } from "../../../main/terminal/journal/chain.ts";

test("agrees with Node's own for any key of at most 64 bytes and any text, long ones after short ones too", () => {
  const key = fc.uint8Array({ minLength: 1, maxLength: 64 }).map((bytes) => Buffer.from(bytes));
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ minLength: 5_000, maxLength: 9_000 }));
  fc.assert(
    fc.property(key, fc.array(text, { maxLength: 3 }), (secret, texts) => {
      const own = createHmac("sha256", secret);
      for (const one of texts) own.update(one);
      expect(hmacSha256(secret, texts)).toBe(own.digest("hex"));
    }),
  );
});

test("refuses a longer key, which would be another one", () => {
  expect(() => hmacSha256(Buffer.alloc(65), [])).toThrow("64 bytes");
});
