/** The entry behind which closed years are no longer in the live file: it names the files they are in, and is chained like any other. */
import { z } from "zod";

const prefix = '{"type":"journal_archived"';
/** Found by its own small index; the type comes first. */
export const isArchiveMarker = `substr(body, 1, ${prefix.length}) = '${prefix}'`;

/** `file` is a name in the folder `archive` beside the journal, never a path. */
export const archiveFileSchema = z.object({
  file: z.string().regex(/^[\w-]+\.db$/),
  first: z.int().min(1),
  through: z.int().min(1),
  /** The last entry's hash: what the next file, or the live one, goes on from. */
  hash: z.string(),
  /** The key that counts behind the last entry; null while none did. */
  key: z.string().nullable(),
});
/** One archived stretch of the chain. */
export type ArchiveFile = z.infer<typeof archiveFileSchema>;

const markerSchema = z.object({ archives: z.array(archiveFileSchema) });

/** @param archives all of the journal, the oldest first: the newest marker says everything. */
export const archiveMarker = (archives: readonly ArchiveFile[]): string =>
  JSON.stringify({ type: "journal_archived", archives });

/** What a marker names; nothing for an entry that is none, or cannot be read. */
export const archivesIn = (body: string): readonly ArchiveFile[] => {
  if (!body.startsWith(prefix)) return [];
  try {
    return markerSchema.parse(JSON.parse(body)).archives;
  } catch {
    return [];
  }
};
