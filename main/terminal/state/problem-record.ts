import type { Facts } from "./facts.ts";

/** Something about a withdrawal that the books must explain. */
export interface ProblemRecord {
  readonly facts: Facts;
  /** The core's words, in the order in which they came. */
  readonly about: readonly string[];
  readonly sinceWallMs: number;
  /** The shop whose journal it came from; null for this one's. */
  readonly otherShop: string | null;
  /** The name of the book whose journal it is in; null for this one's, and where an earlier version did not say. */
  readonly otherBook: string | null;
}

/** What a manager acknowledged about another book, by withdrawal: written to that book when it is in use again. */
export type Acknowledgements = ReadonlyMap<string, { readonly actor: string; readonly note: string }>;

/** By the terminal's own id of the withdrawal. */
export type Problems = ReadonlyMap<string, ProblemRecord>;
