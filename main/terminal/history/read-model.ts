/** The history's index, kept up to its journal; in memory where the host keeps none. */
import { openNodeDatabase, orClose } from "../journal/database.ts";
import type { IndexStore, JournalEntry, Ports } from "../ports.ts";
import { readRecorded } from "../withdrawal/events.ts";
import { dayOfProblem } from "../withdrawal/problems.ts";
import { openTables, type Placed, recordAfter, type Tables } from "./tables.ts";

/** A new, empty one each time. */
export const memoryIndex = (): IndexStore => ({
  open: () => openNodeDatabase(":memory:", "write"),
  remove: () => undefined,
  hasRoom: () => true,
  isKept: false,
});

/** Entries that are read at once; then the program goes on for a moment. */
const sliceEntries = 200;
/** So many new entries are read without being asked for. */
const behindMax = 200;

/** The index does not grow any more: no reason to make it anew. */
class NoRoom extends Error {}

/** Of no use to the history: left unparsed, since a checkpoint can be long. */
const isSkipped = ({ body }: JournalEntry): boolean => body.startsWith('{"type":"checkpoint"');

/** Puts a slice of entries into the tables. @param mark where the slice ends. */
const indexSlice = (tables: Tables, entries: readonly JournalEntry[], mark: { sequence: number; link: string }) =>
  tables.inTransaction(() => {
    const changed = new Map<string, Placed>();
    let nextPlace = tables.nextPlace();
    const find = (id: string): Placed | null => changed.get(id) ?? tables.find(id);
    for (const entry of entries) {
      if (isSkipped(entry)) continue;
      const event = readRecorded(entry);
      if (event === null) continue;
      if ("withdrawal" in event) {
        const before = find(event.withdrawal.withdrawalId);
        const place = before?.place ?? nextPlace++;
        changed.set(event.withdrawal.withdrawalId, {
          place,
          record: recordAfter(before?.record ?? null, event, entry.at),
        });
        tables.addStep(place, entry.sequence);
      } else if (event.type === "receipt_requested" || event.type === "acknowledged") {
        const { withdrawalId } = event;
        const ofDay = dayOfProblem(withdrawalId);
        if (ofDay !== null && event.type === "acknowledged")
          tables.saveDayNote(ofDay.day, { about: ofDay.about, by: event.actor, note: event.note, atMs: entry.at });
        const found = find(withdrawalId);
        if (found === null) continue;
        const { place, record } = found;
        tables.addStep(place, entry.sequence);
        if (event.type === "receipt_requested") tables.saveReceipt(place, event.receipt);
        else {
          const cleared = { at: new Date(entry.at).toISOString(), by: event.actor, note: event.note };
          changed.set(withdrawalId, { place, record: { ...record, cleared } });
        }
      } else if (event.type === "day_closed") tables.saveDay(event.report);
    }
    for (const one of changed.values()) tables.save(one);
    tables.saveMark(mark);
  });

const prepare = (store: IndexStore): Tables =>
  orClose(store.open(), (database) => {
    // Never corrupt after a power cut; what it lost then is read from the journal again.
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    return openTables(database);
  });

/** The index, for questions: over a store that may be empty, damaged, or another journal's. */
export const createReadModel = ({
  journal,
  clock,
  store,
  log,
}: Pick<Ports, "journal" | "clock" | "log"> & { readonly store: IndexStore }) => {
  let tables: Tables | null = null;
  let reading: Promise<Tables> | null = null;
  let behind = 0;
  let isClosed = false;

  const remake = (error: unknown): Tables => {
    log("warn", "the history is indexed anew", { error: String(error) });
    tables?.close();
    tables = null;
    store.remove();
    return prepare(store);
  };

  const open = (): Tables => {
    tables ??= prepare(store);
    return tables;
  };

  /** One slice; false when there is nothing more to read. */
  const step = (into: Tables): boolean => {
    const mark = into.mark();
    if (mark !== null && journal.linkOf(mark.sequence) !== mark.link) {
      log("info", "another journal is in use: its history is indexed", {});
      into.inTransaction(() => into.clear());
      return true;
    }
    const { entries, last, hasMore } = journal.readSlice((mark?.sequence ?? 0) + 1, sliceEntries);
    if (last !== null && !store.hasRoom()) throw new NoRoom("the disk is nearly full: the history is not read on");
    if (last !== null) indexSlice(into, entries, { sequence: last.sequence, link: last.hash });
    return hasMore;
  };

  const readOn = async (): Promise<Tables> => {
    let isRemade = false;
    for (;;) {
      if (isClosed) throw new Error("the terminal is closed");
      try {
        if (!step(open())) break;
      } catch (error) {
        if (isRemade || error instanceof NoRoom) throw error;
        isRemade = true;
        tables = remake(error);
      }
      await new Promise<void>((resolve) => clock.after(0, resolve));
    }
    behind = 0;
    return open();
  };

  /** Its tables, with all in them that the journal has; reads on first where they are behind. */
  const upToDate = (): Promise<Tables> => {
    reading ??= readOn().finally(() => {
      reading = null;
    });
    return reading;
  };

  /** Reads on in the background, never at once: a slow or locked file holds up nothing that is under way. */
  const readAhead = (): void =>
    void clock.after(0, () =>
      upToDate().catch((error: unknown) => {
        if (!isClosed) log("warn", "the history cannot be indexed", { error: String(error) });
      }),
    );

  return {
    upToDate,
    readAhead,
    wrote(entries: number): void {
      behind += entries;
      if (store.isKept && behind >= behindMax && reading === null) {
        behind = 0;
        readAhead();
      }
    },
    close(): void {
      isClosed = true;
      tables?.close();
      tables = null;
    },
  };
};
