/**
 * What batches do with the database. Writes about different withdrawals share a transaction, so that its round trips, its
 * COMMIT and its sync are paid once for all of them; short reads share a connection.
 */
import pg from "pg";
import type { BatchesParts, Queued } from "./postgres-batches.ts";
import { isConnectionFailure, meetsAll, translated } from "./postgres-failures.ts";
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
    } else {
      for (const each of batch) runAgain(each, done.error, writeAlone);
    }
  };

/** By itself, unless the failure was nobody's own. */
const runAgain = ({ unit, resolve, reject }: Queued, error: unknown, alone: Alone): void => {
  if (meetsAll(error)) reject(translated(error));
  else void alone(unit).then(resolve, reject);
};

/** Reads a batch over one connection, each statement by itself; a unit that fails runs again alone, and says there why. */
export const createGroupReader =
  (pool: Pool, readAlone: Alone): RunBatch =>
  async (batch) => {
    const failed = new Map<Queued, unknown>(batch.map((each) => [each, null]));
    const readAll = pool.use(async (client) => {
      await Promise.all(
        batch.map(async (each) => {
          try {
            const result = await runUnit(each.unit, (query) => answerTogether(client, query), new Set(), []);
            failed.delete(each);
            each.resolve(result);
          } catch (error) {
            failed.set(each, error);
          }
        }),
      );
      const broken = [...failed.values()].find(isConnectionFailure);
      if (broken !== undefined) throw broken;
    });
    const failure = await readAll.then(
      () => null,
      (error: unknown) => error,
    );
    for (const [each, error] of failed) runAgain(each, error ?? failure, readAlone);
  };
