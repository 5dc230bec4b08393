/** Data has an end: what is older than the operator's settings say is deleted, forgotten or archived, in small batches. */
import { sql } from "kysely";
import { purgeTokens } from "../access/credentials.ts";
import { type Repeated, repeat } from "../background.ts";
import { purgeCheckins } from "../checkin/check-in.ts";
import type { ChainKeys, Service } from "../context.ts";
import { dayMs } from "../contract/times.ts";
import { type Retained, type RetentionPeriods, retained } from "../retention.ts";
import { refuseBeforeSql } from "../store/migrate.ts";
import { workerBefore } from "../store/ownership.ts";
import { addSetting, removeSetting, setSetting, settingByName } from "../store/settings.ts";
import { adhoc, type Tx } from "../store/store.ts";
import { archiveEnded, forgetNames, moveLeft, type Place } from "../withdrawals/closed.ts";
import { purgeReports } from "../withdrawals/restored.ts";
import { purgeArchive } from "./proof.ts";

const name = "purge_clock";
/** Longer than a weekend: a service that nobody started for longer is taken for one whose clock has jumped. */
const gapMaxMs = 4 * dayMs;
/** So long a clock must have gone on without a jump. */
const trustedAfterMs = 7 * dayMs;
/** Processes of a fleet take turns, and differ by much less. */
const backMaxMs = 60 * 60_000;

/** What was written at the last look: `since` and `seen`, epoch milliseconds. */
const read = (value: string | undefined): { readonly since: number; readonly seen: number } | null => {
  const [since = Number.NaN, seen = Number.NaN] = (value ?? "").split(" ").map(Number);
  return Number.isFinite(since) && Number.isFinite(seen) ? { since, seen } : null;
};

/** To be asked every hour. True once the clock has gone on for a week, with pauses of four days at most. */
export async function isClockTrusted(tx: Tx, now: number): Promise<boolean> {
  const known = read((await tx.first(settingByName({ name })))?.value);
  const hasJumped = known === null || now - known.seen > gapMaxMs || now < known.seen - backMaxMs;
  const since = hasJumped ? now : known.since;
  await tx.run(setSetting({ name, value: `${since} ${now}` }));
  return now - since >= trustedAfterMs;
}

/** From this migration on programs look for what has ended in both tables, and for its keys in their own. */
const apartSince = 33;
/** So long there is a way back to the release before. */
const wayBackMs = dayMs;
const aloneSetting = "release_alone_since";

/**
 * Ended withdrawals leave the open ones once no process of a release before, which looks for keys among the open ones alone, was on
 * the database for a day; from then on such a program is refused. @returns whether they do.
 */
async function keepApart(tx: Tx, now: number): Promise<boolean> {
  if (await tx.first(settingByName({ name: "ended_apart" }))) return true;
  if (await tx.first(workerBefore({ release: apartSince }))) {
    await tx.first(removeSetting({ name: aloneSetting }));
    return false;
  }
  await tx.run(addSetting({ name: aloneSetting, value: String(now) }));
  const since = Number((await tx.first(settingByName({ name: aloneSetting })))?.value);
  // A clock that was ahead has written it.
  if (since > now) await tx.run(setSetting({ name: aloneSetting, value: String(now) }));
  if (now - since < wayBackMs) return false;
  await tx.run(adhoc((db) => ({ compile: () => sql.raw(refuseBeforeSql(apartSince)).compile(db) })));
  await tx.run(setSetting({ name: "ended_apart", value: "1" }));
  return true;
}

/** A commit waits for a batch that came before it: 200 rows every 100 ms made the p99 of a confirm 3.6 times as long (`npm run bench -- years`). */
const rowsPerBatch = 15;
const batchPauseMs = 15;
const everyMs = 60 * 60_000;
/** A start has other things to do. */
const firstAfterMs = 60_000;

/** @param before epoch milliseconds. @returns rows that it ended, at most `limit`. */
type Batch = (tx: Tx, before: number, now: number, limit: number, keys: ChainKeys) => Promise<number>;

const batches: Readonly<Record<Retained, Batch>> = {
  checkins: (tx, before, _, limit) => tx.run(purgeCheckins({ before, limit })),
  sign_ins: (tx, before, _, limit) => tx.run(purgeTokens({ before, limit })),
  async idempotency_keys(tx, before, _, limit) {
    const rows = await Promise.all(forgetNames.map((forget) => tx.run(forget({ before, limit }))));
    return Math.max(...rows);
  },
  withdrawals: archiveEnded,
  async archive(tx, before, now, limit, keys) {
    const lines = await tx.run(purgeReports({ before, limit }));
    return Math.max(lines, await purgeArchive(tx, keys, before, now, limit));
  },
};

type Purging = Pick<Service, "store" | "clock" | "telemetry" | "keys">;

/**
 * Ends all that is older than its period, batch by batch with pauses; again changes nothing.
 * @param isStopping asked between batches.
 */
export const purge = async (service: Purging, periods: RetentionPeriods, isStopping = () => false): Promise<void> => {
  const { store, clock, telemetry } = service;
  for (const what of retained) {
    const period = periods[what];
    if (period === null) continue;
    for (;;) {
      if (isStopping()) return;
      const now = clock.now();
      const rows = await store.write((tx) => batches[what](tx, now - period, now, rowsPerBatch, service.keys));
      telemetry.purged(what, rows);
      if (rows < rowsPerBatch) break;
      await new Promise<void>((resolve) => void clock.after(batchPauseMs, resolve));
    }
  }
};

/** Moves what a release before has left among the open ones, in small batches. */
export const takeOver = async ({ store, clock, telemetry }: Purging, isStopping = () => false): Promise<void> => {
  if (!(await store.write((tx) => keepApart(tx, clock.now())))) return;
  for (let from: Place = { at: 0, id: "" }; !isStopping(); ) {
    const moved = await store.write((tx) => moveLeft(tx, from, clock.now(), rowsPerBatch));
    if (moved === null) return;
    telemetry.purged("withdrawals", moved.rows);
    from = moved;
    await new Promise<void>((resolve) => void clock.after(batchPauseMs, resolve));
  }
};

/** As `purge`, unless the clock has jumped within the last week. */
export const purgeOnTrustedClock = async (service: Service, periods: RetentionPeriods, isStopping: () => boolean) => {
  if (await service.store.write((tx) => isClockTrusted(tx, service.clock.now())))
    await purge(service, periods, isStopping);
};

/** Once an hour, by one process of a fleet; nothing is ended in the week after the clock has jumped. */
export const startRetention = (service: Service, periods: RetentionPeriods): Repeated =>
  repeat(service.clock, firstAfterMs, async (isStopping) => {
    if (service.owns("purge"))
      await takeOver(service, isStopping)
        .then(() => purgeOnTrustedClock(service, periods, isStopping))
        .catch((error: unknown) =>
          service.log.error({ err: error }, "old data could not be purged and will be tried again"),
        );
    return everyMs;
  });
