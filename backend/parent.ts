/** When another program started this one (a terminal's host), ends with it: on its word, or when it is gone. */

/** The port of an Electron utility process, as far as it is used here. */
interface ParentPort {
  on(event: "message", listener: (message: { readonly data: unknown }) => void): void;
}

/** Calls `stop` once, on the message `stop` or when the channel to the program that started this one closes. */
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
}
