/**
 * One clock for all processes on one PostgreSQL: the database's. It may jump, at a failover or by hand; these rules limit
 * the damage (tested with a server whose clock is set):
 *
 * - Each process reads the database's time every two seconds, follows it in both directions, and continues from it with its
 *   own monotonic clock. So machines with wrong clocks agree about deadlines, leases and heartbeats.
 * - Each write first checks, in the same round trip, that the process's time matches the database's. If not, nothing is
 *   committed, the process reads the time again, and the unit is repeated.
 * - The latest known time is stored in the database. A database clock behind it has stepped back or stopped, so the age of
 *   confirmations is unknown. The first process that notices ends everything that waits for a customer's approval and
 *   everything written with a future time; before that, no process can commit. So a clock error can accept an approval at
 *   most about three seconds late; a step forward only ends things early.
 * - A step back while no process runs, if shorter than that time, goes unnoticed. Tokens are then cut to their usual
 *   lifetime, heartbeats from the future are ignored, and due times and leases are bounded (`partner/queue.ts`).
 */
import { CompiledQuery, type SqlBool, sql } from "kysely";
import type { Cancel, Clock, Log } from "../ports.ts";
import { addSetting } from "./settings.ts";
import { adhoc, type Store, statement, type Tx } from "./store.ts";

const readEveryMs = 2_000;
/** Slower readings are ignored: they may be off by half of that. */
const roundTripMaxMs = 500;
/** Number of readings, of which the fastest is used: its error is at most half of its round trip. */
const readingsMax = 5;
/** How far a process, or the stored time, may be ahead of the database. */
const aheadMaxMs = 1_000;
/** How far a process may be behind: its statements take time to arrive. */
const behindMaxMs = 5_000;
/** Attempts of a write, each after a step of the clock. */
const attemptsMax = 5;

/** A clock slower than the machine's by more than this stands still some of the time. */
const slowerMax = 0.01;

/** The row of `settings` with the latest time and the number of steps back: `1794000000000 2`. */
const name = "clock";
const databaseNow = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;
const latest = sql<number>`cast(split_part(value, ' ', 1) as bigint)`;
const stepsBack = sql<number>`cast(split_part(value, ' ', 2) as bigint)`;

const databaseTime = statement("database_time", (db) =>
  db.selectNoFrom(databaseNow.as("now")).$castTo<{ now: number }>(),
);

/** Reads the time, and stores the latest. @param known a time that has passed, as this process saw after `steps` steps back. */
const keepTime = statement("clock_keep", (db, p: { known: number; steps: number }) => {
  const known = sql<number>`case when ${stepsBack} = ${p.steps} then cast(${p.known} as bigint) else 0 end`;
  return db
    .updateTable("settings")
    .set({ value: sql<string>`concat(greatest(${latest}, ${databaseNow}, ${known}), ' ', ${stepsBack})` })
    .where("name", "=", name)
    .returning([databaseNow.as("now"), latest.as("latest"), stepsBack.as("steps")]);
});

/** Fails with a division by zero where this process's time is not the database's, or the clock has stepped back. */
const checkTime = statement("clock_check", (db, p: { now: number }) =>
  db
    .selectFrom("settings")
    .select(sql<number>`1 / count(*)`.as("right"))
    .where("name", "=", name)
    .where(
      sql<SqlBool>`cast(${p.now} as bigint) between ${databaseNow} - cast(${behindMaxMs} as bigint) and ${databaseNow} + cast(${aheadMaxMs} as bigint)`,
    )
    .where(sql<SqlBool>`${latest} <= ${databaseNow} + cast(${aheadMaxMs} as bigint)`),
);
const divisionByZero = "22012";
const isWrongTime = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === divisionByZero;

const lockTime = statement("clock_lock", (db) =>
  db
    .selectFrom("settings")
    .select([databaseNow.as("now"), latest.as("latest")])
    .where("name", "=", name)
    .forUpdate(),
);

const lockWithdrawals = adhoc(() => ({
  compile: () => CompiledQuery.raw("LOCK TABLE withdrawals IN SHARE ROW EXCLUSIVE MODE"),
}));

const setTime = statement("clock_set", (db, p: { now: number }) =>
  db
    .updateTable("settings")
    .set({ value: sql<string>`concat(cast(${p.now} as bigint), ' ', ${stepsBack} + 1)` })
    .where("name", "=", name),
);

/**
 * Ends some of the rows whose age is unknown after a step back; true when done. Writes begun before the step are
 * committed by then.
 * @param now the time after the step.
 */
export type EndUncertain = (tx: Tx, now: number) => Promise<boolean>;

/** The database's time as one process knows it. */
export type DatabaseClock = Awaited<ReturnType<typeof createDatabaseClock>>;

interface Reading {
  readonly offsetMs: number;
  readonly roundTripMs: number;
}

