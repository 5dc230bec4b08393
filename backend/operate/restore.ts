/**
 * Replaces an SQLite database by a copy and keeps the old one beside it. Interrupted once the checked copy is named
 * `….restoring`, the next program that opens the database finishes it.
 */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { messageOf } from "../service-error.ts";
import { checkCopy, sync, syncFolder } from "../store/copy.ts";
import type { DatabaseAddress } from "../store/database-url.ts";
import { refuseNewer, versionFrom } from "../store/migrate.ts";
import {
  copiedAtSetting,
  type PastRestore,
  type Restore,
  readPastRestores,
  restoredFromSetting,
  restoresBeforeSetting,
  type ToldSince,
} from "../store/restores.ts";
import { lockForService } from "../store/service-lock.ts";
import { isOlderFile } from "../store/starts.ts";
import { StoreRefused, type Value } from "../store/store.ts";
import { newestMoment } from "../withdrawals/restored.ts";

const draftOf = (database: string): string => `${database}.restoring`;
const partialOf = (database: string): string => `${database}.restoring.partial`;

/** SQLite's files beside a database. They belong to the old one, hold its commits, and must never lie beside the copy. */
const logs = ["-wal", "-shm", "-journal"];

/** Which copies are the installation's own. */
interface Own {
  readonly keyIds: readonly string[];
  readonly isForced: boolean;
}

/**
 * @param by operator, for the audit.
 * @returns where the old database is now; null if there was none.
 * @throws StoreRefused when a service runs on it, or the copy cannot be used or is another installation's; nothing has changed then.
 */
export const restore = async (copy: string, database: string, by: string, own: Own): Promise<string | null> => {
  if (!existsSync(copy)) throw new StoreRefused(`there is no copy ${copy}`);
  const lock = lockForService(database);
  const partial = partialOf(database);
  const remove = (parts: readonly string[]): void => {
    for (const part of parts.map((each) => `${partial}${each}`)) if (existsSync(part)) rmSync(part);
  };
  try {
    // Those of one that was cut off; what it has of the copy stays until it is written over, so that a start sees it.
    remove(logs);
    // One that was cut off between its two names: which restores were before it stands in its copy alone.
    if (!existsSync(database) && existsSync(draftOf(database))) await swap(database);
    copyFileSync(copy, partial);
    // The last commits of what a killed service left, or of what made way for a copy, are in its log; the check takes them in.
    if (existsSync(`${copy}-wal`) && !hasForeignLog(copy)) copyFileSync(`${copy}-wal`, `${partial}-wal`);
    for (const part of ["", "-wal"]) if (existsSync(`${partial}${part}`)) chmodSync(`${partial}${part}`, 0o600);
    refuseNewer(versionFrom(readFrom(partial, versionText)));
    if (!own.isForced) refuseAnothers(partial, database, own.keyIds);
    const { told, before, isUnread } = readRestores(database, partial);
    const from = JSON.stringify({ copy, by, told, ...(isUnread && { isUnread }) });
    await checkCopy(partial, { [restoredFromSetting]: from, [restoresBeforeSetting]: JSON.stringify(before) });
    await sync(partial);
    renameSync(partial, draftOf(database));
    await syncFolder(database);
    return await swap(database);
  } catch (error) {
    remove(["", ...logs]);
    throw new StoreRefused(`${copy} cannot be restored: ${messageOf(error)}`, { cause: error });
  } finally {
    lock.release();
  }
};

const readFrom = <T>(file: string, sql: string, ...values: readonly Value[]): readonly T[] => {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare(sql).all(...values) as T[];
  } finally {
    database.close();
  }
};

const settingOf = "SELECT value FROM settings WHERE name = ?";
const versionText = "SELECT id, version FROM schema_version";
const allRestoresText = "SELECT restored_at, forgot_since FROM restores";

const firstEntryText = "SELECT hash FROM audit WHERE seq = 1";
const auditKeysText = "SELECT DISTINCT key_id FROM audit";

/**
 * Refuses a copy of another installation, whose banks would be called from here. Copies of one begin with the same entry of the audit. Where the
 * database cannot say how its own begins, a copy has at least one entry under a key that is here.
 */
const refuseAnothers = (copy: string, database: string, keyIds: readonly string[]): void => {
  const read = <T>(file: string, text: string): readonly T[] => {
    try {
      return existsSync(file) ? readFrom<T>(file, text) : [];
    } catch {
      // Damaged, which is why it is replaced, or of before there was an audit.
      return [];
    }
  };
  const [first, own] = [copy, database].map((file) => read<{ hash: string }>(file, firstEntryText)[0]?.hash);
  if (first !== undefined && own !== undefined) {
    if (first === own) return;
    throw new StoreRefused(
      "its audit begins otherwise than this database's, so it is another installation's, and its banks would be called from here. If it is to come in this one's place: restore FILE --force",
    );
  }
  const under = read<{ key_id: string }>(copy, auditKeysText).map((row) => row.key_id);
  if (under.length === 0 || keyIds.length === 0 || under.some((id) => keyIds.includes(id))) return;
  throw new StoreRefused(
    `no entry of its audit is under a service key that is here (${keyIds.join(", ")}), but under ${under.join(", ")}: it may be another installation's. Put its key here; if it is this one's, from before a key that is lost: restore FILE --force`,
  );
};

type AskCopy = (text: string, values: readonly Value[]) => readonly Readonly<Record<string, number | null>>[];

/** When a copy was made at the earliest: no sooner than what is in it, as its clock may have been behind. */
export const madeBy = (copiedAt: number, ask: AskCopy): number => {
  const { text, values } = newestMoment({ until: Number.MAX_SAFE_INTEGER }).sql("sqlite");
  return Math.max(copiedAt, ...Object.values(ask(text, values)[0] ?? {}).map(Number));
};

