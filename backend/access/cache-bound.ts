/**
 * The bound of an LRU cache that grows as it is filled: with `max`, lru-cache allocates all
 * slots at once, which is a good part of the service's start and of its memory where there are three terminals.
 */
export const lruBound = (entriesMax: number) => ({ maxSize: entriesMax, sizeCalculation: () => 1 });
