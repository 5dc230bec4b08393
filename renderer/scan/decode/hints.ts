import { barDistance } from "./bar-spacing.ts";
import type { FrameOutcome } from "./frame-reader.ts";
import type { Luma } from "./luma.ts";
import { measureQuality, type PictureFault, pictureFault } from "./quality.ts";

/** Hint about a picture in which no code is read. */
export type PictureHint = PictureFault | "near" | "far";

/** Frames in a row with the same fault before a hint is shown, so that it does not flicker. */
const framesNeeded = 12;

/** Gives a hint once the picture has had the same fault for several frames without a read. */
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
