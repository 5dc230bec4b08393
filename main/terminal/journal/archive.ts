/**
 * Moves closed years into files of their own. A power cut may fall between any two steps: the file is copied and synced under
 * another name, checked, and renamed; only then an entry of the chain names it, and only behind that entry rows are removed.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Archived, ArchivePlan, DamagedEntry, JournalDatabase, VerifyProgress } from "../ports.ts";
import type { ChainStart, JournalKeys } from "./chain.ts";
import {
  type ArchiveFile,
  archiveMarker,
  archiveStart,
  columns,
  insertRow,
  isCheckpoint,
  isNotCut,
  prepareArchive,
  prepareRows,
  toRow,
} from "./database.ts";
import { removeDatabase, roomLeftBytes, syncFolder } from "./files.ts";
import {
  archiveFolder,
  archivePath,
  type JournalPlace,
  type StoredRows,
  verifyArchive,
  withArchive,
} from "./stored-rows.ts";

const sliceRows = 500;

/** What a run works with. */
interface ArchiveParts {
  readonly database: JournalDatabase;
  readonly place: JournalPlace;
  readonly keys: JournalKeys | null;
  readonly rows: StoredRows;
  /** Losses that repairs noted. */
  readonly lost: readonly DamagedEntry[];
  readonly append: (bodies: readonly string[]) => void;
}

type Slices<T> = Generator<VerifyProgress, T>;

/** The last checkpoint before a sequence or a time; null when none is left in the live file. */
const checkpointBefore = ({ database, rows }: ArchiveParts, sequence: number, atMs: number): number | null => {
  const found = database
    .prepare(
      `SELECT max(sequence) AS sequence FROM journal WHERE ${isCheckpoint} AND sequence > ? AND sequence <= ? AND at < ?`,
    )
    .get(rows.through + 1, sequence, Math.trunc(atMs));
  return found?.sequence == null ? null : Number(found.sequence);
};

/** The first entry of the live file that is about one of these withdrawals; null when there is none before `until`. */
const firstAbout = function* (
  { database, rows }: ArchiveParts,
  held: readonly string[],
  until: number,
): Slices<number | null> {
  const slice = database.prepare(
    `SELECT sequence, body FROM journal WHERE sequence >= ? AND sequence < ? ORDER BY sequence LIMIT ${sliceRows}`,
  );
  const first = rows.through + 1;
  for (let from = first; held.length > 0 && from < until; from += sliceRows) {
    for (const { sequence, body } of slice.iterate(from, Math.min(until, from + sliceRows)))
      if (held.some((id) => String(body).includes(id))) return Number(sequence);
    yield { checked: from - first, total: until - first };
  }
  return null;
};

/** The checkpoint that the live file will begin with: what a start needs, and all that is still open, lies behind it. */
const findCut = function* (parts: ArchiveParts, { beforeMs, held }: ArchivePlan): Slices<number | null> {
  const cut = checkpointBefore(parts, Number.MAX_SAFE_INTEGER, beforeMs);
  if (cut === null) return null;
  const needed = yield* firstAbout(parts, held, cut);
  return needed === null ? cut : checkpointBefore(parts, needed, beforeMs);
};

const copyRows = function* (
  { database, place }: ArchiveParts,
  part: string,
  start: ChainStart,
  through: number,
): Slices<void> {
  const target = prepareArchive(part, place.open);
  try {
    target.prepare(archiveStart.insert).run(start.sequence, start.hash, start.keyId ?? "");
    const insert = target.prepare(insertRow);
    const rows = prepareRows(database, "WHERE sequence >= ? AND sequence <= ? ORDER BY sequence");
    for (let from = start.sequence + 1; from <= through; from += sliceRows) {
      target.exec("BEGIN");
      for (const row of rows(from, Math.min(through, from + sliceRows - 1)))
        insert.run(row.sequence, row.at, row.body, row.previous, row.hash);
      target.exec("COMMIT");
      yield { checked: from - start.sequence, total: through - start.sequence };
    }
  } finally {
    target.close();
  }
};

