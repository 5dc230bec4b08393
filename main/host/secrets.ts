/** Secrets on disk, mode 0600: the access key and the journal's keys. Encrypted if the host has a key store, else in plain form. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { copyFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { credentialSchema } from "../../preload/contract.ts";
import type { JournalKeys } from "../terminal/journal/chain.ts";
import type { Credential, Secrets } from "../terminal/ports.ts";
import { writeJson } from "./json-file.ts";
import type { Log } from "./log-file.ts";

/** Compares texts in constant time. */
export const isSame = (given: string, wanted: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
};

/** The key store is temporarily unusable; what it encrypted is not lost. The message is for the person at the terminal. */
export class KeyStoreUnusable extends Error {
  override readonly name = "KeyStoreUnusable";
}

/** The operating system's key store (desktop host). */
export interface KeyStore {
  /** Also false if the system's store does not really encrypt. */
  isAvailable(): Promise<boolean>;
  encrypt(text: string): Promise<Buffer>;
  /** `isOutdated`: encrypt it again. Rejects with `KeyStoreUnusable` for temporary failures, with other errors for permanent ones. */
  decrypt(bytes: Buffer): Promise<{ readonly text: string; readonly isOutdated: boolean }>;
}

/** A secret as stored in a file: `data` is base64 of the secret, or of the key store's output. */
const sealedSchema = z.object({ kind: z.enum(["plain", "encrypted"]), data: z.base64() });
type Sealed = z.infer<typeof sealedSchema>;

/** @throws if the host's key store cannot be used: such a host never stores a secret in plain form. */
const seal = async (text: string, keyStore: KeyStore | null): Promise<Sealed> => {
  if (keyStore === null) return { kind: "plain", data: Buffer.from(text).toString("base64") };
  if (!(await keyStore.isAvailable())) throw new Error("this machine has no key store");
  return { kind: "encrypted", data: (await keyStore.encrypt(text)).toString("base64") };
};

/** `isOutdated`: seal it again. Null if only the other host can read it. Rejects if it cannot be read at all. */
const unseal = async (
  { kind, data }: Sealed,
  keyStore: KeyStore | null,
): Promise<{ readonly text: string; readonly isOutdated: boolean } | null> => {
  const bytes = Buffer.from(data, "base64");
  if (kind === "plain") return { text: bytes.toString("utf8"), isOutdated: keyStore !== null };
  return keyStore === null ? null : keyStore.decrypt(bytes);
};

const credentialVersion = 2;

/** Also reads earlier formats: the plain key (browser host) and `{encrypted, data}` (desktop host). */
const keptSchema = z.union([
  z
    .object({ encrypted: z.boolean(), data: z.base64() })
    .transform(({ encrypted, data }): Sealed => ({ kind: encrypted ? "encrypted" : "plain", data })),
  credentialSchema.transform(
    (one): Sealed => ({ kind: "plain", data: Buffer.from(JSON.stringify(one)).toString("base64") }),
  ),
  sealedSchema.extend({ version: z.int() }),
]);
const newerSchema = z.object({ version: z.number().gt(credentialVersion) });

const texts = {
  damaged: "the credential cannot be read",
  newer: "the credential is a newer program's: it is left as it is",
  other_host: "the credential is encrypted by the desktop program: it is left as it is",
} as const;

type Found = keyof typeof texts | null | { readonly credential: Credential; readonly isOutdated: boolean };

/** Null if there is no file. @throws if it may be whole and cannot be read now: an enrolment would end the key in it. */
const readCredential = (file: string): string | null => {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new Error(`the credential cannot be read (${file}): let this program read it`, { cause: error });
  }
};

/** Null if there is no file. */
const find = async (file: string, keyStore: KeyStore | null): Promise<Found> => {
  const text = readCredential(file);
  if (text === null) return null;
  try {
    const document: unknown = JSON.parse(text);
    if (newerSchema.safeParse(document).success) return "newer";
    const opened = await unseal(keptSchema.parse(document), keyStore);
    if (opened === null) return "other_host";
    return { credential: credentialSchema.parse(JSON.parse(opened.text)), isOutdated: opened.isOutdated };
  } catch (error) {
    if (error instanceof KeyStoreUnusable) throw error;
    return "damaged";
  }
};

/**
 * Opens the credential file; rejects with `KeyStoreUnusable`, or if the system refuses it. If it is damaged, the terminal
 * has to be enrolled again; the damaged file is then copied to `.kept`. A newer program's file is never replaced.
 */
