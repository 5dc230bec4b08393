/** The terminal's access key, encrypted with the operating system's key store; it never leaves this process. */
import { safeStorage } from "electron";
import { openCredentialFile } from "../host/credential-file.ts";
import type { Log } from "../host/log-file.ts";
import type { Secrets } from "../terminal/ports.ts";

/** `credential.json` in the data folder. Where the machine has no key store it is kept plain, and the log says so. */
export const openSecrets = (folder: string, log: Log): Secrets =>
  openCredentialFile(folder, log, {
    isAvailable: () => safeStorage.isEncryptionAvailable(),
    encrypt: (text) => safeStorage.encryptString(text),
    decrypt: (bytes) => safeStorage.decryptString(bytes),
  });
