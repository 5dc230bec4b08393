import { isLinear, type Read } from "./decoder.ts";

/** Equal reads that a linear code needs, each from another frame. */
const readsNeeded = 2;
/** Frames after which a read is forgotten: 1.5 s at 30 frames a second. */
export const framesRemembered = 45;

/** Remembers reads of linear codes until a second frame gives the same text. One for each camera session. */
export class Agreement {
  readonly #seen = new Map<string, { reads: number; frame: number }>();

  /** Whether `read`, found in frame number `frame`, is now agreed on. */
  agree(read: Read, frame: number): boolean {
    if (!isLinear(read.symbology)) return true;
    for (const [key, seen] of this.#seen) if (frame - seen.frame > framesRemembered) this.#seen.delete(key);
    const key = `${read.symbology} ${read.text}`;
    const before = this.#seen.get(key);
    if (before?.frame === frame) return before.reads >= readsNeeded;
    const reads = (before?.reads ?? 0) + 1;
    this.#seen.set(key, { reads, frame });
    return reads >= readsNeeded;
  }
}
