/** The journal's chain: each row's hash covers the hash before, the sequence, the time and the body. Hex; an HMAC where a key counts, else sha256. */
import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";
import type { DamagedEntry, JournalEntry } from "../ports.ts";

/** Kept, since making one takes five times as long as a hash under it. */
const keyObjects = new WeakMap<Buffer, KeyObject>();

const keyObjectOf = (secret: Buffer): KeyObject => {
  const key = keyObjects.get(secret) ?? createSecretKey(secret);
  keyObjects.set(secret, key);
  return key;
};

/** What a host keeps for a data folder. */
export interface JournalKeys {
  /** What new entries are chained under. `secret`: 32 random bytes. */
  readonly current: { readonly id: string; readonly secret: Buffer };
  /** All keys of the folder by id; null for one that only the other host can use. */
  readonly known: ReadonlyMap<string, Buffer | null>;
  /** Journals of a version without keys are yet to be brought under one; later such a journal is a forged or an old one. */
  readonly isUpgrading: boolean;
  /** Puts a new key on disk; nothing is chained under one that is not. Throws when it cannot be written. */
  keep(): void;
  /** Every journal of the folder is under a key. Throws when that cannot be written. */
  upgraded(): void;
}

const prefix = '{"type":"journal_keyed"';
/** Found by its own small index; the type comes first. */
export const isKeyMarker = `substr(body, 1, ${prefix.length}) = '${prefix}'`;

/** `after`: what lies before it under no key is an earlier version's (`upgrade`), or nobody knows whose (`unknown`). */
export const keyMarker = (id: string, after: "nothing" | "upgrade" | "unknown" | "key"): string =>
  JSON.stringify({ type: "journal_keyed", key: id, after });

/** The id in a marker; null for every other entry, and for a marker that cannot be read. */
export const markedKey = (body: string): { readonly id: string; readonly isAfterUnknown: boolean } | null => {
  if (!body.startsWith(prefix)) return null;
  try {
    const { key, after } = JSON.parse(body) as { key?: unknown; after?: unknown };
    return typeof key === "string" ? { id: key, isAfterUnknown: after === "unknown" } : null;
  } catch {
    return null;
  }
};

/** What a row is chained under. `elsewhere`: only the other host can check it; `unknown`: nobody here can. */
type ChainKey =
  | { readonly kind: "none" }
  | { readonly kind: "secret"; readonly secret: Buffer }
  | { readonly kind: "elsewhere" | "unknown" };

/** @param id null before the first marker. */
export const chainKey = (id: string | null, known: JournalKeys["known"] | null): ChainKey => {
  if (id === null) return { kind: "none" };
  const secret = known?.get(id);
  if (secret === undefined) return { kind: "unknown" };
  return secret === null ? { kind: "elsewhere" } : { kind: "secret", secret };
};

/** What the row counts under: a marker's own key for the marker itself, else the one before. */
const keyOfRow = (
  { body }: { readonly body: string },
  before: ChainKey,
  known: JournalKeys["known"] | null,
): ChainKey => {
  const marked = markedKey(body);
  return marked === null ? before : chainKey(marked.id, known);
};

/** What the first row carries as the hash before it: 64 zeros. */
export const firstLink = "0".repeat(64);

/** An entry with its place in the chain: the hash of the row before, and its own. */
export interface Row extends JournalEntry {
  readonly previous: string;
  readonly hash: string;
}

/** Where a stretch of the chain begins: the row before it, and the key that counts there. */
export interface ChainStart {
  readonly sequence: number;
  readonly hash: string;
  /** Null while no key counts. */
  readonly keyId: string | null;
}

/** Before a journal's first entry. */
export const chainBegin: ChainStart = { sequence: 0, hash: firstLink, keyId: null };

/** `previous|sequence|at|body`: no part but the body can hold the separator. */
export const linkHash = (previous: string, entry: JournalEntry, secret: Buffer | null): string => {
  // V8 keeps what String() makes of a number until its next full collection: with millions of rows that is tens of megabytes.
  const text = `${previous}|${entry.sequence.toFixed()}|${entry.at.toFixed()}|${entry.body}`;
  return secret === null ? hash("sha256", text) : createHmac("sha256", keyObjectOf(secret)).update(text).digest("hex");
};

/** Adds one entry behind `previous`. */
export const makeRow = (previous: string, entry: JournalEntry, secret: Buffer | null): Row => ({
  ...entry,
  previous,
  hash: linkHash(previous, entry, secret),
});

