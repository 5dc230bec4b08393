/** A binary heap of what is planned, the earliest first, and of those the first planned. */

/** Something planned; `order` grows with each, so that two at the same time keep theirs. */
export interface Entry {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  canceled: boolean;
}

/** Entries by time, then by order. */
export interface Heap {
  first(): Entry | undefined;
  push(entry: Entry): void;
  pop(): Entry | undefined;
}

const before = (left: Entry, right: Entry): boolean =>
  left.at < right.at || (left.at === right.at && left.order < right.order);

/** An empty heap; all its work is O(log n). */
export const createHeap = (): Heap => {
  const heap: Entry[] = [];
  return {
    first: () => heap[0],
    push(entry) {
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
    },
    pop() {
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
    },
  };
};
