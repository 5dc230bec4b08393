/**
 * Two machines with one identity: what both may have of one withdrawal, what each was told by the service, and whether cash that
 * left both drawers can be excused. A till asks before cash leaves for money that waited; where it cannot, a line must name it.
 */
import { type DurableEvent, parseBody } from "../../main/terminal/withdrawal/events.ts";

/** Is told what each machine hears and asks. */
export interface Twins {
  /** These two have one identity from now on. */
  pair(one: number, other: number): void;
  /** The other one; null for a till of which there is no copy. */
  twinOf(till: number): number | null;
  /** A call about a withdrawal leaves; an answer arrives. */
  asks(till: number, transactionId: string): void;
  hears(till: number, body: unknown): void;
  writes(till: number, bodies: readonly string[]): void;
  /** Why this machine may not give this cash after the other one has; null when nobody could have told it. */
  mustHaveKnown(till: number, transactionId: string): string | null;
}

/** As long as the product takes money for just settled, and a little. */
const freshMs = 31_000;
/** As long as its cashier waits for the service's word and the drawer moves. */
const askedMs = 15_000;
const handledStatuses: readonly unknown[] = ["linked", "undelivered"];

/** No two machines are alike at first. */
export const createTwins = (now: () => number): Twins => {
  const twins = new Map<number, number>();
  const asked = new Map<string, number>();
  const settled = new Map<string, number>();
  const told = new Set<string>();
  const key = (till: number, transactionId: string): string => `${till} ${transactionId}`;
  return {
    pair(one, other) {
      twins.set(one, other).set(other, one);
    },
    twinOf: (till) => twins.get(till) ?? null,
    asks: (till, transactionId) => void asked.set(key(till, transactionId), now()),
    hears(till, body) {
      if (typeof body !== "object" || body === null || !("transaction_id" in body) || !("status" in body)) return;
      if (handledStatuses.includes(body.status)) told.add(key(till, String(body.transaction_id)));
    },
    writes(till, bodies) {
      for (const body of bodies) {
        const event = parseBody(body) as DurableEvent;
        if (event.type === "settled") settled.set(key(till, event.withdrawal.transactionId), now());
      }
    },
    mustHaveKnown(till, transactionId) {
      const of = key(till, transactionId);
      if (told.has(of)) return "though the service has told it that it is handed out";
      const sinceAskedMs = now() - (asked.get(of) ?? Number.NEGATIVE_INFINITY);
      const sinceSettledMs = now() - (settled.get(of) ?? Number.NEGATIVE_INFINITY);
      return sinceAskedMs > askedMs && sinceSettledMs > freshMs ? "and has not asked the service" : null;
    },
  };
};
