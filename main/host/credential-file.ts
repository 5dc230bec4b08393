/** The access key in `credential.json` of the data folder, mode 0600: one form for both hosts, encrypted where a key store is. */
import { copyFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { credentialSchema } from "../../preload/contract.ts";
import type { Credential, Secrets } from "../terminal/ports.ts";
import { writeJson } from "./json-file.ts";
import type { Log } from "./log-file.ts";
import { type KeyStore, KeyStoreUnusable, type Sealed, seal, sealedSchema, unseal } from "./secret-file.ts";

const credentialVersion = 2;

const keptSchema = sealedSchema.extend({ version: z.int() });

/** Earlier forms: the browser host kept the key as it is, the desktop host kept `{encrypted, data}`. */
const upgraded = (document: unknown): Sealed => {
  const desktop = z.object({ encrypted: z.boolean(), data: z.base64() }).safeParse(document);
  if (desktop.success) return { kind: desktop.data.encrypted ? "encrypted" : "plain", data: desktop.data.data };
  const browser = credentialSchema.safeParse(document);
  if (browser.success) return { kind: "plain", data: Buffer.from(JSON.stringify(browser.data)).toString("base64") };
  return keptSchema.parse(document);
};

type Found =
  | { readonly kind: "none" }
  | { readonly kind: "unusable"; readonly why: "damaged" | "newer" | "other_host" }
  | { readonly kind: "found"; readonly credential: Credential; readonly isOutdated: boolean };

const find = async (file: string, keyStore: KeyStore | null): Promise<Found> => {
  try {
    const document: unknown = JSON.parse(readFileSync(file, "utf8"));
    const version = z.object({ version: z.number() }).safeParse(document);
    if (version.success && version.data.version > credentialVersion) return { kind: "unusable", why: "newer" };
    const opened = await unseal(upgraded(document), keyStore);
    if (opened === null) return { kind: "unusable", why: "other_host" };
    const { text, isOutdated } = opened;
    return { kind: "found", credential: credentialSchema.parse(JSON.parse(text)), isOutdated };
  } catch (error) {
    if (error instanceof KeyStoreUnusable) throw error;
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? { kind: "none" } : { kind: "unusable", why: "damaged" };
  }
};

const texts = {
  damaged: "the credential cannot be read",
  newer: "the credential is a newer program's: it is left as it is",
  other_host: "the credential is encrypted by the desktop program: it is left as it is",
} as const;

/**
 * Opening rejects with `KeyStoreUnusable` alone: without a key the terminal is enrolled again. One that lies in the open where a key store is, or
 * under the store's earlier key, is encrypted again. What cannot be read is copied to `.kept` before it is replaced; a newer
 * program's file is never replaced.
 * @param keyStore null for a host that has none.
 */
export const openCredentialFile = async (folder: string, log: Log, keyStore: KeyStore | null): Promise<Secrets> => {
  const file = path.join(folder, "credential.json");
  const write = (sealed: Sealed): void => writeJson(file, { version: credentialVersion, ...sealed });
  let found = await find(file, keyStore);
  if (found.kind === "unusable") log("error", texts[found.why], {});
  if (found.kind === "found" && found.isOutdated)
    try {
      write(await seal(JSON.stringify(found.credential), keyStore));
    } catch (error) {
      log("warn", "the credential could not be encrypted anew", { error: String(error) });
    }
  return {
    load: () => (found.kind === "found" ? found.credential : null),
    async save(credential, mayReplace) {
      const sealed = await seal(JSON.stringify(credential), keyStore);
      if (!mayReplace()) return false;
      if (found.kind === "unusable") {
        if (found.why === "newer") throw new Error(texts.newer);
        copyFileSync(file, `${file}.kept`);
      }
      write(sealed);
      found = { kind: "found", credential, isOutdated: false };
      return true;
    },
  };
};
