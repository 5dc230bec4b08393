import { isLinear, type Read } from "../decoder.ts";

/** Different ways of reading that must give the same text of a linear code. */
const waysNeeded = 2;

/** The separator of GS1's fields: a decoder may leave it out. */
const separator = "\u001d";

/** The best text of a picture. */
export interface Finding {
  readonly read: Read;
  /** Only one way of reading gave this text, or another text is as likely. */
  readonly isDoubtful: boolean;
}

interface Text {
  readonly read: Read;
  readonly ways: Set<string>;
  /** Whether a way that does not alter the greys gave it. */
  readonly isUnaltered: boolean;
}

/**
 * Collects the texts that the ways of reading one picture gave. A matrix code is proven by its error correction; a linear code
 * needs two ways that agree, since a row through glare or past its end gives a text too.
 */
export class Evidence {
  readonly #texts = new Map<string, Text>();
  readonly #isRight: (read: Read) => boolean;

  /** @param isRight whether a text is one that is looked for. */
  constructor(isRight: (read: Read) => boolean) {
    this.#isRight = isRight;
  }

  /** @param isUnaltered the greys were as in the picture: at most rotated or enlarged. */
  add(way: string, reads: readonly Read[], isUnaltered: boolean): void {
    for (const read of reads) {
      const key = `${read.symbology} ${read.text.replaceAll(separator, "")}`;
      const known = this.#texts.get(key);
      const isFuller = known === undefined || read.text.length > known.read.text.length;
      const ways = (known?.ways ?? new Set<string>()).add(way);
      this.#texts.set(key, {
        read: isFuller ? read : known.read,
        ways,
        isUnaltered: isUnaltered || known?.isUnaltered === true,
      });
    }
  }

  /** The best text so far, or null where there is none. */
  finding(): Finding | null {
    const [best, next] = [...this.#texts.values()].toSorted((a, b) => this.#rank(b) - this.#rank(a));
    if (!best) return null;
    return { read: best.read, isDoubtful: !this.#isProven(best) || this.#isContested(best, next) };
  }

  #isProven({ read, ways, isUnaltered }: Text): boolean {
    // PDF417's error correction is weak in small symbols: in a picture that was softened or shrunk it gives wrong texts.
    const isSafe = !isLinear(read.symbology) && (isUnaltered || read.symbology !== "pdf417");
    return isSafe || ways.size >= waysNeeded;
  }

  /** Two texts of linear codes, given equally often, neither looked for: one is wrong, or there are two codes. */
  #isContested(best: Text, next: Text | undefined): boolean {
    if (!next || !isLinear(best.read.symbology) || this.#isRight(best.read)) return false;
    return isLinear(next.read.symbology) && next.ways.size === best.ways.size && !isPart(next, best);
  }

  /** Ranks texts that are looked for first, then proven ones, then by the number of ways; a truncated text after the whole one. */
  #rank(text: Text): number {
    const isCutOff = [...this.#texts.values()].some((other) => isPart(text, other) && this.#isProven(other));
    const proven = this.#isProven(text) ? 1000 : 0;
    return (this.#isRight(text.read) ? 10_000 : 0) + proven - (isCutOff ? 500 : 0) + text.ways.size;
  }
}

/** Whether a text is part of another of the same symbology: truncated by glare, a finger or the frame. */
const isPart = (text: Text, whole: Text): boolean =>
  text !== whole &&
  text.read.symbology === whole.read.symbology &&
  text.read.text.length < whole.read.text.length &&
  whole.read.text.includes(text.read.text);
