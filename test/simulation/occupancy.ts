/** How long each till could not have taken the next customer, whatever its cashier pressed. */
import type { Screen } from "../../preload/contract.ts";
import type { Blocked } from "./evidence.ts";

export interface Occupancy {
  shows(till: number, screen: Screen): void;
  /** A till without power is not held by a withdrawal. */
  off(till: number): void;
  /** Every time that was longer than allowed, also one that goes on. */
  tooLong(): readonly Blocked[];
}

/** Screens on which no press leads on: only time or the service does. */
const isHeld = (screen: Screen): boolean => {
  switch (screen.kind) {
    case "starting":
    case "setup":
    case "looking_up":
    case "confirming":
    case "closing":
      return true;
    // While the bank pays, the cashier may go on with the next customer.
    case "waiting":
      return screen.phase === "approval";
    case "opening":
      return screen.drawer === "opening";
    default:
      return false;
  }
};

export const createOccupancy = (now: () => number, mostMs: number): Occupancy => {
  const since = new Map<number, { readonly fromMs: number; readonly screen: string }>();
  const found: Blocked[] = [];
  const blocked = (till: number, open: { readonly fromMs: number; readonly screen: string }): Blocked[] =>
    now() - open.fromMs > mostMs ? [{ till, fromMs: open.fromMs, toMs: now(), screen: open.screen }] : [];
  const end = (till: number): void => {
    const open = since.get(till);
    if (!open) return;
    found.push(...blocked(till, open));
    since.delete(till);
  };
  return {
    shows: (till, screen) => {
      if (!isHeld(screen)) end(till);
      else if (!since.has(till)) since.set(till, { fromMs: now(), screen: screen.kind });
    },
    off: end,
    tooLong: () => {
      let going: readonly Blocked[] = found;
      for (const [till, open] of since) if (now() - open.fromMs > mostMs) going = [...going, ...blocked(till, open)];
      return going;
    },
  };
};
