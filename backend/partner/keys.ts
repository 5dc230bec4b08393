/** Keys that sign calls to banks: their rules, creation and encryption (conventions, "Partner calls"). */

import { createCipheriv, createDecipheriv } from "node:crypto";
import type { Random } from "../ports.ts";

/** Minimum number of random bytes in a key. */
export const keyBytesMin = 24;
/** Maximum number of bytes in a key, as in Standard Webhooks; more would only be hashed down to 32. */
export const keyBytesMax = 64;
const keyBytesMade = 32;

/** The sandbox's bank. */
export const sandboxPartnerId = "demo-bank";
/** The sandbox bank's key, which is public. */
export const sandboxKey = `whsec_${Buffer.from("tillcash sandbox: known to all, worth nothing").toString("base64")}`;

/** The key of the examples in docs/integrate.md. */
export const guideKey = `whsec_${Buffer.from("an example key: never use this 1").toString("base64")}`;
/** Published keys, refused outside the sandbox in any spelling. */
const publishedKeys = [sandboxKey, guideKey];

/** A new key: `whsec_` and the base64 of 32 random bytes. */
export const makeKey = (random: Random): string =>
  `whsec_${Buffer.from(random.bytes(keyBytesMade)).toString("base64")}`;

/** The bytes of a key in Standard Webhooks' form, `whsec_` and base64; `null` for any other text. */
const keyBytes = (text: string): Buffer | null => {
  const base64 = /^whsec_(?<key>(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(text)?.groups
    ?.key;
  return base64 === undefined ? null : Buffer.from(base64, "base64");
};

/**
 * What is wrong with a key that signs calls to a bank, as the end of a sentence; `null` when it is strong enough.
 * @param sandbox published keys are allowed: no real money moves there.
 */
export const keyProblem = (text: string, sandbox: boolean): string | null => {
  const bytes = keyBytes(text);
  if (bytes === null) return "must be whsec_ and base64";
  if (bytes.length < keyBytesMin) return `must hold at least ${keyBytesMin} random bytes`;
  if (publishedKeys.some((key) => keyBytes(key)?.equals(bytes)))
    return sandbox ? null : "must not be one that is published: everybody knows it";
  return new Set(bytes).size < keyBytesMin / 3 ? "must be random: its bytes repeat" : null;
};

/** As `keyProblem` for a new key, which must also be canonical base64 and no longer than Standard Webhooks allows. Stored keys stay valid. */
export const newKeyProblem = (text: string, sandbox: boolean): string | null => {
  const problem = keyProblem(text, sandbox);
  const bytes = keyBytes(text);
  if (problem !== null || bytes === null) return problem;
  if (bytes.length > keyBytesMax) return `must hold at most ${keyBytesMax} bytes`;
  return text === `whsec_${bytes.toString("base64")}`
    ? null
    : "must be base64 as an encoder writes it: the last character before the = holds bits that belong to no byte";
};

/** Encrypts banks' keys for the database, and reads them. */
export interface KeyCipher {
  /** Encrypts a key for storage. */
  seal(partnerId: string, key: string): string;
  /** @throws Error when it was encrypted under another SERVICE_KEY or for another bank, or was changed. */
  open(partnerId: string, stored: string): string;
}

const prefix = "sealed1:";
const [ivBytes, tagBytes] = [12, 16];
const algorithm = "aes-256-gcm";

/** Whether a stored key is encrypted. */
export const isSealed = (stored: string): boolean => stored.startsWith(prefix);

const refuseSealed = (stored: string): string => {
  if (isSealed(stored)) throw new Error("the keys of banks are encrypted: SERVICE_KEY is missing");
  return stored;
};

/** The cipher without SERVICE_KEY: keys are stored as they are. */
export const plainKeys: KeyCipher = { seal: (_, key) => key, open: (_, stored) => refuseSealed(stored) };

/**
 * @param encryption 32 bytes; `null`: `plainKeys`. Unencrypted keys are read as they are.
 * @param others further keys for reading, during and after a rotation.
 */
export const createKeyCipher = (
  encryption: Buffer | null,
  random: Random,
  others: readonly Buffer[] = [],
): KeyCipher => {
  if (encryption === null) return plainKeys;
  return {
    seal(partnerId, key) {
      const iv = random.bytes(ivBytes);
      const cipher = createCipheriv(algorithm, encryption, iv, { authTagLength: tagBytes }).setAAD(
        Buffer.from(partnerId),
      );
      const text = Buffer.concat([cipher.update(key), cipher.final()]);
      return prefix + Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64url");
    },
    open(partnerId, stored) {
      if (!isSealed(stored)) return stored;
      const bytes = Buffer.from(stored.slice(prefix.length), "base64url");
      const [iv, tag] = [bytes.subarray(0, ivBytes), bytes.subarray(ivBytes, ivBytes + tagBytes)];
      let failure: unknown;
      for (const key of [encryption, ...others]) {
        try {
          const cipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagBytes })
            .setAAD(Buffer.from(partnerId))
            .setAuthTag(tag);
          return Buffer.concat([cipher.update(bytes.subarray(ivBytes + tagBytes)), cipher.final()]).toString("utf8");
        } catch (error) {
          failure = error;
        }
      }
      throw new Error(`the key of partner ${partnerId} cannot be read with this SERVICE_KEY`, { cause: failure });
    },
  };
};
