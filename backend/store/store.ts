/**
 * The store as the rest of the service sees it. A unit of work is a generator that yields statements and receives rows,
 * so that one text runs in SQLite's shared commit of a tick and in a PostgreSQL transaction of its own.
 */
import type { Status } from "../contract/transaction.ts";
import type { Cancel } from "../ports.ts";
import type { Dialect, Query } from "./statement.ts";

/** What a statement brought. */
export interface Rows {
  readonly rows: readonly unknown[];
  /** Rows inserted, updated or deleted by a statement without RETURNING. */
  readonly changes: number;
}

/** Says that a transaction was changed by this unit; those who wait for it are woken after the commit. */
export interface Changed {
  readonly kind: "changed";
  readonly transactionId: string;
}

/** A statement whose answer nobody waits for. */
export interface Sent {
  readonly kind: "sent";
  readonly query: Query<unknown>;
}

/** What a unit yields: a statement to run, one to send along, or a notice that a transaction changed. */
export type Step = Query<unknown> | Sent | Changed;
/** A unit of work: yields steps, receives rows, returns its result. */
export type UnitOfWork<T> = Generator<Step, T, Rows>;

/** First row or undefined: `const row = yield* one(byId({ id }))`. */
export function* one<R>(query: Query<R>): UnitOfWork<R | undefined> {
  return (yield query).rows[0] as R | undefined;
}

/** All rows: `const rows = yield* all(query)`. */
export function* all<R>(query: Query<R>): UnitOfWork<readonly R[]> {
  return (yield query).rows as readonly R[];
}

/** How many rows a statement without RETURNING changed. */
export function* run(query: Query<unknown>): UnitOfWork<number> {
  return (yield query).changes;
}

/**
 * Runs a statement whose answer the unit does not need: on PostgreSQL it travels with the statements that follow and with
 * the COMMIT. What fails in it fails the unit, which may be done by then.
 */
export function* send(query: Query<unknown>): UnitOfWork<void> {
  yield { kind: "sent", query };
}

/** Says that a transaction was changed; see `Store.onChange`. */
export function* changed(transactionId: string): UnitOfWork<void> {
  yield { kind: "changed", transactionId };
}

/** A unique index refused a row; catch it around `write`, the unit is rolled back. */
export class UniqueViolation extends Error {
  constructor(cause: unknown) {
    super("a unique index refused the row", { cause });
    this.name = "UniqueViolation";
  }
}

/** The database cannot be used by this program; thrown at start, before anything in it is touched. */
export class StoreRefused extends Error {
  override readonly name = "StoreRefused";
  /** `other`: only its sentence says. */
  readonly why: "newer_database" | "database_in_use" | "other_environment" | "other";
  constructor(message: string, options: ErrorOptions & { readonly why?: StoreRefused["why"] } = {}) {
    super(message, options);
    this.why = options.why ?? "other";
  }
}

/** A database, SQLite or PostgreSQL. */
export interface Store {
  readonly dialect: Dialect;
  /**
   * Runs a unit atomically; resolves (or rejects with what the unit threw) only after a durable commit. Decide inside:
   * `UPDATE … WHERE status = … RETURNING`. A unit that throws leaves nothing behind. It may run more than once
   * (PostgreSQL repeats it after a deadlock), so it has no effects but its statements.
   * @throws ServiceError `unavailable` when the commit failed: nothing of the unit is there (on PostgreSQL a connection
   * lost during COMMIT leaves that open; every verb can be repeated).
   * @param about the withdrawal that the unit writes about, where it writes about no other and waits for nobody else's
   * lock: a fleet's store may commit units about different withdrawals together. Default: a transaction of its own.
   */
  write<T>(unit: () => UnitOfWork<T>, about?: string): Promise<T>;
  /**
   * Runs a unit of SELECTs outside of the write queue. Never sees what is not committed.
   * @param isShort it looks up single rows by their keys: a fleet's store sends such units together. Default: false.
   */
  read<T>(unit: () => UnitOfWork<T>, isShort?: boolean): Promise<T>;
  /**
   * Calls `run` after each commit, by any process, that said `changed(transactionId)`. It may be called for nothing
   * and says no more than "read again".
   * @param status what the caller has seen, and waits to see replaced: a fleet's store compares many of them at once
   * instead of waking each. Default: woken by every look.
   */
  onChange(transactionId: string, run: () => void, status?: Status): Cancel;
  /** Commits what is queued, then lets go of the database. */
  close(): Promise<void>;
}
