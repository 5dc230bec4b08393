import type { Symbology } from "../../../preload/contract.ts";
import { type Fault, readFault, type ScanRules, symbologiesInUse } from "../scan.ts";
import type { Luma } from "./luma.ts";

/** Which decoder read it. `likelihood`: our own readers of weak codes, `code128.ts` and `weak-qr.ts`. */
export type Engine = "zxing-wasm" | "zxing-library" | "likelihood";

/** A point in pixels of the frame. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A text that a decoder found in one frame. It may be wrong, so `FrameReader` checks it. */
export interface Read {
  readonly text: string;
  readonly symbology: Symbology;
  readonly engine: Engine;
  /** Two points for bars, three or four for a matrix; empty where the decoder does not say. */
  readonly outline: readonly Point[];
}

/** The port to a decoder. */
export interface Decoder {
  /** All reads of one frame, of the given symbologies only. @param turn number of the frame, for attempts in turn. Never throws. */
  decode(luma: Luma, symbologies: readonly Symbology[], turn: number): readonly Read[] | Promise<readonly Read[]>;
  /** Drops what is kept of earlier frames: a text was accepted, and the next code is another one. */
  forget?(): void;
}

/** Whether a symbology is linear: such a code can be cut off and still pass its own check; a matrix code cannot. */
export const isLinear = (symbology: Symbology): boolean =>
  symbology === "code128" || symbology === "ean13" || symbology === "itf" || symbology === "code39";

/** Equal reads that a linear code needs, each from another frame. */
const readsNeeded = 2;
/** Frames after which a read is forgotten: 1.5 s at 30 frames a second. */
export const framesRemembered = 45;

/** Remembers reads of linear codes until a second frame gives the same text. One for each camera session. */
class Agreement {
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

/** Result of one frame. */
export type FrameOutcome =
  | { readonly kind: "nothing" }
  /** A valid text, confirmed by a second frame where it must be. */
  | { readonly kind: "accepted"; readonly read: Read }
  /** A valid text of a linear code that a second frame has to confirm. */
  | { readonly kind: "once_more"; readonly read: Read }
  /** A confirmed text that is no valid id. */
  | { readonly kind: "foreign"; readonly read: Read; readonly fault: Fault };

/** Which of several codes in one frame wins. */
const rank: Readonly<Record<FrameOutcome["kind"], number>> = { nothing: 0, foreign: 1, once_more: 2, accepted: 3 };

const nothing: FrameOutcome = { kind: "nothing" };

/** The pipeline of worker and bench, frame after frame: the decoders in order, until one gives a valid text. */
export class FrameReader {
  readonly #decoders: readonly Decoder[];
  readonly #rules: ScanRules;
  readonly #agreement = new Agreement();
  #frame = 0;

  constructor(decoders: readonly Decoder[], rules: ScanRules) {
    this.#decoders = decoders;
    this.#rules = rules;
  }

  #forget(): void {
    for (const decoder of this.#decoders) decoder.forget?.();
  }

  async read(luma: Luma): Promise<FrameOutcome> {
    this.#frame += 1;
    const symbologies = symbologiesInUse(this.#rules);
    let best: FrameOutcome = nothing;
    if (symbologies.length === 0) return best;
    for (const decoder of this.#decoders) {
      for (const read of await decoder.decode(luma, symbologies, this.#frame)) {
        const outcome = this.#classify(read);
        if (rank[outcome.kind] > rank[best.kind]) best = outcome;
      }
      if (best.kind === "accepted") this.#forget();
      if (best.kind === "accepted" || best.kind === "once_more") return best;
    }
    return best;
  }

  #classify(read: Read): FrameOutcome {
    const fault = readFault(read.text, read.symbology, this.#rules);
    if (fault === "symbology_off") return nothing;
    const agreed = this.#agreement.agree(read, this.#frame);
    if (fault !== null) return agreed ? { kind: "foreign", read, fault } : nothing;
    return agreed ? { kind: "accepted", read } : { kind: "once_more", read };
  }
}
