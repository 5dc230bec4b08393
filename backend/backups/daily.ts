/** A copy of the database every day, as long as the service runs (`BACKUP_DIR`). */
import { mkdirSync } from "node:fs";
import { type Repeated, repeat } from "../background.ts";
import type { Clock, Log } from "../ports.ts";
import type { Telemetry } from "../telemetry.ts";
import { type BackupPlan, backUp, copiesOf } from "./copy.ts";

const dayMs = 24 * 60 * 60_000;
/** After a failure: a disk that was full may have room again. */
const failurePauseMs = 15 * 60_000;
/** A start has other things to do. */
const firstAfterMs = 30_000;

/** A day after the newest copy there is, also over restarts; a copy from the future, of a clock set back, does not count. */
const pauseUntilNext = (database: string, plan: BackupPlan, now: number): number => {
  mkdirSync(plan.folder, { recursive: true, mode: 0o700 });
  const newest = copiesOf(database, plan.folder).find(({ at }) => at <= now);
  return newest === undefined ? 0 : Math.max(0, newest.at + dayMs - now);
};

/** Makes a backup a day; a failure is logged and tried again. */
export const startDailyBackup = (
  parts: { readonly clock: Clock; readonly log: Log; readonly telemetry: Pick<Telemetry, "backup"> },
  database: string,
  plan: BackupPlan,
): Repeated => {
  const { clock, log, telemetry } = parts;
  const copyWhenDue = async (): Promise<number> => {
    try {
      const pauseMs = pauseUntilNext(database, plan, clock.now());
      if (pauseMs > 0) return pauseMs;
      const copy = await backUp(database, plan, clock.now());
      telemetry.backup(copy.at);
      log.info({ file: copy.file, bytes: copy.bytes }, "the database was copied");
      return dayMs;
    } catch (error) {
      log.error({ err: error, folder: plan.folder }, "the database could not be copied and will be tried again");
      return failurePauseMs;
    }
  };
  return repeat(clock, firstAfterMs, copyWhenDue);
};
