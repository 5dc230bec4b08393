/** The program that started this one (a terminal's host, npm's shell): this one ends with it, on its word or when it is gone. */

const checkEveryMs = 250;
/** Read when this is loaded: the parent may end while the service starts. */
const parent = process.ppid;

/** The port of an Electron utility process, as far as it is used here. */
interface ParentPort {
  on(event: "message", listener: (message: { readonly data: unknown }) => void): void;
  postMessage(message: unknown): void;
}

/** A utility process has no channel of Node's; it dies with Electron, which closes it from outside. */
const { parentPort } = process as { parentPort?: ParentPort };

/** Whether a program listens on a channel of its own to this one. */
export const hasParent = (): boolean => parentPort !== undefined || process.send !== undefined;

/** Calls with each message over that channel. */
export function onParentMessage(listener: (message: unknown) => void): void {
  process.on("message", listener);
  parentPort?.on("message", ({ data }) => listener(data));
}

/** Sends a message, of what JSON can hold; a channel that is closed takes none, and `stopWithParent` ends this program. */
export function sendToParent(message: unknown): void {
  if (parentPort !== undefined) parentPort.postMessage(message);
  else if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

/** Calls `stop` once: on the message `stop`, when the channel to the program that started this one closes, or when npm's shell ended. */
export function stopWithParent(stop: () => void): void {
  let stopped = false;
  const once = (): void => {
    if (stopped) return;
    stopped = true;
    stop();
  };
  onParentMessage((message) => message === "stop" && once());
  process.on("disconnect", once);
  // False only where there was a channel: it closed while the service was starting.
  if (process.connected === false) once();
  // npm passes a signal to its shell, which ends without passing it on.
  if (process.env.npm_lifecycle_event === undefined) return;
  setInterval(() => process.ppid !== parent && once(), checkEveryMs).unref();
}
