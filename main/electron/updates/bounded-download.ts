/** Limits electron-updater's downloads: to the signed size, and in time. */
import type { Cancel, Clock } from "../../terminal/ports.ts";

/** A download is aborted after this long without a byte. Electron's requests have no time-out of their own. */
export const stallMs = 60_000;
/** A download that has not ended by then is aborted: a server that sends a byte now and then must not delay the next check. */
const downloadTimeoutMs = 6 * 3_600_000;

/** The part of a response that is used (builder-util-runtime, `HttpExecutor.doDownload`). */
interface Incoming {
  on(event: "data", listener: (chunk: { readonly length: number }) => void): unknown;
  on(event: "end" | "error" | "aborted" | "close", listener: () => void): unknown;
}

/** A request as `HttpExecutor.createRequest` makes it: Electron's ClientRequest, or Node's. */
interface Outgoing {
  on(event: "abort" | "error" | "close" | "redirect", listener: () => void): unknown;
  abort(): void;
}

/** builder-util-runtime, `HttpExecutor`: one for Electron's network, one for Node's. */
export interface Executor {
  createRequest(options: object, callback: (response: Incoming) => void): Outgoing;
}

/** Limits of one download. */
export interface Bounds {
  /** In bytes. */
  readonly sizeMax: number;
  /** Called with the bytes so far. */
  readonly progress: (bytes: number) => void;
  /** Called once when the request is aborted: it exceeded `sizeMax`, stalled, or took too long. */
  readonly giveUp: (why: string) => void;
}

/**
 * Wraps the executor's requests from now on.
 * @returns sets the limits of the next download; null: none is expected, so that the first byte aborts it.
 */
export const boundDownloads = (executor: Executor, clock: Clock): ((bounds: Bounds | null) => void) => {
  let current: Bounds | null = null;
  const create = executor.createRequest.bind(executor);
  executor.createRequest = (options, callback) => {
    const bounds = current;
    let cancel: Cancel | null = null;
    let bytes = 0;
    const end = (why: string): void => {
      stopClocks();
      request.abort();
      bounds?.giveUp(why);
    };
    const wait = (): void => {
      cancel?.();
      cancel = clock.after(stallMs, () => end("nothing came any more"));
    };
    const cancelWhole = clock.after(downloadTimeoutMs, () => end("it took too long"));
    const stopClocks = (): void => {
      cancel?.();
      cancelWhole();
    };
    const request = create(options, (response) => {
      for (const event of ["end", "error", "aborted", "close"] as const) response.on(event, stopClocks);
      response.on("data", (chunk) => {
        bytes += chunk.length;
        if (bounds === null || bytes > bounds.sizeMax) return end("more came than was signed");
        bounds.progress(bytes);
        wait();
      });
      callback(response);
    });
    // A redirect is followed by a request of its own.
    for (const event of ["abort", "error", "close", "redirect"] as const) request.on(event, stopClocks);
    wait();
    return request;
  };
  return (bounds) => {
    current = bounds;
  };
};
