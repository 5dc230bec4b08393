/**
 * Secrets and their hashes: generated ones in `sha256$salt$hash`, those that people chose in `scrypt$N$r$p$salt$hash`, computed by a
 * small bounded queue so that a flood cannot use up the machine.
 */
import {
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type ScryptOptions,
  scrypt,
  timingSafeEqual,
} from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { LRUCache } from "lru-cache";
import pLimit from "p-limit";
import type { ChainKeys } from "../context.ts";
import type { Random } from "../ports.ts";
import { messageOf, ServiceError } from "../service-error.ts";
import type { DatabaseAddress } from "../store/database-url.ts";
import { addSetting, settingByName } from "../store/settings.ts";
import { type Store, StoreRefused } from "../store/store.ts";

/** One key for each purpose, derived from SERVICE_KEY by HKDF. */
export interface ServiceKeys extends ChainKeys {
  /** HMAC key under which one-time codes are stored. */
  readonly enrolment: Buffer;
  /** Encrypts banks' keys; `null` where SERVICE_KEY did not come from the environment: a key stored beside the data protects nothing. */
  readonly encryption: Buffer | null;
  readonly others?: readonly ServiceKeys[];
}

const deriveKey = (root: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", root, "", `tillcash ${purpose}`, 32));

/** @param fromEnvironment whether `root` is the operator's SERVICE_KEY, kept apart from the database. */
export const serviceKeysFrom = (root: string, fromEnvironment: boolean): ServiceKeys => {
  const audit = deriveKey(root, "audit");
  // As a key of the library's: a buffer is made one at each hash, which takes six times as long.
  const history = createSecretKey(deriveKey(root, "history"));
  return {
    audit,
    auditKeyId: createHash("sha256").update(audit).digest("hex").slice(0, 8),
    history: (text) => createHmac("sha256", history).update(text).digest("base64url"),
    enrolment: deriveKey(root, "enrolment"),
    encryption: fromEnvironment ? deriveKey(root, "encryption") : null,
  };
};

/** Runs work with a bound on how much runs and how much waits. @param limits how many run at once, and how many may wait; one more is refused. */
export const createBoundedQueue = (limits: { readonly atOnce: number; readonly waiting: number }) => {
  const limit = pLimit(limits.atOnce);
  return {
    /** @throws ServiceError `too_many_requests` when the queue is full. */
    async run<T>(task: () => Promise<T>): Promise<T> {
      // p-limit starts tasks a tick later; until then those about to run count as pending.
      if (limit.activeCount + limit.pendingCount >= limits.atOnce + limits.waiting)
        throw new ServiceError("too_many_requests", "Too many secrets are being checked", { retryAfterSeconds: 1 });
      return limit(task);
    },
  };
};

/** Hashes and checks chosen secrets. The simulation brings a cheap one: real scrypt does not follow virtual time. */
export interface SecretHasher {
  hash(secret: string): Promise<string>;
  /** `null` stands for an unknown id and takes as long as a known one. */
  verify(secret: string, stored: string | null): Promise<boolean>;
}

/** scrypt's cost parameters. */
export interface HashCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

const usualCost: HashCost = { N: 16_384, r: 8, p: 5 };
const saltBytes = 16;
const hashBytes = 32;
/** At most two of libuv's four threads; the disk needs the others. */
const queueLimits = { atOnce: 2, waiting: 16 } as const;
/** Verified secrets are remembered as keyed digests in memory, which makes the next sign-in cheap. */
const rememberedMax = 1_000;

/** Compared with for unknown ids: no known secret has a hash of zeros. */
const dummySaltAndHash = `${"A".repeat(22)}$${"A".repeat(43)}`;

/** A secret to be printed once: 256 random bits. */
export const makeSecret = (random: Random): string => Buffer.from(random.bytes(32)).toString("base64url");

const digest = (salt: string, secret: string): Buffer => createHash("sha256").update(`${salt}\n${secret}`).digest();

/** The hash of a generated secret. */
export const hashGeneratedSecret = (random: Random, secret: string): string => {
  const salt = Buffer.from(random.bytes(saltBytes)).toString("base64url");
  return `sha256$${salt}$${digest(salt, secret).toString("base64url")}`;
};

/** @returns `null` when `stored` is the hash of a chosen secret, which only a `SecretHasher` can check; unknown ids: `null` stored. */
export const verifyGeneratedSecret = (secret: string, stored: string | null): boolean | null => {
  const [kind, salt = "", hash = ""] = (stored ?? `sha256$${dummySaltAndHash}`).split("$");
  if (kind !== "sha256") return null;
  const expected = Buffer.from(hash, "base64url");
  const actual = digest(salt, secret);
  return expected.length === actual.length && timingSafeEqual(expected, actual) && stored !== null;
};

const derive = (secret: string, salt: Buffer, length: number, options: ScryptOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(secret.normalize("NFC"), salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });

const parse = (stored: string) => {
  const [kind, N, r, p, salt, hash] = stored.split("$");
  if (kind !== "scrypt" || salt === undefined || hash === undefined) throw new Error("not a hash made by this program");
  return {
    options: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, "base64url"),
    hash: Buffer.from(hash, "base64url"),
  };
};

