/**
 * Reads the rows of a journal and its archives, and moves closed years into archive files. Safe against power cuts: the
 * rows are copied to a temporary file, synced, checked and renamed; then a marker names the archive, and only then the
 * rows are deleted.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type {
  Archived,
  ArchivePlan,
  DamagedEntry,
  JournalDatabase,
  JournalSlice,
  Verified,
  VerifyProgress,
} from "../ports.ts";
import {
  type ChainStart,
  chainBegin,
  checkRows,
  createChainChecker,
  isKeyMarker,
  type JournalKeys,
  markedKey,
  type Row,
} from "./chain.ts";
import {
  type ArchiveFile,
  archiveMarker,
  archiveStart,
  archivesIn,
  columns,
  hasTable,
  insertRow,
  isArchiveMarker,
  isCheckpoint,
  isNotCut,
  type OpenDatabase,
  orClose,
  prepareArchive,
  readOr,
  rowsIn,
  toRow,
} from "./database.ts";
import { removeDatabase, roomLeftBytes, syncFolder } from "./files.ts";

/** A journal's path and how to open its files. */
export interface JournalPlace {
  readonly path: string;
  readonly open: OpenDatabase;
  readonly freeBytes: (path: string) => number;
}

const archiveFolder = (path: string): string => join(dirname(path), "archive");

const archivePath = (path: string, { file }: Pick<ArchiveFile, "file">): string => join(archiveFolder(path), file);

/** Null if the file is missing or no journal. */
const openArchive = ({ path, open }: JournalPlace, archive: Pick<ArchiveFile, "file">): JournalDatabase | null => {
  try {
    return orClose(open(archivePath(path, archive), "read"), (database) => {
      database.prepare(columns);
      return database;
    });
  } catch {
    return null;
  }
};

/** Runs `use` on an archive file; null if it is missing, no journal, or a page cannot be read. */
const withArchive = <T>(
  place: JournalPlace,
  archive: Pick<ArchiveFile, "file">,
  use: (database: JournalDatabase) => T,
): T | null => {
  const database = openArchive(place, archive);
  try {
    return database && use(database);
  } catch {
    return null;
  } finally {
    database?.close();
  }
};

/** The chain start that an archive file records; null for a live journal. */
export const startInArchive = (database: JournalDatabase): ChainStart | null => {
  const row = hasTable(database, "archive_start") ? database.prepare(archiveStart.select).get() : undefined;
  if (row === undefined) return null;
  const keyId = row.key === null ? null : String(row.key);
  return { sequence: Number(row.sequence), hash: String(row.hash), keyId };
};

/** Reads rows by sequence. Rows of an archive that is missing or no journal are left out; the chain then shows a gap. */
export type StoredRows = ReturnType<typeof createStoredRows>;

const onwards = `${columns} WHERE sequence >= ? ORDER BY sequence`;
const lastBetween = "sequence > ? AND sequence < ? ORDER BY sequence DESC LIMIT 1";
const rowBetween = `SELECT sequence, hash FROM journal WHERE ${lastBetween}`;
const markerBetween = `SELECT body FROM journal WHERE ${isKeyMarker} AND ${lastBetween}`;

/** Archives named by the journal's newest marker. */
export const archivesOf = (database: JournalDatabase): readonly ArchiveFile[] => {
  const marker = database
    .prepare(`SELECT body FROM journal WHERE ${isArchiveMarker} ORDER BY sequence DESC LIMIT 1`)
    .get();
  return archivesIn(String(marker?.body));
};

/** One archive by its own rows, and where its chain begins; null if the file is none. */
const readArchive = (place: JournalPlace, file: string) =>
  withArchive(place, { file }, (database) => {
    const start = startInArchive(database);
    const last = database.prepare(`${columns} ORDER BY sequence DESC LIMIT 1`).get();
    if (start === null || last === undefined) return null;
    const { sequence: through, hash } = toRow(last);
    const marker = database.prepare(markerBetween).get(start.sequence, Number.MAX_SAFE_INTEGER);
    const key = markedKey(String(marker?.body))?.id ?? start.keyId;
    return { start, archive: { file, first: start.sequence + 1, through, hash, key } };
  });

/** The archives that the first live row continues, by the chain alone; empty unless all of them are there. */
const archivesBefore = (first: Row, place: JournalPlace): readonly ArchiveFile[] => {
  const files = readdirSync(archiveFolder(place.path)).filter((name) => name.endsWith(".db"));
  const byLink = new Map(files.flatMap((name) => readArchive(place, name) ?? []).map((one) => [one.archive.hash, one]));
  const archives: ArchiveFile[] = [];
  for (let link = first.previous; ; ) {
    const one = byLink.get(link);
    if (one === undefined) return [];
    byLink.delete(link);
    archives.unshift(one.archive);
    if (one.start.sequence === 0) return archives;
    link = one.start.hash;
  }
};