/** What a check of rows found. */
export interface Checked {
  readonly entries: readonly JournalEntry[];
  readonly damaged: readonly DamagedEntry[];
  /** Of the entries, those under a key that only the other host has. */
  readonly unchecked: number;
}

/** What the row's hash must be; its own where no key to tell it is here. */
const expectedHash = (row: Row, key: ChainKey): string => {
  if (key.kind === "elsewhere" || key.kind === "unknown") return row.hash;
  return linkHash(row.previous, row, key.kind === "secret" ? key.secret : null);
};

/**
 * Checks rows in order. A row whose hash does not hold is quarantined, unless the next one vouches for its content; one that does
 * not follow the one before shows a gap, and is itself sound. A key that nobody here knows is named once, where it begins.
 */
export const createChainChecker = (
  start: ChainStart,
  keys: JournalKeys | null,
  onDamage: (damaged: DamagedEntry) => void,
) => {
  const known = keys?.known ?? null;
  let expected = start.sequence + 1;
  let before: string | null = start.hash;
  let key = chainKey(start.keyId, known);
  let isKeyed = start.keyId !== null;
  let last = start.sequence;
  let entries = 0;
  let unchecked = 0;

  /** Whether the next row holds, and was written behind a row with this hash. */
  const isConfirmedBy = (own: string, next: Row | undefined): boolean => {
    if (next === undefined || next.previous !== own) return false;
    const nextKey = keyOfRow(next, key, known);
    return (nextKey.kind === "none" || nextKey.kind === "secret") && expectedHash(next, nextKey) === next.hash;
  };

  const enterKey = (row: Row): void => {
    const marked = markedKey(row.body);
    if (marked === null) return;
    key = chainKey(marked.id, known);
    isKeyed = true;
    if (key.kind === "unknown" || marked.isAfterUnknown) onDamage({ sequence: row.sequence, why: "key" });
  };

  /** The entry that says under which key may be lost: a hash that holds under one of ours tells it, and that it is so is named. */
  const findKey = (row: Row): void => {
    if (key.kind !== "none" || known === null || expectedHash(row, key) === row.hash) return;
    for (const id of known.keys()) {
      const found = chainKey(id, known);
      if (found.kind !== "secret" || expectedHash(row, found) !== row.hash) continue;
      key = found;
      isKeyed = true;
      onDamage({ sequence: row.sequence, why: "key" });
      return;
    }
  };

  return {
    /** Checks the next row; `next` is the one behind it, if there is one. True when its content is sound. */
    take(row: Row, next: Row | undefined): boolean {
      if (row.sequence !== expected) {
        onDamage({ sequence: expected, why: "gap" });
        before = null;
      }
      expected = row.sequence + 1;
      last = row.sequence;
      enterKey(row);
      findKey(row);
      if (key.kind === "elsewhere") unchecked += 1;
      const own = expectedHash(row, key);
      const sound = own === row.hash || isConfirmedBy(own, next);
      const follows = before === null || row.previous === before;
      if (own !== row.hash || !follows) onDamage({ sequence: row.sequence, why: "hash" });
      before = sound ? own : null;
      if (sound) entries += 1;
      return sound;
    },
    /** A row could not be read at all: the chain goes on behind it. */
    skip(sequence: number): void {
      onDamage({ sequence, why: "unreadable" });
      expected = sequence + 1;
      before = null;
    },
    /** A stretch from `sequence` on could not be read at all: the chain goes on where `end` says. */
    skipTo(sequence: number, end: ChainStart): void {
      onDamage({ sequence, why: "unreadable" });
      expected = end.sequence + 1;
      before = end.hash;
      key = chainKey(end.keyId, known);
      isKeyed ||= end.keyId !== null;
    },
    /** To be called behind the last row: names a journal that should be under a key and nowhere is. */
    end(): void {
      if (keys !== null && !keys.isUpgrading && !isKeyed && last > 0) onDamage({ sequence: last, why: "key" });
    },
    /** Sound ones so far. */
    get entries(): number {
      return entries;
    },
    /** Rows that only the other host has the key for. */
    get unchecked(): number {
      return unchecked;
    },
  };
};

/** Checks rows that are all in memory. */
export const checkRows = (rows: readonly Row[], start: ChainStart, keys: JournalKeys | null): Checked => {
  const damaged: DamagedEntry[] = [];
  const checker = createChainChecker(start, keys, (one) => damaged.push(one));
  const entries = rows
    .filter((row, at) => checker.take(row, rows[at + 1]))
    .map(({ sequence, at, body }) => ({ sequence, at, body }));
  checker.end();
  return { entries, damaged, unchecked: checker.unchecked };
};
