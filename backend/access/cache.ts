/** A cache for access data and settings that is valid as long as nothing in it has changed. */
import { LRUCache } from "lru-cache";
import type { Service } from "../context.ts";
import { minuteMs } from "../contract/times.ts";
import type { UnitOfWork } from "../store/store.ts";
import { lruBound } from "./rate-limits.ts";

/** A change, by any process, takes effect within this time. */
export const changeSeenMs = 1_000;
/** Maximum age, for changes made directly in the database. */
export const maxAgeMs = 10 * minuteMs;

const isWithin = (ms: number, at: number, now: number): boolean => now - at < ms && now >= at;

/**
 * @param version changes with every change of the data, in the same commit; read at most once a second for the whole
 * cache. Null: not all processes maintain it, so entries are used for one second only.
 * @param entriesMax least recently used entries are dropped.
 * @returns reads an entry by its key, from the cache if possible; missing ones are not cached.
 */
export const createCache = <Value extends object>(
  { store, clock }: Pick<Service, "store" | "clock">,
  version: UnitOfWork<string | null>,
  entriesMax: number,
) => {
  const kept = new LRUCache<
    string,
    { readonly value: Value; readonly readAt: number; readonly version: string | null }
  >(lruBound(entriesMax));
  let asked: { readonly at: number; readonly version: Promise<string | null> } | null = null;
  const versionNow = (): Promise<string | null> => {
    const at = clock.now();
    if (asked !== null && isWithin(changeSeenMs, asked.at, at)) return asked.version;
    const latest = { at, version: store.read(version, true) };
    asked = latest;
    latest.version.catch(() => {
      if (asked === latest) asked = null;
    });
    return latest.version;
  };
  return async (key: string, read: UnitOfWork<Value | undefined>): Promise<Value | undefined> => {
    const now = clock.now();
    const known = kept.get(key);
    if (known !== undefined && isWithin(changeSeenMs, known.readAt, now)) return known.value;
    // Read before the value: a change in between gives the next version.
    const current = await versionNow();
    if (known !== undefined && current !== null && known.version === current && isWithin(maxAgeMs, known.readAt, now))
      return known.value;
    const value = await store.read(read, true);
    if (value === undefined) kept.delete(key);
    else kept.set(key, { value, readAt: now, version: current });
    return value;
  };
};