/** The archives whose naming entry is lost; empty if none is, or they cannot be found. */
export const unnamedArchives = (database: JournalDatabase, place: JournalPlace): readonly ArchiveFile[] => {
  const first = database.prepare(`${columns} ORDER BY sequence LIMIT 1`).get();
  const through = archivesOf(database).at(-1)?.through ?? 0;
  if (first === undefined || Number(first.sequence) <= through + 1 || !existsSync(archiveFolder(place.path))) return [];
  return archivesBefore(toRow(first), place);
};

const endOf = ({ through, hash, key }: ArchiveFile): ChainStart => ({ sequence: through, hash, keyId: key });

/** Reads rows of the journal in `database` and of its archives. */
export const createStoredRows = (database: JournalDatabase, place: JournalPlace) => {
  let archives = archivesOf(database);
  const through = (): number => archives.at(-1)?.through ?? 0;
  const live = database.prepare(onwards);
  const newest = database.prepare("SELECT max(sequence) AS sequence FROM journal");

  /** The chain's state before `sequence` in a file whose start is known; rows up to that are left over, perhaps not all of them. */
  const startWithin = (file: JournalDatabase, start: ChainStart, sequence: number): ChainStart => {
    const row = file.prepare(rowBetween).get(start.sequence, sequence);
    if (row === undefined) return start;
    const marker = file.prepare(markerBetween).get(start.sequence, sequence);
    const keyId = markedKey(String(marker?.body))?.id ?? start.keyId;
    return { sequence: Number(row.sequence), hash: String(row.hash), keyId };
  };

  return {
    get archives(): readonly ArchiveFile[] {
      return archives;
    },
    /** The last archived sequence, or 0. Live rows up to it are left over from an interrupted removal. */
    get through(): number {
      return through();
    },
    /** The newest sequence, or 0 if it cannot be read. */
    get end(): number {
      try {
        return Number(newest.get()?.sequence ?? 0);
      } catch {
        return 0;
      }
    },
    /** Rows from `sequence` on, as `rowsIn` gives those of each file. */
    *onwards(sequence: number): ReturnType<typeof rowsIn> {
      for (const archive of archives) {
        const file = archive.through < sequence ? null : openArchive(place, archive);
        try {
          if (file !== null) yield* rowsIn(file, Math.max(sequence, archive.first), archive.through);
        } finally {
          file?.close();
        }
      }
      yield* rowsIn(database, Math.max(sequence, through() + 1), this.end || null);
    },
    /** All rows but those of an archive with a page that cannot be read. @throws if one of the live file, which a start needs, cannot. */
    from(sequence: number): readonly Row[] {
      const archived = archives
        .filter((archive) => archive.through >= sequence)
        .flatMap((archive) => withArchive(place, archive, (file) => file.prepare(onwards).all(sequence)) ?? []);
      return [...archived, ...live.all(Math.max(sequence, through() + 1))].map(toRow);
    },
    startOf(sequence: number): ChainStart {
      const index = archives.findIndex((archive) => sequence <= archive.through);
      const archive = archives[index];
      const before = index < 0 ? archives.at(-1) : archives[index - 1];
      const start = before === undefined ? chainBegin : endOf(before);
      if (archive === undefined) return startWithin(database, start, sequence);
      if (sequence <= archive.first) return start;
      return withArchive(place, archive, (file) => startWithin(file, start, sequence)) ?? start;
    },
    linkOf(sequence: number): string | null {
      const read = (file: JournalDatabase): string | null => {
        const row = file.prepare("SELECT hash FROM journal WHERE sequence = ?").get(sequence);
        return row === undefined ? null : String(row.hash);
      };
      const archive = archives.find(({ through }) => sequence <= through);
      return archive === undefined ? read(database) : withArchive(place, archive, read);
    },
    /** To be called after a new marker was written. */
    reload(): void {
      archives = archivesOf(database);
    },
  };
};

/** The chain's state before a slice; if the row before it is unreadable, the slice's own rows tell their key. */
const startOf = (rows: StoredRows, { sequence }: Row): ChainStart =>
  readOr(
    () => rows.startOf(sequence),
    () => chainBegin,
  );

