/** When another program started this one (a terminal's host, npm's shell), ends with it: on its word, or when it is gone. */

const lookEveryMs = 250;
/** Read when this is loaded: the parent may end while the service starts. */
const parent = process.ppid;

/** The port of an Electron utility process, as far as it is used here. */
interface ParentPort {
  on(event: "message", listener: (message: { readonly data: unknown }) => void): void;
}

/** Calls `stop` once: on the message `stop`, when the channel to the program that started this one closes, or when npm's shell ended. */
export function stopWithParent(stop: () => void): void {
  let stopped = false;
  const once = (): void => {
    if (stopped) return;
    stopped = true;
    stop();
  };
  process.on("message", (message) => message === "stop" && once());
  process.on("disconnect", once);
  // False only where there was a channel: it closed while the service was starting.
  if (process.connected === false) once();
  // A utility process has no such channel; it dies with Electron, which closes it from outside.
  const { parentPort } = process as { parentPort?: ParentPort };
  parentPort?.on("message", ({ data }) => data === "stop" && once());
  // npm passes a signal to its shell, which ends without passing it on.
  if (process.env.npm_lifecycle_event === undefined) return;
  setInterval(() => process.ppid !== parent && once(), lookEveryMs).unref();
}
