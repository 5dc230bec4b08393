import { barDistance } from "./bar-spacing.ts";
import type { FrameOutcome } from "./frame-reader.ts";
import type { Luma } from "./luma.ts";
import { measureQuality, type PictureFault, pictureFault } from "./quality.ts";

/** What the cashier or the customer can do about a picture that nothing is read from. */
export type PictureHint = PictureFault | "near" | "far";

/** Frames in a row that must show the same fault before a hint is given: it must not flicker. */
const framesNeeded = 12;

/** Gives a hint once the picture has been bad for a while without a read. */
export class Hints {
  #fault: PictureHint | null = null;
  #frames = 0;

  next(luma: Luma, outcome: FrameOutcome): PictureHint | null {
    const isUnread = outcome.kind === "nothing";
    const fault = isUnread ? (pictureFault(measureQuality(luma)) ?? barDistance(luma)) : null;
    this.#frames = fault !== null && fault === this.#fault ? this.#frames + 1 : 1;
    this.#fault = fault;
    return fault !== null && this.#frames >= framesNeeded ? fault : null;
  }
}
