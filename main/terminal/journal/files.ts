/** A journal's files on disk: moved together with what belongs to them, and known by name in their folder. */
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
  statSync,
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

/**
 * Copies a file atomically: `to` is the old file or the whole copy, on disk, at every moment. Throws when it cannot be copied;
 * `to` is unchanged then.
 * @param mode of the copy. Default: that of `from`.
 */
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

/**
 * Moves a database with its sidecar files; the database itself last, so that its name means that all is there. Throws,
 * and has moved nothing, when there is none or when something has the new name: a rename would write over it.
 */
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

/**
 * Puts the database `next` at `path` and keeps the one there at `aside`; null removes that one. Throws when a move fails;
 * what was to be kept is at `path` again then.
 */
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
