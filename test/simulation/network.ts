/** A network that loses, repeats, delays and reorders; what it carries is any call with an answer. */
import type { FaultInjector, FaultStream } from "./fault-injector.ts";
import type { Scheduler } from "./scheduler.ts";

/** No answer that can be read; the sender cannot know whether the call arrived. */
export type Silence = { readonly kind: "silence"; readonly why: "refused" | "timeout" | "reset" | "garbled" };
/** `gateway`: something on the way answered 502 in its place. */
export type Exchange<T> = { readonly kind: "answer"; readonly value: T } | { readonly kind: "gateway" } | Silence;

/** Thrown by a receiver that is not running; the sender's machine then reports a refused connection. */
export class NotListening extends Error {}

/** The way between two machines. */
export interface Network {
  /** Sends once. `deliver` runs at the receiver zero, one or two times; the sender hears at most one answer, in its time. */
  exchange<T>(scope: string, timeoutMs: number, deliver: () => Promise<T>): Promise<Exchange<T>>;
}

const latencyMs = { min: 1, max: 15 } as const;
const slowMs = { min: 500, max: 90_000 } as const;

/** Latency and faults are drawn by the injector. */
export const createNetwork = (scheduler: Scheduler, injector: FaultInjector): Network => {
  const travel = (faults: FaultStream): number =>
    faults.occurs("delayed") ? faults.between(slowMs.min, slowMs.max) : faults.between(latencyMs.min, latencyMs.max);

  return {
    exchange: <T>(scope: string, timeoutMs: number, deliver: () => Promise<T>) =>
      new Promise<Exchange<T>>((resolve) => {
        const faults = injector.of(scope);
        const cancelTimeout = scheduler.after(timeoutMs, () => resolve({ kind: "silence", why: "timeout" }));
        const finish = (exchange: Exchange<T>): void => {
          cancelTimeout();
          resolve(exchange);
        };
        const drawn = {
          answerLost: faults.occurs("answerLost"),
          garbled: faults.occurs("garbled"),
          duplicated: faults.occurs("duplicated"),
          requestLost: faults.occurs("requestLost"),
          reset: faults.occurs("reset"),
          badGateway: faults.occurs("badGateway"),
        };
        if (drawn.requestLost) return;
        const mishap: Exchange<T> | null = drawn.reset
          ? { kind: "silence", why: "reset" }
          : drawn.badGateway
            ? { kind: "gateway" }
            : null;
        if (mishap) {
          scheduler.after(travel(faults), () => finish(mishap));
          // The other half of them drawn on the way back.
          if (faults.between(0, 1) === 0) return;
        }
        const arrive = async (): Promise<void> => {
          let exchange: Exchange<T>;
          try {
            exchange = { kind: "answer", value: await deliver() };
          } catch (problem) {
            if (!(problem instanceof NotListening)) throw problem;
            exchange = { kind: "silence", why: "refused" };
          }
          if (drawn.answerLost) return;
          scheduler.after(travel(faults), () => finish(drawn.garbled ? { kind: "silence", why: "garbled" } : exchange));
        };
        const copies = drawn.duplicated ? 2 : 1;
        for (let copy = 0; copy < copies; copy++) scheduler.after(travel(faults), () => void arrive());
      }),
  };
};
