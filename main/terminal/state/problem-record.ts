import type { Facts } from "./facts.ts";

/** Something about a withdrawal that the books must explain. */
export interface ProblemRecord {
  readonly facts: Facts;
  /** The core's words, in the order in which they came. */
  readonly about: readonly string[];
  readonly sinceWallMs: number;
  /** The shop whose journal it came from; null for this one's. */
  readonly otherShop: string | null;
}

/** By the terminal's own id of the withdrawal. */
export type Problems = ReadonlyMap<string, ProblemRecord>;
