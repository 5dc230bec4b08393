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
interface Changed {
  readonly kind: "changed";
  readonly transactionId: string;
}

/** A statement whose answer nobody waits for. */
interface Sent {
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

const nothing: Rows = { rows: [], changes: 0 };

/** Runs a unit whose statements are answered at once. What it said to have changed goes to `changed`. */
export const runUnitSync = <T>(
  unit: () => UnitOfWork<T>,
  answer: (query: Query<unknown>) => Rows,
  changed: Set<string>,
): T => {
  const steps = unit();
  let next = steps.next(nothing);
  while (!next.done) {
    const step = next.value;
    if (step.kind === "changed") {
      changed.add(step.transactionId);
      next = steps.next(nothing);
      continue;
    }
    let rows: Rows;
    try {
      rows = answer(step.kind === "sent" ? step.query : step);
    } catch (error) {
      next = steps.throw(error);
      continue;
    }
    next = steps.next(rows);
  }
  return next.value;
};

/**
 * The same for a connection that answers later.
 * @param sent gets the answers that the unit has not waited for, in order: what failed in them has failed the unit.
 */
export const runUnit = async <T>(
  unit: () => UnitOfWork<T>,
  answer: (query: Query<unknown>) => Promise<Rows>,
  changed: Set<string>,
  sent: Promise<unknown>[],
): Promise<T> => {
  const steps = unit();
  let next = steps.next(nothing);
  while (!next.done) {
    const step = next.value;
    if (step.kind === "changed") {
      changed.add(step.transactionId);
      next = steps.next(nothing);
      continue;
    }
    if (step.kind === "sent") {
      const answered = answer(step.query);
      answered.catch(() => {});
      sent.push(answered);
      next = steps.next(nothing);
      continue;
    }
    let rows: Rows;
    try {
      rows = await answer(step);
    } catch (error) {
      next = steps.throw(error);
      continue;
    }
    next = steps.next(rows);
  }
  return next.value;
};

interface Running {
  readonly index: number;
  readonly steps: UnitOfWork<unknown>;
  next: IteratorResult<Step, unknown>;
}

/**
 * Runs units that share a transaction, one statement of each at a time: those of a round go out together, in the order of
 * the units. The first failure is the failure of all.
 */
export const runTogether = async (
  units: readonly (() => UnitOfWork<unknown>)[],
  answer: (query: Query<unknown>) => Promise<Rows>,
  changed: Set<string>,
  sent: Promise<unknown>[],
): Promise<readonly unknown[]> => {
  const results: unknown[] = [];
  let running: readonly Running[] = units.map((unit, index) => {
    const steps = unit();
    return { index, steps, next: steps.next(nothing) };
  });
  while (running.length > 0) {
    const asked: { readonly unit: Running; readonly query: Query<unknown> }[] = [];
    for (const unit of running) {
      const query = nextQuestion(unit, answer, changed, sent);
      if (query === null) results[unit.index] = unit.next.value;
      else asked.push({ unit, query });
    }
    asked.sort((one, other) => (one.query.lockOrder ?? 0) - (other.query.lockOrder ?? 0));
    const answers = await Promise.all(asked.map(({ query }) => answer(query)));
    for (const [at, { unit }] of asked.entries()) unit.next = unit.steps.next(answers[at] ?? nothing);
    running = asked.map(({ unit }) => unit);
  }
  return results;
};

/** Up to the statement that the unit waits for; null at its end. */
const nextQuestion = (
  unit: Running,
  answer: (query: Query<unknown>) => Promise<Rows>,
  changed: Set<string>,
  sent: Promise<unknown>[],
): Query<unknown> | null => {
  while (!unit.next.done) {
    const step = unit.next.value;
    if (step.kind === "query") return step;
    if (step.kind === "changed") changed.add(step.transactionId);
    else {
      const answered = answer(step.query);
      answered.catch(() => {});
      sent.push(answered);
    }
    unit.next = unit.steps.next(nothing);
  }
  return null;
};

/** Who waits in this process for which transaction to change. */
export interface Changes {
  /** @param status what the waiting reader has seen, to be woken by another; without one it is woken by every look. */
  on(transactionId: string, run: () => void, status?: Status): Cancel;
  /** The transaction was changed. */
  notify(transactionId: string): void;
  /** The transaction has this status now: wakes those who have seen another. */
  notifyUnless(transactionId: string, status: string): void;
  /** At most so many of the transactions that are waited for, in turn: each comes up again after all others. */
  inTurn(most: number): readonly string[];
  /** Transactions that are waited for. */
  readonly size: number;
}

interface Waiting {
  readonly run: () => void;
  readonly status: Status | undefined;
}

/** One for each store; knows only this process. */
export const createChanges = (): Changes => {
  const waiting = new Map<string, Set<Waiting>>();
  return {
    on(transactionId, run, status) {
      const entry = { run, status };
      const entries = waiting.get(transactionId) ?? new Set();
      waiting.set(transactionId, entries.add(entry));
      return () => {
        entries.delete(entry);
        if (entries.size === 0 && waiting.get(transactionId) === entries) waiting.delete(transactionId);
      };
    },
    notify(transactionId) {
      for (const { run } of [...(waiting.get(transactionId) ?? [])]) run();
    },
    notifyUnless(transactionId, status) {
      for (const each of [...(waiting.get(transactionId) ?? [])]) if (each.status !== status) each.run();
    },
    inTurn(most) {
      const some = [...waiting.entries().take(most)];
      for (const [transactionId, entries] of some) {
        waiting.delete(transactionId);
        waiting.set(transactionId, entries);
      }
      return some.map(([transactionId]) => transactionId);
    },
    get size() {
      return waiting.size;
    },
  };
};
