/** Data has an end: what is older than the operator's settings say is deleted, forgotten or archived, in small batches. */
import { purgeTokens } from "../access/credentials.ts";
import { type Repeated, repeat } from "../background.ts";
import { purgeCheckins } from "../checkin/check-in.ts";
import type { ChainKeys, Service } from "../context.ts";
import { dayMs } from "../contract/durations.ts";
import { type Retained, type RetentionPeriods, retained } from "../retention.ts";
import { setSetting, settingByName } from "../store/settings.ts";
import type { Tx } from "../store/store.ts";
import { archiveEnded, forgetKeys } from "../withdrawals/closed.ts";
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

/** Up to which time of creation keys are forgotten, so that no look begins at the first withdrawal of all. */
const markName = "idempotency_keys_forgotten_until";

/**
 * From then on a repeat under the key is a request of its own.
 * @param before epoch milliseconds; keys of withdrawals from before are forgotten, `limit` of them at most.
 * @returns how many.
 */
async function forgetIdempotencyKeys(tx: Tx, before: number, limit: number): Promise<number> {
  const from = Number((await tx.first(settingByName({ name: markName })))?.value ?? 0);
  const rows = await tx.all(forgetKeys({ from, before, limit }));
  const newest = rows.reduce((latest, { created_at }) => Math.max(latest, Number(created_at)), from);
  if (newest > from) await tx.run(setSetting({ name: markName, value: String(newest) }));
  return rows.length;
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
  idempotency_keys: (tx, before, _, limit) => forgetIdempotencyKeys(tx, before, limit),
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

/** As `purge`, unless the clock has jumped within the last week. */
export const purgeOnTrustedClock = async (service: Service, periods: RetentionPeriods, isStopping: () => boolean) => {
  if (await service.store.write((tx) => isClockTrusted(tx, service.clock.now())))
    await purge(service, periods, isStopping);
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
