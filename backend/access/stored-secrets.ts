/**
 * TOKEN_SECRET and SERVICE_KEY, when nobody sets them: made once and kept beside the SQLite file, readable by its owner
 * alone, or in the PostgreSQL database for all its processes.
 */
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import type { Random } from "../ports.ts";
import type { DatabaseAddress } from "../store/database-url.ts";
import { addSetting, settingByName } from "../store/settings.ts";
import { one, run, type Store, StoreRefused } from "../store/store.ts";

/** How a secret is called in the `settings` table, and what its file's name ends in. */
interface KeptSecret {
  readonly setting: string;
  readonly fileSuffix: string;
}

const tokenSecret: KeptSecret = { setting: "token_secret", fileSuffix: ".token-secret" };
const serviceKey: KeptSecret = { setting: "service_key", fileSuffix: ".service-key" };

/** Where the root is kept that was made when nobody set SERVICE_KEY. @param database the SQLite file. */
export const serviceKeyFile = (database: string): string => `${database}${serviceKey.fileSuffix}`;

const loadOrCreate = async (
  { setting, fileSuffix }: KeptSecret,
  store: Store,
  database: DatabaseAddress,
  random: Random,
): Promise<string> => {
  const made = Buffer.from(random.bytes(32)).toString("base64url");
  if (database.kind === "postgres") return storeInDatabase(store, setting, made);
  return database.path === ":memory:" ? made : storeInFile(`${database.path}${fileSuffix}`, made);
};

/** @throws StoreRefused when it can neither be read nor written, or others can read it; ServiceError `unavailable`. */
export const loadOrCreateTokenSecret = (store: Store, database: DatabaseAddress, random: Random): Promise<string> =>
  loadOrCreate(tokenSecret, store, database, random);

/** The root of `service-keys.ts`. @throws as `loadOrCreateTokenSecret`. */
export const loadOrCreateServiceKey = (store: Store, database: DatabaseAddress, random: Random): Promise<string> =>
  loadOrCreate(serviceKey, store, database, random);

/**
 * The root that was made when nobody set SERVICE_KEY; null where none ever was. Makes nothing.
 * @throws as `loadOrCreateTokenSecret`.
 */
export const loadKeptServiceKey = async (store: Store, database: DatabaseAddress): Promise<string | null> => {
  if (database.kind === "postgres")
    return (await store.read(() => one(settingByName({ name: serviceKey.setting }))))?.value ?? null;
  if (database.path === ":memory:") return null;
  try {
    return readSecret(serviceKeyFile(database.path));
  } catch (error) {
    throw new StoreRefused(`the earlier SERVICE_KEY cannot be read: ${error instanceof Error ? error.message : error}`);
  }
};

/** The insert waits for a process that starts at the same moment; the select then sees whichever came first. */
const storeInDatabase = async (store: Store, name: string, made: string): Promise<string> => {
  const kept = await store.write(function* () {
    yield* run(addSetting({ name, value: made }));
    return yield* one(settingByName({ name }));
  });
  if (kept === undefined) throw new StoreRefused(`${name} cannot be kept in the database`);
  return kept.value;
};

const storeInFile = (path: string, made: string): string => {
  try {
    return readSecret(path) ?? writeSecret(path, made);
  } catch (error) {
    throw new StoreRefused(`the secret ${path} cannot be kept: ${error instanceof Error ? error.message : error}`);
  }
};

const hasCode = (error: unknown, code: string) => error instanceof Error && "code" in error && error.code === code;

/** A secret that others could read or write has to be taken as known to them. Windows keeps no such modes. */
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

/**
 * The file appears whole or not at all, whenever the power goes. Whoever comes first wins; a process that comes second
 * takes what is there.
 */
const writeSecret = (path: string, made: string): string => {
  const draft = `${path}.${process.pid}`;
  const file = openSync(draft, "w", 0o600);
  try {
    writeFileSync(file, `${made}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(draft, path);
    return made;
  } catch (error) {
    const other = hasCode(error, "EEXIST") ? readSecret(path) : null;
    if (other !== null) return other;
    throw error;
  } finally {
    unlinkSync(draft);
  }
};
