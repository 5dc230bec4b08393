/** Who is signed in: a cashier, and above them a manager for a while. In memory only; a restart ends both. */
import type { Role } from "../../preload/contract.ts";
import type { Cancel, Clock } from "../terminal/ports.ts";
import type { Moment } from "../terminal/withdrawal/state.ts";

interface Session {
  readonly person: string;
  readonly began: Moment;
}

/** Even if in use: a hijacked page cannot keep a manager's session open for ever. */
const managerLongestMs = 30 * 60_000;
const expiryCheckMs = 5_000;

/** Elapsed by the clock that shows more: the monotonic one may stop in sleep, the wall clock can be set back. */
const since = (then: Moment, now: Moment): number =>
  Math.max(now.monotonicMs - then.monotonicMs, now.wallMs - then.wallMs);

/** See `createSessions`. */
export type Sessions = ReturnType<typeof createSessions>;

/** @param idleMs without any input. @param ended receives the sessions that expired. */
export const createSessions = (
  clock: Pick<Clock, "after">,
  now: () => Moment,
  idleMs: () => number,
  ended: (sessions: readonly (readonly [role: Role, person: string])[]) => void,
) => {
  const open = new Map<Role, Session>();
  let touched = now();
  let locks = 0;

  const expire = (): void => {
    const isOver = (role: Role, { began }: Session): boolean =>
      since(touched, now()) >= idleMs() || (role === "manager" && since(began, now()) >= managerLongestMs);
    const over = [...open]
      .filter(([role, session]) => isOver(role, session))
      .sort(([one], [other]) => one.localeCompare(other));
    for (const [role] of over) open.delete(role);
    if (over.length > 0) ended(over.map(([role, { person }]) => [role, person]));
  };
  const expireLater = (): Cancel =>
    clock.after(expiryCheckMs, () => {
      expire();
      cancel = expireLater();
    });
  let cancel = expireLater();

  return {
    expire,
    personAs: (role: Role): string | null => open.get(role)?.person ?? null,
    /** How often `lock` was called. To be read before a PIN is checked. */
    get locks(): number {
      return locks;
    },
    /** False, and nothing begins, if it was locked since: whoever typed the PIN may be gone. @param locksBefore `locks` of then. */
    begin(person: string, as: Role, locksBefore: number): boolean {
      if (locks !== locksBefore) return false;
      open.set(as, { person, began: now() });
      return true;
    },
    end: (as: Role): void => void open.delete(as),
    /** Ends every session of a person who was removed or has a new PIN. */
    endOf(person: string): void {
      for (const [role, session] of open) if (session.person === person) open.delete(role);
    },
    /** Ends all, also those whose PIN is still being checked. */
    lock(): void {
      locks += 1;
      open.clear();
    },
    touch(): void {
      touched = now();
    },
    stop: (): void => cancel(),
  };
};
