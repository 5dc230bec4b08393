/** One transaction on one connection: what belongs together goes out together, and COMMIT with the last of it. */
import pg from "pg";
import { CommitUncertain, isConflict, isConnectionFailure } from "./postgres-failures.ts";
import { answerTogether, writeTogether } from "./postgres-pool.ts";
import type { Query } from "./statement.ts";
import type { Rows } from "./store.ts";

/** Runs one statement of the transaction. */
export type Answer = (query: Query<unknown>) => Promise<Rows>;

/** What a transaction brought, and which withdrawals it has changed. */
export interface Committed<T> {
  readonly result: T;
  readonly changed: ReadonlySet<string>;
}

/**
 * @param begin opens it: `BEGIN`, and settings that hold until its end.
 * @param work says in `changed` what was changed, and leaves in `sent` the answers that it has not waited for.
 * @throws what `work` threw, after the ROLLBACK; a conflict that COMMIT met; CommitUncertain when nobody knows whether it was
 * committed.
 */
export const inTransaction = async <T>(
  client: pg.PoolClient,
  begin: string,
  work: (answer: Answer, changed: Set<string>, sent: Promise<unknown>[]) => Promise<T>,
): Promise<Committed<T>> => {
  const changed = new Set<string>();
  // Sent together with the first statement: a round trip less.
  writeTogether(client);
  const begun = client.query(begin);
  begun.catch(() => {});
  const sent: Promise<unknown>[] = [begun];
  let result: T;
  try {
    result = await work((query) => answerTogether(client, query), changed, sent);
  } catch (failure) {
    // The first failure is the cause: a connection that fell silent only says later on that it was closed.
    const error = (await firstFailure(sent)) ?? failure;
    const usable = await client.query("ROLLBACK").then(
      () => true,
      () => false,
    );
    if (usable || isConnectionFailure(error)) throw error;
    throw new Error("Connection terminated before the transaction was rolled back", { cause: error });
  }
  writeTogether(client);
  const committed = commit(client);
  committed.catch(() => {});
  const failure = await firstFailure(sent);
  if (failure === null) await committed;
  else await refuseCommit(committed, failure);
  return { result, changed };
};

/** What the first of them to fail, in order, failed with; null for none. */
const firstFailure = async (sent: readonly Promise<unknown>[]): Promise<unknown> => {
  for (const each of sent) {
    const failure = await each.then(
      () => null,
      (error: unknown) => error ?? new Error("a statement failed"),
    );
    if (failure !== null) return failure;
  }
  return null;
};

/**
 * COMMIT went out with statements of which one has failed. Where the server said so it has taken everything back; where the
 * connection broke nobody knows.
 * @throws what failed; CommitUncertain.
 */
const refuseCommit = async (committed: Promise<void>, failure: unknown): Promise<never> => {
  await committed.catch(() => {});
  if (failure instanceof pg.DatabaseError) throw failure;
  throw new CommitUncertain("the connection broke before the answer to COMMIT", { cause: failure });
};

/**
 * A COMMIT that stops waiting for its synchronous standby succeeds with a warning: it would be lost with this server.
 * @throws a conflict, with which the server has refused it; CommitUncertain unless the commit is durable as the database is
 * configured to make it.
 */
const commit = async (client: pg.PoolClient): Promise<void> => {
  let warning: string | null = null;
  const onWarning = (notice: { readonly code?: string | undefined; readonly message?: string | undefined }) => {
    if (notice.code === "01000") warning = notice.message ?? "";
  };
  client.on("notice", onWarning);
  try {
    const { command } = await client.query("COMMIT");
    if (command !== "COMMIT") throw new Error(`the transaction ended with ${command}`);
  } catch (cause) {
    if (isConflict(cause)) throw cause;
    throw new CommitUncertain("the answer to COMMIT is missing", { cause });
  } finally {
    client.off("notice", onWarning);
  }
  if (warning !== null) throw new CommitUncertain(warning);
};
