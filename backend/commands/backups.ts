/** `backup` and `restore` of an SQLite database. */
import { backUp } from "../backups/copy.ts";
import { restore } from "../backups/restore.ts";
import type { DatabaseAddress } from "../store/database-url.ts";
import { UsageError } from "./arguments.ts";
import type { CommandContext, CommandOutput } from "./context.ts";

const fileOf = (database: DatabaseAddress): string => {
  if (database.kind !== "sqlite" || database.path === ":memory:")
    throw new UsageError("this is for an SQLite file; back a PostgreSQL up with pg_basebackup or pg_dump");
  return database.path;
};

/** `backup`: copies the database now and checks the copy. @throws UsageError where there is nothing to copy to. */
export const makeBackup = async ({ database, backups, clock }: CommandContext): Promise<CommandOutput[number]> => {
  if (backups === null) throw new UsageError("where to? --backup-dir DIR, or BACKUP_DIR");
  const { file, bytes } = await backUp(fileOf(database), backups, clock.now());
  return { copy: file, bytes };
};

/** @param nowMs names the database that was there. */
export const restoreBackup = async (
  database: DatabaseAddress,
  [copy, ...more]: readonly string[],
  nowMs: number,
): Promise<CommandOutput[number]> => {
  if (copy === undefined || more.length > 0) throw new UsageError("name the one copy to restore: restore FILE");
  const target = fileOf(database);
  return { database: target, from: copy, before: await restore(copy, target, nowMs) };
};