/** How many restores, the newest ones, go along from database to database: a copy from before them knows none. */
const restoresMax = 100;

/**
 * Restores of a database and of those in whose place it came, for a copy that comes in its place. `told`: what each that the copy does
 * not know, and was of an older one, went back to: banks may know more since then, of what the older copy knew.
 * @param made see `madeBy`, by the copy's `copiedAtSetting`; infinity where it has none, like a database that made way for a copy: it may be the newest.
 * @param known its restores. @param own the database's. @param kept its `restoresBeforeSetting`. @param keptInCopy the copy's.
 */
export const restoresBefore = (
  made: number,
  known: readonly Restore[],
  own: readonly Restore[],
  kept: string | undefined,
  keptInCopy?: string,
) => {
  const noted = [...readPastRestores(kept), ...readPastRestores(keptInCopy)];
  const all = new Map<number, PastRestore>([...own, ...noted].map((each) => [each.restored_at, each]));
  const before = [...all.values()].toSorted((one, other) => other.restored_at - one.restored_at).slice(0, restoresMax);
  // Not by their times: a clock may have been wrong then.
  const isKnown = new Set(known.map((each) => each.restored_at));
  const told = new Map<string, ToldSince>();
  for (const { restored_at: at, forgot_since: since, known_until: knownUntil = since } of before)
    if (!isKnown.has(at) && since < made) told.set(`${since} ${knownUntil}`, { since, knownUntil });
  return { told: [...told.values()].toSorted((one, other) => one.since - other.since), before };
};

/** The same of files. `isUnread`: some of the database in place cannot be read, so that a restore of it may be missing. */
const readRestores = (database: string, copy: string) => {
  let isUnread = false;
  const read = <T>(file: string, sql: string, ...values: readonly Value[]): readonly T[] => {
    try {
      return existsSync(file) ? readFrom<T>(file, sql, ...values) : [];
    } catch (error) {
      // A program of before restores were noted has no such table.
      const isEarlier = /no such (table|column)/.test(String(error));
      if (file === copy && !isEarlier) throw error;
      isUnread ||= !isEarlier;
      return [];
    }
  };
  const readSetting = (file: string, name: string) => read<{ value: string }>(file, settingOf, name)[0]?.value;
  const copiedAt = Number(readSetting(copy, copiedAtSetting) ?? Number.POSITIVE_INFINITY);
  const made = madeBy(copiedAt, (text, values) => read(copy, text, ...values));
  const [known, own] = [copy, database].map((file) => read<Restore>(file, allRestoresText));
  const [keptInCopy, kept] = [copy, database].map((file) => readSetting(file, restoresBeforeSetting));
  return { ...restoresBefore(made, known ?? [], own ?? [], kept, keptInCopy), isUnread };
};

/** @param of the file whose time is in the name, which is so the same in each repetition. */
const moveAside = async (database: string, parts: readonly string[], of: string): Promise<string> => {
  const aside = `${database}.before-restore-${Math.trunc(statSync(of).mtimeMs)}`;
  for (const part of parts) if (existsSync(`${database}${part}`)) renameSync(`${database}${part}`, `${aside}${part}`);
  await syncFolder(database);
  return aside;
};

/** Moves the checked copy into place. It can be repeated after an interruption; each rename is synced before the next. */
const swap = async (database: string): Promise<string | null> => {
  const draft = draftOf(database);
  const aside = await moveAside(database, ["", ...logs], draft);
  renameSync(draft, database);
  await syncFolder(database);
  return existsSync(aside) ? aside : null;
};

/** Offset and value in an SQLite header that say it is written without a WAL. */
const writtenHow = { at: 18, withoutLog: 1 } as const;

const hasLog = (database: string): boolean =>
  existsSync(database) && (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Whether the `-wal` belongs to another database: a copy is written without one, and the service's own database always has one. */
const hasForeignLog = (database: string): boolean => {
  if (!hasLog(database)) return false;
  const file = openSync(database, "r");
  try {
    const how = new Uint8Array(1);
    readSync(file, how, 0, 1, writtenHow.at);
    return how[0] === writtenHow.withoutLog;
  } finally {
    closeSync(file);
  }
};

/** Whether the `-wal` is of the database in whose place this one was put: a copy, or an older file of the service's own. */
const hasNewerLog = (database: string): boolean =>
  hasForeignLog(database) || (hasLog(database) && isOlderFile(database));

/**
 * Finishes an interrupted or manual restore. Call it before opening a database, which would otherwise create an empty one.
 * @param isLocked whether the caller holds the service's lock; else it is taken when needed.
 * @throws StoreRefused where it was interrupted before the copy was complete and there is no database, or where a service is
 * running.
 */
export const finishCutOffRestore = async (address: DatabaseAddress, isLocked: boolean): Promise<void> => {
  if (address.kind !== "sqlite") return;
  const { path: database } = address;
  if (!existsSync(database) && !existsSync(draftOf(database)) && existsSync(partialOf(database)))
    throw new StoreRefused(
      `a restore of ${database} was cut off: run it again, or remove ${partialOf(database)} to begin with an empty database`,
    );
  if (!existsSync(draftOf(database)) && !hasNewerLog(database)) return;
  const lock = isLocked ? null : lockForService(database);
  try {
    if (existsSync(draftOf(database))) await swap(database);
    // SQLite would replay the last commits of the database that was there into a copy that was put over it by hand.
    if (hasNewerLog(database)) await moveAside(database, logs, `${database}-wal`);
  } catch (error) {
    const why = `a restore of ${database} was cut off and cannot be finished: ${messageOf(error)}`;
    throw new StoreRefused(why, { cause: error });
  } finally {
    lock?.release();
  }
};
