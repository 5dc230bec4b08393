/**
 * Backup copies of an SQLite database: making, checking and pruning them. Their folder may lie in the network and not answer for a
 * minute: the service must go on meanwhile, so nothing waits for it synchronously.
 */
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Worker } from "node:worker_threads";
import pLimit from "p-limit";
import { type Repeated, repeat } from "../background.ts";
import { dayMs, toTime } from "../contract/times.ts";
import type { Clock, Log } from "../ports.ts";
import type { Telemetry } from "../telemetry.ts";
import { copiedAtSetting } from "./restores.ts";

/** A string rather than a module, since the built program is one file. */
const work = `
const { chmodSync } = require("node:fs");
const { workerData: { source, file, timeout, marks } } = require("node:worker_threads");
const { backup, DatabaseSync } = require("node:sqlite");
const make = async () => {
  const database = new DatabaseSync(source, { readOnly: true, timeout });
  try {
    // All pages in one step, which sees one state of the database; a write between two steps would restart the copy.
    await backup(database, file, { rate: 2 ** 31 - 1 });
  } finally {
    database.close();
  }
  chmodSync(file, 0o600);
};
const check = () => {
  const copy = new DatabaseSync(file, { timeout });
  try {
    copy.exec("PRAGMA journal_mode = DELETE");
    const result = copy.prepare("PRAGMA integrity_check(1)").get()?.integrity_check;
    if (result !== "ok") throw new Error("the copy " + file + " is damaged: " + result);
    copy.prepare("SELECT count(*) FROM withdrawals").get();
    const mark = copy.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)");
    for (const [name, value] of Object.entries(marks)) mark.run(name, value);
  } finally {
    copy.close();
  }
};
(source === null ? Promise.resolve() : make()).then(check);
`;

/**
 * Checks a copy in a worker thread, since reading a large database takes seconds, and makes it a single file without a WAL.
 * @param marks settings written into it to mark it as a copy, so that it is not served unnoticed.
 * @param source the database to make it of first: SQLite opens and closes a copy synchronously. Null: it is there.
 * @throws Error when it is damaged.
 */
export const checkCopy = (
  file: string,
  marks: Readonly<Record<string, string>>,
  source: string | null = null,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const workerData = { source, file, timeout: lockedMaxMs, marks };
    const thread = new Worker(work, { eval: true, execArgv: [], workerData });
    thread.once("error", reject);
    thread.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`the check of the copy ${file} ended with ${code}`));
    });
  });

/**
 * A call that the folder does not answer keeps one of the process's four threads, which also look up banks' names and check
 * passwords: one look and one copy wait for it at a time.
 */
const [looking, copying] = [pLimit(1), pLimit(1)];

/** The folder for copies, and how many of the newest to keep. */
export interface BackupPlan {
  readonly folder: string;
  /** At least 1. */
  readonly kept: number;
}

interface Copy {
  readonly file: string;
  /** When it was begun, epoch milliseconds. */
  readonly at: number;
  readonly bytes: number;
}

const lockedMaxMs = 5_000;

/** `service-20261122T031500123Z.db`: so names sort by time. */
const nameOf = (database: string, at: number): string =>
  `${path.parse(database).name}-${toTime(at).replaceAll(/[-:.]/g, "")}.db`;

const timeIn = (stamp: string): number =>
  Date.parse(stamp.replace(/^(....)(..)(..T..)(..)(..)(...Z)$/, "$1-$2-$3:$4:$5.$6"));

const stamped = async (
  database: string,
  folder: string,
  ending: ".db" | ".db.partial",
): Promise<readonly Omit<Copy, "bytes">[]> => {
  const { name } = path.parse(database);
  return (await readdir(folder)).flatMap((file) => {
    if (!file.startsWith(`${name}-`) || !file.endsWith(ending)) return [];
    const stamp = /^\d{8}T\d{9}Z$/.exec(file.slice(name.length + 1, -ending.length))?.[0];
    return stamp === undefined ? [] : [{ file: path.join(folder, file), at: timeIn(stamp) }];
  });
};

/** Null for a file that is gone meanwhile. */
const bytesOf = (file: string): Promise<number | null> =>
  stat(file).then(
    ({ size }) => size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    },
  );

/** The copies of `database` in `folder`, newest first; files with other names are ignored. */
export const copiesOf = async (database: string, folder: string): Promise<readonly Copy[]> => {
  const copies: Copy[] = [];
  for (const copy of await stamped(database, folder, ".db")) {
    const bytes = await bytesOf(copy.file);
    if (bytes !== null) copies.push({ ...copy, bytes });
  }
  return copies.sort((one, other) => other.at - one.at);
};

const unopened = "cannot be opened";
/** As `work`: the hash of the first entry of each one's audit, with which all copies of an installation begin. */
const readFirstEntries = `
const { parentPort, workerData: { files, timeout, unopened } } = require("node:worker_threads");
const { DatabaseSync } = require("node:sqlite");
const cannotOpen = 14;
const firstEntry = (file) => {
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout });
    try {
      return database.prepare("SELECT hash FROM audit WHERE seq = 1").get()?.hash ?? null;
    } finally {
      database.close();
    }
  } catch (error) {
    return error.errcode === cannotOpen ? unopened : null;
  }
};
parentPort.postMessage(files.map(firstEntry));
`;

