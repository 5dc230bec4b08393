/** npm passes a signal to the shell that runs a script, and many shells end without passing it on to the program. */

const checkEveryMs = 250;
/** Read when the program starts: the shell may end before anyone asks. */
const parent = process.ppid;

/** Calls `stop` once when this program was started by an npm script and its shell has ended. */
export function whenShellEnds(stop: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, checkEveryMs);
  timer.unref();
}
