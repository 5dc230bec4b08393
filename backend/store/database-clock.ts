/**
 * One time for all processes on one PostgreSQL: the database's. A process reads it now and then and goes on from it with
 * its own monotonic clock, so that machines whose clocks differ by minutes still agree about deadlines and leases.
 */
import { sql } from "kysely";
import type { Cancel, Clock } from "../ports.ts";
import { createSteadyTime } from "../steady-time.ts";
import { statement } from "./statement.ts";
import { one, type Store } from "./store.ts";

const readEveryMs = 5_000;
/** A reading that took longer says too little: it may be off by half of that. */
const roundTripMaxMs = 500;
/** The quickest of these readings counts: the error is at most half of its round trip. */
const readingsAtStart = 5;

const databaseTime = statement("database_time", (db, _: Readonly<Record<never, never>>) =>
  db
    .selectNoFrom(sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`.as("now"))
    .$castTo<{ now: number }>(),
);

/** The database's time as one process knows it. */
export interface DatabaseClock extends Clock {
  calendar(): number;
  /** Reads the database's time no more. */
  stop(): void;
}

/**
 * @param machine for timers; its time of day is not used.
 * @param elapsedMs milliseconds since any moment, that never run back.
 * @throws ServiceError `unavailable` when the database does not answer at the start; later it goes on without.
 */
export const createDatabaseClock = async (
  store: Store,
  machine: Clock,
  elapsedMs: () => number,
): Promise<DatabaseClock> => {
  let cancel: Cancel = () => {};
  let stopped = false;

  const read = async () => {
    const sentAt = elapsedMs();
    const row = await store.read(() => one(databaseTime({})));
    const roundTripMs = elapsedMs() - sentAt;
    return { offsetMs: Number(row?.now) + roundTripMs / 2 - elapsedMs(), roundTripMs };
  };
  let current = await read();
  for (let n = 1; n < readingsAtStart; n += 1) {
    const reading = await read();
    if (reading.roundTripMs < current.roundTripMs) current = reading;
  }
  const readLater = () => {
    if (stopped) return;
    cancel = machine.after(readEveryMs, () => {
      // A database that does not answer now is asked again; the monotonic clock goes on meanwhile.
      read()
        .then(
          (reading) => {
            if (reading.roundTripMs <= Math.max(roundTripMaxMs, current.roundTripMs)) current = reading;
          },
          () => {},
        )
        .finally(readLater);
    });
  };

  readLater();

  const calendar = () => current.offsetMs + elapsedMs();
  const { now } = createSteadyTime(calendar, elapsedMs);
  return {
    now,
    calendar: () => Math.floor(calendar()),
    after: (delayMs, run) => machine.after(delayMs, run),
    soon: (run) => machine.soon(run),
    stop() {
      stopped = true;
      cancel();
    },
  };
};