const firstEntriesOf = (files: readonly string[]): Promise<readonly (string | null)[]> =>
  new Promise((resolve, reject) => {
    const workerData = { files, timeout: lockedMaxMs, unopened };
    const thread = new Worker(readFirstEntries, { eval: true, execArgv: [], workerData });
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", () => reject(new Error("the copies could not be looked at")));
  });

/**
 * Those of the copies in `folder` that are of this installation, newest first: several may keep theirs in one folder. One that does
 * not say whose it is, as it is damaged or of before there was an audit, counts as its own; so do all where the database is not there.
 */
export const ownCopiesOf = async (database: string, folder: string): Promise<readonly Copy[]> => {
  const copies = await copiesOf(database, folder);
  if (copies.length === 0) return copies;
  const [own = null, ...others] = await firstEntriesOf([database, ...copies.map(({ file }) => file)]);
  if (own === null || own === unopened) return copies;
  // One that cannot be opened is another user's.
  return copies.filter((_, at) => (others[at] ?? own) === own);
};

/** A killed process leaves a partial copy as large as the database; a younger one may belong to a running process. */
const partialMaxMs = dayMs;

const removeCutOff = async (database: string, folder: string, nowMs: number): Promise<void> => {
  for (const { file, at } of await stamped(database, folder, ".db.partial"))
    if (at <= nowMs - partialMaxMs) await rm(file, { force: true });
};

/** Syncs a file, so that its content is on disk before its name is. */
export const sync = async (file: string): Promise<void> => {
  // Windows syncs only writable handles.
  const handle = await open(file, process.platform === "win32" ? "r+" : "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Syncs the folder of a file, so that its name is on disk. Windows cannot, and writes names in order. */
export const syncFolder = async (file: string): Promise<void> => {
  if (process.platform !== "win32") await sync(path.dirname(file));
};

/**
 * Copies `database` into the folder, checks the copy, then removes the oldest beyond `kept`. A failure leaves all
 * earlier copies and no partial one.
 * @throws Error of the system or of SQLite: disk full, no permission, damaged.
 */
export const backUp = (database: string, plan: BackupPlan, nowMs: number): Promise<Copy> =>
  copying(() => copy(database, plan, nowMs));

const copy = async (database: string, { folder, kept }: BackupPlan, nowMs: number): Promise<Copy> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeCutOff(database, folder, nowMs);
  const file = path.join(folder, nameOf(database, nowMs));
  const partial = `${file}.partial`;
  try {
    await checkCopy(partial, { [copiedAtSetting]: String(nowMs) }, database);
    await sync(partial);
    await rename(partial, file);
    await syncFolder(file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  const copies = await ownCopiesOf(database, folder);
  const isAhead = ({ at }: Copy): boolean => at > nowMs;
  // Copies dated in the future, by a clock that was ahead, are older than this one.
  const newestFirst = [...copies.filter((copy) => !isAhead(copy)), ...copies.filter(isAhead)];
  for (const old of newestFirst.slice(kept)) await rm(old.file, { force: true });
  return { file, at: nowMs, bytes: (await stat(file)).size };
};

/** Pause after a failure; a full disk may have space again. */
const failurePauseMs = 15 * 60_000;
/** Delay of the first copy: a start has more urgent work. */
const firstAfterMs = 30_000;

/** The newest copy; ignores copies dated in the future by a clock that was ahead. */
export const newestCopy = (database: string, folder: string, now: number): Promise<Copy | null> =>
  looking(async () => (await ownCopiesOf(database, folder)).find(({ at }) => at <= now) ?? null);

/** Makes a backup a day after the newest one, also across restarts; a failure is logged and tried again. */
export const startDailyBackup = (
  parts: { readonly clock: Clock; readonly log: Log; readonly telemetry: Pick<Telemetry, "backup"> },
  database: string,
  plan: BackupPlan,
): Repeated => {
  const { clock, log, telemetry } = parts;
  /** 0: never, as far as is known. */
  let copiedAt = 0;
  const copyWhenDue = async (): Promise<number> => {
    // Said before too, as the folder may never answer.
    telemetry.backup(copiedAt);
    try {
      const now = clock.now();
      await looking(() => mkdir(plan.folder, { recursive: true, mode: 0o700 }));
      const newest = await newestCopy(database, plan.folder, now);
      copiedAt = newest?.at ?? copiedAt;
      const pauseMs = newest === null ? 0 : newest.at + dayMs - now;
      if (pauseMs > 0) return pauseMs;
      const copy = await backUp(database, plan, now);
      copiedAt = copy.at;
      log.info({ file: copy.file, bytes: copy.bytes }, "the database was copied");
      return dayMs;
    } catch (error) {
      log.error({ err: error, folder: plan.folder }, "the database could not be copied and will be tried again");
      return failurePauseMs;
    } finally {
      telemetry.backup(copiedAt);
    }
  };
  return repeat(clock, firstAfterMs, copyWhenDue);
};
