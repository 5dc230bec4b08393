/**
 * Units about different withdrawals that arrive while others are committed share the next transaction: its round trips, its
 * COMMIT and its sync are paid once for all of them. Where one of them fails, each is run again by itself.
 */
import pg from "pg";
import type { Clock } from "../ports.ts";
import { ServiceError } from "../service-error.ts";
import { asUnavailable, CommitUncertain } from "./postgres-failures.ts";
import type { Pool, PoolSettings } from "./postgres-pool.ts";
import { type Committed, inTransaction } from "./postgres-transaction.ts";
import { runTogether } from "./run-unit.ts";
import type { UnitOfWork } from "./store.ts";

/** Transactions of groups at once: one is sent and read here while the database works on the other. */
const groupsMax = 2;
const unitsPerGroupMax = 200;
/** A row that another process holds must not hold up all of a group; also ends a deadlock, ten times sooner than the database. */
const lockTimeoutMs = 100;
const beginGroup = `BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`;

/** Writes that share transactions. */
export interface Groups {
  /** @param about the withdrawal of the unit: those about one and the same run one after the other. */
  write<T>(unit: () => UnitOfWork<T>, about: string): Promise<T>;
  /** Resolves when all that was written before is answered. */
  close(): Promise<void>;
}

/** What they are made of. */
export interface GroupsParts {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly settings: Pick<PoolSettings, "waitingMax" | "connectTimeoutMs">;
  /** Called after each commit with the withdrawals that it has changed. */
  readonly committed: (changed: ReadonlySet<string>) => void;
  /** Runs a unit in a transaction of its own, again after a conflict. */
  readonly writeAlone: <T>(unit: () => UnitOfWork<T>) => Promise<T>;
}

interface Waiting {
  readonly about: string;
  readonly since: number;
  readonly unit: () => UnitOfWork<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** One for each store. */
export const createGroups = ({ pool, clock, settings, committed, writeAlone }: GroupsParts): Groups => {
  const queue = new Set<Waiting>();
  const busy = new Set<string>();
  let running = 0;
  let scheduled = false;
  let watched = false;
  let onIdle: () => void = () => {};

  const schedule = () => {
    if (scheduled || running >= groupsMax || queue.size === 0) return;
    scheduled = true;
    clock.soon(() => {
      scheduled = false;
      void runNext();
    });
  };

  /** Connections that fell silent hold up the queue for no longer than the pool lets anybody wait for one. */
  const watch = () => {
    if (watched) return;
    watched = true;
    clock.after(settings.connectTimeoutMs, () => {
      watched = false;
      for (const each of queue) {
        if (clock.now() - each.since < settings.connectTimeoutMs) break;
        queue.delete(each);
        each.reject(asUnavailable(new Error("waited too long for a transaction")));
      }
      if (queue.size > 0) watch();
    });
  };

  /** The oldest of each withdrawal that is not busy; in one order everywhere, so that groups do not wait for each other. */
  const takeGroup = (): readonly Waiting[] => {
    const group: Waiting[] = [];
    for (const each of queue) {
      if (busy.has(each.about)) continue;
      busy.add(each.about);
      queue.delete(each);
      group.push(each);
      if (group.length >= unitsPerGroupMax) break;
    }
    return group.sort((one, other) => (one.about < other.about ? -1 : 1));
  };

  const runNext = async () => {
    const group = takeGroup();
    if (group.length === 0) return;
    running += 1;
    schedule();
    const done = await commitTogether(pool, group).catch((error: unknown) => ({ error }));
    running -= 1;
    if (!("error" in done)) {
      committed(done.changed);
      for (const [at, each] of group.entries()) end(each, () => each.resolve(done.result[at]));
    } else if (done.error instanceof CommitUncertain) {
      for (const each of group) end(each, () => each.reject(asUnavailable(done.error)));
    } else {
      for (const each of group)
        void writeAlone(each.unit).then(
          (result) => end(each, () => each.resolve(result)),
          (error: unknown) => end(each, () => each.reject(error)),
        );
    }
    schedule();
  };

  const end = ({ about }: Waiting, answer: () => void) => {
    busy.delete(about);
    answer();
    schedule();
    if (busy.size === 0 && queue.size === 0) onIdle();
  };

  return {
    write: <T>(unit: () => UnitOfWork<T>, about: string) =>
      new Promise<T>((resolve, reject) => {
        if (queue.size >= settings.waitingMax)
          return reject(new ServiceError("unavailable", "Too much waits for the database.", { retryAfterSeconds: 1 }));
        queue.add({ about, since: clock.now(), unit, resolve: resolve as (result: unknown) => void, reject });
        watch();
        schedule();
      }),
    close: () =>
      new Promise((resolve) => {
        onIdle = resolve;
        if (busy.size === 0 && queue.size === 0) resolve();
      }),
  };
};

/** A row that somebody holds says nothing about the connection. */
const isLockTimeout = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === "55P03";

/** @throws what failed first; CommitUncertain. */
const commitTogether = (pool: Pool, group: readonly Waiting[]): Promise<Committed<readonly unknown[]>> =>
  pool.use(async (client) => {
    const units = group.map(({ unit }) => unit);
    try {
      return await inTransaction(client, beginGroup, (answer, changed, sent) =>
        runTogether(units, answer, changed, sent),
      );
    } catch (error) {
      throw isLockTimeout(error) ? new Error("somebody holds a row of the group", { cause: error }) : error;
    }
  });
