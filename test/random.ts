/** Seeded chance: the same seed, the same story (mulberry32). */

/** Numbers in [0, 1). */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** A seed of its own for each part of a story, so that leaving out one part does not change the luck of the others. */
export const seedOf = (seed: number, ...names: readonly (string | number)[]): number => {
  let hash = 0x811c9dc5 ^ (seed >>> 0);
  for (const character of names.join("/")) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
};

/** Draws from one seed. */
export interface Chance {
  fraction(): number;
  /** Whether something that happens with this probability happens now. */
  happens(probability: number): boolean;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
}

/** The same seed gives the same draws in the same order. */
export const createChance = (seed: number): Chance => {
  const fraction = seededRandom(seed);
  return {
    fraction,
    happens: (probability) => fraction() < probability,
    between: (low, high) => low + Math.floor(fraction() * (high - low + 1)),
    pick: (choices) => choices[Math.floor(fraction() * choices.length)] ?? choices[0],
  };
};
