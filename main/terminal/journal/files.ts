/** A journal's files on disk: copies, moves and lists them together with their sidecar files. */
import { createCipheriv } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** Suffixes of a database and its sidecar files, which move with it. */
export const suffixes = ["", "-wal", "-shm"];

/** Syncs the folder of `path`, so that a rename is on disk. Does nothing where folders cannot be synced (Windows). */
export const syncFolder = (path: string): void => {
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

/** Copies a file so that `to` is the old file or the complete copy at any moment. @param mode Default: that of `from`. */
export const copyAtomically = (from: string, to: string, mode?: number): void => {
  const draft = `${to}.part`;
  rmSync(draft, { force: true });
  try {
    // Fails if somebody has placed a link there meanwhile.
    copyFileSync(from, draft, constants.COPYFILE_EXCL);
    if (mode !== undefined) chmodSync(draft, mode);
    const file = openSync(draft, "r+");
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, to);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(to);
};

const isTaken = (path: string): boolean => suffixes.some((suffix) => existsSync(path + suffix));

/** Moves a database with its sidecar files, itself last, so that its name means that all are there. On failure moves nothing and throws. */
export const moveDatabase = (from: string, to: string): void => {
  if (!existsSync(from)) throw new Error(`no database to move: ${from}`);
  if (isTaken(to)) throw new Error(`a database would be written over: ${to}`);
  const moved: string[] = [];
  try {
    for (const suffix of suffixes.toReversed()) {
      if (!existsSync(from + suffix)) continue;
      renameSync(from + suffix, to + suffix);
      moved.push(suffix);
    }
  } catch (error) {
    for (const suffix of moved) renameSync(to + suffix, from + suffix);
    throw error;
  }
};

/** Moves `next` to `path`, and what was there to `aside` (null: deletes it). Restores it if the move fails. */
export const exchangeDatabase = (path: string, next: string, aside: string | null): void => {
  if (aside === null) removeDatabase(path);
  else moveDatabase(path, aside);
  try {
    moveDatabase(next, path);
  } catch (error) {
    if (aside !== null) moveDatabase(aside, path);
    throw error;
  }
};

/** Deletes a database and its sidecar files, if they exist. */
export const removeDatabase = (path: string): void => {
  for (const suffix of suffixes) rmSync(path + suffix, { force: true });
};

const stem = (path: string): string => basename(path).replace(/\.db$/, "");

/** Path of a book's journal while another one is in use: `journal.NAME.db` beside `journal.db`. */
export const siblingPath = (path: string, name: string): string => join(dirname(path), `${stem(path)}.${name}.db`);

/** A free sibling path: with `name`, or `name` and `now` if that is taken. */
export const freeSiblingPath = (path: string, name: string, now: number): string => {
  const beside = siblingPath(path, name);
  return isTaken(beside) ? freeSiblingPath(path, `${name}-${now}`, now) : beside;
};

/** Names of the journals beside the one at `path`, last changed first. */
export const siblingNames = (path: string): readonly string[] => {
  const start = `${stem(path)}.`;
  const isBook = (file: string): boolean => file.startsWith(start) && file.endsWith(".db") && file !== basename(path);
  const changedMs = (file: string): number => statSync(join(dirname(path), file)).mtimeMs;
  return readdirSync(dirname(path))
    .filter(isBook)
    .sort((one, other) => changedMs(other) - changedMs(one))
    .map((file) => file.slice(start.length, -".db".length));
};

/** The numbers at the end of the file names that begin with `start`, largest first. */
export const numbersBeside = (start: string): readonly number[] =>
  readdirSync(dirname(start))
    .filter((name) => name.startsWith(basename(start)) && /^\d+$/.test(name.slice(basename(start).length)))
    .map((name) => Number(name.slice(basename(start).length)))
    .sort((one, other) => other - one);

/** Other writers on this disk leave this much free for the journal. */
export const roomLeftBytes = 64 * 1024 * 1024;
/** Enough for thousands of entries. */
const reserveBytes = 4 * 1024 * 1024;

/** Free bytes for this user on the disk of `path`; infinite if the system does not say. */
export const freeBytes = (path: string): number => {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
};

/** How a journal manages disk space. */
export interface DiskRoom {
  readonly freeBytes: (path: string) => number;
  /** Size of the reserve file, which is released when the journal cannot write; 0: none. */
  readonly reserveBytes: number;
}

/** For tools, simulations and journals in memory. */
export const noReserve: DiskRoom = { freeBytes, reserveBytes: 0 };
/** For a terminal in a shop. */
export const shopRoom: DiskRoom = { freeBytes, reserveBytes };

/** Incompressible bytes: zeros would take no space on a compressing file system. */
const filling = (bytes: number): Uint8Array =>
  createCipheriv("aes-128-ctr", new Uint8Array(16), new Uint8Array(16)).update(new Uint8Array(bytes));

const reservePath = (path: string): string => `${path}.reserve`;

const reserved = (path: string): number => statSync(reservePath(path), { throwIfNoEntry: false })?.size ?? 0;

/** Fills the reserve file up, if there is enough space. False: there was not, and it is to be tried again. */
export const holdReserve = (path: string, { freeBytes, reserveBytes }: DiskRoom): boolean =>
  reserved(path) >= reserveBytes || (freeBytes(path) >= roomLeftBytes && fillReserve(path, reserveBytes));

const fillReserve = (path: string, bytes: number): boolean => {
  const file = reservePath(path);
  const held = reserved(path);
  try {
    writeFileSync(file, filling(bytes - held), { flag: "a", mode: 0o600 });
    return true;
  } catch {
    try {
      if (held > 0) truncateSync(file, held);
      else rmSync(file);
    } catch {
      // Held by another program. The entry before it is written: nothing may take it for refused.
    }
    return false;
  }
};

const reserveLeastBytes = 32 * 1024;

/** Creates the reserve file on a full disk: of what was released and not needed, before others take it. The first size that fits. */
export const holdRest = (path: string, bytes: number): void => {
  for (let half = bytes; half >= reserveLeastBytes; half /= 2) if (fillReserve(path, half)) return;
};

/** Releases the reserve; false if there was none. */
export const giveReserveBack = (path: string): boolean => {
  if (!existsSync(reservePath(path))) return false;
  rmSync(reservePath(path));
  return true;
};

/** Whether an error is SQLite's, with one of these primary result codes. */
export const hasSqliteCode = (error: unknown, ...codes: readonly number[]): boolean =>
  codes.includes(Number((error as { errcode?: unknown } | null)?.errcode) & 0xff);

/** SQLITE_FULL, or SQLITE_IOERR, which quotas and file size limits cause; or the system's own, for a file beside the database. */
export const isWithoutRoom = (error: unknown): boolean =>
  hasSqliteCode(error, 13, 10) || ["ENOSPC", "EDQUOT"].includes(String((error as { code?: unknown } | null)?.code));
