/** The journal's hash chain over previous hash, sequence, time and body: hex; HMAC-SHA256 under a key, else SHA-256. */
import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";
import type { DamagedEntry, JournalEntry } from "../ports.ts";

/** Cached, because creating a key object takes five times as long as a hash. */
const keyObjects = new WeakMap<Buffer, KeyObject>();

const keyObjectOf = (secret: Buffer): KeyObject => {
  const key = keyObjects.get(secret) ?? createSecretKey(secret);
  keyObjects.set(secret, key);
  return key;
};

/** The journal keys of a data folder. */
export interface JournalKeys {
  /** Key of new entries. `secret`: 32 random bytes. */
  readonly current: { readonly id: string; readonly secret: Buffer };
  /** All keys by id; null for one that only the other host can use. */
  readonly known: ReadonlyMap<string, Buffer | null>;
  /** True until journals of versions without keys have been upgraded; afterwards a journal without a key is forged or old. */
  readonly isUpgrading: boolean;
  /** Saves a new key; it is not used before that. @throws if it cannot be written. */
  keep(): void;
  /** Records that every journal of the folder has a key. @throws if that cannot be written. */
  upgraded(): void;
}

const prefix = '{"type":"journal_keyed"';
/** Has its own small index; the type comes first in the body. */
export const isKeyMarker = `substr(body, 1, ${prefix.length}) = '${prefix}'`;

/** `after`: entries before it without a key are an earlier version's (`upgrade`) or of unknown origin (`unknown`). */
export const keyMarker = (id: string, after: "nothing" | "upgrade" | "unknown" | "key"): string =>
  JSON.stringify({ type: "journal_keyed", key: id, after });

/** The id in a marker; null for other entries and unreadable markers. */
export const markedKey = (body: string): { readonly id: string; readonly isAfterUnknown: boolean } | null => {
  if (!body.startsWith(prefix)) return null;
  try {
    const { key, after } = JSON.parse(body) as { key?: unknown; after?: unknown };
    return typeof key === "string" ? { id: key, isAfterUnknown: after === "unknown" } : null;
  } catch {
    return null;
  }
};

/** The key of a row. `elsewhere`: only the other host can check it; `unknown`: nobody here can. */
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

/** The row's key: a marker is under its own key, other rows under the previous one. */
const keyOfRow = (
  { body }: { readonly body: string },
  before: ChainKey,
  known: JournalKeys["known"] | null,
): ChainKey => {
  const marked = markedKey(body);
  return marked === null ? before : chainKey(marked.id, known);
};

/** Previous hash of the first row: 64 zeros. */
export const firstLink = "0".repeat(64);

/** An entry with the previous row's hash and its own. */
export interface Row extends JournalEntry {
  readonly previous: string;
  readonly hash: string;
}

/** Where part of the chain begins: the previous row and the key in force. */
export interface ChainStart {
  readonly sequence: number;
  readonly hash: string;
  /** Null: no key yet. */
  readonly keyId: string | null;
}

/** The start of a journal. */
export const chainBegin: ChainStart = { sequence: 0, hash: firstLink, keyId: null };

/** Hash of `previous|sequence|at|body`: only the body can contain the separator. */
export const linkHash = (previous: string, entry: JournalEntry, secret: Buffer | null): string => {
  // V8 caches the results of String(number) until the next full collection: tens of megabytes with millions of rows.
  const text = `${previous}|${entry.sequence.toFixed()}|${entry.at.toFixed()}|${entry.body}`;
  return secret === null ? hash("sha256", text) : createHmac("sha256", keyObjectOf(secret)).update(text).digest("hex");
};

/** The row of an entry that follows `previous`. */
export const makeRow = (previous: string, entry: JournalEntry, secret: Buffer | null): Row => ({
  ...entry,
  previous,
  hash: linkHash(previous, entry, secret),
});

const expectedHash = (row: Row, key: ChainKey): string => {
  if (key.kind === "elsewhere" || key.kind === "unknown") return row.hash;
  return linkHash(row.previous, row, key.kind === "secret" ? key.secret : null);
};

/**
 * Checks rows in order. A row with a wrong hash is excluded unless the next row confirms its content; a row that does
 * not follow the previous one shows a gap but is itself sound. An unknown key is reported once, where it begins.
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

  /** Whether the next row is valid and was written after a row with this hash. */
  const isConfirmedBy = (own: string, next: Row | undefined): boolean => {
    if (next === undefined || next.previous !== own) return false;
    const nextKey = keyOfRow(next, key, known);
    return (nextKey.kind === "none" || nextKey.kind === "secret") && expectedHash(next, nextKey) === next.hash;
  };

  /** A stretch that begins under a key that nobody here has proves nothing, although its marker lies before it. */
  let isUnproven = key.kind === "unknown";

  const enterKey = (row: Row): void => {
    const marked = markedKey(row.body);
    if (marked === null) {
      if (isUnproven) onDamage({ sequence: row.sequence, why: "key" });
      isUnproven = false;
      return;
    }
    isUnproven = false;
    key = chainKey(marked.id, known);
    isKeyed = true;
    if (key.kind === "unknown" || marked.isAfterUnknown) onDamage({ sequence: row.sequence, why: "key" });
  };

  /** The key's marker may be lost: if the hash matches one of the known keys, use that one and report it. */
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
    /** Checks a row; `next` is the following one, if any. True if its content is sound. */
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
    skip(sequence: number): void {
      onDamage({ sequence, why: "unreadable" });
      expected = sequence + 1;
      before = null;
    },
    /** Reports unreadable rows from `sequence` on; the chain continues after `end`. */
    skipTo(sequence: number, end: ChainStart): void {
      onDamage({ sequence, why: "unreadable" });
      expected = end.sequence + 1;
      before = end.hash;
      key = chainKey(end.keyId, known);
      isKeyed ||= end.keyId !== null;
    },
    /** Call after the last row: reports a journal that should have a key and has none. */
    end(): void {
      if (keys !== null && !keys.isUpgrading && !isKeyed && last > 0) onDamage({ sequence: last, why: "key" });
    },
    get entries(): number {
      return entries;
    },
    /** Rows whose key only the other host has. */
    get unchecked(): number {
      return unchecked;
    },
  };
};

/** Checks an array of rows. `unchecked`: how many have a key that only the other host has. */
export const checkRows = (rows: readonly Row[], start: ChainStart, keys: JournalKeys | null) => {
  const damaged: DamagedEntry[] = [];
  const checker = createChainChecker(start, keys, (one) => damaged.push(one));
  const entries = rows
    .filter((row, at) => checker.take(row, rows[at + 1]))
    .map(({ sequence, at, body }) => ({ sequence, at, body }));
  checker.end();
  return { entries, damaged, unchecked: checker.unchecked };
};
/** Result of a check. */
export type Checked = Readonly<ReturnType<typeof checkRows>>;
