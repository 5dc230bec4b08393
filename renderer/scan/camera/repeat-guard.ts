/** Out of the picture for this long, and a code counts as shown anew. */
const absentForMs = 1000;

/**
 * A phone that stays before the camera is one scan, also when the camera was off meanwhile: else the order that was just paid would be
 * looked up again as soon as the till is ready.
 */
export class RepeatGuard {
  #text: string | null = null;
  #lastSeenMs = 0;

  /** Whether this sighting is a new showing. */
  isNew(text: string, nowMs: number): boolean {
    const same = text === this.#text && nowMs - this.#lastSeenMs < absentForMs;
    this.#text = text;
    this.#lastSeenMs = nowMs;
    return !same;
  }

  /** The camera is on again: the time while it was off proves nothing. */
  resume(nowMs: number): void {
    this.#lastSeenMs = nowMs;
  }
}
