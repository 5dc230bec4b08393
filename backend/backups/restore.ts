/** Puts a copy in the place of an SQLite database; what was there is kept beside it. */
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { lockForService } from "../store/service-lock.ts";
import { StoreRefused } from "../store/store.ts";
import { checkCopy } from "./check-copy.ts";

/**
 * @returns where the database that was there is now; null if there was none.
 * @throws StoreRefused when a service runs on it, or the copy cannot be used; nothing has changed then.
 */
export const restore = async (copy: string, database: string, nowMs: number): Promise<string | null> => {
  if (!existsSync(copy)) throw new StoreRefused(`there is no copy ${copy}`);
  const there = existsSync(database);
  const lock = there ? lockForService(database) : null;
  const draft = `${database}.restoring`;
  try {
    mkdirSync(path.dirname(database), { recursive: true, mode: 0o700 });
    copyFileSync(copy, draft);
    await checkCopy(draft);
    const aside = there ? `${database}.before-restore-${nowMs}` : null;
    if (aside !== null) {
      foldLog(database);
      renameSync(database, aside);
    }
    for (const log of ["-wal", "-shm"]) rmSync(`${database}${log}`, { force: true });
    renameSync(draft, database);
    return aside;
  } catch (error) {
    rmSync(draft, { force: true });
    if (error instanceof StoreRefused) throw error;
    throw new StoreRefused(`${copy} cannot be restored: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  } finally {
    lock?.release();
  }
};

/** Whatever its log still held goes into the file that is kept. A damaged one is kept as it is, its log with it. */
const foldLog = (database: string): void => {
  try {
    const old = new DatabaseSync(database);
    try {
      old.exec("PRAGMA journal_mode = DELETE");
    } finally {
      old.close();
    }
  } catch {
    // That it cannot be read may be why a copy is restored.
  }
};
