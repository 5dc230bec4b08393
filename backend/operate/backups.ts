/** `backup` and `restore` of an SQLite database, and `restored` for a database restored by other means. */
import { existsSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { readServiceKeyFile, serviceKeyFile, serviceKeysFrom } from "../access/secrets.ts";
import type { Config } from "../config.ts";
import { dayMs, toTime } from "../contract/times.ts";
import type { Clock } from "../ports.ts";
import { messageOf } from "../service-error.ts";
import { backUp, copiesOf, ownCopiesOf } from "../store/copy.ts";
import type { DatabaseAddress } from "../store/database-url.ts";
import { livingProcesses } from "../store/ownership.ts";
import type { ToldSince } from "../store/restores.ts";
import { lockForService } from "../store/service-lock.ts";
import { StoreRefused } from "../store/store.ts";
import { lostSince } from "../withdrawals/lost-commits.ts";
import { applyRestore, correctRestore, type Restored } from "../withdrawals/restored.ts";
import { UsageError } from "./arguments.ts";
import { operatorName } from "./audited-store.ts";
import type { CommandContext, CommandOutput } from "./context.ts";
import { restore } from "./restore.ts";
import { timeOf } from "./words.ts";

const fileOf = (database: DatabaseAddress): string => {
  if (database.kind !== "sqlite" || database.path === ":memory:")
    throw new UsageError(
      "this is for an SQLite file; back a PostgreSQL up with pg_basebackup or pg_dump, and say so after its restore: restored --since TIME",
    );
  return database.path;
};

/** `backup`: copies the database now and checks the copy. @throws UsageError without a folder, StoreRefused where the copy fails. */
export const makeBackup = async (on: CommandContext): Promise<CommandOutput[number]> => {
  const { database, backups, clock } = on;
  const path = fileOf(database);
  if (backups === null) throw new UsageError("where to? --backup-dir DIR, or BACKUP_DIR");
  const { file, bytes } = await backUp(path, backups, clock.now()).catch((error: unknown) => {
    throw new StoreRefused(`no copy was made in ${backups.folder}: ${messageOf(error)}`, { cause: error });
  });
  // Without this file the copy's audit cannot be verified, also once SERVICE_KEY has come in its place.
  const made = serviceKeyFile(path);
  return { copy: file, bytes, ...(existsSync(made) ? { keep_apart: made } : {}) };
};

/** The newest copy in a folder. @throws UsageError for one from the future, which means a wrong clock, and where all begin otherwise than the database. */
const newestIn = async (target: string, folder: string, nowMs: number): Promise<string> => {
  const [newest] = await ownCopiesOf(target, folder);
  const [anothers] = newest === undefined ? await copiesOf(target, folder) : [];
  if (anothers !== undefined)
    throw new UsageError(
      `the audits of all copies of ${basename(target)} in ${folder} begin otherwise than this database's, so they are another installation's, or this database is new; the newest is ${anothers.file}. If it is to come in this one's place: restore FILE --force`,
    );
  if (newest === undefined) throw new UsageError(`there is no copy of ${basename(target)} in ${folder}`);
  if (newest.at > nowMs)
    throw new UsageError(
      `${newest.file} is dated later than now, ${toTime(nowMs)}: set this machine's clock, or name the one file to restore`,
    );
  return newest.file;
};

/**
 * `restore`: replaces the database by a copy, or a folder's newest. Its open withdrawals are ended when the service next opens it.
 * @param flags `force`: also by another installation's.
 */
export const restoreBackup = async (
  { database, serviceKey, serviceKeyBefore }: Pick<Config, "database" | "serviceKey" | "serviceKeyBefore">,
  [named, ...more]: readonly string[],
  flags: Readonly<Record<string, string>>,
  clock: Clock,
): Promise<CommandOutput[number]> => {
  if (named === undefined || more.length > 0) throw new UsageError("name the one copy to restore: restore FILE");
  const target = fileOf(database);
  const keyIds = [serviceKey, serviceKeyBefore, readServiceKeyFile(target)].flatMap((root) =>
    root === null ? [] : [serviceKeysFrom(root, true).auditKeyId],
  );
  const isFolder = statSync(named, { throwIfNoEntry: false })?.isDirectory() === true;
  const copy = isFolder ? await newestIn(target, resolve(named), clock.now()) : named;
  const own = { keyIds, isForced: flags.force !== undefined };
  return { database: target, from: copy, before: await restore(resolve(copy), target, operatorName(), own) };
};

/** A restore's result as command output. */
export const showRestored = ({
  restoredAt,
  forgotSince,
  ended,
  endedCodes,
  isUnread,
}: Restored): CommandOutput[number] => ({
  forgot_since: toTime(forgotSince),
  restored_at: toTime(restoredAt),
  ended,
  // Their holders need new codes.
  ended_codes: endedCodes,
  compare_with_banks: `payments from ${toTime(forgotSince)} to ${toTime(restoredAt)}`,
  ...(isUnread && {
    restores_before:
      "unknown, as the database that was there cannot be read: if an older copy was restored after this one was made, compare since that copy's time",
  }),
  next: 'ask each bank for these payments and compare; when all terminals have been on, "reports list"',
});

/** Makes sure that no service runs on the database; on SQLite also that none starts meanwhile. @throws StoreRefused where one is running. */
export const keepUnserved = async ({ database, store, clock }: CommandContext): Promise<{ release(): void }> => {
  if (database.kind === "sqlite") return lockForService(database.path);
  const living = (await store.read((tx) => livingProcesses(tx, clock.now()))).length;
  if (living > 0)
    throw new StoreRefused(
      `${living} processes of the service work on this database: stop them first (one that was killed counts for 10 seconds)`,
      { why: "database_in_use" },
    );
  return { release() {} };
};

const longAgoMs = 90 * dayMs;

/** @throws UsageError for an implausible time. */
const forgotSinceOf = (on: CommandContext, { since, "long-ago": longAgo }: Readonly<Record<string, string>>) => {
  if (since === undefined)
    throw new UsageError("since when? restored --since TIME, the moment to which the database was put back");
  const forgotSince = timeOf("since", since);
  if (forgotSince > on.clock.now()) throw new UsageError("--since lies in the future");
  if (forgotSince < on.clock.now() - longAgoMs && longAgo === undefined)
    throw new UsageError(
      `--since ${toTime(forgotSince)} is more than 90 days ago: look at the year; if it is meant, say --long-ago too`,
    );
  return forgotSince;
};

/** Older dumps that were served before this one: what each had open may have been told to its bank otherwise. @throws UsageError for one that is not older. */
const toldOf = ({ served }: Readonly<Record<string, string>>, forgotSince: number): readonly ToldSince[] =>
  (served?.split(",") ?? []).map((text) => {
    const since = timeOf("served", text);
    if (since >= forgotSince)
      throw new UsageError(
        `--served ${toTime(since)} is not before --since: only an older dump that was served may have told banks otherwise`,
      );
    return { since, knownUntil: since };
  });

/**
 * `restored`: records a restore done by other tools and ends what was open; `--correct` changes the time of the newest
 * one, also while the service runs.
 * @throws UsageError, StoreRefused while it is served.
 */
export const recordRestored = async (
  on: CommandContext,
  flags: Readonly<Record<string, string>>,
): Promise<CommandOutput[number]> => {
  const forgotSince = forgotSinceOf(on, flags);
  const told = toldOf(flags, forgotSince);
  if (flags.correct !== undefined) {
    const corrected = await correctRestore(on, { forgotSince, by: operatorName(), told });
    if (corrected === null) throw new UsageError("there is no restore to correct: restored --since TIME");
    return showRestored(corrected);
  }
  const unserved = await keepUnserved(on);
  try {
    const lost = await on.store.read(lostSince);
    if (lost !== null && forgotSince > lost)
      throw new UsageError(`what was committed at ${toTime(lost)} is missing: say an earlier time, as the log has it`);
    return showRestored(await applyRestore(on, { forgotSince, by: operatorName(), told }));
  } finally {
    unserved.release();
  }
};
