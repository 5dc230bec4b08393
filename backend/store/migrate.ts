import { migrations, newestVersion } from "./migrations.ts";
import { StoreRefused } from "./store.ts";

/** @throws StoreRefused for a database that a newer program has used. */
export const refuseNewer = (version: number | null): void => {
  if (version === null || version <= newestVersion) return;
  throw new StoreRefused(
    `the database is at version ${version}, this program knows only ${newestVersion}: it was used by a newer program and has not been touched`,
  );
};

/**
 * What brings a database of `version` (null: empty) to the newest. Run it in the transaction in which the version was
 * read: all of it or nothing.
 */
export const migrationFrom = (version: number | null): readonly string[] => {
  refuseNewer(version);
  const missing = migrations.filter((migration) => migration.version > (version ?? 0));
  if (missing.length === 0) return [];
  const begin = [
    "CREATE TABLE schema_version (id BIGINT PRIMARY KEY, version BIGINT NOT NULL)",
    "INSERT INTO schema_version (id, version) VALUES (1, 0)",
  ];
  return [
    ...(version === null ? begin : []),
    ...missing.flatMap(({ statements }) => statements),
    `UPDATE schema_version SET version = ${newestVersion} WHERE id = 1`,
  ];
};
