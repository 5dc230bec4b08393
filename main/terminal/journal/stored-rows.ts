/** The rows of one journal wherever they lie: in its live file, and in the files of archived years. */
import type { JournalDatabase } from "../database-port.ts";
import { type JournalPlace, withArchive } from "./archive-file.ts";
import { type ArchiveFile, archivesIn, isArchiveMarker } from "./archive-marker.ts";
import { type ChainStart, chainBegin, type Row } from "./chain.ts";
import { columns, toRow } from "./database.ts";
import { isKeyMarker, markedKey } from "./keys.ts";

/** Reads rows by sequence. What an archived file does not give is left out: its place in the chain shows it. */
export interface StoredRows {
  /** The archived stretches, oldest first. */
  readonly archives: readonly ArchiveFile[];
  /** The last archived sequence; 0 while nothing is. A live row up to it is left over from a removal that was cut off. */
  readonly through: number;
  from(sequence: number): Row[];
  /** As `from`, at most so many. Throws where a page cannot be read. */
  slice(sequence: number, limit: number): readonly Row[];
  /** What the chain is before this sequence. */
  startOf(sequence: number): ChainStart;
  linkOf(sequence: number): string | null;
  /** A new marker was written. */
  reload(): void;
}

const onwards = `${columns} WHERE sequence >= ? ORDER BY sequence`;
const bounded = `${onwards} LIMIT ?`;
const rowBefore = "SELECT sequence, hash FROM journal WHERE sequence < ? ORDER BY sequence DESC LIMIT 1";
const markerBefore = `SELECT body FROM journal WHERE ${isKeyMarker} AND sequence < ? ORDER BY sequence DESC LIMIT 1`;
const linkAt = "SELECT hash FROM journal WHERE sequence = ?";

/** The archives that the journal's newest marker names. */
export const archivesOf = (database: JournalDatabase): readonly ArchiveFile[] => {
  const marker = database
    .prepare(`SELECT body FROM journal WHERE ${isArchiveMarker} ORDER BY sequence DESC LIMIT 1`)
    .get();
  return archivesIn(String(marker?.body ?? ""));
};

/** Before archive number `index`, or behind the last one. */
export const startOfArchive = (archives: readonly ArchiveFile[], index: number): ChainStart => {
  const before = archives[index - 1];
  return before === undefined ? chainBegin : { sequence: before.through, hash: before.hash, keyId: before.key };
};

/** @param place null for a journal in memory, which has no archive. */
export const createStoredRows = (database: JournalDatabase, place: JournalPlace | null): StoredRows => {
  let archives = archivesOf(database);
  const through = (): number => archives.at(-1)?.through ?? 0;
  const liveFrom = database.prepare(onwards);
  const liveSlice = database.prepare(bounded);
  const liveRowBefore = database.prepare(rowBefore);
  const liveMarkerBefore = database.prepare(markerBefore);
  const liveLink = database.prepare(linkAt);
  const use = <T>(archive: ArchiveFile, read: (file: JournalDatabase) => T): T | null =>
    place === null ? null : withArchive(place, archive, read);

  /** What stands before `sequence` in one file whose own start is known. */
  const startWithin = (
    start: ChainStart,
    row: Record<string, unknown> | undefined,
    marker: Record<string, unknown> | undefined,
  ): ChainStart => {
    const keyId = markedKey(String(marker?.body ?? ""))?.id ?? start.keyId;
    if (row === undefined || Number(row.sequence) <= start.sequence) return { ...start, keyId };
    return { sequence: Number(row.sequence), hash: String(row.hash), keyId };
  };

  return {
    get archives() {
      return archives;
    },
    get through() {
      return through();
    },
    from(sequence) {
      const live = liveFrom.all(Math.max(sequence, through() + 1)).map(toRow);
      if (sequence > through()) return live;
      const archived = archives
        .filter((archive) => archive.through >= sequence)
        .flatMap((archive) => use(archive, (file) => file.prepare(onwards).all(sequence).map(toRow)) ?? []);
      return [...archived, ...live];
    },
    slice(sequence, limit) {
      const found: Row[] = [];
      for (const archive of archives) {
        const left = limit - found.length;
        if (archive.through < sequence || left === 0) continue;
        found.push(...(use(archive, (file) => file.prepare(bounded).all(sequence, left).map(toRow)) ?? []));
      }
      const left = limit - found.length;
      return left === 0 ? found : [...found, ...liveSlice.all(Math.max(sequence, through() + 1), left).map(toRow)];
    },
    startOf(sequence) {
      const index = archives.findIndex((archive) => sequence <= archive.through);
      const archive = archives[index];
      const start = startOfArchive(archives, index < 0 ? archives.length : index);
      if (archive === undefined) return startWithin(start, liveRowBefore.get(sequence), liveMarkerBefore.get(sequence));
      if (sequence <= archive.first) return start;
      const within = use(archive, (file) =>
        startWithin(start, file.prepare(rowBefore).get(sequence), file.prepare(markerBefore).get(sequence)),
      );
      return within ?? start;
    },
    linkOf(sequence) {
      const read = (file: JournalDatabase): string | null => {
        const row = file.prepare(linkAt).get(sequence);
        return row === undefined ? null : String(row.hash);
      };
      const archive = archives.find((one) => sequence >= one.first && sequence <= one.through);
      if (archive !== undefined) return use(archive, read);
      const row = liveLink.get(sequence);
      return row === undefined ? null : String(row.hash);
    },
    reload() {
      archives = archivesOf(database);
    },
  };
};
