/** Who is signed in: a cashier at the counter, and above it a manager for a while. In memory alone; a restart ends both. */
import type { Role } from "../../preload/contract.ts";

/** Both clocks in milliseconds: the monotonic one may stop while the machine sleeps, the wall clock can be set back. */
export interface Now {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

interface Session {
  readonly person: string;
  readonly began: Now;
}

/** Who is signed in at the terminal. */
export interface Sessions {
  /** The code of the person who is signed in as that; null for nobody. */
  personAs(role: Role): string | null;
  begin(person: string, as: Role, now: Now): void;
  end(as: Role): void;
  /** Ends every session of a person: removed, or with a new PIN. */
  endOf(person: string): void;
  touch(now: Now): void;
  /** Ends what was not used for `idleMs`, and a manager's session after its longest time. True when something ended. */
  expire(idleMs: number, now: Now): boolean;
}

/** However busy: a page that was taken over cannot keep a manager's session open for ever. */
const managerLongestMs = 30 * 60_000;

/** Milliseconds by the clock that shows more: a wall clock that was set back is ignored. */
const since = (then: Now, now: Now): number => Math.max(now.monotonicMs - then.monotonicMs, now.wallMs - then.wallMs);

/** No session is open at first: a restart signs everybody out. */
export const createSessions = (): Sessions => {
  const open = new Map<Role, Session>();
  let touched: Now | null = null;
  return {
    personAs: (role) => open.get(role)?.person ?? null,
    begin(person, as, now) {
      open.set(as, { person, began: now });
      touched = now;
    },
    end: (as) => void open.delete(as),
    endOf(person) {
      for (const [role, session] of open) if (session.person === person) open.delete(role);
    },
    touch(now) {
      touched = now;
    },
    expire(idleMs, now) {
      const before = open.size;
      if (touched !== null && since(touched, now) >= idleMs) open.clear();
      const manager = open.get("manager");
      if (manager !== undefined && since(manager.began, now) >= managerLongestMs) open.delete("manager");
      return open.size < before;
    },
  };
};
