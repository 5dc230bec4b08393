/** A secret on disk, mode 0600: encrypted where the host has a key store, else as it is. */
import { z } from "zod";

/** The key store opens nothing now, and may later: what it sealed is not lost. The message is for the person at the terminal. */
export class KeyStoreUnusable extends Error {
  override readonly name = "KeyStoreUnusable";
}

/** The operating system's key store, as the desktop host has it. */
export interface KeyStore {
  /** False as well where the system's store only pretends to encrypt. */
  isAvailable(): Promise<boolean>;
  encrypt(text: string): Promise<Buffer>;
  /**
   * `isOutdated`: the store's key was renewed, and the text should be encrypted again. Rejects with
   * `KeyStoreUnusable` while the store opens nothing, with any other error when what it is given is lost.
   */
  decrypt(bytes: Buffer): Promise<{ readonly text: string; readonly isOutdated: boolean }>;
}

/** One secret as a file keeps it. */
export const sealedSchema = z.object({ kind: z.enum(["plain", "encrypted"]), data: z.base64() });
/** The content of a secret file: base64 of the secret, or of what the key store made of it. */
export type Sealed = z.infer<typeof sealedSchema>;

/** @throws where the host has a key store and it cannot be used: a secret is never kept in the open there. */
export const seal = async (text: string, keyStore: KeyStore | null): Promise<Sealed> => {
  if (keyStore === null) return { kind: "plain", data: Buffer.from(text).toString("base64") };
  if (!(await keyStore.isAvailable())) throw new Error("this machine has no key store");
  return { kind: "encrypted", data: (await keyStore.encrypt(text)).toString("base64") };
};

/** `isOutdated`: it should be sealed again. Null when only the other host can read it. Rejects when nobody can. */
export const unseal = async (
  { kind, data }: Sealed,
  keyStore: KeyStore | null,
): Promise<{ readonly text: string; readonly isOutdated: boolean } | null> => {
  const bytes = Buffer.from(data, "base64");
  if (kind === "plain") return { text: bytes.toString("utf8"), isOutdated: keyStore !== null };
  return keyStore === null ? null : keyStore.decrypt(bytes);
};
