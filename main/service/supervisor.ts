/** Keeps the bundled service running as a child process: port, environment, starts, restarts and an orderly stop. */
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type HostMessage, hostMessageSchema } from "../../backend/contract/host-channel.ts";
import { openServiceChannel, type ServiceChannel, type ServiceChild } from "./service-channel.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that every program needs. */
const machine = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "TZ", "LANG", "SystemRoot", "USERPROFILE"] as const;

/** @param more variables to pass on besides those that every program needs. */
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

/** `wanted` if it is free, else any free port that is not `reserved`. @param patient waits up to 1.5 s for `wanted`, as after a crash. */
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

/** The last one repeats: whatever holds its port or database may release it at any time. */
const backOffMs = [200, 500, 1_000, 2_000, 5_000, 15_000, 30_000, 60_000] as const;
/** After this much running time the next failure starts with the shortest pause again. */
const healthyAfterMs = 60_000;
const stopTimeoutMs = 12_000;
const defaultProbeEveryMs = 10_000;
/** Unanswered probes in a row after which a service counts as hung and is killed. */
const unansweredMax = 3;

/** Why the service did not start, in its own words. */
type CannotStart = Pick<Extract<HostMessage, { kind: "cannot_start" }>, "why" | "message">;

/** `given_up`: only a person can fix the cause; `restart` starts it again. `reason`: why the previous start failed. */
export type Supervision =
  | { readonly kind: "starting" | "restarting" | "given_up"; readonly reason: CannotStart | null }
  | { readonly kind: "running"; readonly channel: ServiceChannel };

/** See `superviseService`. */
export type Supervised = ReturnType<typeof superviseService>;

interface SupervisorOptions {
  readonly start: () => Promise<ServiceChild>;
  readonly log: (level: "info" | "warn" | "error", message: string, detail?: Record<string, unknown>) => void;
  /** Receives each line of the service's output. Default: the log. */
  readonly output?: (line: string) => void;
  readonly monotonicMs: () => number;
  /** Milliseconds between two probes of a running service. Default 10,000. */
  readonly probeEveryMs?: number;
  readonly changed?: (state: Supervision) => void;
}

const listeningLine = /^service listening on (https?:\/\/\S+)$/;

const isPermanent = (reason: CannotStart | null): boolean =>
  reason?.why === "newer_database" || reason?.why === "other_environment";

/** Resolves after `ms`, or earlier on abort. @param ms null: on abort only. */
const wait = (ms: number | null, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = ms === null ? undefined : setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Starts the service, and restarts it after each exit until stopped: after 0.2 s at first, 60 s at most. */
export function superviseService(options: SupervisorOptions) {
  const { log, monotonicMs, probeEveryMs = defaultProbeEveryMs } = options;
  const output = options.output ?? ((line: string) => log("info", "service", { line }));
  const { promise: listening, resolve: resolveListening } = Promise.withResolvers<void>();
  const stopping = new AbortController();
  let child: ServiceChild | null = null;
  let state: Supervision = { kind: "starting", reason: null };
  /** Aborted by `restart`, to end any wait. */
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

  /** Kills a service that has stopped answering; it is then restarted like after any exit. */
  const probe = (started: ServiceChild, channel: ServiceChannel): void => {
    let unanswered = 0;
    const timer = setInterval(() => {
      if (unanswered === unansweredMax) {
        log("error", "the service does not answer and is ended", { unanswered });
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

  /** Resolves after the service has exited, with its reason if it could not start. */
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
      // A service that is being stopped is not reported as running.
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
    listening,
    state: (): Supervision => state,
    /** Null while the service is not running. */
    channel: (): ServiceChannel | null => (state.kind === "running" ? state.channel : null),
    /** Stops the service in order if it runs, and starts it at once, also after it was given up. */
    restart(): void {
      pause.abort();
      if (child !== null) endInOrder(child);
    },
    /** Asks the service to stop, and kills it after 12 s. */
    async stop(): Promise<void> {
      stopping.abort();
      if (child !== null) endInOrder(child);
      await running;
    },
  };
}
