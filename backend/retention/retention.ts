/** Data has an end: what is older than the operator's settings say is deleted, forgotten or archived, in small batches. */
import { purgeTokens } from "../access/token-store.ts";
import { type Repeated, repeat } from "../background.ts";
import { purgeCheckins } from "../checkin/checkin-store.ts";
import type { ChainKeys, Service } from "../context.ts";
import { type Retained, type RetentionPeriods, retained } from "../retention-periods.ts";
import { purgeArchive } from "../seals/seal.ts";
import { run, type UnitOfWork } from "../store/store.ts";
import { archiveEnded } from "../withdrawals/archive.ts";
import { forgetIdempotencyKeys } from "./forget-keys.ts";
import { isClockTrusted } from "./trusted-clock.ts";

/** A commit waits for a batch that came before it: 200 rows every 100 ms made the p99 of a confirm 3.6 times as long (`npm run bench -- years`). */
const rowsPerBatch = 15;
const batchPauseMs = 15;
const everyMs = 60 * 60_000;
/** A start has other things to do. */
const firstAfterMs = 60_000;

/** @param before epoch milliseconds. @returns rows that it ended, at most `limit`. */
type Batch = (before: number, now: number, limit: number, keys: ChainKeys) => UnitOfWork<number>;

const batches: Readonly<Record<Retained, Batch>> = {
  checkins: (before, _, limit) => run(purgeCheckins({ before, limit })),
  sign_ins: (before, _, limit) => run(purgeTokens({ before, limit })),
  idempotency_keys: (before, _, limit) => forgetIdempotencyKeys(before, limit),
  withdrawals: archiveEnded,
  archive: (before, now, limit, keys) => purgeArchive(keys, before, now, limit),
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
      const rows = await store.write(() => batches[what](now - period, now, rowsPerBatch, service.keys));
      telemetry.purged(what, rows);
      if (rows < rowsPerBatch) break;
      await new Promise<void>((resolve) => void clock.after(batchPauseMs, resolve));
    }
  }
};

/** As `purge`, unless the clock has jumped within the last week. */
export const purgeOnTrustedClock = async (
  service: Service,
  periods: RetentionPeriods,
  isStopping: () => boolean,
): Promise<void> => {
  if (await service.store.write(() => isClockTrusted(service.clock.now()))) await purge(service, periods, isStopping);
};

/** Once an hour, by one process of a fleet; nothing is ended in the week after the clock has jumped. */
export const startRetention = (service: Service, periods: RetentionPeriods): Repeated =>
  repeat(service.clock, firstAfterMs, async (isStopping) => {
    if (service.owns("purge"))
      await purgeOnTrustedClock(service, periods, isStopping).catch((error: unknown) =>
        service.log.error({ err: error }, "old data could not be purged and will be tried again"),
      );
    return everyMs;
  });
