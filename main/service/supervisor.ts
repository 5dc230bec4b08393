/** Keeps the bundled service running in a process of its own: starts it, starts it again when it dies, stops it in order. */
import { type HostMessage, hostMessageSchema } from "../../backend/contract/host-channel.ts";

const backOffMs = [200, 500, 1_000, 2_000, 5_000, 15_000] as const;
/** After running this long the next failure starts from the shortest pause again. */
const healthyAfterMs = 60_000;
const stopTimeoutMs = 12_000;

/** One started process; `stop` asks for an orderly end, `kill` does not ask. */
export interface ServiceChild {
  readonly exited: Promise<number | null>;
  /** Calls with each line of its output. */
  onLine(listener: (line: string) => void): void;
  /** Calls with each message over the channel that it and this program alone have. */
  onMessage(listener: (message: unknown) => void): void;
  /** Does nothing once the channel is closed; `exited` says so. */
  send(message: unknown): void;
  stop(): void;
  kill(): void;
}

/** Why it did not start, in the service's words. */
export type CannotStart = Pick<Extract<HostMessage, { kind: "cannot_start" }>, "why" | "message">;

/** State of the supervised service. */
export type Supervision =
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly address: string; readonly child: ServiceChild }
  | { readonly kind: "restarting"; readonly reason: CannotStart | null }
  /** Not started again until `restart` is called. */
  | { readonly kind: "given_up"; readonly reason: CannotStart | null };

/** The bundled service under supervision. */
export interface Supervised {
  /** Resolves with the address when the service answers for the first time. */
  readonly listening: Promise<string>;
  state(): Supervision;
  /** Ends it in order where it runs, and starts it at once, also after it was given up. */
  restart(): void;
  /** Asks it to stop, waits up to 12 s, then kills it. */
  stop(): Promise<void>;
}

/** How the service is started, and what its supervision needs from the host. */
export interface SupervisorOptions {
  readonly start: () => Promise<ServiceChild>;
  readonly log: (level: "info" | "warn" | "error", message: string, detail?: Record<string, unknown>) => void;
  /** Each line of the service's output; the default is the log. */
  readonly output?: (line: string) => void;
  readonly monotonicMs: () => number;
  /** Gives up after this many exits in a row, each within a minute of its start. Default: never. */
  readonly failuresMax?: number;
  readonly changed?: (state: Supervision) => void;
}

const listeningLine = /^service listening on (https?:\/\/\S+)$/;

/** Whether only a person can fix the cause, so that another start would fail too. */
const isPermanent = (reason: CannotStart | null): boolean =>
  reason?.why === "newer_database" || reason?.why === "other_environment";

/** Ends with the time, or earlier with the signal. @param ms null: with the signal alone. */
const wait = (ms: number | null, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = ms === null ? undefined : setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Starts the service now, and again after each end until it is stopped: after 0.2 s at first, after 15 s at most. */
export function superviseService(options: SupervisorOptions): Supervised {
  const { log, monotonicMs, failuresMax = Number.POSITIVE_INFINITY } = options;
  const output = options.output ?? ((line: string) => log("info", "service", { line }));
  const { promise: listening, resolve: resolveListening } = Promise.withResolvers<string>();
  const stopping = new AbortController();
  let child: ServiceChild | null = null;
  let state: Supervision = { kind: "starting" };
  /** Aborted by `restart`, which ends any wait. */
  let pause = new AbortController();

  const show = (next: Supervision): void => {
    state = next;
    options.changed?.(next);
  };

  const endInOrder = (started: ServiceChild): void => {
    started.stop();
    const timer = setTimeout(() => started.kill(), stopTimeoutMs);
    void started.exited.then(() => clearTimeout(timer));
  };

  /** Resolves with what it said about why it cannot start, once it has ended. */
  async function runOnce(): Promise<CannotStart | null> {
    let reason: CannotStart | null = null;
    const { signal } = pause;
    const started = await options.start().catch((error: unknown) => {
      log("error", "the service could not be started", { error: String(error) });
      return null;
    });
    if (started === null) return null;
    child = started;
    // `stop` or `restart` was called during the start.
    const isEnding = (): boolean => stopping.signal.aborted || signal.aborted;
    if (isEnding()) endInOrder(started);
    started.onLine((line) => {
      const address = listeningLine.exec(line)?.[1];
      // One that is being stopped already is not announced as running.
      if (address === undefined || isEnding()) return output(line);
      log("info", "service listening", { address });
      show({ kind: "running", address, child: started });
      resolveListening(address);
    });
    started.onMessage((message) => {
      const parsed = hostMessageSchema.safeParse(message);
      if (parsed.success && parsed.data.kind === "cannot_start") reason = parsed.data;
    });
    const code = await started.exited;
    child = null;
    if (!isEnding()) log("error", "the service ended", { code, reason });
    return reason;
  }

  async function keepRunning(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      pause = new AbortController();
      show({ kind: "starting" });
      const startedMs = monotonicMs();
      const reason = await runOnce();
      if (stopping.signal.aborted) return;
      failures = pause.signal.aborted ? 0 : monotonicMs() - startedMs > healthyAfterMs ? 1 : failures + 1;
      if (failures === 0) continue;
      const isOver = failures >= failuresMax || isPermanent(reason);
      const pauseMs = backOffMs[Math.min(failures, backOffMs.length) - 1] ?? 0;
      if (isOver) log("error", "the service is given up", { failures });
      else log("warn", "the service is started again", { pauseMs });
      show({ kind: isOver ? "given_up" : "restarting", reason });
      if (isOver) failures = 0;
      await wait(isOver ? null : pauseMs, AbortSignal.any([stopping.signal, pause.signal]));
    }
  }

  const running = keepRunning();
  return {
    listening,
    state: () => state,
    restart() {
      pause.abort();
      if (child !== null) endInOrder(child);
    },
    async stop() {
      stopping.abort();
      if (child !== null) endInOrder(child);
      await running;
    },
  };
}
