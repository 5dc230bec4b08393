/**
 * Counts a service's starts on an SQLite file and its stops, in the file and beside it: an older file that somebody has put in its place
 * knows of fewer.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { restoredFromSetting } from "./restores.ts";
import { addSetting, setSetting, settingByName } from "./settings.ts";
import { type Store, StoreRefused, type Tx } from "./store.ts";

/** The setting with their number, which all here call starts; copies of releases before have none. */
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

const startsIn = async (tx: Tx): Promise<number | null> => {
  const kept = await tx.first(settingByName({ name: startsSetting }));
  return kept === undefined ? null : Number(kept.value);
};

/**
 * Marks a database as a copy that was put back where more starts are known of beside it. From then on it counts as many: what is written
 * next is its own log, and the newer one is the older one once this one was served.
 * @param database the path of its file.
 * @throws StoreRefused while another program keeps that from the file itself.
 */
export const markOlderFile = async (store: Store, database: string): Promise<void> => {
  const beside = startsBeside(database);
  const isOlder = async (tx: Tx) => ((await startsIn(tx)) ?? beside) < beside;
  if (!(await store.read(isOlder))) return;
  await store.write(async (tx) => {
    if (!(await isOlder(tx))) return;
    await tx.run(addSetting({ name: restoredFromSetting, value: JSON.stringify({ copy: database }) }));
    await tx.run(setSetting({ name: startsSetting, value: String(beside) }));
  });
  if (!(await store.emptyLog()))
    throw new StoreRefused(
      `${database} is an older one that was put in its place, and another program reads it: end that`,
    );
};

const count = (store: Store, database: string): Promise<number> =>
  store.write(async (tx) => {
    const next = Math.max((await startsIn(tx)) ?? 0, startsBeside(database)) + 1;
    await tx.run(setSetting({ name: startsSetting, value: String(next) }));
    return next;
  });

/** To be called once the file itself has them, not its log alone: so the log of a newer one shows. */
const noteBeside = (database: string, starts: number): void => {
  try {
    const draft = `${startsFile(database)}.partial`;
    writeFileSync(draft, `${starts}\n`, { mode: 0o600, flush: true });
    renameSync(draft, startsFile(database));
  } catch {
    // Without room an older file may not be noticed; that keeps nobody from serving.
  }
};

/** Counts a start. @param database see `markOlderFile`. */
export const countStart = async (store: Store, database: string): Promise<void> => {
  const starts = await count(store, database);
  if (await store.emptyLog()) noteBeside(database, starts);
};

/** Counts a stop as a start and closes the store: a file that was copied since the start is older then, too. */
export const closeCounted = async (store: Store, database: string): Promise<void> => {
  const starts = await count(store, database).catch(() => null);
  await store.close();
  if (starts !== null && !existsSync(`${database}-wal`)) noteBeside(database, starts);
};
