/**
 * Secrets that the service makes itself have 256 random bits: nobody guesses one, so they need no slow hash. One round of
 * SHA-256 with a salt keeps a flood of wrong tries as cheap as any other request.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Random } from "../ports.ts";

const saltBytes = 16;

const digest = (salt: string, secret: string): Buffer => createHash("sha256").update(`${salt}\n${secret}`).digest();

/** `sha256$salt$hash`, both in base64url. */
export const hashGeneratedSecret = (random: Random, secret: string): string => {
  const salt = Buffer.from(random.bytes(saltBytes)).toString("base64url");
  return `sha256$${salt}$${digest(salt, secret).toString("base64url")}`;
};

/** What an unknown id is compared with: nobody knows a secret of an all-zero hash. */
const dummyHash = `sha256$${"A".repeat(22)}$${"A".repeat(43)}`;

/** @returns `null` when `stored` is the hash of a chosen secret, which only a `SecretHasher` can check; unknown ids: `null` stored. */
export const verifyGeneratedSecret = (secret: string, stored: string | null): boolean | null => {
  const [kind, salt = "", hash = ""] = (stored ?? dummyHash).split("$");
  if (kind !== "sha256") return null;
  const expected = Buffer.from(hash, "base64url");
  const actual = digest(salt, secret);
  return expected.length === actual.length && timingSafeEqual(expected, actual) && stored !== null;
};

/** A secret to be printed once: 256 random bits. */
export const makeSecret = (random: Random): string => Buffer.from(random.bytes(32)).toString("base64url");
