import { type Migration, migrations, newestVersion } from "./migrations.ts";
import { StoreRefused } from "./store.ts";

/** What a migration needs of a connection that is inside a transaction. */
export interface Migrator {
  /** Null when there is no `schema_version` table; holds the row against other processes that start now. */
  version(): Promise<number | null> | number | null;
  run(sql: string): Promise<void> | void;
}

export const refuseNewer = (version: number | null): void => {
  if (version !== null && version > newestVersion) {
    throw new StoreRefused(
      `the database is at version ${version}, this program knows only ${newestVersion}: it was used by a newer program and has not been touched`,
    );
  }
};

/** Brings the database to the newest version: all migrations that are missing, or none of them. Call it in a transaction. */
export const migrate = async (to: Migrator, list: readonly Migration[] = migrations): Promise<void> => {
  const version = await to.version();
  refuseNewer(version);
  if (version === null) {
    await to.run("CREATE TABLE schema_version (id BIGINT PRIMARY KEY, version BIGINT NOT NULL)");
    await to.run("INSERT INTO schema_version (id, version) VALUES (1, 0)");
  }
  const missing = list.filter((migration) => migration.version > (version ?? 0));
  for (const { statements } of missing) {
    for (const statement of statements) await to.run(statement);
  }
  const last = missing.at(-1);
  if (last) await to.run(`UPDATE schema_version SET version = ${last.version} WHERE id = 1`);
};
