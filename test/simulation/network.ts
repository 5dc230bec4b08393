/** A network that loses, repeats, delays and reorders; what it carries is any call with an answer. */
import type { Luck } from "./luck.ts";
import type { Scheduler } from "./scheduler.ts";

export type Silence = { readonly kind: "silence"; readonly why: "refused" | "timeout" | "reset" | "garbled" };
export type Exchange<T> = { readonly kind: "answer"; readonly value: T } | Silence;

/** Thrown by a receiver that is not running; the sender's machine then reports a refused connection. */
export class NotListening extends Error {}

export interface Network {
  /** Sends once. `deliver` runs at the receiver zero, one or two times; the sender hears at most one answer, in its time. */
  exchange<T>(subject: string, timeoutMs: number, deliver: () => Promise<T>): Promise<Exchange<T>>;
}

const latencyMs = { least: 1, most: 15 } as const;
const slowMs = { least: 500, most: 90_000 } as const;

export const createNetwork = (scheduler: Scheduler, luck: Luck): Network => {
  const travel = (subject: string): number =>
    luck.strikes("delayed", subject)
      ? luck.between(slowMs.least, slowMs.most, subject)
      : luck.between(latencyMs.least, latencyMs.most, subject);

  return {
    exchange: <T>(subject: string, timeoutMs: number, deliver: () => Promise<T>) =>
      new Promise<Exchange<T>>((resolve) => {
        const cancelTimeout = scheduler.after(timeoutMs, () => resolve({ kind: "silence", why: "timeout" }));
        const finish = (exchange: Exchange<T>): void => {
          cancelTimeout();
          resolve(exchange);
        };
        const answerLost = luck.strikes("answerLost", subject);
        const garbled = luck.strikes("garbled", subject);
        const copies = luck.strikes("duplicated", subject) ? 2 : 1;
        if (luck.strikes("requestLost", subject)) return;
        if (luck.strikes("reset", subject)) {
          scheduler.after(travel(subject), () => finish({ kind: "silence", why: "reset" }));
          if (luck.between(0, 1, subject) === 0) return;
        }
        const arrive = async (): Promise<void> => {
          let exchange: Exchange<T>;
          try {
            exchange = { kind: "answer", value: await deliver() };
          } catch (problem) {
            if (!(problem instanceof NotListening)) throw problem;
            exchange = { kind: "silence", why: "refused" };
          }
          if (answerLost) return;
          scheduler.after(travel(subject), () => finish(garbled ? { kind: "silence", why: "garbled" } : exchange));
        };
        for (let copy = 0; copy < copies; copy++) scheduler.after(travel(subject), () => void arrive());
      }),
  };
};
