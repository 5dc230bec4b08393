/** How long each till could not have taken the next customer, whatever its cashier pressed. */
import { assertNever } from "../../backend/contract/assert-never.ts";
import { appendRetryMs } from "../../main/terminal/bounds.ts";
import type { Screen } from "../../preload/contract.ts";
import type { Blocked } from "./evidence.ts";

/** Follows the screens of all tills. */
export interface Occupancy {
  shows(till: number, screen: Screen): void;
  /** A till without power is not held by a withdrawal. */
  off(till: number): void;
  /** What cannot be written is tried again a second later: no till can promise more than its disk does. */
  diskFailed(till: number): void;
  /** What the till waits for was away for so long, by no fault of its own: it is given as much, from when it was held on. */
  excuse(till: number, awayMs: number): void;
  /** The longest time, also one that goes on. */
  longestMs(): number;
  /** Every time that was longer than allowed, also one that goes on. */
  tooLong(): readonly Blocked[];
}

/** Screens on which no press leads on: only time or the service does. */
const isHeld = (screen: Screen): boolean => {
  switch (screen.kind) {
    case "starting":
    case "blocked":
    case "setup":
    case "looking_up":
    case "confirming":
    case "closing":
      return true;
    // While the bank pays, the cashier may go on with the next customer.
    case "waiting":
      return screen.phase === "approval";
    case "opening":
      return screen.drawer === "opening" || screen.drawer === "checking";
    case "ready":
    case "review":
    case "payable":
    case "counting":
    case "done":
    case "ended":
    case "unknown":
      return false;
    default:
      return assertNever(screen);
  }
};

/** A till counts its time-outs by its own quartz. */
const quartz = 1.0001;

interface Held {
  readonly fromMs: number;
  readonly screen: string;
  graceMs: number;
}

/** Whoever is held longer than `maxMs` is found. */
export const createOccupancy = (now: () => number, maxMs: number): Occupancy => {
  const since = new Map<number, Held>();
  const found: Blocked[] = [];
  const isTooLong = (held: Held): boolean => now() - held.fromMs > maxMs * quartz + held.graceMs;
  const blocked = (till: number, { fromMs, screen }: Held): Blocked => ({ till, fromMs, toMs: now(), screen });
  let longest = 0;
  const end = (till: number): void => {
    const held = since.get(till);
    if (!held) return;
    longest = Math.max(longest, now() - held.fromMs);
    if (isTooLong(held)) found.push(blocked(till, held));
    since.delete(till);
  };
  return {
    shows: (till, screen) => {
      if (!isHeld(screen)) end(till);
      else if (!since.has(till)) since.set(till, { fromMs: now(), screen: screen.kind, graceMs: 0 });
    },
    off: end,
    diskFailed: (till) => {
      const held = since.get(till);
      if (held) held.graceMs += appendRetryMs * quartz;
    },
    excuse: (till, awayMs) => {
      const held = since.get(till);
      if (held) held.graceMs += Math.min(awayMs, now() - held.fromMs);
    },
    longestMs: () => [...since.values()].reduce((most, held) => Math.max(most, now() - held.fromMs), longest),
    tooLong: () => {
      let all: readonly Blocked[] = found;
      for (const [till, held] of since) if (isTooLong(held)) all = [...all, blocked(till, held)];
      return all;
    },
  };
};
