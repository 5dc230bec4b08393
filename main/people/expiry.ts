/** Ends the sessions of people who went away: looked at now and then, and before every command. */
import type { Role } from "../../preload/contract.ts";
import type { Cancel, Clock } from "../terminal/ports.ts";
import type { Now, Sessions } from "./sessions.ts";

/** How often it is looked whether a session has ended by itself. */
const expiryCheckMs = 5_000;

/** What the watch needs of its surroundings. */
export interface ExpiryOptions {
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
