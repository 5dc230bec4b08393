/** One device, one user at a time: a kick of the drawer goes before everything that prints and cuts short what may wait. */
import type { Line, OpenLine } from "./line.ts";

/** The device as its drivers share it: each job has the line for itself. */
export interface Connection {
  /** Opens a line for `job` when it is its turn, and closes it behind it. `job` gets null when there is no line. */
  use<T>(urgency: "kick" | "print", job: (line: Line | null, signal: AbortSignal) => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly urgency: "kick" | "print";
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Calls `open` for each job, so that a device that was unplugged between two jobs is found again. */
export const createConnection = (open: OpenLine): Connection => {
  const waiting: Waiting[] = [];
  let current: AbortController | null = null;

  const next = (): void => {
    if (current !== null) return;
    const at = Math.max(
      0,
      waiting.findIndex(({ urgency }) => urgency === "kick"),
    );
    const [job] = waiting.splice(at, 1);
    if (job === undefined) return;
    current = new AbortController();
    void job.run(current.signal).finally(() => {
      current = null;
      next();
    });
  };

  return {
    use: (urgency, job) =>
      new Promise((resolve, reject) => {
        const run = async (signal: AbortSignal): Promise<void> => {
          const line = await open();
          try {
            resolve(await job(line, signal));
          } catch (error) {
            reject(error);
          } finally {
            line?.close();
          }
        };
        waiting.push({ urgency, run });
        if (urgency === "kick") current?.abort();
        next();
      }),
  };
};
