/**
 * TOKEN_SECRET, when nobody sets it: made once and kept beside the SQLite file, readable by its owner alone, or in the
 * PostgreSQL database for all its processes. Tokens have 256 random bits: whoever reads the secret can forge none.
 */
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import type { Random } from "../ports.ts";
import type { DatabaseAddress } from "../store/database-url.ts";
import { addSetting, settingByName } from "../store/settings.ts";
import { one, run, type Store, StoreRefused } from "../store/store.ts";

export const tokenSecretPath = (databasePath: string): string => `${databasePath}.token-secret`;

/** @throws StoreRefused when it can neither be read nor written; ServiceError `unavailable`. */
export const keepTokenSecret = async (store: Store, database: DatabaseAddress, random: Random): Promise<string> => {
  const made = Buffer.from(random.bytes(32)).toString("base64url");
  return database.kind === "postgres" ? keepInDatabase(store, made) : keepInFile(database.path, made);
};

const tokenSecretName = "token_secret";

/** The insert waits for a process that starts at the same moment; the select then sees whichever came first. */
const keepInDatabase = async (store: Store, made: string): Promise<string> => {
  const kept = await store.write(function* () {
    yield* run(addSetting({ name: tokenSecretName, value: made }));
    return yield* one(settingByName({ name: tokenSecretName }));
  });
  if (kept === undefined) throw new StoreRefused("the token secret cannot be kept in the database");
  return kept.value;
};

const keepInFile = (databasePath: string, made: string): string => {
  if (databasePath === ":memory:") return made;
  const path = tokenSecretPath(databasePath);
  try {
    return readSecret(path) ?? writeSecret(path, made);
  } catch (error) {
    throw new StoreRefused(
      `the token secret ${path} cannot be kept: ${error instanceof Error ? error.message : error}`,
    );
  }
};

const hasCode = (error: unknown, code: string) => error instanceof Error && "code" in error && error.code === code;

const readSecret = (path: string): string | null => {
  try {
    const secret = readFileSync(path, "utf8").trim();
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
    writeSync(file, `${made}\n`);
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
