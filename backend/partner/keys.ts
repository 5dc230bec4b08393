/** The keys that sign calls to banks: what is strong enough, and how one is made (conventions, "Partner calls"). */

import { createCipheriv, createDecipheriv } from "node:crypto";
import type { Random } from "../ports.ts";

/** Random bytes in a key, at least. */
export const keyBytesMin = 24;
/** Bytes in a key, at most: what Standard Webhooks allows, and more is only hashed down to 32. */
export const keyBytesMax = 64;
const keyBytesMade = 32;

/** The sandbox's own, known to everybody and worth nothing. */
export const sandboxPartnerId = "demo-bank";
/** The sandbox bank's key. */
export const sandboxKey = `whsec_${Buffer.from("tillcash sandbox: known to all, worth nothing").toString("base64")}`;

/** With it docs/integrate.md signs its examples. */
export const guideKey = `whsec_${Buffer.from("an example key: never use this 1").toString("base64")}`;
/** Keys that everybody can read: refused outside the sandbox, in whatever spelling. */
const publishedKeys = [sandboxKey, guideKey];

/** A new key: `whsec_` and the base64 of 32 random bytes. */
export const makeKey = (random: Random): string =>
  `whsec_${Buffer.from(random.bytes(keyBytesMade)).toString("base64")}`;

/** `whsec_` and the base64 of the key's bytes, as Standard Webhooks has it; `null` for any other text. */
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

/**
 * The same for a key that is handed over now, as the end of a sentence: it must also be spelled as every base64 reader reads it, and
 * be no longer than Standard Webhooks allows. One that is stored already goes on signing.
 */
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
  /** What is stored. */
  seal(partnerId: string, key: string): string;
  /** @throws Error when it was sealed under another SERVICE_KEY, for another bank, or was changed. */
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

/** Without SERVICE_KEY keys are stored as they are. */
export const plainKeys: KeyCipher = { seal: (_, key) => key, open: (_, stored) => refuseSealed(stored) };

/**
 * @param encryption 32 bytes; `null`: `plainKeys`. Keys from before it was set are read as they are.
 * @param others during and after a rotation: what is sealed under them is read too.
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
      const text = Buffer.concat([cipher.update(key, "utf8"), cipher.final()]);
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
