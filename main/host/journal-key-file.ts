/**
 * The keys that the journal is chained under, in `journal-key.json` of the data folder, mode 0600: sealed by the system's key
 * store on the desktop, plain in the browser host. Each host uses those that it can read, and makes one where it can read none.
 */
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import type { JournalKeys } from "../terminal/journal/chain.ts";
import { writeJson } from "./json-file.ts";
import { type KeyStore, KeyStoreUnusable, type Sealed, seal, sealedSchema, unseal } from "./secret-file.ts";

const fileVersion = 1;
const secretBytes = 32;

const documentSchema = z.object({
  version: z.int().max(fileVersion),
  keys: z.array(z.object({ id: z.string() }).and(sealedSchema)),
});
type Kept = z.infer<typeof documentSchema>["keys"];

/** What is sealed: that every journal is under a key must not be changed by whoever can write the file. */
const contentSchema = z.object({ secret: z.base64(), isUpgrading: z.boolean() });

/** Names a key without telling it. */
const idOf = (secret: Buffer): string =>
  createHash("sha256").update("tillcash journal key").update(secret).digest("hex").slice(0, 16);

const content = (secret: Buffer, isUpgrading: boolean): string =>
  JSON.stringify({ secret: secret.toString("base64"), isUpgrading });

const readKept = (file: string): Kept => {
  try {
    return documentSchema.parse(JSON.parse(readFileSync(file, "utf8"))).keys;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new Error(`the journal's keys cannot be read (${file}): put the file back from a copy, or move it away`, {
      cause: error,
    });
  }
};

interface Usable {
  readonly id: string;
  readonly secret: Buffer;
  readonly isUpgrading: boolean;
  /** To be sealed again. */
  readonly isOutdated: boolean;
}

/** Null for one that cannot be opened here. @throws KeyStoreUnusable */
const openKey = async (one: Kept[number], keyStore: KeyStore | null): Promise<Usable | null> => {
  const opened = await unseal(one, keyStore).catch((error: unknown) => {
    if (error instanceof KeyStoreUnusable) throw error;
    return null;
  });
  if (opened === null) return null;
  const { secret, isUpgrading } = contentSchema.parse(JSON.parse(opened.text));
  return { id: one.id, secret: Buffer.from(secret, "base64"), isUpgrading, isOutdated: opened.isOutdated };
};

/**
 * Which keys of the file count for this host. Where there is a key store, one that lies in the open proves nothing beside a
 * sealed one: whoever can write the file could have put it there.
 */
const trusted = (kept: Kept, keyStore: KeyStore | null): Kept => {
  if (keyStore === null || !kept.some(({ kind }) => kind === "encrypted")) return kept;
  return kept.filter(({ kind }) => kind === "encrypted");
};

/** Of a copy of the folder, for those who only check it: what can be read without a key store. */
export const readJournalKeys = async (folder: string): Promise<JournalKeys | null> => {
  const kept = readKept(path.join(folder, "journal-key.json"));
  return kept.length === 0 ? null : openJournalKeys(folder, null);
};

/**
 * Opens the folder's keys; a new one is on disk only once `keep` has written it. Rejects when there is a file that cannot be
 * read as a whole, or is a newer program's, and while the key store is locked: a journal is not continued under a key that nobody asked for.
 * @param keyStore null for a host that has none.
 */
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
  // Sealed now, since that may take a while; written when a journal needs it.
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
