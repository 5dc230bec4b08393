/**
 * Deletes or archives data that is older than the operator's settings allow, in small batches; tables with partitions
 * by time (`store/partitions.ts`) lose these as a whole.
 */
import { sql } from "kysely";
import { purgeTokens } from "../access/credentials.ts";
import { pause, type Repeated, repeat } from "../background.ts";
import { purgeCheckins } from "../checkin/check-in.ts";
import type { ChainKeys, Service } from "../context.ts";
import { dayMs } from "../contract/times.ts";
import { type Retained, type RetentionPeriods, retained } from "../retention.ts";
import { refuseBeforeSql } from "../store/migrate.ts";
import { workerBefore } from "../store/ownership.ts";
import {
  type DividedTable,
  dividedNames,
  dropEmptied,
  dropOldBound,
  dropTime,
  makeAhead,
  type Run,
  runIn,
  timesOf,
  undatedOf,
} from "../store/partitions.ts";
import { addSetting, removeSetting, setSetting, settingByName } from "../store/settings.ts";
import { adhoc, type Tx } from "../store/store.ts";
import { archiveEnded, forgetNames, moveLeft, nameTables, type Place } from "../withdrawals/closed.ts";
import { purgeReports } from "../withdrawals/restored-reports.ts";
import { endMonth, noteForgotten, noteReportsForgotten } from "./proof.ts";

const name = "purge_clock";
/** Longer than a weekend. A longer gap counts as a jump of the clock. */
const gapMaxMs = 4 * dayMs;
/** How long a clock must run without a jump to be trusted. */
const trustedAfterMs = 7 * dayMs;
/** Tolerated step back: processes of a fleet take turns, and differ by far less. */
const backMaxMs = 60 * 60_000;

/** Parses the stored state: `since` and `seen`, epoch milliseconds. */
const read = (value: string | undefined): { readonly since: number; readonly seen: number } | null => {
  const [since = Number.NaN, seen = Number.NaN] = (value ?? "").split(" ").map(Number);
  return Number.isFinite(since) && Number.isFinite(seen) ? { since, seen } : null;
};

/** Call it every hour. True once the clock has run for a week with gaps of at most four days. */
export async function isClockTrusted(tx: Tx, now: number): Promise<boolean> {
  const known = read((await tx.first(settingByName({ name })))?.value);
  const hasJumped = known === null || now - known.seen > gapMaxMs || now < known.seen - backMaxMs;
  const since = hasJumped ? now : known.since;
  await tx.run(setSetting({ name, value: `${since} ${now}` }));
  return now - since >= trustedAfterMs;
}

/** From this migration on programs look for ended withdrawals in both tables, and for keys in their own. */
const apartSince = 33;
/** How long the previous release can still be reinstalled. */
const wayBackMs = dayMs;
const aloneSetting = "release_alone_since";

/**
 * Ended withdrawals move to a table of their own once no older release, which looks only among the open ones, has used
 * the database for a day; from then on such releases are refused.
 * @returns whether they move.
 */
async function keepApart(tx: Tx, now: number): Promise<boolean> {
  if (await tx.first(settingByName({ name: "ended_apart" }))) return true;
  if (await tx.first(workerBefore({ release: apartSince }))) {
    await tx.first(removeSetting({ name: aloneSetting }));
    return false;
  }
  await tx.run(addSetting({ name: aloneSetting, value: String(now) }));
  const since = Number((await tx.first(settingByName({ name: aloneSetting })))?.value);
  // Written by a clock that was ahead.
  if (since > now) await tx.run(setSetting({ name: aloneSetting, value: String(now) }));
  if (now - since < wayBackMs) return false;
  await tx.run(adhoc((db) => ({ compile: () => sql.raw(refuseBeforeSql(apartSince)).compile(db) })));
  await tx.run(setSetting({ name: "ended_apart", value: "1" }));
  return true;
}

/** Small, as commits wait for a batch: with fifteen rows the p99 of a confirm on SQLite took up to 2.4 times as long, with five 1.5 (`npm run bench -- years`). */
const rowsPerBatch = 5;
const batchPauseMs = 15;
const everyMs = 60 * 60_000;
/** Delay of the first run: a start has more urgent work. */
const firstAfterMs = 60_000;

/** Rows that a batch has removed, and milliseconds until the next batch; null: nothing is left. */
interface Ended {
  readonly rows: number;
  readonly nextMs: number | null;
}
/** The result of a batch of single rows, which takes turns with other commits. */
const oneByOne = (rows: number): Ended => ({ rows, nextMs: rows < rowsPerBatch ? null : batchPauseMs });
/** The result of dropping a partition. @param rows null: another process was first. */
const dropped = (rows: number | null): Ended => ({ rows: rows ?? 0, nextMs: 0 });

/** @param before epoch milliseconds. */
type Batch = (tx: Tx, before: number, now: number, keys: ChainKeys) => Promise<Ended>;

const limit = rowsPerBatch;
const batches: Readonly<Record<Retained, Batch>> = {
  checkins: async (tx, before) => oneByOne(await tx.run(purgeCheckins({ before, limit }))),
  sign_ins: async (tx, before) => oneByOne(await tx.run(purgeTokens({ before, limit }))),
  async idempotency_keys(tx, before, now, keys) {
    let most = 0;
    await noteForgotten(tx, keys, before, now);
    for (const table of nameTables) {
      const [oldest] = await timesOf(tx, [table]);
      if (oldest !== undefined && oldest.to <= before) {
        const rows = await dropTime(tx, [table], oldest);
        return dropped(table === "idempotency_keys" ? rows : 0);
      }
      for (const part of await undatedOf(tx, table))
        most = Math.max(most, await tx.run(forgetNames(table, part, { before, limit })));
    }
    return oneByOne(most);
  },
  withdrawals: async (tx, before, now) => oneByOne(await archiveEnded(tx, before, now, limit)),
  async archive(tx, before, now, keys) {
    await noteReportsForgotten(tx, keys, before, now);
    const lines = await tx.run(purgeReports({ before, limit }));
    const month = await endMonth(tx, keys, before, now, limit);
    return "dropped" in month ? dropped(month.dropped) : oneByOne(Math.max(lines, month.deleted));
  },
};