export const openCredentialFile = async (folder: string, log: Log, keyStore: KeyStore | null): Promise<Secrets> => {
  const file = path.join(folder, "credential.json");
  const write = (sealed: Sealed): void => writeJson(file, { version: credentialVersion, ...sealed });
  let found = await find(file, keyStore);
  if (typeof found === "string") log("error", texts[found], {});
  else if (found?.isOutdated)
    try {
      write(await seal(JSON.stringify(found.credential), keyStore));
    } catch (error) {
      log("warn", "the credential could not be encrypted anew", { error: String(error) });
    }
  return {
    load: () => (found === null || typeof found === "string" ? null : found.credential),
    async save(credential, mayReplace) {
      const sealed = await seal(JSON.stringify(credential), keyStore);
      if (!mayReplace()) return false;
      if (found === "newer") throw new Error(texts.newer);
      if (typeof found === "string") copyFileSync(file, `${file}.kept`);
      write(sealed);
      found = { credential, isOutdated: false };
      return true;
    },
  };
};

const fileVersion = 1;
const secretBytes = 32;

const documentSchema = z.object({
  version: z.int().max(fileVersion),
  keys: z.array(z.object({ id: z.string() }).and(sealedSchema)),
});
type Kept = z.infer<typeof documentSchema>["keys"];

/** The sealed content. `isUpgrading` is inside, so that write access to the file is not enough to change it. */
const contentSchema = z.object({ secret: z.base64(), isUpgrading: z.boolean() });

/** Id of a key, which does not reveal it. */
const idOf = (secret: Buffer): string =>
  createHash("sha256").update("tillcash journal key").update(secret).digest("hex").slice(0, 16);

const content = (secret: Buffer, isUpgrading: boolean): string =>
  JSON.stringify({ secret: secret.toString("base64"), isUpgrading });

const readKept = (file: string): Kept => {
  try {
    return documentSchema.parse(JSON.parse(readFileSync(file, "utf8"))).keys;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    // Moved away, the keys of a file that is whole would be lost for good.
    const next = code === undefined ? "put the file back from a copy, or move it away" : "let this program read it";
    throw new Error(`the journal's keys cannot be read (${file}): ${next}`, { cause: error });
  }
};

/** Null if it cannot be opened here. */
const openKey = async (one: Kept[number], keyStore: KeyStore | null) => {
  const opened = await unseal(one, keyStore).catch((error: unknown) => {
    if (error instanceof KeyStoreUnusable) throw error;
    return null;
  });
  if (opened === null) return null;
  const { secret, isUpgrading } = contentSchema.parse(JSON.parse(opened.text));
  return { id: one.id, secret: Buffer.from(secret, "base64"), isUpgrading, isOutdated: opened.isOutdated };
};

/** If any key is encrypted, ignores plain ones: anyone with write access could have added them. */
const trusted = (kept: Kept, keyStore: KeyStore | null): Kept => {
  if (keyStore === null || !kept.some(({ kind }) => kind === "encrypted")) return kept;
  return kept.filter(({ kind }) => kind === "encrypted");
};

/** The keys that can be read without a key store, for checking a journal; null if there is no key file. */
export const readJournalKeys = async (folder: string): Promise<JournalKeys | null> => {
  const kept = readKept(path.join(folder, "journal-key.json"));
  return kept.length === 0 ? null : openJournalKeys(folder, null);
};

/** The folder's keys; a new one is written by `keep`. Rejects if the file cannot be read. */
export const openJournalKeys = async (folder: string, keyStore: KeyStore | null): Promise<JournalKeys> => {
  const file = path.join(folder, "journal-key.json");
  const kept = readKept(file);
  const opened = await Promise.all(trusted(kept, keyStore).map((one) => openKey(one, keyStore)));
  const known = new Map<string, Buffer | null>();
  for (const one of kept) if (keyStore === null && one.kind === "encrypted") known.set(one.id, null);
  for (const one of opened) if (one !== null) known.set(one.id, one.secret);
  const last = opened.findLast((one) => one !== null) ?? null;
  const secret = last?.secret ?? randomBytes(secretBytes);
  const id = last?.id ?? idOf(secret);
  known.set(id, secret);
  let isUpgrading = last?.isUpgrading ?? kept.length === 0;
  let isKept = last !== null && !last.isOutdated;
  // Sealed now, because that may take a while; written when a journal needs it.
  const sealed = async (upgrading: boolean): Promise<Sealed | null> =>
    isKept && !isUpgrading ? null : seal(content(secret, upgrading), keyStore);
  const begun = await sealed(true);
  const done = await sealed(false);
  const write = (own: Sealed | null): void => {
    if (own === null) return;
    const others = kept.filter((one) => one.id !== id);
    writeJson(file, { version: fileVersion, keys: [...others, { id, ...own }] });
    isKept = true;
  };
  return {
    current: { id, secret },
    known,
    get isUpgrading() {
      return isUpgrading;
    },
    keep() {
      if (!isKept) write(isUpgrading ? begun : done);
    },
    upgraded() {
      write(done);
      isUpgrading = false;
    },
  };
};
