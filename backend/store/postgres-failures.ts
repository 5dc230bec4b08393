/** What a failure of PostgreSQL means for the unit that met it: run it again, report that a row is taken, or give up. */
import type { Clock } from "../ports.ts";
import { ServiceError, type ServiceErrorExtra } from "../service-error.ts";
import { UniqueViolation } from "./store.ts";

/** A deadlock or a serialization failure: the unit is run again, at most so often. */
const attemptsMax = 8;
/** Pause before the n-th repeat: 5 ms, doubled each time, 200 ms at most, and half of it by chance. */
const conflictPauseMs = { first: 5, max: 200 } as const;

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : "";

/** Serialization failure, deadlock; distributed engines use the first for every conflict. */
const conflictCodes = ["40001", "40P01"];
/** The server has taken everything back, also where it says so only at COMMIT. */
export const isConflict = (error: unknown): boolean => conflictCodes.includes(codeOf(error));
/** Connection, resources, operator intervention, read-only and cut-off classes; Node's own codes for sockets start with E. */
const unavailableCodes = /^(08|53|57|58|25006|25P0[34]|40003|55P03|E[A-Z]+$)/;

/** The server was shut down, demoted or replaced before it received COMMIT: nothing of the unit is there. */
const movedCodes = ["25006", "57P01", "57P02", "ECONNRESET", "EPIPE"];

/** COMMIT was sent and its answer is missing, or the standby has not confirmed it: the outcome is unknown. */
export class CommitUncertain extends Error {
  override readonly name = "CommitUncertain";
}

const away = "The database cannot be used now.";

/** None was to be had, whoever asked for one: nothing was asked of the database. */
export class NoConnection extends ServiceError {
  constructor(detail = away, extra: ServiceErrorExtra = {}) {
    super("unavailable", detail, extra);
  }
}

const isMoved = (error: unknown): boolean => {
  if (error instanceof CommitUncertain) return false;
  const code = codeOf(error);
  return code === ""
    ? error instanceof Error && /Connection terminated|Client has encountered/.test(error.message)
    : movedCodes.includes(code);
};

/** A table was changed and this connection had prepared a statement on it: another connection prepares it again. */
const isStalePlan = (error: unknown): boolean =>
  codeOf(error) === "0A000" && error instanceof Error && /cached plan/.test(error.message);

/** Whether the connection that met it is of no more use. */
export const isConnectionFailure = (error: unknown): boolean => {
  if (error instanceof CommitUncertain || isStalePlan(error)) return true;
  const code = codeOf(error);
  if (code !== "") return unavailableCodes.test(code);
  return error instanceof Error && /connection|timeout|Client has encountered|Client was closed/i.test(error.message);
};

/** Whether it would meet everybody else too: a database that is overloaded or silent is not asked a second time at once. */
export const meetsAll = (error: unknown): boolean =>
  error instanceof NoConnection || (isConnectionFailure(error) && !isStalePlan(error) && !isMoved(error));

/** As the callers of the store know a database that is away. */
export const asUnavailable = (cause: unknown): ServiceError => new ServiceError("unavailable", away, { cause });

/** As the callers of the store know it. */
export const translated = (error: unknown): unknown => {
  if (error instanceof ServiceError) return error;
  if (codeOf(error) === "23505") return new UniqueViolation(error);
  return isConnectionFailure(error) ? asUnavailable(error) : error;
};

/** Milliseconds before the repeat after `attempts` repeats. @param fraction of the jitter, in [0, 1). */
export const conflictPause = (attempts: number, fraction: number): number =>
  Math.min(conflictPauseMs.max, conflictPauseMs.first * 2 ** Math.min(attempts, 20)) * (0.5 + fraction / 2);

/** Runs units again that a conflict or a failover ended. */
export interface Repeater {
  /**
   * Runs it again after a conflict, with pauses that keep those who met from meeting again; at once on another connection
   * when this one held a stale plan or led to a server that is gone or reads only.
   * @throws ServiceError `unavailable` after eight conflicts, or when the database cannot be reached; UniqueViolation.
   */
  repeated<T>(attemptOnce: () => Promise<T>): Promise<T>;
}

/** @param connections of the pool: each may be stale in its own right. */
export const createRepeater = (clock: Clock, fraction: () => number, connections: number): Repeater => ({
  async repeated(attemptOnce) {
    let [conflicts, staleConnections] = [0, 0];
    for (;;) {
      try {
        return await attemptOnce();
      } catch (error) {
        if ((isStalePlan(error) || isMoved(error)) && staleConnections < connections) {
          staleConnections += 1;
          continue;
        }
        if (!isConflict(error)) throw translated(error);
        conflicts += 1;
        if (conflicts >= attemptsMax) throw asUnavailable(error);
        const pauseMs = conflictPause(conflicts - 1, fraction());
        await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
      }
    }
  },
});
