/** The operating system's key store. Its asynchronous calls, which never hold up the window, read what the earlier ones wrote. */
import { safeStorage } from "electron";
import type { KeyStore } from "../host/secret-file.ts";

/** Said before a terminal for real money goes on. */
export const noKeyStoreText =
  "This computer has no key store in which the terminal can keep its access key. On Linux, install and unlock GNOME Keyring or KWallet for this user, then start again.";

/** `basic_text` encrypts with a password that is in Electron's sources: it counts as none. */
const isRealStore = (platform: NodeJS.Platform): boolean =>
  platform !== "linux" || safeStorage.getSelectedStorageBackend() !== "basic_text";

/** To be used once Electron is ready. */
export const openKeyStore = (platform: NodeJS.Platform = process.platform): KeyStore => ({
  isAvailable: async () => isRealStore(platform) && (await safeStorage.isAsyncEncryptionAvailable()),
  encrypt: (text) => safeStorage.encryptStringAsync(text),
  async decrypt(bytes) {
    const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(bytes);
    return { text: result, isOutdated: shouldReEncrypt };
  },
});
