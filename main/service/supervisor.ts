/** Keeps the bundled service running in a process of its own: starts it, starts it again when it dies, stops it in order. */
import { setTimeout as delay } from "node:timers/promises";

const backOffMs = [200, 500, 1_000, 2_000, 5_000, 15_000] as const;
/** A service that ran this long was well: the next failure starts from the shortest pause again. */
const wellAfterMs = 60_000;
const stopTimeoutMs = 12_000;

/** One started process; `stop` asks for an orderly end, `kill` does not ask. */
export interface ServiceChild {
  readonly exited: Promise<number | null>;
  /** Calls with each line of its output. */
  onLine(listener: (line: string) => void): void;
  stop(): void;
  kill(): void;
}

/** The bundled service under supervision. */
export interface Supervised {
  /** Resolves with the address when the service answers for the first time. */
  readonly listening: Promise<string>;
  /** Asks it to stop, waits up to 12 s, then kills it. */
  stop(): Promise<void>;
}

/** How the service is started, and what its supervision needs from the host. */
export interface SupervisorOptions {
  readonly start: () => Promise<ServiceChild>;
  readonly log: (level: "info" | "warn" | "error", message: string, detail?: Record<string, unknown>) => void;
  readonly monotonicMs: () => number;
}

const listeningLine = /^service listening on (http:\/\/\S+)$/;

/** Starts the service now, and again after each end until it is stopped: after 0.2 s at first, after 15 s at most. */
export function superviseService({ start, log, monotonicMs }: SupervisorOptions): Supervised {
  const { promise: listening, resolve: resolveListening } = Promise.withResolvers<string>();
  let child: ServiceChild | null = null;
  const stopping = new AbortController();

  async function keepRunning(): Promise<void> {
    let failures = -1;
    while (!stopping.signal.aborted) {
      const startedMs = monotonicMs();
      const started = await start();
      child = started;
      // Asked to stop while it was being started.
      if (stopping.signal.aborted) started.stop();
      started.onLine((line) => {
        const address = listeningLine.exec(line)?.[1];
        if (address === undefined) return log("info", "service", { line });
        log("info", "service listening", { address });
        resolveListening(address);
      });
      const code = await started.exited;
      child = null;
      if (stopping.signal.aborted) return;
      failures = monotonicMs() - startedMs > wellAfterMs ? 0 : failures + 1;
      const pauseMs = backOffMs[Math.min(failures, backOffMs.length - 1)] ?? 0;
      log("error", "the service ended and is started again", { code, pauseMs });
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const running = keepRunning();
  return {
    listening,
    async stop() {
      stopping.abort();
      const last = child;
      last?.stop();
      const timer = setTimeout(() => last?.kill(), stopTimeoutMs);
      await running;
      clearTimeout(timer);
    },
  };
}
