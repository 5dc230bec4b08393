/** A journal's files on disk: moved together with what belongs to them, and known by name in their folder. */
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
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** The sidecar files that belong to a database; they move with it. */
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
    // The system writes it in its own time.
  }
};

/** `to` is the old file or the whole copy, on disk, at every moment. @param mode of the copy, by default that of `from`. */
export const copyAtomically = (from: string, to: string, mode?: number): void => {
  const draft = `${to}.part`;
  rmSync(draft, { force: true });
  try {
    // Fails where somebody has put a link there meanwhile.
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

/** Moves a database with its sidecars, itself last, so that its name means that all is there; throws, or moves all. */
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

/** Puts `next` at `path` and what was there at `aside`; null removes that. When a move fails it is there again. */
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

/** Deletes the file with its sidecars; what is not there counts as deleted. */
export const removeDatabase = (path: string): void => {
  for (const suffix of suffixes) rmSync(path + suffix, { force: true });
};

const stem = (path: string): string => basename(path).replace(/\.db$/, "");

/** Where a book's journal lies while another one is in use: `journal.NAME.db` beside `journal.db`. */
export const siblingPath = (path: string, name: string): string => join(dirname(path), `${stem(path)}.${name}.db`);

/** Where a journal is kept beside: under `name`, or with `now` behind it when another one has that name. */
export const freeSiblingPath = (path: string, name: string, now: number): string => {
  const beside = siblingPath(path, name);
  return isTaken(beside) ? freeSiblingPath(path, `${name}-${now}`, now) : beside;
};

/** The names of the journals beside the one at `path`, the one that changed last first. */
export const siblingNames = (path: string): readonly string[] => {
  const start = `${stem(path)}.`;
  const isBook = (file: string): boolean => file.startsWith(start) && file.endsWith(".db") && file !== basename(path);
  const changedMs = (file: string): number => statSync(join(dirname(path), file)).mtimeMs;
  return readdirSync(dirname(path))
    .filter(isBook)
    .sort((one, other) => changedMs(other) - changedMs(one))
    .map((file) => file.slice(start.length, -".db".length));
};

/** What else is written beside the journal leaves so much free. */
export const roomLeftBytes = 64 * 1024 * 1024;
/** Thousands of entries. */
const reserveBytes = 4 * 1024 * 1024;

/** Free bytes of the disk on which `path` lies, for this user; without bound where the system does not say. */
export const freeBytes = (path: string): number => {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
};

/** How a journal deals with its disk. */
export interface DiskRoom {
  readonly freeBytes: (path: string) => number;
  /** Bytes kept for the journal beside it, given back when it cannot write; 0 for none. */
  readonly reserveBytes: number;
}

/** Of a tool, a simulation and a journal in memory. */
export const noReserve: DiskRoom = { freeBytes, reserveBytes: 0 };
/** Of a terminal in a shop. */
export const shopRoom: DiskRoom = { freeBytes, reserveBytes };

/** Zeros, or anything that repeats itself, would take no room on a disk that packs what it keeps. */
const filling = (bytes: number): Uint8Array =>
  createCipheriv("aes-128-ctr", new Uint8Array(16), new Uint8Array(16)).update(new Uint8Array(bytes));

const reservePath = (path: string): string => `${path}.reserve`;

/** Takes the journal's reserve, where there is room for it besides. */
export const holdReserve = (path: string, room: DiskRoom): void => {
  const file = reservePath(path);
  if (room.reserveBytes === 0 || existsSync(file) || room.freeBytes(path) < roomLeftBytes) return;
  try {
    writeFileSync(file, filling(room.reserveBytes), { mode: 0o600 });
  } catch {
    rmSync(file, { force: true });
  }
};

/** Gives it back; false when there was none. */
export const giveReserveBack = (path: string): boolean => {
  if (!existsSync(reservePath(path))) return false;
  rmSync(reservePath(path), { force: true });
  return true;
};

/** SQLITE_FULL, and SQLITE_IOERR as a quota and a limit of a file's size give it. */
export const isWithoutRoom = (error: unknown): boolean => {
  const code = typeof error === "object" && error !== null && "errcode" in error ? Number(error.errcode) & 0xff : 0;
  return code === 13 || code === 10;
};