/**
 * @param machine for timers only.
 * @param elapsedMs monotonic milliseconds.
 * @throws ServiceError `unavailable` when the database does not answer at the start; later failures are tolerated.
 */
export const createDatabaseClock = async (
  store: Store,
  machine: Clock,
  elapsedMs: () => number,
  endUncertain: EndUncertain,
  log?: Log,
) => {
  let cancel: Cancel = () => {};
  let stopped = false;

  const reading = (now: unknown, sentAt: number): Reading => {
    const roundTripMs = elapsedMs() - sentAt;
    return { offsetMs: Number(now) + roundTripMs / 2 - elapsedMs(), roundTripMs };
  };
  const readQuickest = async (): Promise<Reading> => {
    let quickest: Reading | null = null;
    for (let n = 0; n < readingsMax; n += 1) {
      const sentAt = elapsedMs();
      const read = reading((await store.read((tx) => tx.first(databaseTime({}))))?.now, sentAt);
      if (quickest === null || read.roundTripMs < quickest.roundTripMs) quickest = read;
    }
    return quickest as Reading;
  };

  /** A time that the database has certainly passed, with the number of steps back then. */
  let witnessed = { offsetMs: Number.NEGATIVE_INFINITY, at: 0, steps: 0 };
  /** The certain offset by now. It decreases, since two machines' clocks drift apart. */
  const certainOffsetMs = () => witnessed.offsetMs - slowerMax * (elapsedMs() - witnessed.at);
  const witness = (now: number, steps: number): void => {
    const [at, isNew] = [elapsedMs(), steps !== witnessed.steps];
    if (isNew || now - at >= certainOffsetMs()) witnessed = { offsetMs: now - at, at, steps };
  };

  /** Reads and stores the time, and after a step back ends what has become uncertain. */
  const keep = async (): Promise<Reading> => {
    const read = await store.write(async (tx) => {
      const sentAt = elapsedMs();
      const known = Math.max(0, Math.floor(certainOffsetMs() + sentAt));
      const row = await tx.first(keepTime({ known, steps: witnessed.steps }));
      const [now, steps] = [Number(row?.now), Number(row?.steps)];
      witness(now, steps);
      return { ...reading(now, sentAt), aheadMs: Number(row?.latest) - now };
    });
    if (read.aheadMs > aheadMaxMs) {
      while (!(await store.write(endSome))) {}
      log?.warn({ back_ms: read.aheadMs }, "the database's clock went back: what waited for an approval was ended");
    }
    return read;
  };

  async function endSome(tx: Tx): Promise<boolean> {
    const row = await tx.first(lockTime({}));
    // Another process was faster.
    if (row === undefined || row.latest <= row.now + aheadMaxMs) return true;
    // Waits for writes begun before the step, which may have confirmed by the old time.
    await tx.run(lockWithdrawals);
    if (!(await endUncertain(tx, row.now))) return false;
    await tx.run(setTime({ now: row.now }));
    return true;
  }

  await store.write((tx) => tx.run(addSetting({ name, value: "0 0" })));
  let current = await readQuickest();
  await keep();

  const follow = (read: Reading) => {
    const isQuick = read.roundTripMs <= Math.max(roundTripMaxMs, current.roundTripMs);
    const hasJumped = Math.abs(read.offsetMs - current.offsetMs) > read.roundTripMs + current.roundTripMs;
    if (isQuick || hasJumped) current = read;
  };
  const readLater = () => {
    if (stopped) return;
    cancel = machine.after(readEveryMs, () => {
      // If the database does not answer, it is asked again later; the monotonic clock goes on.
      keep()
        .then(follow, () => {})
        .finally(readLater);
    });
  };
  readLater();

  let correcting: Promise<void> | null = null;
  /** Shared by all refused writes. */
  const correct = (): Promise<void> => {
    correcting ??= (async () => {
      await keep();
      current = await readQuickest();
    })().finally(() => {
      correcting = null;
    });
    return correcting;
  };

  const calendar = () => Math.floor(current.offsetMs + elapsedMs());
  let latestMs = calendar();
  const now = () => {
    const at = calendar();
    // A difference of milliseconds is waited out, so that time goes back only where the database's has.
    latestMs = at < latestMs && latestMs - at < aheadMaxMs ? latestMs : at;
    return latestMs;
  };

  const write: Store["write"] = async (unit, about) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await store.write(async (tx) => {
          tx.runUnawaited({ ...checkTime({ now: now() }), isShared: true });
          return await unit(tx);
        }, about);
      } catch (error) {
        if (!isWrongTime(error) || attempt >= attemptsMax) throw error;
        await correct();
      }
    }
  };

  return {
    now,
    calendar,
    after: (delayMs: number, run: () => void): Cancel => machine.after(delayMs, run),
    soon: (run: () => void): void => machine.soon(run),
    /** Its writes commit only if this process's time is the database's. */
    checkedStore: { ...store, write },
    stop(): void {
      stopped = true;
      cancel();
    },
  };
};
