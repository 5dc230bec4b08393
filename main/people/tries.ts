/** How many wrong PINs in a row, and until when none is looked at. Pure; kept with the person, so that a restart forgives nothing. */
import { z } from "zod";

/** Wrong PINs in a row, and until when the next one is not looked at. */
export const triesSchema = z.object({
  failed: z.int().min(0).default(0),
  /** Wall clock, milliseconds since the epoch. */
  waitUntilMs: z.number().default(0),
});
/** See `triesSchema`. */
export type Tries = z.infer<typeof triesSchema>;

/** Before the first wrong PIN, and after a right one. */
export const noTries: Tries = { failed: 0, waitUntilMs: 0 };

const freeTries = 5;
const firstWaitMs = 30_000;
/** So that nobody can keep a colleague out for a day; 100 guesses a day at most. */
const longestWaitMs = 15 * 60_000;

const waitAfterMs = (failed: number): number =>
  failed < freeTries ? 0 : Math.min(firstWaitMs * 2 ** Math.min(failed - freeTries, 10), longestWaitMs);

/** Remaining wait before the next PIN is checked. A clock that was set back never makes it longer than the whole wait. */
export const remainingMs = ({ failed, waitUntilMs }: Tries, wallMs: number): number =>
  Math.max(0, Math.min(waitUntilMs - wallMs, waitAfterMs(failed)));

/** Counted before the PIN is looked at, so that neither a crash nor a second guess at the same moment is free. */
export const reserveTry = ({ failed }: Tries, wallMs: number): Tries => ({
  failed: failed + 1,
  waitUntilMs: wallMs + waitAfterMs(failed + 1),
});
