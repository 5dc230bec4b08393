/**
 * The journal on disk: SQLite in WAL mode with synchronous=FULL, append-only, hash-chained; closed years are in
 * `archive/` and read along by `readSlice`. Opening never throws: what is unreadable is set aside and reported, and a
 * journal that cannot be written refuses every append, so that nothing is sent.
 */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type {
  DamagedEntry,
  Journal,
  JournalDatabase,
  JournalEntry,
  JournalHead,
  JournalOpening,
  Verified,
} from "../ports.ts";
import {
  archiveSlices,
  createStoredRows,
  endedWith,
  type JournalPlace,
  readSlice,
  removeParts,
  unnamedArchives,
  verifySlices,
} from "./archive.ts";
import { type Checked, chainBegin, checkRows, type JournalKeys, keyMarker, makeRow } from "./chain.ts";
import {
  archiveMarker,
  closing,
  columns,
  insertRow,
  isCheckpoint,
  lostEntries,
  NewerJournal,
  type OpenDatabase,
  openNodeDatabase,
  orClose,
  prepareDatabase,
  toRow,
} from "./database.ts";
import {
  type DiskRoom,
  exchangeDatabase,
  freeSiblingPath,
  giveReserveBack,
  holdReserve,
  holdRest,
  isWithoutRoom,
  noReserve,
  siblingNames,
  siblingPath,
  syncFolder,
} from "./files.ts";
import { endRepair, isDamage, isUsable, repair } from "./repair.ts";

const inMemory = ":memory:";

/** The operations on one open file; the other ones of `Journal` choose the file. */
interface OpenFile extends Omit<Journal, "open" | "others" | "readOther" | "switchTo"> {
  /** Adds a key marker after entries of an earlier version; does nothing if there is a key already or no entry. */
  bringUnderKey(at: number): void;
  /** Names the archives again if the entry that did was lost with a damaged page. */
  nameLostArchives(at: number): void;
}

