/** TOKEN_SECRET, when nobody sets it: made once and kept beside the SQLite database, readable by its owner alone. */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import type { Random } from "../ports.ts";
import { StoreRefused } from "../store/store.ts";

export const tokenSecretPath = (databasePath: string): string => `${databasePath}.token-secret`;

/** @throws StoreRefused when it can neither be read nor written. */
export const keepTokenSecret = (databasePath: string, random: Random): string => {
  const made = Buffer.from(random.bytes(32)).toString("base64url");
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

/** Whoever makes the file wins; a process that comes second takes what is there. */
const writeSecret = (path: string, made: string): string => {
  let file: number;
  try {
    file = openSync(path, "wx", 0o600);
  } catch (error) {
    const other = hasCode(error, "EEXIST") ? readSecret(path) : null;
    if (other !== null) return other;
    throw error;
  }
  try {
    writeSync(file, `${made}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return made;
};
