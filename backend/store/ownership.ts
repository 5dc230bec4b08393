/**
 * Decides which process of a fleet does work that is to be done once: sweeping, metrics, purging, retries of each
 * bank's orders. It is a preference, not a lock: work stays correct when two do it, and others take over after a while.
 */

import { createHash } from "node:crypto";
import { hourMs } from "../contract/times.ts";
import type { Cancel, Clock } from "../ports.ts";
import { newestOf } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { type Store, statement, type Tx } from "./store.ts";

/** A process that missed this many beats counts as dead. */
const beatsMissedMax = 5;
/** For commands: a process seen this recently may be alive. */
const livingMs = 10_000;
/** Rows of dead processes are kept this long, in case they only slept. */
const forgetAfterMs = hourMs;

const beat = statement("worker_beat", (db, p: { id: string; now: number; keys: string | null; release: number }) =>
  db
    .insertInto("workers")
    .values({ id: p.id, seen_at: p.now, service_keys: p.keys, release: p.release })
    .onConflict((same) => same.column("id").doUpdateSet({ seen_at: p.now })),
);

/** A process's sign of life, by which the others know of it. @param keys names of its service keys. */
export const beatOf = (id: string, keys: string | null, now: number) =>
  beat({ id, now, keys, release: newestOf(migrations) });

const livingWorkers = statement("workers_alive", (db, p: { since: number; until: number }) =>
  db
    .selectFrom("workers")
    .select(["id", "service_keys"])
    .where("seen_at", ">", p.since)
    .where("seen_at", "<=", p.until),
);

/** A beat in the future dates from before a step of the clock; once that time came, a dead process would seem alive. */
const forgetWorkers = statement("workers_forget", (db, p: { before: number; after: number }) =>
  db.deleteFrom("workers").where((row) => row.or([row("seen_at", "<", p.before), row("seen_at", ">", p.after)])),
);

const removeWorker = statement("worker_leave", (db, p: { id: string }) =>
  db.deleteFrom("workers").where("id", "=", p.id),
);

/** Every process that has not stopped in order, also one that was killed within the hour. */
export const everyWorker = statement("workers_all", (db) => db.selectFrom("workers").select("id"));

/** A process of a release older than migration `release`, alive or recently so. */
export const workerBefore = statement("worker_before", (db, p: { release: number }) =>
  db
    .selectFrom("workers")
    .select("id")
    .where((row) => row.or([row("release", "is", null), row("release", "<", p.release)]))
    .limit(1),
);

/** A fleet's living processes with the names of their keys. @param now the database's time. */
export const livingProcesses = (tx: Tx, now: number) =>
  tx.all(livingWorkers({ since: now - livingMs, until: now + livingMs }));

const weightOf = (worker: string, work: string): string =>
  createHash("sha256").update(`${worker}\n${work}`).digest("base64url");

/** Each kind of work has one owner among living processes, evenly spread; when one dies only its own work moves (rendezvous hashing). */
export const ownerOf = (workers: readonly string[], work: string): string | null => {
  let owner: { readonly worker: string; readonly weight: string } | null = null;
  for (const worker of workers) {
    const weight = weightOf(worker, work);
    if (owner === null || weight > owner.weight) owner = { worker, weight };
  }
  return owner?.worker ?? null;
};

/**
 * @param workerId unique to this process.
 * @param beatMs how often it records a beat and reads the others'. @param keys names of its service keys.
 */
export const createOwnership = (
  store: Store,
  clock: Clock,
  workerId: string,
  beatMs: number,
  keys: string | null = null,
) => {
  let living: readonly string[] = [];
  let stopped = true;
  let running = Promise.resolve();
  let cancel: Cancel = () => {};

  const refresh = async () => {
    const seen = await store.write(async (tx) => {
      const now = clock.now();
      tx.runUnawaited(beatOf(workerId, keys, now));
      tx.runUnawaited(forgetWorkers({ before: now - forgetAfterMs, after: now + beatMs }));
      return tx.all(livingWorkers({ since: now - beatsMissedMax * beatMs, until: now + beatMs }));
    });
    living = seen.map(({ id }) => id);
  };

  const round = () => {
    // While the database cannot be reached nothing changes.
    running = refresh().catch(() => {});
    void running.then(() => {
      cancel = clock.after(beatMs, round);
    });
  };

  return {
    /** Whether this process owns the named work now. Always on SQLite and before the first beat. */
    owns(work: string): boolean {
      if (living.length === 0) return true;
      return ownerOf(living, work) === workerId;
    },
    start(): void {
      if (store.dialect === "sqlite" || !stopped) return;
      stopped = false;
      round();
    },
    /** Hands its work over to the others. */
    async stop(): Promise<void> {
      if (store.dialect === "sqlite") return;
      stopped = true;
      await running;
      cancel();
      await store.write((tx) => tx.run(removeWorker({ id: workerId }))).catch(() => {});
    },
  };
};
