/** A queue before the database: what arrives while others are served goes next, together, over one connection. */
import type { Cancel, Clock } from "../ports.ts";
import { ServiceError } from "../service-error.ts";
import { asUnavailable } from "./postgres-failures.ts";
import type { PoolSettings } from "./postgres-pool.ts";
import type { UnitOfWork } from "./store.ts";

/** Batches of one kind at once: one is sent and read here while the database works on the other. */
export const batchesMax = 2;
const unitsPerBatchMax = 200;

/** A unit of a batch; exactly one of the two ends it. */
export interface Queued {
  readonly unit: () => UnitOfWork<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Units that are run together. */
export interface Batches {
  /** @param about what the unit is about: those about one and the same run one after the other. Default: nothing in particular. */
  run<T>(unit: () => UnitOfWork<T>, about?: string): Promise<T>;
  /** Resolves when all that came before is answered. */
  close(): Promise<void>;
}

/** What they are made of. */
export interface BatchesParts {
  readonly clock: Clock;
  readonly settings: Pick<PoolSettings, "waitingMax" | "connectTimeoutMs">;
  /** Ends each unit of the batch sooner or later; resolves when the next batch may go. Never rejects. */
  readonly runBatch: (batch: readonly Queued[]) => Promise<void>;
}

interface Waiting extends Queued {
  readonly about: string | null;
  readonly since: number;
}

/** One for the writes of a store, one for its reads. */
export const createBatches = ({ clock, settings, runBatch }: BatchesParts): Batches => {
  const queue = new Set<Waiting>();
  const busy = new Set<string>();
  let running = 0;
  let unanswered = 0;
  let scheduled = false;
  let watched = false;
  let cancelWatch: Cancel = () => {};
  let onIdle: () => void = () => {};

  const schedule = () => {
    if (scheduled || running >= batchesMax || queue.size === 0) return;
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
    cancelWatch = clock.after(settings.connectTimeoutMs, () => {
      watched = false;
      for (const each of queue) {
        if (clock.now() - each.since < settings.connectTimeoutMs) break;
        queue.delete(each);
        each.reject(asUnavailable(new Error("waited too long for its turn")));
      }
      if (queue.size > 0) watch();
    });
  };

  /** In one order everywhere, so that batches that lock rows do not wait for each other. */
  const takeBatch = (): readonly Waiting[] => {
    const batch: Waiting[] = [];
    for (const each of queue) {
      if (each.about !== null && busy.has(each.about)) continue;
      if (each.about !== null) busy.add(each.about);
      queue.delete(each);
      batch.push(each);
      if (batch.length >= unitsPerBatchMax) break;
    }
    return batch.sort((one, other) => ((one.about ?? "") < (other.about ?? "") ? -1 : 1));
  };

  const runNext = async () => {
    const batch = takeBatch();
    if (batch.length === 0) return;
    running += 1;
    schedule();
    await runBatch(batch);
    running -= 1;
    schedule();
  };

  const ended = (about: string | null) => {
    if (about !== null && busy.delete(about)) schedule();
    unanswered -= 1;
    if (unanswered === 0) onIdle();
  };

  return {
    run: <T>(unit: () => UnitOfWork<T>, about: string | null = null) =>
      new Promise<T>((resolve, reject) => {
        if (queue.size >= settings.waitingMax)
          return reject(new ServiceError("unavailable", "Too much waits for the database.", { retryAfterSeconds: 1 }));
        unanswered += 1;
        queue.add({
          unit,
          about,
          since: clock.now(),
          resolve(result) {
            ended(about);
            resolve(result as T);
          },
          reject(error) {
            ended(about);
            reject(error);
          },
        });
        watch();
        schedule();
      }),
    async close() {
      const idle = Promise.withResolvers<void>();
      onIdle = idle.resolve;
      if (unanswered > 0) await idle.promise;
      cancelWatch();
    },
  };
};
