/** A code that was out of the picture for this long counts as a new scan. */
const absentForMs = 1000;
const freshForMs = 1500;

/**
 * A phone that stays before the camera is one scan, also when the camera was off meanwhile: else the order that was just paid would be
 * looked up again as soon as the terminal is ready.
 */
export class RepeatGuard {
  #text: string | null = null;
  #firstSeenMs = 0;
  #lastSeenMs = 0;

  /** `new` for the first sight of a showing, `fresh` for as long as the cashier may not have looked, then `again`. */
  sight(text: string, nowMs: number): "new" | "fresh" | "again" {
    const same = text === this.#text && nowMs - this.#lastSeenMs < absentForMs;
    this.#text = text;
    this.#lastSeenMs = nowMs;
    if (!same) this.#firstSeenMs = nowMs;
    if (!same) return "new";
    return nowMs - this.#firstSeenMs < freshForMs ? "fresh" : "again";
  }

  /** The camera is on again: the time while it was off proves nothing. */
  resume(nowMs: number): void {
    this.#lastSeenMs = nowMs;
  }
}
