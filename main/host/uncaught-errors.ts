/** What nobody caught ends the program: what is on disk is whole, and a program in an unknown state must not hand out cash. */
import type { Log } from "./log-file.ts";

/** What the person at the terminal reads when the program had to close. */
export const uncaughtText =
  "Something in this program went wrong, and it had to close. Start it again: open withdrawals go on where they were.";

/** Logs an uncaught exception or rejection with its stack, then calls `end` once. `end` must leave the process. */
export function endOnUncaughtErrors(log: Log, end: () => void): void {
  let isEnding = false;
  const handle = (error: unknown): void => {
    log("error", "an uncaught error", { why: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    if (isEnding) return;
    isEnding = true;
    end();
  };
  process.on("uncaughtException", handle);
  process.on("unhandledRejection", handle);
}
