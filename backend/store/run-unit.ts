import type { Query } from "./statement.ts";
import type { Rows, Step, UnitOfWork } from "./store.ts";

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
