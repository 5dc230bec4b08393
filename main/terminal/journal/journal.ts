/**
 * The journal on disk: SQLite in WAL with synchronous=FULL, append-only, hash-chained; closed years in files of their own
 * (`archive/`), read with the rest by `readSlice`. Opening never throws: what cannot be read is set aside and reported, and
 * a journal that cannot be written refuses every append, so that nothing is sent.
 */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DamagedEntry, Journal, JournalOpening, Verified, VerifyProgress } from "../ports.ts";
import type { JournalPlace } from "./archive-file.ts";
import { nothingToArchive, removeParts } from "./archive-run.ts";
import { type JournalDatabase, type OpenDatabase, openNodeDatabase, prepareDatabase } from "./database.ts";
import { type DiskRoom, giveReserveBack, holdReserve, isWithoutRoom, noReserve } from "./disk-room.ts";
import { exchangeDatabase, freeSiblingPath, siblingNames, siblingPath, syncFolder } from "./files.ts";
import { NewerJournal } from "./format.ts";
import type { JournalKeys } from "./keys.ts";
import { type OpenFile, overOpened } from "./open-file.ts";
import { endRepair, isDamage, isUsable, repair } from "./repair.ts";

export type { JournalDatabase } from "./database.ts";

/** The journal's port with what only a file has. */
export interface FileJournal extends Journal {
  /** Checks the whole chain at once, also what lies before the last checkpoint: for tools. */
  verify(): Verified;
  readonly path: string;
}

/** Looking through every page takes seconds then: the start reads from the last checkpoint on, the manager's check the rest. */
const quickCheckBytesMax = 32 * 1024 * 1024;

const isLarge = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > quickCheckBytesMax;

const placeOf = (path: string, open: OpenDatabase, { freeBytes }: DiskRoom): JournalPlace | null =>
  path === ":memory:" ? null : { path, open, freeBytes };

const openFile = (
  path: string,
  now: number,
  mode: "write" | "read",
  open: OpenDatabase,
  keys: JournalKeys | null,
  room: DiskRoom,
): OpenFile => {
  const place = placeOf(path, open, room);
  if (mode === "read") return overOpened(open(path, mode), keys, place);
  if (path !== ":memory:") {
    mkdirSync(dirname(path), { recursive: true });
    removeParts(path);
    endRepair(path, now, open);
  }
  try {
    const database = prepareDatabase(path, open);
    if (isLarge(path) || isUsable(database)) return overOpened(database, keys, place);
    database.close();
  } catch (error) {
    if (!existsSync(path) || !isDamage(error)) throw error;
  }
  repair(path, now, open);
  return overOpened(prepareDatabase(path, open), keys, place);
};

/** What a journal that is not open gives: nothing, and that it could not be read. */
const nothing: readonly DamagedEntry[] = [{ sequence: 0, why: "unreadable" }];

// biome-ignore lint/correctness/useYield: there is no slice to stop at
function* nothingToVerify(): Generator<VerifyProgress, Verified> {
  return { entries: 0, damaged: nothing, unchecked: 0 };
}

/**
 * The journal at `path` (`:memory:` for none), opened or made at once where that is possible; `open` tries again. `now`
 * names a damaged file that is set aside. `read` opens it beside a running terminal and changes nothing.
 * @param room how much there is on its disk, and what of it is kept for the journal.
 * @param keys what its entries are chained under; null for none, as earlier versions had it.
 */
export const openJournal = (
  path: string,
  now: number,
  mode: "write" | "read" = "write",
  open: OpenDatabase = openNodeDatabase,
  keys: JournalKeys | null = null,
  room: DiskRoom = noReserve,
): FileJournal => {
  let file: OpenFile | null = null;
  let failure: unknown = null;
  const tryOpen = (): JournalOpening => {
    if (file !== null) return { kind: "open" };
    try {
      const opened = openFile(path, now, mode, open, keys, room);
      if (mode === "write" && keys?.isUpgrading) bringUnderKey(opened, keys);
      file = opened;
      if (mode === "write" && path !== ":memory:") holdReserve(path, room);
      return { kind: "open" };
    } catch (error) {
      failure = error;
      if (error instanceof NewerJournal) return { kind: "newer", format: error.format };
      return { kind: "unavailable", error: String(error) };
    }
  };
  const openSibling = (name: string, database: JournalDatabase): OpenFile =>
    overOpened(database, keys, placeOf(siblingPath(path, name), open, room));
  /** This one and those beside it; from then on a journal without a key is none of an earlier version. */
  const bringUnderKey = (opened: OpenFile, upgrading: JournalKeys): void => {
    try {
      opened.bringUnderKey(now);
      for (const name of path === ":memory:" ? [] : siblingNames(path)) {
        const beside = openSibling(name, prepareDatabase(siblingPath(path, name), open));
        beside.bringUnderKey(now);
        beside.close();
      }
      upgrading.upgraded();
    } catch (error) {
      opened.close();
      throw error;
    }
  };
  tryOpen();
  return {
    path,
    open: tryOpen,
    append(at, bodies) {
      if (file === null) throw new Error("the journal cannot be written", { cause: failure });
      try {
        file.append(at, bodies);
      } catch (error) {
        if (!isWithoutRoom(error) || !giveReserveBack(path)) throw error;
        file.append(at, bodies);
      }
    },
    read: (latest) => file?.read(latest) ?? { entries: [], damaged: nothing },
    readSlice: (from, limit) => file?.readSlice(from, limit) ?? { entries: [], last: null, hasMore: false },
    head: () => file?.head() ?? null,
    linkOf: (sequence) => file?.linkOf(sequence) ?? null,
    archiveSlices: (plan) => file?.archiveSlices(plan) ?? nothingToArchive(),
    verifySlices: () => file?.verifySlices() ?? nothingToVerify(),
    verify() {
      const steps = this.verifySlices();
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value;
      }
    },
    others: () => (path === ":memory:" ? [] : siblingNames(path)),
    readOther(name) {
      const other = openSibling(name, open(siblingPath(path, name), "read"));
      try {
        const { entries, damaged } = other.read();
        return { entries: [...entries], damaged };
      } finally {
        other.close();
      }
    },
    switchTo(name, aside) {
      file?.close();
      file = null;
      if (path !== ":memory:") {
        // Made before the move, so that no start finds the place empty and takes a damaged file for what was there.
        const next = siblingPath(path, name);
        if (!existsSync(next)) prepareDatabase(next, open).close();
        exchangeDatabase(path, next, aside === null ? null : freeSiblingPath(path, aside, now));
        syncFolder(path);
      }
      const opening = tryOpen();
      if (opening.kind !== "open") throw new Error("the journal cannot be opened", { cause: failure });
    },
    close() {
      file?.close();
      file = null;
    },
  };
};