/** Whether the copy holds the whole stretch, sound, and ends as the live file has it. */
const isWhole = function* (
  { place, keys, lost }: ArchiveParts,
  part: string,
  start: ChainStart,
  { through, hash }: Pick<ArchiveFile, "through" | "hash">,
): Slices<boolean> {
  const file = place.open(part, "read");
  try {
    const { damaged } = yield* verifyArchive(file, start, through, lost, keys);
    const last = file.prepare("SELECT sequence, hash FROM journal ORDER BY sequence DESC LIMIT 1").get();
    return damaged.length === 0 && Number(last?.sequence) === through && String(last?.hash) === hash;
  } finally {
    file.close();
  }
};

/** Rows that are archived leave the live file; begun again where a power cut ended it. */
const removeArchived = function* ({ database, place, rows }: ArchiveParts): Slices<void> {
  const archive = rows.archives.at(-1);
  const first = Number(database.prepare("SELECT min(sequence) AS first FROM journal").get()?.first ?? 0);
  if (archive === undefined || first > archive.through) return;
  const kept = withArchive(place, archive, (file) =>
    file.prepare("SELECT hash FROM journal WHERE sequence = ?").get(archive.through),
  );
  if (kept?.hash !== archive.hash) throw new Error(`${archive.file} does not hold what it should: nothing is removed`);
  for (let from = first; from <= archive.through; from += sliceRows) {
    database.exec("BEGIN IMMEDIATE");
    try {
      database.exec(isNotCut.drop);
      database.prepare("DELETE FROM journal WHERE sequence <= ?").run(Math.min(archive.through, from + sliceRows - 1));
      database.exec(`${isNotCut.create} COMMIT`);
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
    yield { checked: from, total: archive.through };
  }
};

/** Also what a run that a power cut ended left beside it. */
const removePart = (part: string): void => {
  removeDatabase(part);
  rmSync(`${part}-journal`, { force: true });
};

/** What runs left that ended with their program, whichever journal they were of. */
export const removeParts = (path: string): void => {
  const folder = archiveFolder(path);
  try {
    for (const name of readdirSync(folder))
      if (/\.part(-\w+)?$/.test(name)) rmSync(join(folder, name), { force: true });
  } catch {
    // No archive yet.
  }
};

/** For the copy of it all, for what the removal writes, and for everybody else. */
const hasRoom = ({ path, freeBytes }: JournalPlace): boolean =>
  freeBytes(path) >= 2 * (statSync(path, { throwIfNoEntry: false })?.size ?? 0) + roomLeftBytes;

/** A name that no other journal's file has: by the year of the last entry and its hash. */
const fileName = (lastAtMs: number, hash: string): string =>
  `journal-${new Date(lastAtMs).getUTCFullYear()}-${hash.slice(0, 16)}.db`;

/** The run over a journal that is in memory, or not open. */
export const nothingToArchive = function* (): Slices<Archived> {
  yield* [];
  return { kind: "nothing" };
};

/** One run, a slice with each step. Throws what the disk says; then nothing is left of it, and the next run begins again. */
export const archiveSlices = function* (parts: ArchiveParts, plan: ArchivePlan): Slices<Archived> {
  const { database, place, rows } = parts;
  yield* removeArchived(parts);
  const cut = yield* findCut(parts, plan);
  const last = cut === null ? undefined : database.prepare(`${columns} WHERE sequence = ?`).get(cut - 1);
  if (cut === null || last === undefined) return { kind: "nothing" };
  const { at, hash } = toRow(last);
  const start = rows.startOf(rows.through + 1);
  const through = cut - 1;
  const archive: ArchiveFile = {
    file: fileName(at, hash),
    first: start.sequence + 1,
    through,
    hash,
    key: rows.startOf(cut).keyId,
  };
  if (!hasRoom(place)) return { kind: "no_room" };
  mkdirSync(archiveFolder(place.path), { recursive: true });
  syncFolder(place.path);
  const final = archivePath(place.path, archive);
  const part = `${final}.part`;
  try {
    removePart(part);
    yield* copyRows(parts, part, start, through);
    if (!(yield* isWhole(parts, part, start, archive))) return { kind: "damaged" };
    renameSync(part, final);
  } finally {
    // Also of a run that is given up between two steps: it may hold the last room on the disk.
    removePart(part);
  }
  syncFolder(final);
  parts.append([archiveMarker([...rows.archives, archive])]);
  rows.reload();
  yield* removeArchived(parts);
  return { kind: "archived", file: archive.file, entries: through - start.sequence };
};
