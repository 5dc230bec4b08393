/**
 * Copies of an SQLite database while a service uses it. SQLite's own backup runs beside the event loop, so that no terminal
 * waits for it; a copy is whole, opened and checked before it has its name.
 */
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import path from "node:path";
import { backup, DatabaseSync } from "node:sqlite";

/** Where copies go, and how many of the newest stay. */
export interface BackupPlan {
  readonly folder: string;
  /** From 1 on. */
  readonly kept: number;
}

/** A copy that was made: where it is, and what was found in it. */
export interface Copy {
  readonly file: string;
  /** When it was begun, epoch milliseconds. */
  readonly at: number;
  readonly bytes: number;
}

/** All pages in one step: a step sees one state of the database, and a write between two steps would restart the copy. */
const allPages = 2 ** 31 - 1;
const lockedMaxMs = 5_000;

/** `service-20261122T031500123Z.db`: sorted by name is sorted by time. */
const nameOf = (database: string, at: number): string =>
  `${path.parse(database).name}-${new Date(at).toISOString().replaceAll(/[-:.]/g, "")}.db`;

const timeIn = (stamp: string): number =>
  Date.parse(stamp.replace(/^(....)(..)(..T..)(..)(..)(...Z)$/, "$1-$2-$3:$4:$5.$6"));

/** The copies of `database` in `folder`, newest first; what has another name is not ours. */
export const copiesOf = (database: string, folder: string): readonly Copy[] => {
  const { name } = path.parse(database);
  return readdirSync(folder)
    .flatMap((file) => {
      const stamp = file.startsWith(`${name}-`)
        ? /^(\d{8}T\d{9}Z)\.db$/.exec(file.slice(name.length + 1))?.[1]
        : undefined;
      if (stamp === undefined) return [];
      const whole = path.join(folder, file);
      return [{ file: whole, at: timeIn(stamp), bytes: statSync(whole).size }];
    })
    .sort((one, other) => other.at - one.at);
};

/** Opens a copy as the service would. Makes it one file, without a log beside it. @throws Error when it is damaged. */
export const checkCopy = (file: string): void => {
  const copy = new DatabaseSync(file, { timeout: lockedMaxMs });
  try {
    copy.exec("PRAGMA journal_mode = DELETE");
    const result = copy.prepare("PRAGMA integrity_check(1)").get()?.integrity_check;
    if (result !== "ok") throw new Error(`the copy ${file} is damaged: ${result}`);
    copy.prepare("SELECT count(*) FROM withdrawals").get();
  } finally {
    copy.close();
  }
};

const sync = (file: string): void => {
  const handle = openSync(file, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

/**
 * Copies `database` into the folder, checks the copy, then removes the oldest beyond `kept`. A failure leaves every
 * earlier copy and no half of this one.
 * @throws Error of the system or of SQLite: no room, no right, damaged.
 */
export const backUp = async (database: string, { folder, kept }: BackupPlan, nowMs: number): Promise<Copy> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, nameOf(database, nowMs));
  const partial = `${file}.partial`;
  try {
    const source = new DatabaseSync(database, { readOnly: true, timeout: lockedMaxMs });
    try {
      await backup(source, partial, { rate: allPages });
    } finally {
      source.close();
    }
    chmodSync(partial, 0o600);
    checkCopy(partial);
    sync(partial);
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  for (const old of copiesOf(database, folder).slice(kept)) rmSync(old.file, { force: true });
  return { file, at: nowMs, bytes: statSync(file).size };
};