/** At most `limit` entries from `from` on, archives included. Stops after `limit` unreadable sequences in a row. */
export const readSlice = (rows: StoredRows, keys: JournalKeys | null, from: number, limit: number): JournalSlice => {
  const found: Row[] = [];
  let [hidden, lastHidden] = [0, 0];
  for (const one of rows.onwards(from)) {
    if (one === null) continue;
    if (typeof one === "number") {
      hidden += 1;
      lastHidden = one;
    } else {
      hidden = 0;
      found.push(one);
    }
    // One more than requested: it confirms the last one.
    if (found.length > limit || hidden === limit) break;
  }
  const hasMore = found.length > limit || (hidden === limit && lastHidden < rows.end);
  const [first] = found;
  if (first === undefined) return { entries: [], last: null, hasMore };
  const last = found.slice(0, limit).at(-1) ?? first;
  const { entries } = checkRows(found, startOf(rows, first), keys);
  return {
    entries: entries.filter(({ sequence }) => sequence <= last.sequence),
    last: { sequence: last.sequence, at: last.at, hash: last.hash },
    hasMore,
  };
};

const damagedMax = 1_000;

/** Checks the rows of one file in slices; yields how far it has come. */
const takeFile = function* (
  file: JournalDatabase,
  first: number,
  through: number,
  { take, skip }: Pick<ReturnType<typeof createChainChecker>, "take" | "skip">,
): Generator<number, void> {
  let before: Row | undefined;
  let checked = first - 1;
  for (const found of rowsIn(file, first, through)) {
    if (found === null) {
      yield checked;
      continue;
    }
    const next = typeof found === "number" ? undefined : found;
    if (before !== undefined) take(before, next);
    if (typeof found === "number") skip(found);
    checked = typeof found === "number" ? found : found.sequence;
    before = next;
  }
  if (before !== undefined) take(before, undefined);
};

/** Collects what a check finds; known losses are listed only once. */
const createFindings = (start: ChainStart, known: readonly DamagedEntry[], keys: JournalKeys | null) => {
  const lost = new Set(known.map(({ sequence }) => sequence));
  const damaged: DamagedEntry[] = [];
  const checker = createChainChecker(start, keys, (found) => {
    if (!lost.has(found.sequence) && damaged.length < damagedMax) damaged.push(found);
  });
  return { checker, damaged };
};

/** @param known losses recorded by repairs: listed once, before new findings. */
export const verifySlices = function* (
  database: JournalDatabase,
  place: JournalPlace,
  known: readonly DamagedEntry[],
  keys: JournalKeys | null,
): Generator<VerifyProgress, Verified> {
  const total = Number(database.prepare("SELECT max(sequence) AS last FROM journal").get()?.last ?? 0);
  const { checker, damaged } = createFindings(chainBegin, known, keys);
  const archives = archivesOf(database);
  for (const archive of archives) {
    const file = openArchive(place, archive);
    if (file === null) checker.skipTo(archive.first, endOf(archive));
    else
      try {
        for (const checked of takeFile(file, archive.first, archive.through, checker)) yield { checked, total };
      } catch {
        checker.skipTo(archive.first, endOf(archive));
      } finally {
        file.close();
      }
  }
  const through = archives.at(-1)?.through ?? 0;
  for (const checked of takeFile(database, through + 1, total, checker)) yield { checked, total };
  checker.end();
  return { entries: checker.entries, damaged: [...known, ...damaged], unchecked: checker.unchecked };
};

const rowsAtOnce = 500;

interface ArchiveParts {
  readonly database: JournalDatabase;
  readonly place: JournalPlace;
  readonly keys: JournalKeys | null;
  readonly rows: StoredRows;
  readonly lost: readonly DamagedEntry[];
  readonly append: (bodies: readonly string[]) => void;
}

type Slices<T> = Generator<VerifyProgress, T>;

/** The last checkpoint up to a sequence and before a time; 0 if the live file has none. */
const checkpointBefore = ({ database }: ArchiveParts, sequence: number, atMs: number): number => {
  const found = database
    .prepare(`SELECT max(sequence) AS sequence FROM journal WHERE ${isCheckpoint} AND sequence <= ? AND at < ?`)
    .get(sequence, Math.trunc(atMs));
  return Number(found?.sequence ?? 0);
};

/** The first live entry about one of these withdrawals, perhaps one behind `until`; null if there is none before it. */
const firstAbout = function* (
  { database, rows }: ArchiveParts,
  held: readonly string[],
  until: number,
): Slices<number | null> {
  const slice = database.prepare(
    "SELECT sequence, body FROM journal WHERE sequence >= ? AND sequence < ? ORDER BY sequence",
  );
  const first = rows.through + 1;
  for (let from = first; held.length > 0 && from < until; from += rowsAtOnce) {
    for (const { sequence, body } of slice.iterate(from, from + rowsAtOnce))
      if (held.some((id) => String(body).includes(id))) return Number(sequence);
    yield { checked: from - first, total: until - first };
  }
  return null;
};

