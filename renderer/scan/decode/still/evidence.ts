import { isLinear, type Read } from "../decoder.ts";

/** Different ways of reading that must agree on the text of bars. */
const waysNeeded = 2;

/** The separator of GS1's fields: a decoder may leave it out. */
const separator = "\u001d";

/** A text, and whether it counts as read. */
export interface Finding {
  readonly read: Read;
  /** Only one way of reading gives this text, or another text is as likely. */
  readonly isDoubtful: boolean;
}

interface Text {
  readonly read: Read;
  readonly ways: Set<string>;
  /** Whether a way of reading that leaves the picture's greys as they are gave it. */
  readonly isUnaltered: boolean;
}

/**
 * What the ways of reading one picture gave. A matrix code's own error correction proves its text; bars need two ways that agree, for
 * a row through glare or past the end of the code gives a text too.
 */
export class Evidence {
  readonly #texts = new Map<string, Text>();
  readonly #isRight: (read: Read) => boolean;

  /** `isRight` tells the texts that are looked for from all others. */
  constructor(isRight: (read: Read) => boolean) {
    this.#isRight = isRight;
  }

  /** `isUnaltered` says that the greys were as in the picture: turned or enlarged at most. */
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

  /** Two texts of bars, each given as often, neither of them what is looked for: one of them is wrong, or there are two codes. */
  #isContested(best: Text, next: Text | undefined): boolean {
    if (!next || !isLinear(best.read.symbology) || this.#isRight(best.read)) return false;
    return isLinear(next.read.symbology) && next.ways.size === best.ways.size && !isPart(next, best);
  }

  /** What is looked for first, then what is proven, then the text that more ways give; a cut-off text after the whole one. */
  #rank(text: Text): number {
    const isCutOff = [...this.#texts.values()].some((other) => isPart(text, other) && this.#isProven(other));
    const proven = this.#isProven(text) ? 1000 : 0;
    return (this.#isRight(text.read) ? 10_000 : 0) + proven - (isCutOff ? 500 : 0) + text.ways.size;
  }
}

/** Whether a text is a part of another of the same symbology: cut off by glare, a finger or the frame. */
const isPart = (text: Text, whole: Text): boolean =>
  text !== whole &&
  text.read.symbology === whole.read.symbology &&
  text.read.text.length < whole.read.text.length &&
  whole.read.text.includes(text.read.text);
