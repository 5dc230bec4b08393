/** The operating system's key store, by its asynchronous calls; they read what the synchronous ones have written, too. */
import { safeStorage } from "electron";
import { type KeyStore, KeyStoreUnusable } from "../host/secrets.ts";

/** Message: a live terminal needs a key store. */
export const noKeyStoreText =
  "This computer's key store, in which the terminal keeps its access key, cannot be used: it is locked, or there is none. Unlock it and try again. On Linux that is GNOME Keyring or KWallet: install one if there is none, and sign in with the password, since an automatic sign-in leaves it locked.";

/** On Linux without an unlocked keyring, Chromium encrypts with a published key, marked by the prefix `v10`. */
const isPublished = (bytes: Buffer, platform: NodeJS.Platform): boolean =>
  platform === "linux" && bytes.subarray(0, 3).toString("latin1") === "v10";

/** The operating system's key store. Use it once Electron is ready. */
export const openKeyStore = (platform: NodeJS.Platform = process.platform): KeyStore => ({
  // Electron reports availability for any key, and the backend by desktop; only an encrypted text shows the key used.
  isAvailable: async () =>
    (await safeStorage.isAsyncEncryptionAvailable()) &&
    (await safeStorage.encryptStringAsync("?").then(
      (bytes) => !isPublished(bytes, platform),
      () => false,
    )),
  encrypt: (text) => safeStorage.encryptStringAsync(text),
  async decrypt(bytes) {
    try {
      const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(bytes);
      return { text: result, isOutdated: shouldReEncrypt || isPublished(bytes, platform) };
    } catch (error) {
      // electron_api_safe_storage.cc has one message for permanent failures, and others for temporary ones.
      if (/^Error while decrypting/.test((error as Error).message)) throw error;
      throw new KeyStoreUnusable(noKeyStoreText, { cause: error });
    }
  },
});
