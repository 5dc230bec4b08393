/**
 * Counts a service's starts on an SQLite file, in the file and beside it: an older file that somebody has put in its place knows of fewer.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { restoredFromSetting } from "./restores.ts";
import { addSetting, setSetting, settingByName } from "./settings.ts";
import type { Store } from "./store.ts";

/** The setting with the number of starts; copies of releases before have none. */
const startsSetting = "starts";

/** The file beside the database with the same number. */
const startsFile = (database: string): string => `${database}-starts`;

/** 0 where there is none, or none that can be read: then nothing is known of the database. */
const startsBeside = (database: string): number => {
  try {
    const starts = Number(readFileSync(startsFile(database), "utf8"));
    return Number.isSafeInteger(starts) ? starts : 0;
  } catch {
    return 0;
  }
};

/** Whether the file itself, without its log, has seen fewer starts than are known of beside it. */
export const isOlderFile = (database: string): boolean => {
  try {
    const file = new DatabaseSync(`${pathToFileURL(database)}?immutable=1`, { readOnly: true });
    try {
      const kept = file.prepare("SELECT value FROM settings WHERE name = ?").get(startsSetting);
      return kept !== undefined && Number(kept.value) < startsBeside(database);
    } finally {
      file.close();
    }
  } catch {
    // Its opening says why.
    return false;
  }
};

/** To be called where the next file in this place may be an older one, and that is known already. */
export const forgetStarts = (database: string): void => rmSync(startsFile(database), { force: true });

/**
 * Counts a start, and marks a database as a copy that was put back where more are known of beside it.
 * @param database the path of its file.
 */
export const countStart = async (store: Store, database: string): Promise<void> => {
  const beside = startsBeside(database);
  const starts = await store.write(async (tx) => {
    const kept = (await tx.first(settingByName({ name: startsSetting })))?.value;
    const known = Number(kept ?? 0);
    if (kept !== undefined && known < beside)
      await tx.run(addSetting({ name: restoredFromSetting, value: JSON.stringify({ copy: database }) }));
    const next = Math.max(known, beside) + 1;
    await tx.run(setSetting({ name: startsSetting, value: String(next) }));
    return next;
  });
  // Only what is in the file itself is known of beside it, so that a log of a newer one shows.
  if (!(await store.emptyLog())) return;
  try {
    const draft = `${startsFile(database)}.${process.pid}`;
    writeFileSync(draft, `${starts}\n`, { mode: 0o600, flush: true });
    renameSync(draft, startsFile(database));
  } catch {
    // Without room an older file may not be noticed; that keeps nobody from serving.
  }
};
