/** The versions of the program that a till's folder meets: today's, one before it, one after it, and one after it that was careless. */
import { journalFormat, type OpenDatabase, openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import type { FileJournal } from "../../../main/terminal/journal/journal.ts";
import type { JournalDatabase, JournalEntry } from "../../../main/terminal/ports.ts";

/**
 * `older` writes the words of then and knows an earlier journal format; `newer` writes hand-outs that today's does not know, in
 * a format that says so; `careless` writes them, and says nothing.
 */
export type Version = "older" | "today" | "newer" | "careless";

const olderWords: Readonly<Record<string, string>> = {
  report_accepted: "notice_taken",
  report_refused: "notice_refused",
  journal_recovered: "journal_mended",
};

const asOlder = (body: string): string => {
  const { actor: _, ...event } = JSON.parse(body) as { type: string; report?: string; actor?: string };
  const { report, type, ...rest } = event;
  const said = report === undefined ? {} : type in olderWords ? { notice: report } : { report };
  return JSON.stringify({ type: olderWords[type] ?? type, ...rest, ...said });
};
const known = '"type":"handed_out"';
const unknown = '"type":"handed_out_in_parts"';
const asNewer = (body: string): string => body.replace(known, unknown);
const fromNewer = (entry: JournalEntry): JournalEntry => ({ ...entry, body: entry.body.replace(unknown, known) });

/** The journal as a program of this version reads and writes it. */
export const spokenBy = (version: Version, journal: FileJournal): FileJournal => {
  switch (version) {
    case "today":
      return journal;
    case "older":
      return { ...journal, append: (at, bodies) => journal.append(at, bodies.map(asOlder)) };
    default: {
      const understood = (read: ReturnType<FileJournal["read"]>) => ({
        ...read,
        entries: [...read.entries].map(fromNewer),
      });
      return {
        ...journal,
        append: (at, bodies) => journal.append(at, bodies.map(asNewer)),
        read: (latest) => understood(journal.read(latest)),
        readOther: (name) => understood(journal.readOther(name)),
        readSlice: (from, limit) => {
          const slice = journal.readSlice(from, limit);
          return { ...slice, entries: slice.entries.map(fromNewer) };
        },
      };
    }
  }
};

/** On a disk whose power loss is not what is played here: what was written is there. */
const quick = (database: JournalDatabase): JournalDatabase => ({
  ...bound(database),
  exec: (sql) => database.exec(sql.replace(/synchronous = (FULL|NORMAL)/, "synchronous = OFF")),
});

/** Its methods as functions that an object can be made of. */
export const bound = (database: JournalDatabase): JournalDatabase => ({
  exec: (sql) => database.exec(sql),
  prepare: (sql) => database.prepare(sql),
  get isTransaction() {
    return database.isTransaction;
  },
  close: () => database.close(),
});

/** What `older` knows: no keys, no people, no drawer's day. */
const formatBeforeKeys = 2;

const askFormat = "PRAGMA user_version";
const formatIn = (database: JournalDatabase): number => Number(database.prepare(askFormat).get()?.user_version ?? 0);

/** Opens files as a program that knows an earlier or a later format, and takes its own for the newest. */
const knowing =
  (own: number): OpenDatabase =>
  (path, mode) => {
    const database = quick(openNodeDatabase(path, mode));
    const found = formatIn(database);
    if (mode === "write" && found <= own) database.exec(`${askFormat} = ${own}`);
    const seen = found > own ? journalFormat + 1 : journalFormat;
    return {
      ...bound(database),
      exec: (sql) => database.exec(sql.replaceAll(`${askFormat} = ${journalFormat}`, `${askFormat} = ${own}`)),
      prepare: (sql) =>
        sql === askFormat ? { ...database.prepare(sql), get: () => ({ user_version: seen }) } : database.prepare(sql),
    };
  };

/** How today's program opens its files. */
export const quickDatabase: OpenDatabase = (path, mode) => quick(openNodeDatabase(path, mode));

/** How a program of this version opens a journal's file. */
export const openerOf = (version: Version): OpenDatabase => {
  switch (version) {
    case "older":
      return knowing(formatBeforeKeys);
    case "newer":
      return knowing(journalFormat + 1);
    default:
      return quickDatabase;
  }
};
