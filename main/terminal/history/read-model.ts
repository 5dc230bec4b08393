/** Keeps the history's index up to date with its journal. */
import { openNodeDatabase, orClose } from "../journal/database.ts";
import type { IndexStore, JournalEntry, JournalHead, Ports } from "../ports.ts";
import { readRecorded } from "../withdrawal/events.ts";
import { dayOfProblem } from "../withdrawal/problems.ts";
import { openTables, type Placed, recordAfter, type Tables } from "./tables.ts";

/** An empty index in memory, for hosts that do not store one. */
export const memoryIndex = (): IndexStore => ({
  open: () => openNodeDatabase(":memory:", "write"),
  remove: () => undefined,
  hasRoom: () => true,
  isKept: false,
});

/** Entries per slice; the event loop runs in between. */
const sliceEntries = 200;
/** After this many new entries the index is updated without a request. */
const behindMax = 200;

/** The disk is full: the index cannot grow, and rebuilding it would not help. */
class NoRoom extends Error {}

/** Checkpoints do not matter for the history; they are long, so they are not parsed. */
const isSkipped = ({ body }: JournalEntry): boolean => body.startsWith('{"type":"checkpoint"');

/** Adds a slice of entries to the tables. @param last where the slice ends. */
const indexSlice = (tables: Tables, entries: readonly JournalEntry[], last: JournalHead) =>
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
    tables.saveMark(last);
  });

const prepare = (store: IndexStore): Tables =>
  orClose(store.open(), (database) => {
    // Safe from corruption after a power cut; lost rows are read from the journal again.
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    return openTables(database);
  });

/** The index over a store that may be empty, damaged, or of another journal. */
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

  /** Reads one slice. @param from where it begins, if that is behind the mark. @returns where the next one begins; null: nothing more. */
  const step = (into: Tables, from: number): number | null => {
    const mark = into.mark();
    if (mark !== null && journal.linkOf(mark.sequence) !== mark.link) {
      log("info", "another journal is in use: its history is indexed", {});
      into.inTransaction(() => into.clear());
      return 1;
    }
    const first = Math.max(from, (mark?.sequence ?? 0) + 1);
    const { entries, last, hasMore } = journal.readSlice(first, sliceEntries);
    if (last !== null && !store.hasRoom()) throw new NoRoom("the disk is nearly full: the history is not read on");
    if (last !== null) indexSlice(into, entries, last);
    // Where the slice has reached further, the mark has.
    return hasMore ? first + sliceEntries : null;
  };

  const readOn = async (): Promise<Tables> => {
    let isRemade = false;
    for (let from: number | null = 1; ; ) {
      if (isClosed) throw new Error("the terminal is closed");
      try {
        from = step(open(), from);
        if (from === null) break;
      } catch (error) {
        if (isRemade || error instanceof NoRoom) throw error;
        isRemade = true;
        tables = remake(error);
        from = 1;
      }
      await new Promise<void>((resolve) => clock.after(0, resolve));
    }
    behind = 0;
    return open();
  };

  /** @returns the tables after they were brought up to date with the journal. */
  const upToDate = (): Promise<Tables> => {
    reading ??= readOn().finally(() => {
      reading = null;
    });
    return reading;
  };

  /** Updates in the background, never synchronously: a slow or locked file must not delay the caller. */
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