const overDatabase = (database: JournalDatabase, keys: JournalKeys | null, place: JournalPlace): OpenFile => {
  const lost = lostEntries(database);
  const rows = createStoredRows(database, place);
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const insert = database.prepare(insertRow);
  const lastRow = database.prepare("SELECT sequence, at, hash FROM journal ORDER BY sequence DESC LIMIT 1");
  const twoRows = database.prepare(`${columns} WHERE sequence >= ? ORDER BY sequence LIMIT 2`);
  const lastCheckpoint = database.prepare(
    `SELECT max(sequence) AS sequence FROM journal WHERE ${isCheckpoint} AND sequence > ? AND sequence < ?`,
  );

  const head = (): JournalHead | null => {
    const row = lastRow.get();
    return row === undefined ? null : { sequence: Number(row.sequence), at: Number(row.at), hash: String(row.hash) };
  };

  const check = (from: number): Checked => checkRows(rows.from(from), rows.startOf(from), keys);

  /** Hash of the last row that this program has read or written; undefined before that. */
  let known: string | undefined;
  const lastHash = (): string => (head() ?? chainBegin).hash;

  /** Key in force after the last entry; undefined until looked up. */
  let keyId: string | null | undefined;

  /** Key marker to write before the first entry under a new key. */
  const marker = (last: Pick<JournalHead, "sequence">): readonly string[] => {
    keyId ??= rows.startOf(last.sequence + 1).keyId;
    if (keys === null) {
      if (keyId !== null) throw new Error("the journal is under a key, and this program has none");
      return [];
    }
    keys.keep();
    if (keyId === keys.current.id) return [];
    if (keyId !== null) return [keyMarker(keys.current.id, "key")];
    return [keyMarker(keys.current.id, last.sequence === 0 ? "nothing" : keys.isUpgrading ? "upgrade" : "unknown")];
  };

  const withLost = (damaged: readonly DamagedEntry[], from: number): readonly DamagedEntry[] => {
    const known = lost.filter(({ sequence }) => sequence >= from);
    return [...known, ...damaged.filter((one) => !known.some(({ sequence }) => sequence === one.sequence))];
  };

  /** The last sound checkpoint that can be used; 0: none, so that everything is read, which in years is more than some memories hold. */
  const startFrom = (isUsable: (checkpoint: JournalEntry) => boolean): number => {
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const checkpoint = Number(lastCheckpoint.get(rows.through, before)?.sequence ?? 0);
      if (checkpoint === 0) return 0;
      // With the next one, which confirms it.
      const [found] = checkRows(twoRows.all(checkpoint).map(toRow), rows.startOf(checkpoint), keys).entries;
      if (found?.sequence === checkpoint && isUsable(found)) return checkpoint;
      before = checkpoint;
    }
  };

  return {
    append(at, bodies) {
      begin.run();
      try {
        let last: Pick<JournalHead, "sequence" | "hash"> = head() ?? chainBegin;
        // Without the folder's lock, as where somebody has removed its file: each would hand out what the other one has.
        if (known !== undefined && last.hash !== known) throw new Error("another program writes this journal");
        for (const body of [...marker(last), ...bodies]) {
          const entry = { sequence: last.sequence + 1, at: Math.trunc(at), body };
          const row = makeRow(last.hash, entry, keys?.current.secret ?? null);
          insert.run(row.sequence, row.at, row.body, row.previous, row.hash);
          last = row;
        }
        commit.run();
        known = last.hash;
        if (keys !== null) keyId = keys.current.id;
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
    read(latest, isUsable = () => true) {
      known = lastHash();
      // A checkpoint contains the number of damaged entries before it.
      const from = latest === undefined ? startFrom(isUsable) : Math.max(0, (head()?.sequence ?? 0) - latest + 1);
      const { entries, damaged } = check(from);
      return { entries, damaged: withLost(damaged, from) };
    },
    readSlice: (from, limit) => readSlice(rows, keys, from, limit),
    bringUnderKey(at) {
      if (head() !== null) this.append(at, []);
    },
    nameLostArchives(at) {
      const archives = unnamedArchives(database, place);
      if (archives.length === 0) return;
      keyId = rows.startOf(Number.MAX_SAFE_INTEGER).keyId ?? archives.at(-1)?.key;
      this.append(at, [archiveMarker(archives)]);
      rows.reload();
    },
    head,
    linkOf: rows.linkOf,
    archiveSlices(plan) {
      if (place.path === inMemory) return endedWith({ kind: "nothing" });
      const append = (bodies: readonly string[]): void => this.append(plan.now(), bodies);
      return archiveSlices({ database, place, keys, rows, lost, append }, plan);
    },
    verifySlices: () => verifySlices(database, place, withLost([], 0), keys),
    close() {
      database.close();
    },
  };
};

/** The journal's port, plus what only a file has. */
export interface FileJournal extends Journal {
  /** Checks the whole chain in one go; for tools. */
  verify(): Verified;
  readonly path: string;
}

/** Checking every page of a larger file takes seconds: the start then reads only from the last checkpoint, and the manager's check the rest. */
const quickCheckBytesMax = 32 * 1024 * 1024;

const isLarge = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > quickCheckBytesMax;

/** Damage reported by a journal that is not open. */
const nothing: readonly DamagedEntry[] = [{ sequence: 0, why: "unreadable" }];

/**
 * Opens or creates the journal at `path` (`:memory:`: in memory) at once if possible, else by `open`. `read` can be
 * used beside a running terminal and changes nothing.
 * @param now for the name of a damaged file that is set aside.
 * @param keys null: without a key, as in earlier versions.
 */
export const openJournal = (
  path: string,
  now: number,
  mode: "write" | "read" = "write",
  open: OpenDatabase = openNodeDatabase,
  keys: JournalKeys | null = null,
  room: DiskRoom = noReserve,
): FileJournal => {
  const isOnDisk = path !== inMemory;
  let file: OpenFile | null = null;
  let failure: unknown = null;
  /** Reading has come upon damage that the look at the opening had not: the next opening looks at every page. */
  let hasFailed = false;
  /** @param at path of the file. */
  const over = (database: JournalDatabase, at = path): OpenFile =>
    orClose(database, () => overDatabase(database, keys, { path: at, open, freeBytes: room.freeBytes }));
  /** A start must be able to read what it needs, whatever a check of the file has said. Closes it if not, and throws. */
  const readable = (opened: OpenFile): OpenFile =>
    orClose(opened, () => {
      opened.read();
      return opened;
    });
  const openFile = (): OpenFile => {
    if (mode === "read") return over(open(path, mode));
    if (isOnDisk) {
      mkdirSync(dirname(path), { recursive: true });
      removeParts(path);
      endRepair(path, now, open);
    }
    try {
      const database = prepareDatabase(path, open);
      if ((isLarge(path) && !hasFailed) || isUsable(database)) return readable(over(database));
      database.close();
    } catch (error) {
      if (!existsSync(path) || !isDamage(error)) throw error;
    }
    repair(path, now, open);
    return over(prepareDatabase(path, open));
  };
  /** A failure leaves it to the next opening: nothing but the past depends on it. */
  const nameLostArchives = (opened: OpenFile): void => {
    try {
      opened.nameLostArchives(now);
    } catch {
      // The past is incomplete until then, which its check names.
    }
  };
  const openUnderKey = (): OpenFile => {
    const opened = openFile();
    if (mode === "write" && keys?.isUpgrading) bringUnderKey(opened, keys);
    return opened;
  };
  let hasReserve: boolean | undefined;
  /** Runs `work`, on a full disk once more without the reserve. Others may fill what is released: half stays the journal's. */
  const withReserve = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (mode === "read" || !isWithoutRoom(error) || !giveReserveBack(path)) throw error;
      hasReserve = false;
      const done = work();
      holdRest(path, room.reserveBytes / 2);
      return done;
    }
  };
  const tryOpen = (): JournalOpening => {
    if (file !== null) return { kind: "open" };
    try {
      // SQLite makes files beside the journal, also after a restart on a full disk.
      file = withReserve(openUnderKey);
      if (mode === "write" && isOnDisk) {
        nameLostArchives(file);
        hasReserve = holdReserve(path, room);
      }
      return { kind: "open" };
    } catch (error) {
      failure = error;
      if (error instanceof NewerJournal) return { kind: "newer", format: error.format };
      return { kind: "unavailable", error: String(error) };
    }
  };
  const others = (): readonly string[] => (isOnDisk ? siblingNames(path) : []);
  /** A damaged one stays as it is: it is repaired when it is put in use, and then reported as under no key. */
  const bringSiblingUnderKey = (sibling: string): void => {
    try {
      closing(over(prepareDatabase(sibling, open), sibling), (beside) => beside.bringUnderKey(now));
    } catch (error) {
      if (!isDamage(error) && !(error instanceof NewerJournal)) throw error;
    }
  };
  /** Upgrades this journal and its siblings; afterwards a journal without a key cannot be an earlier version's. */
  const bringUnderKey = (opened: OpenFile, upgrading: JournalKeys): void =>
    orClose(opened, () => {
      opened.bringUnderKey(now);
      for (const name of others()) bringSiblingUnderKey(siblingPath(path, name));
      upgrading.upgraded();
    });
  tryOpen();
  return {
    path,
    open: tryOpen,
    append(at, bodies) {
      const opened = file;
      if (opened === null) throw new Error("the journal cannot be written", { cause: failure });
      withReserve(() => opened.append(at, bodies));
      // The disk may fill again before the next start.
      if (hasReserve === false) hasReserve = holdReserve(path, room);
    },
    read(latest, isUsable) {
      try {
        return file?.read(latest, isUsable) ?? { entries: [], damaged: nothing };
      } catch (error) {
        hasFailed ||= isDamage(error);
        throw error;
      }
    },
    readSlice: (from, limit) => file?.readSlice(from, limit) ?? { entries: [], last: null, hasMore: false },
    head: () => file?.head() ?? null,
    linkOf(sequence) {
      try {
        return file?.linkOf(sequence) ?? null;
      } catch (error) {
        if (isDamage(error)) return null;
        throw error;
      }
    },
    archiveSlices: (plan) => file?.archiveSlices(plan) ?? endedWith({ kind: "nothing" }),
    verifySlices: () => file?.verifySlices() ?? endedWith({ entries: 0, damaged: nothing, unchecked: 0 }),
    verify() {
      const steps = this.verifySlices();
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value;
      }
    },
    others,
    readOther(name, isUsable) {
      const beside = siblingPath(path, name);
      return closing(over(open(beside, "read"), beside), (other) => {
        const { entries, damaged } = other.read(undefined, isUsable);
        return { entries: [...entries], damaged, head: other.head() };
      });
    },
    switchTo(name, aside) {
      file?.close();
      file = null;
      if (isOnDisk) {
        // Created before the move, so that no start finds the path empty and restores a damaged file there.
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
