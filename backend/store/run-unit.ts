import type { Query } from "./statement.ts";
import type { Rows, UnitOfWork } from "./store.ts";

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
