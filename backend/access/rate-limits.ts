/** Limits on sign-in attempts and on held answers, counted in each process. */
import { LRUCache } from "lru-cache";
import type { Clock } from "../ports.ts";
import { ServiceError } from "../service-error.ts";

/** A terminal waits for one withdrawal, a bank for all of its own, a customer's page is open in a few tabs. */
const heldReadsMax = { terminal: 16, client: 1_000, chain: 16, page: 8 } as const;

/** Who holds the answer: a credential's session, or a customer's page by its check-in. */
export interface ReadHolder {
  readonly kind: keyof typeof heldReadsMax;
  readonly ownerId: string;
  readonly deviceId: string;
}

/**
 * Counts the answers that each credential, and each customer's page, holds open.
 * @param most HELD_READS_PER_TOKEN, for every kind of credential; `null`: the defaults, 16 a terminal, 1,000 a bank's. A page has 8 always.
 */
export const createHeldReads = (most: number | null = null) => {
  const held = new Map<string, number>();
  return {
    /**
     * Takes a place until the returned function is called.
     * @throws ServiceError `too_many_requests`: the caller can ask again without `wait`.
     */
    acquire({ kind, ownerId, deviceId }: ReadHolder): () => void {
      const key = `${kind}\n${ownerId}\n${deviceId}`;
      const count = held.get(key) ?? 0;
      if (count >= (kind === "page" ? heldReadsMax.page : (most ?? heldReadsMax[kind])))
        throw new ServiceError("too_many_requests", "Too many answers are held open", { retryAfterSeconds: 1 });
      held.set(key, count + 1);
      return () => {
        const left = (held.get(key) ?? 1) - 1;
        if (left === 0) held.delete(key);
        else held.set(key, left);
      };
    },
  };
};

/** One attempt to sign in or to redeem a code. */
export interface Attempt {
  /** Kind, owner and device in one string. */
  readonly credential: string;
  /** The peer's address. */
  readonly address: string;
  /** True for what belongs to no credential (enrolment codes): only the address pauses, after `freePerCredential`. */
  readonly apart?: true;
}

/** The failures that start a pause, and how long pauses are, in milliseconds. */
export const throttleLimits = {
  freePerCredential: 5,
  freePerAddress: 30,
  pauseMs: { first: 1_000, max: 60_000 },
  /** Failures are forgotten when nothing has failed for this long. */
  forgetMs: 15 * 60_000,
  entriesMax: 10_000,
} as const;

type Failures = { readonly count: number; readonly lastAt: number; readonly pausedUntil: number };

/** Pauses those who fail: a credential after 5 failures, an address after 30 (docs/api.md, "Getting in"). One for each process. */
export const createThrottle = (clock: Clock) => {
  const bound = lruBound(throttleLimits.entriesMax);
  const failures = new LRUCache<string, Failures>(bound);
  const known = new LRUCache<string, true>(bound);

  /** What an attempt is counted under, and how many failures each takes before it pauses. */
  const countersOf = ({ credential, address, apart }: Attempt): readonly (readonly [string, number])[] => {
    const pair = `${credential}\n${address}`;
    if (apart) return [[`pair\n${pair}`, throttleLimits.freePerCredential]];
    return known.has(pair)
      ? [[`pair\n${pair}`, throttleLimits.freePerCredential]]
      : [
          [`credential\n${credential}`, throttleLimits.freePerCredential],
          [`address\n${address}`, throttleLimits.freePerAddress],
        ];
  };

  /** Whole seconds to wait, 0 when the attempt may go on. */
  const waitSeconds = (attempt: Attempt): number => {
    const now = clock.now();
    const pauses = countersOf(attempt).map(([key]) => {
      const known = failures.get(key);
      // A failure in the future was counted before the clock went back; its pause would last until then.
      return known !== undefined && known.lastAt <= now ? known.pausedUntil - now : 0;
    });
    return Math.max(0, Math.ceil(Math.max(...pauses) / 1000));
  };
  const failed = (attempt: Attempt): void => {
    const now = clock.now();
    for (const [key, free] of countersOf(attempt)) {
      const before = failures.get(key);
      const count = before !== undefined && now - before.lastAt < throttleLimits.forgetMs ? before.count + 1 : 1;
      failures.set(key, { count, lastAt: now, pausedUntil: count < free ? 0 : now + pauseMs(count - free) });
    }
  };
  const takeBack = (key: string): void => {
    const before = failures.get(key);
    if (before === undefined) return;
    if (before.count <= 1) failures.delete(key);
    else failures.set(key, { ...before, count: before.count - 1, pausedUntil: 0 });
  };

  return {
    waitSeconds,
    /**
     * Counts the attempt as failed before its secret is checked, so that parallel guesses count like sequential ones;
     * `succeeded` or `released` undoes it.
     * @returns whole seconds to wait; 0 when it was counted and may go on.
     */
    reserve(attempt: Attempt): number {
      const seconds = waitSeconds(attempt);
      if (seconds === 0) failed(attempt);
      return seconds;
    },
    /** Whether its failures have led to a pause that is not forgotten yet. */
    wasPaused(attempt: Attempt): boolean {
      const now = clock.now();
      return countersOf(attempt).some(([key, free]) => {
        const known = failures.get(key);
        return known !== undefined && known.count >= free && now - known.lastAt < throttleLimits.forgetMs;
      });
    },
    /** Undoes `reserve` for an attempt whose secret was not checked. */
    released(attempt: Attempt): void {
      for (const [key] of countersOf(attempt)) takeBack(key);
    },
    failed,
    succeeded(attempt: Attempt): void {
      for (const [key] of countersOf(attempt)) {
        if (key.startsWith("address\n")) takeBack(key);
        else failures.delete(key);
      }
      known.set(`${attempt.credential}\n${attempt.address}`, true);
    },
  };
};

const pauseMs = (doublings: number): number =>
  Math.min(throttleLimits.pauseMs.max, throttleLimits.pauseMs.first * 2 ** doublings);

/**
 * The bound of an LRU cache that grows as it is filled: with `max`, lru-cache allocates all slots at once, a good part
 * of a small installation's start time and memory.
 */
export const lruBound = (entriesMax: number) => ({ maxSize: entriesMax, sizeCalculation: () => 1 });
