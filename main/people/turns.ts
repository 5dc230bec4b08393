/** One after the other, so that many guesses at once get no further than one. */
import { type Done, refused } from "./done.ts";

/** Runs one piece of work at a time. @param waitingMax of pieces in line, the running one too: more are refused as `busy`. */
export const createTurns = (waitingMax: number) => {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async <T>(work: () => Promise<Done<T>>): Promise<Done<T>> => {
    if (waiting >= waitingMax) return refused("busy");
    waiting += 1;
    const turn = last.then(work).finally(() => {
      waiting -= 1;
    });
    last = turn.catch(() => undefined);
    return turn;
  };
};
