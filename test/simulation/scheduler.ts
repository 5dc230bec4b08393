/** Virtual time: one queue of what happens next. The same plan runs the same steps in the same order on any machine. */

export type Cancel = () => void;

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  canceled: boolean;
}

export interface Scheduler {
  /** Virtual milliseconds since the run began. */
  now(): number;
  at(time: number, run: () => void): Cancel;
  after(delayMs: number, run: () => void): Cancel;
  /** Runs the next step and lets all its promises settle; false when the queue is empty. */
  step(): Promise<boolean>;
  /** When the next step is due; null when there is none. */
  nextAt(): number | null;
}

/** All promises that need no timer have settled when the next macrotask runs. */
const macrotask = (): Promise<void> => new Promise((done) => setImmediate(done));

export const createScheduler = (): Scheduler => {
  const heap: Entry[] = [];
  let now = 0;
  let order = 0;

  const schedule = (time: number, run: () => void): Cancel => {
    const entry: Entry = { at: Math.max(time, now), order: order++, run, canceled: false };
    push(heap, entry);
    return () => {
      entry.canceled = true;
    };
  };
  const dropCanceled = (): Entry | undefined => {
    while (heap[0]?.canceled) pop(heap);
    return heap[0];
  };

  return {
    now: () => now,
    at: schedule,
    after: (delayMs, run) => schedule(now + Math.max(0, delayMs), run),
    step: async () => {
      // What was begun outside of a step may not have planned anything yet.
      if (!dropCanceled()) await macrotask();
      if (!dropCanceled()) return false;
      const entry = pop(heap);
      if (!entry) return false;
      now = entry.at;
      entry.run();
      await macrotask();
      return true;
    },
    nextAt: () => dropCanceled()?.at ?? null,
  };
};

const before = (left: Entry, right: Entry): boolean =>
  left.at < right.at || (left.at === right.at && left.order < right.order);

const push = (heap: Entry[], entry: Entry): void => {
  let index = heap.length;
  heap.push(entry);
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    const parent = heap[parentIndex];
    if (!parent || before(parent, entry)) break;
    heap[index] = parent;
    index = parentIndex;
  }
  heap[index] = entry;
};

const pop = (heap: Entry[]): Entry | undefined => {
  const first = heap[0];
  const last = heap.pop();
  if (!first || !last || heap.length === 0) return first;
  let index = 0;
  for (;;) {
    const leftIndex = 2 * index + 1;
    const left = heap[leftIndex];
    const right = heap[leftIndex + 1];
    if (!left) break;
    const [child, childIndex] = right && before(right, left) ? [right, leftIndex + 1] : [left, leftIndex];
    if (before(last, child)) break;
    heap[index] = child;
    index = childIndex;
  }
  heap[index] = last;
  return first;
};
