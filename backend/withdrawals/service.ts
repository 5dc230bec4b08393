import type { Repeated } from "../background.ts";
import { defaultOptions, keyNames, type Service, type ServiceOptions } from "../context.ts";
import { createStatusEvents } from "../partner/events.ts";
import { createSettleQueue, createStartSlots } from "../partner/orders.ts";
import { createOwnership } from "../store/ownership.ts";
import { mayHaveForgotten, rememberingStore } from "./lost-commits.ts";
import { settleAnswered } from "./settle-answered.ts";
import { startSweeper } from "./sweep.ts";

/** Required parts of a service, and options. */
type ServiceParts = Pick<Service, "store" | "clock" | "random" | "transport" | "log" | "telemetry" | "keys"> & {
  readonly options?: Partial<ServiceOptions>;
};

/** A service that can be started and stopped. */
export interface RunningService extends Service {
  /** Starts the sweeper and the queues; verbs work before, but nothing is sent. */
  start(): void;
  /** Begins to stop: no new Start orders and claims; new Settle orders are sent only if they can finish by `untilMs`. */
  drain(untilMs: number): void;
  /** Stops background work when nothing is in flight. Call it after the last request; it closes nothing. */
  stop(): Promise<void>;
}

/** Interval of a process's beats in a fleet. */
const beatMs = 2_000;

/** The service without its HTTP side. Any number of processes may run one on the same PostgreSQL. */
export const createService = (parts: ServiceParts): RunningService => {
  const workerId = Buffer.from(parts.random.bytes(9)).toString("base64url");
  const options = { ...defaultOptions, ...parts.options };
  const beat = Math.max(beatMs, options.pollMs);
  const store = rememberingStore(parts, workerId);
  let sweeper: Repeated | null = null;
  const settleQueue = createSettleQueue(() => service, workerId, settleAnswered, mayHaveForgotten);
  const statusEvents = createStatusEvents(() => service, workerId);
  const keys = keyNames(parts.keys);
  const ownership = createOwnership(store, parts.clock, workerId, beat, keys);
  const service: RunningService = {
    ...parts,
    store,
    beatMs: beat,
    options,
    settleQueue,
    statusEvents,
    startSlots: createStartSlots(options.startsInFlightMax),
    owns: ownership.owns,
    start() {
      if (sweeper) return;
      sweeper = startSweeper(service);
      ownership.start();
      settleQueue.start();
      statusEvents.start();
    },
    drain(untilMs) {
      settleQueue.drain(untilMs);
      void service.startSlots.stop();
    },
    async stop() {
      // Start orders' answers are written before the queue stops, so that customers still see them.
      await service.startSlots.stop();
      await Promise.all([sweeper?.stop(), settleQueue.stop(), statusEvents.stop(), ownership.stop()]);
      sweeper = null;
    },
  };
  return service;
};
