/** Who is signed in: a cashier at the counter, and above it a manager for a while. In memory alone; a restart ends both. */
import type { Role } from "../../preload/contract.ts";
import type { Cancel, Clock } from "../terminal/ports.ts";

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

/** How often it is looked whether a session has ended by itself. */
const expiryCheckMs = 5_000;

/** What the watch needs of its surroundings. */
interface ExpiryOptions {
  readonly clock: Pick<Clock, "after">;
  readonly sessions: Sessions;
  readonly now: () => Now;
  /** Milliseconds without a press after which a session ends, as it is set now. */
  readonly idleMs: () => number;
  /** One session has ended by itself. */
  readonly ended: (role: Role, code: string) => void;
  /** At least one has. */
  readonly changed: () => void;
}

/** Starts at once. `check` looks now. */
export const watchExpiry = ({ clock, sessions, now, idleMs, ended, changed }: ExpiryOptions) => {
  let cancel: Cancel | null = null;
  const check = (): void => {
    const before = (["cashier", "manager"] as const).map((role) => [role, sessions.personAs(role)] as const);
    if (!sessions.expire(idleMs(), now())) return;
    for (const [role, code] of before) if (code !== null && sessions.personAs(role) === null) ended(role, code);
    changed();
  };
  const checkLater = (): void => {
    cancel = clock.after(expiryCheckMs, () => {
      check();
      checkLater();
    });
  };
  checkLater();
  return { check, stop: () => cancel?.() };
};
