/** A journal's files on disk: moved together with what belongs to them, and known by name in their folder. */
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The sidecar files that belong to a database; they move with it. */
export const suffixes = ["", "-wal", "-shm"];

/** Names are on disk before anything relies on them; where a folder cannot be synced, the system does it in its own time. */
export const syncFolder = (path: string): void => {
  try {
    const folder = openSync(dirname(path), "r");
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // Windows has no such call.
  }
};

/** Moves a database with its sidecar files; the database itself last, so that its name means that all is there. */
export const moveDatabase = (from: string, to: string): void => {
  for (const suffix of suffixes.toReversed()) if (existsSync(from + suffix)) renameSync(from + suffix, to + suffix);
};

export const removeDatabase = (path: string): void => {
  for (const suffix of suffixes) rmSync(path + suffix, { force: true });
};

const stem = (path: string): string => basename(path).replace(/\.db$/, "");

/** Where a book's journal lies while another one is in use: `journal.NAME.db` beside `journal.db`. */
export const pathBeside = (path: string, name: string): string => join(dirname(path), `${stem(path)}.${name}.db`);

/** The names of the journals beside the one at `path`, the one that changed last first. */
export const namesBeside = (path: string): readonly string[] => {
  const start = `${stem(path)}.`;
  const isBook = (file: string): boolean => file.startsWith(start) && file.endsWith(".db") && file !== basename(path);
  const changedMs = (file: string): number => statSync(join(dirname(path), file)).mtimeMs;
  return readdirSync(dirname(path))
    .filter(isBook)
    .sort((one, other) => changedMs(other) - changedMs(one))
    .map((file) => file.slice(start.length, -".db".length));
};
