/** The operating system's key store. Its asynchronous calls, which never hold up the window, read what the earlier ones wrote. */
import { safeStorage } from "electron";
import { type KeyStore, KeyStoreUnusable } from "../host/secrets.ts";

/** Said before a terminal for real money goes on. */
export const noKeyStoreText =
  "This computer's key store, in which the terminal keeps its access key, cannot be used: it is locked, or there is none. Unlock it and try again. On Linux that is GNOME Keyring or KWallet: install one if there is none, and sign in with the password, since an automatic sign-in leaves it locked.";

/** Linux without a keyring that is open: sealed under a key that is published in Chromium's sources, which begins with `v10` there. */
const isPublished = (bytes: Buffer, platform: NodeJS.Platform): boolean =>
  platform === "linux" && bytes.subarray(0, 3).toString("latin1") === "v10";

/** To be used once Electron is ready. */
export const openKeyStore = (platform: NodeJS.Platform = process.platform): KeyStore => ({
  // Electron says yes whatever key it found, and names the backend by the desktop: what it makes of a text tells.
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
      // electron_api_safe_storage.cc has one sentence for what nobody can open, and others for now.
      if (/^Error while decrypting/.test((error as Error).message)) throw error;
      throw new KeyStoreUnusable(noKeyStoreText, { cause: error });
    }
  },
});
