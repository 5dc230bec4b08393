/** The files of archived years: in the folder `archive` beside the journals, one stretch of one journal's chain each. */
import { dirname, join } from "node:path";
import type { JournalDatabase } from "../database-port.ts";
import type { ArchiveFile } from "./archive-marker.ts";
import type { ChainStart } from "./chain.ts";
import { archiveStart, type OpenDatabase } from "./database.ts";

/** Where a journal lies and how its files are opened. */
export interface JournalPlace {
  readonly path: string;
  readonly open: OpenDatabase;
  /** Free bytes on the disk of `path`. */
  readonly freeBytes: (path: string) => number;
}

/** The folder of the archived years of all journals beside `path`. */
export const archiveFolder = (path: string): string => join(dirname(path), "archive");

/** The path of one archived file. */
export const archivePath = (path: string, { file }: Pick<ArchiveFile, "file">): string =>
  join(archiveFolder(path), file);

/** Uses an archived file; null when it is not there or cannot be read. */
export const withArchive = <T>(
  { path, open }: JournalPlace,
  archive: ArchiveFile,
  use: (database: JournalDatabase) => T,
): T | null => {
  try {
    const database = open(archivePath(path, archive), "read");
    try {
      return use(database);
    } finally {
      database.close();
    }
  } catch {
    return null;
  }
};

/** Where a file of the archive begins, as it says itself; null for a journal that is none. */
export const startInArchive = (database: JournalDatabase): ChainStart | null => {
  const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'archive_start'").get();
  const row = table === undefined ? undefined : database.prepare(archiveStart.select).get();
  if (row === undefined) return null;
  const keyId = row.key === null ? null : String(row.key);
  return { sequence: Number(row.sequence), hash: String(row.hash), keyId };
};
