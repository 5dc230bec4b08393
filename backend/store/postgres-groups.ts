/**
 * What batches do with the database. Writes about different withdrawals share a transaction, so that its round trips, its
 * COMMIT and its sync are paid once for all of them; short reads share a connection.
 */
import pg from "pg";
import type { BatchesParts, Queued } from "./postgres-batches.ts";
import { asUnavailable, CommitUncertain, isConnectionFailure } from "./postgres-failures.ts";
import { answerTogether, type Pool } from "./postgres-pool.ts";
import { type Committed, inTransaction } from "./postgres-transaction.ts";
import { runTogether, runUnit } from "./run-unit.ts";
import type { UnitOfWork } from "./store.ts";

type RunBatch = BatchesParts["runBatch"];
/** Runs a unit by itself, again after a conflict. */
type Alone = <T>(unit: () => UnitOfWork<T>) => Promise<T>;

/** A row that another process holds must not hold up all of a group; also ends a deadlock, ten times sooner than the database. */
const lockTimeoutMs = 100;
const beginGroup = `BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`;

/** A row that somebody holds says nothing about the connection. */
const isLockTimeout = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === "55P03";

/** @throws what failed first; CommitUncertain. */
const commitTogether = (pool: Pool, batch: readonly Queued[]): Promise<Committed<readonly unknown[]>> =>
  pool.use(async (client) => {
    const units = batch.map(({ unit }) => unit);
    try {
      return await inTransaction(client, beginGroup, (answer, changed, sent) =>
        runTogether(units, answer, changed, sent),
      );
    } catch (error) {
      throw isLockTimeout(error) ? new Error("somebody holds a row of the group", { cause: error }) : error;
    }
  });

/**
 * Commits a batch in one transaction. Where one of its units fails nothing of it stays, and each runs by itself.
 * @param committed called after the commit with the withdrawals that it has changed.
 */
export const createGroupWriter =
  (pool: Pool, committed: (changed: ReadonlySet<string>) => void, writeAlone: Alone): RunBatch =>
  async (batch) => {
    const done = await commitTogether(pool, batch).catch((error: unknown) => ({ error }));
    if (!("error" in done)) {
      committed(done.changed);
      for (const [at, each] of batch.entries()) each.resolve(done.result[at]);
    } else if (done.error instanceof CommitUncertain) {
      for (const each of batch) each.reject(asUnavailable(done.error));
    } else {
      for (const each of batch) void writeAlone(each.unit).then(each.resolve, each.reject);
    }
  };

/** Reads a batch over one connection, each statement by itself; a unit that fails runs again alone, and says there why. */
export const createGroupReader =
  (pool: Pool, readAlone: Alone): RunBatch =>
  async (batch) => {
    const left = new Set(batch);
    const readAll = pool.use(async (client) => {
      const failures = await Promise.all(
        batch.map(async (each) => {
          try {
            const result = await runUnit(each.unit, (query) => answerTogether(client, query), new Set(), []);
            left.delete(each);
            each.resolve(result);
            return null;
          } catch (error) {
            return error;
          }
        }),
      );
      const broken = failures.find(isConnectionFailure);
      if (broken !== undefined) throw broken;
    });
    await readAll.catch(() => {});
    for (const each of left) void readAlone(each.unit).then(each.resolve, each.reject);
  };
