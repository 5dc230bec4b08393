/** One open journal file: entries appended and read, the chain checked. */
import type { DamagedEntry, Journal } from "../ports.ts";
import type { JournalPlace } from "./archive-file.ts";
import { archiveSlices, nothingToArchive } from "./archive-run.ts";
import { type ChainStart, type Checked, chainBegin, checkRows, makeRow } from "./chain.ts";
import { insertRow, isCheckpoint, type JournalDatabase, lostEntries } from "./database.ts";
import { type JournalKeys, keyMarker } from "./keys.ts";
import { readSlice } from "./slice.ts";
import { createStoredRows } from "./stored-rows.ts";
import { verifySlices } from "./verify.ts";

/** What one open file can do; the rest is about which file is open. */
export interface OpenFile extends Omit<Journal, "open" | "others" | "readOther" | "switchTo"> {
  /** Brings an earlier version's entries under the present key; nothing where one counts already, or where there are none. */
  bringUnderKey(at: number): void;
}

const overDatabase = (database: JournalDatabase, keys: JournalKeys | null, place: JournalPlace | null): OpenFile => {
  const lost = lostEntries(database);
  const rows = createStoredRows(database, place);
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const insert = database.prepare(insertRow);
  const lastRow = database.prepare("SELECT sequence, hash FROM journal ORDER BY sequence DESC LIMIT 1");
  const newestRow = database.prepare("SELECT sequence, at, hash FROM journal ORDER BY sequence DESC LIMIT 1");
  const lastCheckpoint = database.prepare(
    `SELECT max(sequence) AS sequence FROM journal WHERE ${isCheckpoint} AND sequence > ?`,
  );

  const end = (row: Record<string, unknown> | undefined): Omit<ChainStart, "keyId"> =>
    row === undefined ? chainBegin : { sequence: Number(row.sequence), hash: String(row.hash) };

  const check = (from: number): Checked => checkRows(rows.from(from), rows.startOf(from), keys);

  /** The key that counts behind the last entry; known once it was looked up. */
  let keyId: string | null | undefined;

  /** What goes before the first entry under another key than the last one. */
  const marker = (last: Omit<ChainStart, "keyId">): readonly string[] => {
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

  return {
    append(at, bodies) {
      begin.run();
      try {
        let last = end(lastRow.get());
        for (const body of [...marker(last), ...bodies]) {
          const entry = { sequence: last.sequence + 1, at: Math.trunc(at), body };
          const row = makeRow(last.hash, entry, keys?.current.secret ?? null);
          insert.run(row.sequence, row.at, row.body, row.previous, row.hash);
          last = row;
        }
        commit.run();
        if (keys !== null) keyId = keys.current.id;
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
      const checkpoint = Number(lastCheckpoint.get(rows.through)?.sequence ?? 0);
      const { entries, damaged } = check(checkpoint);
      const sound = checkpoint === 0 || entries[0]?.sequence === checkpoint;
      const whole = sound ? { entries, damaged } : check(0);
      // What lies before a checkpoint is counted in it.
      return { entries: whole.entries, damaged: withLost(whole.damaged, sound ? checkpoint : 0) };
    },
    readSlice: (from, limit) => readSlice(rows, keys, from, limit),
    bringUnderKey(at) {
      if (end(lastRow.get()).sequence > 0) this.append(at, []);
    },
    head() {
      const row = newestRow.get();
      return row === undefined ? null : { sequence: Number(row.sequence), at: Number(row.at), hash: String(row.hash) };
    },
    linkOf: rows.linkOf,
    archiveSlices(plan) {
      if (place === null) return nothingToArchive();
      const append = (bodies: readonly string[]): void => this.append(plan.now(), bodies);
      return archiveSlices({ database, place, keys, rows, lost, append }, plan);
    },
    verifySlices: () => verifySlices(database, place, withLost([], 0), keys),
    close() {
      database.close();
    },
  };
};

/**
 * Over a database that is closed again when it turns out to be none of ours.
 * @param place where it lies; null for one in memory.
 */
export const overOpened = (
  database: JournalDatabase,
  keys: JournalKeys | null,
  place: JournalPlace | null,
): OpenFile => {
  try {
    return overDatabase(database, keys, place);
  } catch (error) {
    database.close();
    throw error;
  }
};