/** The checkpoint with which the live file will begin: everything that a start needs and all open withdrawals follow it. 0: none. */
const findCut = function* (parts: ArchiveParts, { beforeMs, held }: ArchivePlan): Slices<number> {
  const cut = checkpointBefore(parts, Number.MAX_SAFE_INTEGER, beforeMs);
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
    const rows = database.prepare(`${columns} WHERE sequence >= ? AND sequence <= ? ORDER BY sequence`);
    for (let from = start.sequence + 1; from <= through; from += rowsAtOnce) {
      target.exec("BEGIN");
      for (const read of rows.iterate(from, Math.min(through, from + rowsAtOnce - 1))) {
        const row = toRow(read);
        insert.run(row.sequence, row.at, row.body, row.previous, row.hash);
      }
      target.exec("COMMIT");
      yield { checked: from - start.sequence, total: through - start.sequence };
    }
  } finally {
    target.close();
  }
};

/** Whether the copy has all rows, undamaged, and ends with the same hash as the live file. */
const isCompleteCopy = function* (
  { place, keys, lost }: ArchiveParts,
  part: string,
  start: ChainStart,
  { first, through, hash }: Pick<ArchiveFile, "first" | "through" | "hash">,
): Slices<boolean> {
  const file = place.open(part, "read");
  try {
    const { damaged, checker } = createFindings(start, lost, keys);
    const total = through - start.sequence;
    for (const checked of takeFile(file, first, through, checker)) yield { checked: checked - start.sequence, total };
    const last = file.prepare("SELECT sequence, hash FROM journal ORDER BY sequence DESC LIMIT 1").get();
    return damaged.length === 0 && Number(last?.sequence) === through && String(last?.hash) === hash;
  } finally {
    file.close();
  }
};

/** Deletes archived rows from the live file; continues after a power cut. */
const removeArchived = function* ({ database, place, rows }: ArchiveParts): Slices<void> {
  const archive = rows.archives.at(-1);
  const first = Number(database.prepare("SELECT min(sequence) AS first FROM journal").get()?.first ?? 0);
  if (archive === undefined || first > archive.through) return;
  const kept = withArchive(place, archive, (file) =>
    file.prepare("SELECT hash FROM journal WHERE sequence = ?").get(archive.through),
  );
  if (kept?.hash !== archive.hash) throw new Error(`${archive.file} does not hold what it should: nothing is removed`);
  for (let from = first; from <= archive.through; from += rowsAtOnce) {
    database.exec("BEGIN IMMEDIATE");
    try {
      database.exec(isNotCut.drop);
      database.prepare("DELETE FROM journal WHERE sequence <= ?").run(Math.min(archive.through, from + rowsAtOnce));
      database.exec(`${isNotCut.create} COMMIT`);
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
    yield { checked: from, total: archive.through };
  }
};

/** Also removes its leftover journal after a power cut. */
const removePart = (part: string): void => {
  removeDatabase(part);
  rmSync(`${part}-journal`, { force: true });
};

/** Removes leftovers of interrupted runs, of any journal. */
export const removeParts = (path: string): void => {
  const folder = archiveFolder(path);
  try {
    for (const name of readdirSync(folder)) if (/\.part(-\w+)?$/.test(name)) rmSync(join(folder, name));
  } catch {
    // No archive yet.
  }
};

/** Room for the copy, for the deletion's writes, and a reserve. */
const hasRoom = ({ path, freeBytes }: JournalPlace): boolean =>
  freeBytes(path) >= 2 * statSync(path).size + roomLeftBytes;

/** A unique file name: the year of the last entry and its hash. */
const fileName = (lastAtMs: number, hash: string): string =>
  `journal-${new Date(lastAtMs).getUTCFullYear()}-${hash.slice(0, 16)}.db`;

/** A run that ends immediately with this value. */
export const endedWith = function* <T>(value: T): Slices<T> {
  yield* [];
  return value;
};

/** One archiving run, a slice per step. Throws disk errors; then nothing is left of it and the next run begins again. */
export const archiveSlices = function* (parts: ArchiveParts, plan: ArchivePlan): Slices<Archived> {
  const { database, place, rows } = parts;
  yield* removeArchived(parts);
  const cut = yield* findCut(parts, plan);
  const last = database.prepare(`${columns} WHERE sequence = ?`).get(cut - 1);
  if (last === undefined) return { kind: "nothing" };
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
    if (!(yield* isCompleteCopy(parts, part, start, archive))) return { kind: "damaged" };
    renameSync(part, final);
  } finally {
    // Also for abandoned runs: the copy may take the last space on the disk.
    removePart(part);
  }
  syncFolder(final);
  parts.append([archiveMarker([...rows.archives, archive])]);
  rows.reload();
  yield* removeArchived(parts);
  return { kind: "archived", file: archive.file, entries: through - start.sequence };
};
