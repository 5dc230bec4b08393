/** A network that loses, repeats, delays and reorders; what it carries is any call with an answer. */
import type { Fate, Luck } from "./luck.ts";
import type { Scheduler } from "./scheduler.ts";

export type Silence = { readonly kind: "silence"; readonly why: "refused" | "timeout" | "reset" | "garbled" };
/** `gateway`: something on the way answered 502 in its place. */
export type Exchange<T> = { readonly kind: "answer"; readonly value: T } | { readonly kind: "gateway" } | Silence;

/** Thrown by a receiver that is not running; the sender's machine then reports a refused connection. */
export class NotListening extends Error {}

export interface Network {
  /** Sends once. `deliver` runs at the receiver zero, one or two times; the sender hears at most one answer, in its time. */
  exchange<T>(subject: string, timeoutMs: number, deliver: () => Promise<T>): Promise<Exchange<T>>;
}

const latencyMs = { min: 1, max: 15 } as const;
const slowMs = { min: 500, max: 90_000 } as const;

export const createNetwork = (scheduler: Scheduler, luck: Luck): Network => {
  const travel = (fate: Fate): number =>
    fate.strikes("delayed") ? fate.between(slowMs.min, slowMs.max) : fate.between(latencyMs.min, latencyMs.max);

  return {
    exchange: <T>(subject: string, timeoutMs: number, deliver: () => Promise<T>) =>
      new Promise<Exchange<T>>((resolve) => {
        const fate = luck.of(subject);
        const cancelTimeout = scheduler.after(timeoutMs, () => resolve({ kind: "silence", why: "timeout" }));
        const finish = (exchange: Exchange<T>): void => {
          cancelTimeout();
          resolve(exchange);
        };
        const strikes = {
          answerLost: fate.strikes("answerLost"),
          garbled: fate.strikes("garbled"),
          duplicated: fate.strikes("duplicated"),
          requestLost: fate.strikes("requestLost"),
          reset: fate.strikes("reset"),
          badGateway: fate.strikes("badGateway"),
        };
        if (strikes.requestLost) return;
        const mishap: Exchange<T> | null = strikes.reset
          ? { kind: "silence", why: "reset" }
          : strikes.badGateway
            ? { kind: "gateway" }
            : null;
        if (mishap) {
          scheduler.after(travel(fate), () => finish(mishap));
          // The other half of them strikes on the way back.
          if (fate.between(0, 1) === 0) return;
        }
        const arrive = async (): Promise<void> => {
          let exchange: Exchange<T>;
          try {
            exchange = { kind: "answer", value: await deliver() };
          } catch (problem) {
            if (!(problem instanceof NotListening)) throw problem;
            exchange = { kind: "silence", why: "refused" };
          }
          if (strikes.answerLost) return;
          scheduler.after(travel(fate), () => finish(strikes.garbled ? { kind: "silence", why: "garbled" } : exchange));
        };
        const copies = strikes.duplicated ? 2 : 1;
        for (let copy = 0; copy < copies; copy++) scheduler.after(travel(fate), () => void arrive());
      }),
  };
};
