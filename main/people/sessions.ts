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

/** However busy: a page that was taken over cannot keep a manager's session open for ever. */
const managerLongestMs = 30 * 60_000;
/** How often it is looked whether a session has ended by itself. */
const expiryCheckMs = 5_000;

/** Milliseconds by the clock that shows more: a wall clock that was set back is ignored. */
const since = (then: Now, now: Now): number => Math.max(now.monotonicMs - then.monotonicMs, now.wallMs - then.wallMs);

/** Who is signed in at the terminal. */
export type Sessions = ReturnType<typeof createSessions>;

/** A restart signs everybody out. @param idleMs without a press. @param ended told whose ended by themselves. */
export const createSessions = (
  clock: Pick<Clock, "after">,
  now: () => Now,
  idleMs: () => number,
  ended: (sessions: readonly (readonly [role: Role, person: string])[]) => void,
) => {
  const open = new Map<Role, Session>();
  let touched = now();

  /** Ends what was not used for too long, and a manager's session after its longest time. */
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
    /** The code of the person who is signed in as that; null for nobody. */
    personAs: (role: Role): string | null => open.get(role)?.person ?? null,
    begin(person: string, as: Role): void {
      touched = now();
      open.set(as, { person, began: touched });
    },
    end: (as: Role): void => void open.delete(as),
    /** Ends every session of a person: removed, or with a new PIN. */
    endOf(person: string): void {
      for (const [role, session] of open) if (session.person === person) open.delete(role);
    },
    touch(): void {
      touched = now();
    },
    stop: (): void => cancel(),
  };
};