type Purging = Pick<Service, "store" | "clock" | "telemetry" | "keys">;

/** A table that must be locked for a moment may be in use. */
const attempts = { max: 5, pauseMs: 1_000 } as const;

/**
 * Removes everything older than its retention period, in batches with pauses. Idempotent.
 * @param isStopping asked between batches. @param from the time from which ages count, as the clock may have been
 * changed during a long purge.
 * @throws ServiceError `unavailable` where a table was in use throughout, by a dump for example; the others are done.
 */
export const purge = async (
  service: Purging,
  periods: RetentionPeriods,
  isStopping = () => false,
  from = service.clock.now(),
): Promise<void> => {
  const { store, clock, telemetry } = service;
  let failure: unknown = null;
  for (const what of retained) {
    const period = periods[what];
    if (period === null) continue;
    for (let failed = 0; failed < attempts.max; ) {
      if (isStopping()) return;
      try {
        const { rows, nextMs } = await store.write((tx) => batches[what](tx, from - period, clock.now(), service.keys));
        telemetry.purged(what, rows);
        if (nextMs === null) break;
        failed = 0;
        // Where a partition was dropped; a clock that a test moves would end no pause of 0 ms.
        if (nextMs > 0) await pause(clock, nextMs);
      } catch (error) {
        failed += 1;
        if (failed === attempts.max) failure ??= error;
        else await pause(clock, attempts.pauseMs);
      }
    }
  }
  if (failure !== null) throw failure;
};

/** Keys kept longer than this get monthly partitions, since a request searches each partition. */
const weeksMaxMs = 200 * dayMs;

/** Creates future partitions, and drops the emptied ones from before the partitioning; PostgreSQL only. */
export const makePartitions = async (
  { store, clock, log }: Pick<Service, "store" | "clock" | "log">,
  keysMs: number | null,
): Promise<void> => {
  if (store.dialect === "sqlite") return;
  const isLong = keysMs === null || keysMs > weeksMaxMs;
  for (const table of dividedNames) {
    const change = <T>(what: (run: Run, table: DividedTable, now: number) => Promise<T>) =>
      store.write((tx) => what(runIn(tx), table, clock.now()));
    try {
      for (const { name, rows, isMade } of await change((...at) => makeAhead(...at, isLong ? "month" : undefined)))
        if (isMade) log.info({ partition: name, rows }, "a partition was made");
        else log.error({ partition: name, rows }, "a partition could not be made: the default one has too many rows");
      if (await change(dropOldBound))
        log.error(
          { table },
          "the table has not been divided to its end, and is as it was before: run the command migrate",
        );
      if (await change(dropEmptied)) log.info({ table }, "what was there before its partitions has ended");
    } catch (error) {
      log.error({ err: error, table }, "partitions could not be made and will be tried again");
    }
  }
};

/** At a start, because a restored database may have no partition for today, and every hour. */
export const startPartitions = (service: Service, keysMs: number | null): Repeated =>
  repeat(service.clock, 0, async () => {
    await makePartitions(service, keysMs);
    return everyMs;
  });

/** Moves ended withdrawals that an older release has left among the open ones, in small batches. */
export const takeOver = async ({ store, clock, telemetry }: Purging, isStopping = () => false): Promise<void> => {
  if (!(await store.write((tx) => keepApart(tx, clock.now())))) return;
  for (let from: Place = { at: 0, id: "" }; !isStopping(); ) {
    const moved = await store.write((tx) => moveLeft(tx, from, clock.now(), rowsPerBatch));
    if (moved === null) return;
    telemetry.purged("withdrawals", moved.rows);
    from = moved;
    await pause(clock, batchPauseMs);
  }
};

/** As `purge`, unless the clock has jumped within the last week. The first call ever begins the audit's account of what is forgotten. */
export const purgeOnTrustedClock = async (service: Service, periods: RetentionPeriods, isStopping: () => boolean) => {
  const now = service.clock.now();
  const isTrusted = await service.store.write(async (tx) => {
    await noteForgotten(tx, service.keys, Number.NEGATIVE_INFINITY, now);
    await noteReportsForgotten(tx, service.keys, Number.NEGATIVE_INFINITY, now);
    return isClockTrusted(tx, now);
  });
  if (isTrusted) await purge(service, periods, isStopping, now);
};

/** Purges every hour in one process of a fleet; nothing is removed in the week after a jump of the clock. */
export const startRetention = (service: Service, periods: RetentionPeriods): Repeated =>
  repeat(service.clock, firstAfterMs, async (isStopping) => {
    const works: readonly (readonly [string, () => Promise<void>])[] = [
      ["what a release before has left could not be moved", () => takeOver(service, isStopping)],
      ["old data could not be purged", () => purgeOnTrustedClock(service, periods, isStopping)],
    ];
    for (const [failed, work] of works)
      if (service.owns("purge"))
        await work().catch((error: unknown) => service.log.error({ err: error }, `${failed} and will be tried again`));
    return everyMs;
  });
