import type { Repeated } from "../background.ts";
import { defaultOptions, keyNames, type Service, type ServiceOptions } from "../context.ts";
import { createStatusEvents } from "../partner/events.ts";
import { createSettleQueue, createStartSlots } from "../partner/orders.ts";
import { createOwnership } from "../store/ownership.ts";
import { settleAnswered } from "./settle-answered.ts";
import { startSweeper } from "./sweep.ts";

/** What a service is made of; the rest has defaults. */
type ServiceParts = Pick<Service, "store" | "clock" | "random" | "transport" | "log" | "telemetry" | "keys"> & {
  readonly options?: Partial<ServiceOptions>;
};

/** A service that can be started and stopped. */
export interface RunningService extends Service {
  /** Starts the sweeper and takes up Settle orders left by others; the verbs work before, but send nothing. */
  start(): void;
  /** Begins to stop: no new Start orders and claims; Settle orders that callers still bring only if they can end by `untilMs`. */
  drain(untilMs: number): void;
  /** Ends background work after what is in flight; call it when the last request has been answered. Closes nothing. */
  stop(): Promise<void>;
}

/** Between two signs of life of a process in a fleet. */
const beatMs = 2_000;

/** The service without its HTTP side. Any number of processes may run one on the same PostgreSQL. */
export const createService = (parts: ServiceParts): RunningService => {
  const workerId = Buffer.from(parts.random.bytes(9)).toString("base64url");
  const options = { ...defaultOptions, ...parts.options };
  let sweeper: Repeated | null = null;
  const settleQueue = createSettleQueue(() => service, workerId, settleAnswered);
  const statusEvents = createStatusEvents(() => service, workerId);
  const keys = keyNames(parts.keys);
  const ownership = createOwnership(parts.store, parts.clock, workerId, Math.max(beatMs, options.pollMs), keys);
  const service: RunningService = {
    ...parts,
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
      // A Start order's answer is written before the queue stops, so that the customer still sees it.
      await service.startSlots.stop();
      await Promise.all([sweeper?.stop(), settleQueue.stop(), statusEvents.stop(), ownership.stop()]);
      sweeper = null;
    },
  };
  return service;
};
