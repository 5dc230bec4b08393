import { type IndexStep, type Migration, migrations as ownMigrations } from "./migrations.ts";
import { StoreRefused } from "./store.ts";

/** Rows of `schema_version`, by id. */
export const versionRows = {
  applied: 1,
  /** Locked by the process that migrates. */
  lock: 2,
  /** The oldest program that can work with it, as the newest migration it knows. */
  oldest: 3,
} as const;

/** The version of a database. */
export interface DatabaseVersion {
  readonly applied: number;
  readonly oldest: number;
}

/** The newest migration's number; 0 for none. */
export const newestOf = (migrations: readonly Migration[]): number => migrations.at(-1)?.version ?? 0;

/** The oldest program that works with a database of `migrations`: that of the last contracting one. */
export const oldestOf = (migrations: readonly Migration[]): number =>
  migrations.findLast(({ contracts }) => contracts === true)?.version ?? migrations[0]?.version ?? 0;

/** All indexes that are made after the statements, in order. */
export const indexesOf = (migrations: readonly Migration[]): readonly IndexStep[] => {
  const replaced = new Set(replacedIndexes(migrations));
  return migrations.flatMap(({ indexes = [] }) =>
    indexes.filter(({ name, ofEnded }) => !ofEnded && !replaced.has(name)),
  );
};

/** Indexes that later ones came in the place of. */
export const replacedIndexes = (migrations: readonly Migration[]): readonly string[] =>
  migrations.flatMap(({ replaced = [] }) => replaced);

/** Indexes that are useless once ended withdrawals have their own table. */
export const indexesOfEnded = (migrations: readonly Migration[]): readonly string[] =>
  migrations.flatMap(({ indexes = [] }) => indexes.filter(({ ofEnded }) => ofEnded).map(({ name }) => name));

/** SQL to drop an index; idempotent. @param how as in `createIndexSql`. */
export const dropIndexSql = (name: string, how: "" | "CONCURRENTLY"): string => `DROP INDEX ${how} IF EXISTS ${name}`;

/** Finds a row once ended withdrawals have their own table and older programs are refused. */
export const liesApartSql = "SELECT 1 FROM settings WHERE name = 'ended_apart'";

/** SQL to create an index; idempotent. @param how `CONCURRENTLY` on a PostgreSQL in use. */
export const createIndexSql = ({ name, on, where, isUnique }: IndexStep, how: "" | "CONCURRENTLY"): string =>
  `CREATE ${isUnique ? "UNIQUE " : ""}INDEX ${how} IF NOT EXISTS ${name} ON ${on}${where === undefined ? "" : ` WHERE ${where}`}`;

/**
 * Checks a database that a newer program may have extended: this one may run beside it or after a rollback.
 * @throws StoreRefused when the newer program has removed what this one needs.
 */
export const refuseNewer = (version: DatabaseVersion | null, migrations = ownMigrations): void => {
  const newest = newestOf(migrations);
  if (version === null || version.applied <= newest || version.oldest <= newest) return;
  throw new StoreRefused(
    `the database is at version ${version.applied} and needs a program of version ${version.oldest}, this one knows only ${newest}: it was used by a newer program and has not been touched`,
    { why: "newer_database" },
  );
};

/** SQL to create `schema_version` with its three rows; idempotent. */
export const createVersionSql = [
  "CREATE TABLE IF NOT EXISTS schema_version (id BIGINT PRIMARY KEY, version BIGINT NOT NULL)",
  `INSERT INTO schema_version (id, version) VALUES (${versionRows.applied}, 0) ON CONFLICT DO NOTHING`,
  `INSERT INTO schema_version (id, version) VALUES (${versionRows.lock}, 0) ON CONFLICT DO NOTHING`,
  `INSERT INTO schema_version (id, version) VALUES (${versionRows.oldest}, 0) ON CONFLICT DO NOTHING`,
];

/** SQL after which programs older than `version` are refused. */
export const refuseBeforeSql = (version: number): string =>
  `UPDATE schema_version SET version = ${version} WHERE id = ${versionRows.oldest} AND version < ${version}`;

/** SQL that records a migration, in its own commit. */
export const recordSql = (migration: Migration, migrations: readonly Migration[]): readonly string[] => [
  `UPDATE schema_version SET version = ${migration.version} WHERE id = ${versionRows.applied}`,
  refuseBeforeSql(oldestOf(migrations.filter(({ version }) => version <= migration.version))),
];

/** SQL that brings an SQLite file from `version` to the newest. Run it in the transaction that has read the version. */
export const migrationFrom = (version: DatabaseVersion | null, migrations = ownMigrations): readonly string[] => {
  refuseNewer(version, migrations);
  const missing = migrations.filter((migration) => migration.version > (version?.applied ?? 0));
  if (missing.length === 0) return [];
  return [
    ...createVersionSql,
    ...missing.flatMap((migration) => [
      ...migration.statements,
      ...indexesOf([migration]).map((index) => createIndexSql(index, "")),
      ...replacedIndexes([migration]).map((name) => dropIndexSql(name, "")),
      ...recordSql(migration, migrations),
    ]),
  ];
};

/** Reads the version from the rows of `schema_version`; without the third row only programs of the same version work with it. */
export const versionFrom = (
  rows: readonly { readonly id: number; readonly version: number }[],
): DatabaseVersion | null => {
  const applied = rows.find(({ id }) => id === versionRows.applied)?.version;
  if (applied === undefined || applied === 0) return null;
  return { applied, oldest: rows.find(({ id }) => id === versionRows.oldest)?.version ?? applied };
};
