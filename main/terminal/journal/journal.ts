/**
 * The journal on disk: SQLite in WAL with synchronous=FULL, append-only, hash-chained. Opening never throws: what cannot
 * be read is set aside and reported, and a journal that cannot be written refuses every append, so that nothing is sent.
 */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DamagedEntry, Journal, JournalOpening, Verified, VerifyProgress } from "../ports.ts";
import { type Checked, checkRows, firstLink, makeRow, type Row } from "./chain.ts";
import {
  columns,
  insertRow,
  isCheckpoint,
  type JournalDatabase,
  lostEntries,
  type OpenDatabase,
  openNodeDatabase,
  prepareDatabase,
  toRow,
} from "./database.ts";
import { exchangeDatabase, freeBeside, namesBeside, pathBeside, syncFolder } from "./files.ts";
import { NewerJournal } from "./format.ts";
import { endRepair, isDamage, isUsable, repair } from "./repair.ts";
import { verifySlices } from "./verify.ts";

export type { JournalDatabase } from "./database.ts";

export interface FileJournal extends Journal {
  /** Checks the whole chain at once, also what lies before the last checkpoint: for tools. */
  verify(): Verified;
  readonly path: string;
}

const rowsFrom = (database: JournalDatabase, sequence: number): Row[] =>
  database.prepare(`${columns} WHERE sequence >= ? ORDER BY sequence`).all(sequence).map(toRow);

/** What one open file can do; the rest is about which file is open. */
type OpenFile = Omit<Journal, "open" | "others" | "readOther" | "switchTo">;

const overDatabase = (database: JournalDatabase): OpenFile => {
  const lost = lostEntries(database);
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const insert = database.prepare(insertRow);
  const lastRow = database.prepare("SELECT sequence, hash FROM journal ORDER BY sequence DESC LIMIT 1");
  const lastCheckpoint = database.prepare(`SELECT max(sequence) AS sequence FROM journal WHERE ${isCheckpoint}`);
  const rowBefore = database.prepare(
    "SELECT sequence, hash FROM journal WHERE sequence < ? ORDER BY sequence DESC LIMIT 1",
  );

  const end = (row: Record<string, unknown> | undefined) => ({
    sequence: Number(row?.sequence ?? 0),
    hash: String(row?.hash ?? firstLink),
  });

  const check = (from: number): Checked => checkRows(rowsFrom(database, from), end(rowBefore.get(from)));

  const withLost = (damaged: readonly DamagedEntry[], from: number): readonly DamagedEntry[] => {
    const known = lost.filter(({ sequence }) => sequence >= from);
    return [...known, ...damaged.filter((one) => !known.some(({ sequence }) => sequence === one.sequence))];
  };

  return {
    append(at, bodies) {
      begin.run();
      try {
        let last = end(lastRow.get());
        for (const body of bodies) {
          const row = makeRow(last.hash, { sequence: last.sequence + 1, at: Math.trunc(at), body });
          insert.run(row.sequence, row.at, row.body, row.previous, row.hash);
          last = row;
        }
        commit.run();
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
    read(latest) {
      if (latest !== undefined) {
        const from = Math.max(0, end(lastRow.get()).sequence - latest + 1);
        const { entries, damaged } = check(from);
        return { entries, damaged: withLost(damaged, from) };
      }
      const checkpoint = Number(lastCheckpoint.get()?.sequence ?? 0);
      const { entries, damaged } = check(checkpoint);
      const sound = checkpoint === 0 || entries[0]?.sequence === checkpoint;
      const whole = sound ? { entries, damaged } : check(0);
      // What lies before a checkpoint is counted in it.
      return { entries: whole.entries, damaged: withLost(whole.damaged, sound ? checkpoint : 0) };
    },
    verifySlices: () => verifySlices(database, withLost([], 0)),
    close() {
      database.close();
    },
  };
};

/** Looking through every page takes seconds then: the start reads from the last checkpoint on, the manager's check the rest. */
const quickCheckBytesMax = 32 * 1024 * 1024;

const isLarge = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > quickCheckBytesMax;

/** Over a database that is closed again when it turns out to be none of ours. */
const overOpened = (database: JournalDatabase): OpenFile => {
  try {
    return overDatabase(database);
  } catch (error) {
    database.close();
    throw error;
  }
};

const openFile = (path: string, now: number, mode: "write" | "read", open: OpenDatabase): OpenFile => {
  if (mode === "read") return overOpened(open(path, mode));
  if (path !== ":memory:") {
    mkdirSync(dirname(path), { recursive: true });
    endRepair(path, now, open);
  }
  try {
    const database = prepareDatabase(path, open);
    if (isLarge(path) || isUsable(database)) return overOpened(database);
    database.close();
  } catch (error) {
    if (!existsSync(path) || !isDamage(error)) throw error;
  }
  repair(path, now, open);
  return overOpened(prepareDatabase(path, open));
};

/** What a journal that is not open gives: nothing, and that it could not be read. */
const nothing: readonly DamagedEntry[] = [{ sequence: 0, why: "unreadable" }];

// biome-ignore lint/correctness/useYield: there is no slice to stop at
function* nothingToVerify(): Generator<VerifyProgress, Verified> {
  return { entries: 0, damaged: nothing };
}

/**
 * The journal at `path` (`:memory:` for none), opened or made at once where that is possible; `open` tries again. `now`
 * names a damaged file that is set aside. `read` opens it beside a running terminal and changes nothing.
 */
export const openJournal = (
  path: string,
  now: number,
  mode: "write" | "read" = "write",
  open: OpenDatabase = openNodeDatabase,
): FileJournal => {
  let file: OpenFile | null = null;
  let failure: unknown = null;
  const tryOpen = (): JournalOpening => {
    if (file !== null) return { kind: "open" };
    try {
      file = openFile(path, now, mode, open);
      return { kind: "open" };
    } catch (error) {
      failure = error;
      if (error instanceof NewerJournal) return { kind: "newer", format: error.format };
      return { kind: "unavailable", error: String(error) };
    }
  };
  tryOpen();
  return {
    path,
    open: tryOpen,
    append(at, bodies) {
      if (file === null) throw new Error("the journal cannot be written", { cause: failure });
      file.append(at, bodies);
    },
    read: (latest) => file?.read(latest) ?? { entries: [], damaged: nothing },
    verifySlices: () => file?.verifySlices() ?? nothingToVerify(),
    verify() {
      const steps = this.verifySlices();
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value;
      }
    },
    others: () => (path === ":memory:" ? [] : namesBeside(path)),
    readOther(name) {
      const other = overOpened(open(pathBeside(path, name), "read"));
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
        const next = pathBeside(path, name);
        if (!existsSync(next)) prepareDatabase(next, open).close();
        exchangeDatabase(path, next, aside === null ? null : freeBeside(path, aside, now));
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
