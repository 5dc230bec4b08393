/** Banks' keys at rest: encrypted under SERVICE_KEY where the operator keeps one apart from the database. */
import { createCipheriv, createDecipheriv } from "node:crypto";
import type { Random } from "../ports.ts";

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

/** @param encryption 32 bytes; `null`: `plainKeys`. Keys from before it was set are read as they are. */
export const createKeyCipher = (encryption: Buffer | null, random: Random): KeyCipher => {
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
      try {
        const cipher = createDecipheriv(algorithm, encryption, iv, { authTagLength: tagBytes })
          .setAAD(Buffer.from(partnerId))
          .setAuthTag(tag);
        return Buffer.concat([cipher.update(bytes.subarray(ivBytes + tagBytes)), cipher.final()]).toString("utf8");
      } catch (error) {
        throw new Error(`the key of partner ${partnerId} cannot be read with this SERVICE_KEY`, { cause: error });
      }
    },
  };
};
