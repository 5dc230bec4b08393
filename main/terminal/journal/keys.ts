/**
 * The keys that entries are chained under. An entry `journal_keyed` says from where on which one counts; the keys
 * themselves are kept by the host, out of the reach of whoever can write the journal's file.
 */
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
export type ChainKey =
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
export const keyOfRow = (
  { body }: { readonly body: string },
  before: ChainKey,
  known: JournalKeys["known"] | null,
): ChainKey => {
  const marked = markedKey(body);
  return marked === null ? before : chainKey(marked.id, known);
};
