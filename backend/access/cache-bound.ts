/**
 * The bound of an LRU cache that grows as it is filled. With `max`, lru-cache takes all places at once, which is a good
 * part of the service's start and of its memory where there are three tills.
 */
export const grownTo = (entriesMax: number) => ({ maxSize: entriesMax, sizeCalculation: () => 1 });
