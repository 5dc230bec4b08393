/** Keeps the bundled service running in a process of its own: its port and environment, starts and restarts, an orderly stop. */
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type HostMessage, hostMessageSchema } from "../../backend/contract/host-channel.ts";
import { openServiceChannel, type ServiceChannel, type ServiceChild } from "./service-channel.ts";

/** Variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What any program of this machine needs. */
const machine = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "TZ", "LANG", "SystemRoot", "USERPROFILE"] as const;

/** @param more variables that this service takes beside those of the machine. */
export const inheritedFrom = (env: Environment, more: readonly string[]): Environment =>
  Object.fromEntries([...machine, ...more].map((name) => [name, env[name]]));

const triesMax = 15;
const pauseMs = 100;

const probe = (port: number): Promise<number | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? null) : null));
    });
  });

/** `wanted`, for which `patient` waits 1.5 s as after a crash; else any free one that is not `reserved`. */
export async function choosePort(wanted: number, patient: boolean, reserved: readonly number[] = []): Promise<number> {
  const tries = reserved.includes(wanted) ? 0 : patient ? triesMax : 1;
  for (let attempt = 0; attempt < tries; attempt += 1) {
    if (attempt > 0) await delay(pauseMs);
    const port = await probe(wanted);
    if (port !== null) return port;
  }
  const other = await probe(0);
  if (other === null) throw new Error("No free port on 127.0.0.1 for the service.");
  return reserved.includes(other) ? choosePort(0, false, reserved) : other;
}

/** The last one again and again: whatever holds its port or its database may let go at any time. */
const backOffMs = [200, 500, 1_000, 2_000, 5_000, 15_000, 30_000, 60_000] as const;
/** After running this long the next failure starts from the shortest pause again. */
const healthyAfterMs = 60_000;
const stopTimeoutMs = 12_000;
const defaultProbeEveryMs = 10_000;
/** Probes in a row without an answer, after which a running service is ended: it hangs. */
const unansweredMax = 3;

/** Why it did not start, in the service's words. */
type CannotStart = Pick<Extract<HostMessage, { kind: "cannot_start" }>, "why" | "message">;

/** `given_up`: only a person can fix the cause, then `restart` starts it. `reason`: why the start before failed. */
export type Supervision =
  | { readonly kind: "starting" | "restarting" | "given_up"; readonly reason: CannotStart | null }
  | { readonly kind: "running"; readonly channel: ServiceChannel };

/** The bundled service under supervision. */
export type Supervised = ReturnType<typeof superviseService>;

/** How the service is started, and what its supervision needs from the host. */
interface SupervisorOptions {
  readonly start: () => Promise<ServiceChild>;
  readonly log: (level: "info" | "warn" | "error", message: string, detail?: Record<string, unknown>) => void;
  /** Each line of the service's output; the default is the log. */
  readonly output?: (line: string) => void;
  readonly monotonicMs: () => number;
  /** Milliseconds between two probes of a running service. Default 10,000. */
  readonly probeEveryMs?: number;
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

/** Starts the service now, and again after each end until it is stopped: after 0.2 s at first, after 60 s at most. */
export function superviseService(options: SupervisorOptions) {
  const { log, monotonicMs, probeEveryMs = defaultProbeEveryMs } = options;
  const output = options.output ?? ((line: string) => log("info", "service", { line }));
  const { promise: listening, resolve: resolveListening } = Promise.withResolvers<void>();
  const stopping = new AbortController();
  let child: ServiceChild | null = null;
  let state: Supervision = { kind: "starting", reason: null };
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

  /** Ends a service that answers nothing any more: then it is started again as after every end. */
  const probe = (started: ServiceChild, channel: ServiceChannel): void => {
    let unanswered = 0;
    const timer = setInterval(() => {
      if (unanswered === unansweredMax) {
        log("error", "the service does not answer and is ended", { unanswered });
        clearInterval(timer);
        return started.kill();
      }
      unanswered += 1;
      channel.ping().then(
        () => {
          unanswered = 0;
        },
        () => undefined,
      );
    }, probeEveryMs);
    void started.exited.then(() => clearInterval(timer));
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
    const channel = openServiceChannel(started);
    // `stop` or `restart` was called during the start.
    const isEnding = (): boolean => stopping.signal.aborted || signal.aborted;
    if (isEnding()) endInOrder(started);
    started.onLine((line) => {
      const address = listeningLine.exec(line)?.[1];
      // One that is being stopped already is not announced as running.
      if (address === undefined || isEnding()) return output(line);
      log("info", "service listening", { address });
      show({ kind: "running", channel });
      probe(started, channel);
      resolveListening();
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
    let reason: CannotStart | null = null;
    while (!stopping.signal.aborted) {
      pause = new AbortController();
      show({ kind: "starting", reason });
      const startedMs = monotonicMs();
      reason = await runOnce();
      if (stopping.signal.aborted) return;
      failures = pause.signal.aborted ? 0 : monotonicMs() - startedMs > healthyAfterMs ? 1 : failures + 1;
      if (failures === 0) continue;
      const isOver = isPermanent(reason);
      const pauseMs = backOffMs[Math.min(failures, backOffMs.length) - 1] ?? 0;
      if (isOver) log("error", "the service is given up", { reason });
      else log("warn", "the service is started again", { pauseMs });
      show({ kind: isOver ? "given_up" : "restarting", reason });
      if (isOver) failures = 0;
      await wait(isOver ? null : pauseMs, AbortSignal.any([stopping.signal, pause.signal]));
    }
  }

  const running = keepRunning();
  return {
    /** Resolves when the service listens for the first time. */
    listening,
    state: (): Supervision => state,
    /** Null while it does not run. */
    channel: (): ServiceChannel | null => (state.kind === "running" ? state.channel : null),
    /** Ends it in order where it runs, and starts it at once, also after it was given up. */
    restart(): void {
      pause.abort();
      if (child !== null) endInOrder(child);
    },
    /** Asks it to stop, waits up to 12 s, then kills it. */
    async stop(): Promise<void> {
      stopping.abort();
      if (child !== null) endInOrder(child);
      await running;
    },
  };
}
