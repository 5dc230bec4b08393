/** The access key in `credential.json` of the data folder, mode 0600: one form for both hosts, encrypted where a key store is. */
import { copyFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { credentialSchema } from "../../preload/contract.ts";
import type { Credential, Secrets } from "../terminal/ports.ts";
import { writeJson } from "./json-file.ts";
import type { Log } from "./log-file.ts";

const credentialVersion = 2;

/** The operating system's key store, as the desktop host has it. */
export interface KeyStore {
  isAvailable(): boolean;
  encrypt(text: string): Buffer;
  decrypt(bytes: Buffer): string;
}

const keptSchema = z.object({ version: z.int(), kind: z.enum(["plain", "encrypted"]), data: z.base64() });
type Kept = z.infer<typeof keptSchema>;

/** Earlier forms: the browser host kept the key as it is, the desktop host kept `{encrypted, data}`. */
const upgraded = (document: unknown): Kept => {
  const desktop = z.object({ encrypted: z.boolean(), data: z.base64() }).safeParse(document);
  if (desktop.success)
    return { version: 1, kind: desktop.data.encrypted ? "encrypted" : "plain", data: desktop.data.data };
  const browser = credentialSchema.safeParse(document);
  if (browser.success)
    return { version: 1, kind: "plain", data: Buffer.from(JSON.stringify(browser.data)).toString("base64") };
  return keptSchema.parse(document);
};

type Found =
  | { readonly kind: "none" }
  | { readonly kind: "unusable"; readonly why: "damaged" | "newer" | "other_host" }
  | { readonly kind: "found"; readonly credential: Credential; readonly kept: Kept };

const find = (file: string, keyStore: KeyStore | null): Found => {
  try {
    const text = readFileSync(file, "utf8");
    const version = z.object({ version: z.number() }).safeParse(JSON.parse(text));
    if (version.success && version.data.version > credentialVersion) return { kind: "unusable", why: "newer" };
    const kept = upgraded(JSON.parse(text));
    if (kept.kind === "encrypted" && keyStore === null) return { kind: "unusable", why: "other_host" };
    const bytes = Buffer.from(kept.data, "base64");
    const json = kept.kind === "encrypted" && keyStore !== null ? keyStore.decrypt(bytes) : bytes.toString("utf8");
    return { kind: "found", credential: credentialSchema.parse(JSON.parse(json)), kept };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? { kind: "none" } : { kind: "unusable", why: "damaged" };
  }
};

const texts = {
  damaged: "the credential cannot be read",
  newer: "the credential is a newer program's: it is left as it is",
  other_host: "the credential is encrypted by the desktop program: it is left as it is",
} as const;

/**
 * Loading never throws: without a key the terminal is enrolled again. What it cannot read is copied to `.kept` before it is
 * replaced; a newer program's file is never replaced.
 * @param keyStore null for a host that has none.
 */
export const openCredentialFile = (folder: string, log: Log, keyStore: KeyStore | null): Secrets => {
  const file = path.join(folder, "credential.json");

  const save = (credential: Credential): void => {
    const found = find(file, keyStore);
    if (found.kind === "unusable") {
      if (found.why === "newer") throw new Error(texts.newer);
      copyFileSync(file, `${file}.kept`);
    }
    const text = JSON.stringify(credential);
    const isEncrypted = keyStore?.isAvailable() ?? false;
    if (keyStore !== null && !isEncrypted)
      log("warn", "this machine has no key store: the credential is kept unencrypted", {});
    const bytes = isEncrypted && keyStore !== null ? keyStore.encrypt(text) : Buffer.from(text);
    writeJson(file, {
      version: credentialVersion,
      kind: isEncrypted ? "encrypted" : "plain",
      data: bytes.toString("base64"),
    });
  };

  return {
    load() {
      const found = find(file, keyStore);
      if (found.kind === "none") return null;
      if (found.kind === "unusable") {
        log("error", texts[found.why], {});
        return null;
      }
      return found.credential;
    },
    save,
  };
};
