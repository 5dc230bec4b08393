/** The till's credential, encrypted with the operating system's key store; it never leaves this process. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { safeStorage } from "electron";
import { z } from "zod";
import { credentialSchema } from "../../preload/contract.ts";
import type { Log } from "../host/log-file.ts";
import type { Credential, Secrets } from "../terminal/ports.ts";

const keptSchema = z.object({ encrypted: z.boolean(), data: z.string() });

const read = (file: string): Credential => {
  const kept = keptSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  const bytes = Buffer.from(kept.data, "base64");
  return credentialSchema.parse(JSON.parse(kept.encrypted ? safeStorage.decryptString(bytes) : bytes.toString("utf8")));
};

/** `credential.json` in the data folder, mode 0600. Where the machine has no key store it is kept plain, and the log says so. */
export function openSecrets(folder: string, log: Log): Secrets {
  const file = path.join(folder, "credential.json");
  return {
    load() {
      try {
        return read(file);
      } catch (error) {
        // Unreadable (another user's key store, a damaged file) means enrolling again, not a till that does not start.
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") log("error", "the credential cannot be read", {});
        return null;
      }
    },
    save(credential) {
      const text = JSON.stringify(credential);
      const encrypted = safeStorage.isEncryptionAvailable();
      if (!encrypted) log("warn", "this machine has no key store: the credential is kept unencrypted", {});
      const data = (encrypted ? safeStorage.encryptString(text) : Buffer.from(text)).toString("base64");
      writeFileSync(`${file}.new`, JSON.stringify({ encrypted, data }), { mode: 0o600, flush: true });
      renameSync(`${file}.new`, file);
    },
  };
}