/** One for each process: it bounds how many secrets are hashed at once. @param cost tests bring a cheap one. */
export const createSecretHasher = (random: Random, cost = usualCost): SecretHasher => {
  const prefix = `scrypt$${cost.N}$${cost.r}$${cost.p}`;
  const queue = createBoundedQueue(queueLimits);
  const digestKey = random.bytes(32);
  const remembered = new LRUCache<string, Buffer>({ max: rememberedMax });
  const digestOf = (secret: string) => createHmac("sha256", digestKey).update(secret.normalize("NFC")).digest();
  return {
    hash: (secret) =>
      queue.run(async () => {
        const salt = Buffer.from(random.bytes(saltBytes));
        const hash = await derive(secret, salt, hashBytes, cost);
        return `${prefix}$${salt.toString("base64url")}$${hash.toString("base64url")}`;
      }),
    async verify(secret, stored) {
      const digest = digestOf(secret);
      const known = stored === null ? undefined : remembered.get(stored);
      if (known !== undefined && timingSafeEqual(known, digest)) return true;
      return queue.run(async () => {
        const { options, salt, hash } = parse(stored ?? `${prefix}$${dummySaltAndHash}`);
        const right = timingSafeEqual(await derive(secret, salt, hash.length, options), hash) && stored !== null;
        if (right) remembered.set(stored, digest);
        return right;
      });
    },
  };
};

/** A secret's name in the `settings` table. */
type SecretName = "token_secret" | "service_key";
const fileOf = (database: string, name: SecretName): string => `${database}.${name.replace("_", "-")}`;

/** Where the root is kept that was made when nobody set SERVICE_KEY. @param database the SQLite file. */
export const serviceKeyFile = (database: string): string => fileOf(database, "service_key");

const loadOrCreate =
  (name: SecretName) =>
  async (store: Store, database: DatabaseAddress, random: Random): Promise<string> => {
    const made = Buffer.from(random.bytes(32)).toString("base64url");
    if (database.kind === "postgres") return storeInDatabase(store, name, made);
    return database.path === ":memory:" ? made : storeInFile(fileOf(database.path, name), made);
  };
/** @throws StoreRefused when it can neither be read nor written, or others can read it; ServiceError `unavailable`. */
export const loadOrCreateTokenSecret = loadOrCreate("token_secret");
/** The root of the service's keys (`serviceKeysFrom`). @throws as `loadOrCreateTokenSecret`. */
export const loadOrCreateServiceKey = loadOrCreate("service_key");

/** The root that was made when nobody set SERVICE_KEY; null where none ever was. Makes nothing. @throws as `loadOrCreateTokenSecret`. */
export const loadKeptServiceKey = async (store: Store, database: DatabaseAddress): Promise<string | null> => {
  if (database.kind === "postgres")
    return (
      (await store.read((tx) => tx.first(settingByName({ name: "service_key" satisfies SecretName }))))?.value ?? null
    );
  return database.path === ":memory:" ? null : readServiceKeyFile(database.path);
};

/** The same of an SQLite file, which need not be there. @throws StoreRefused. */
export const readServiceKeyFile = (database: string): string | null => {
  try {
    return readSecret(serviceKeyFile(database));
  } catch (error) {
    throw new StoreRefused(`the earlier SERVICE_KEY cannot be read: ${messageOf(error)}`);
  }
};

/** The insert waits for a process that starts at the same moment; the select then reads whichever was first. */
const storeInDatabase = async (store: Store, name: SecretName, made: string): Promise<string> => {
  const kept = await store.write(async (tx) => {
    await tx.run(addSetting({ name, value: made }));
    return tx.first(settingByName({ name }));
  });
  if (kept === undefined) throw new StoreRefused(`${name} cannot be kept in the database`);
  return kept.value;
};

const storeInFile = (path: string, made: string): string => {
  try {
    return readSecret(path) ?? writeSecret(path, made);
  } catch (error) {
    throw new StoreRefused(`the secret ${path} cannot be kept: ${messageOf(error)}`);
  }
};

const hasCode = (error: unknown, code: string) => error instanceof Error && "code" in error && error.code === code;

/** A secret that others can read or write counts as leaked. Windows has no such modes. */
const refuseReadableByOthers = (path: string): void => {
  const { mode } = statSync(path);
  if (process.platform !== "win32" && (mode & 0o077) !== 0)
    throw new Error(
      `others on this machine can use it (mode ${(mode & 0o777).toString(8)}); delete it to make a new one, or: chmod 600`,
    );
};

const readSecret = (path: string): string | null => {
  try {
    const secret = readFileSync(path, "utf8").trim();
    refuseReadableByOthers(path);
    if (secret.length < 16) throw new Error("the file is damaged; delete it to end all sessions and start anew");
    return secret;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
};

/** Puts the file's name on disk, where the system can: Windows writes names in order. */
const syncFolder = (path: string): void => {
  try {
    const folder = openSync(dirname(path), "r");
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // The system writes it later.
  }
};

/** Creates the file atomically, also across a power loss. The first process wins; a second one uses its secret. */
const writeSecret = (path: string, made: string): string => {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${made}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
    syncFolder(path);
    return made;
  } catch (error) {
    const other = hasCode(error, "EEXIST") ? readSecret(path) : null;
    if (other !== null) return other;
    throw error;
  } finally {
    unlinkSync(draft);
  }
};
