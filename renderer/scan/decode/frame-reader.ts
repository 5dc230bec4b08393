import { Agreement } from "./agreement.ts";
import type { Decoder, Read } from "./decoder.ts";
import type { Luma } from "./luma.ts";
import { type Fault, readFault, type ScanRules, symbologiesInUse } from "./rules.ts";

/** What came of one frame. */
export type FrameOutcome =
  | { readonly kind: "nothing" }
  /** A text that counts, agreed on where it must be. */
  | { readonly kind: "accepted"; readonly read: Read }
  /** Bars that say an id; another frame has to say the same. */
  | { readonly kind: "once_more"; readonly read: Read }
  /** A code that is no id of ours, and is sure to say what it says. */
  | { readonly kind: "foreign"; readonly read: Read; readonly fault: Fault };

/** Of several codes in one frame the one that counts is taken, not the one that was found first. */
const rank: Readonly<Record<FrameOutcome["kind"], number>> = { nothing: 0, foreign: 1, once_more: 2, accepted: 3 };

const nothing: FrameOutcome = { kind: "nothing" };

/**
 * The camera's pipeline over one frame after the other: the decoders in their order, until one gives a text that counts. The same in
 * the worker, in `npm run scan` and in the bench.
 */
export class FrameReader {
  readonly #decoders: readonly Decoder[];
  #rules: ScanRules;
  #agreement = new Agreement();
  #frame = 0;

  constructor(decoders: readonly Decoder[], rules: ScanRules) {
    this.#decoders = decoders;
    this.#rules = rules;
  }

  change(rules: ScanRules): void {
    this.#rules = rules;
    this.#agreement = new Agreement();
    this.#forget();
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
