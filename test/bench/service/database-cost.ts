/** What a load costs the database and the services: the difference between two looks at what PostgreSQL counts. */
import pg from "pg";
import type { Program } from "./programs.ts";

/** Of the server on which the statements of one database are counted; both are settings of its start. */
export const countingSettings = ["shared_preload_libraries=pg_stat_statements", "pg_stat_statements.max=10000"];

/** All since the first look. */
export interface Cost {
  readonly seconds: number;
  /** Milliseconds of CPU of the services' processes. */
  readonly cpuMs: number;
  readonly statements: number;
  /** Transactions that write and end in a COMMIT. */
  readonly commits: number;
  readonly walBytes: number;
  /** Rows that statements inserted, updated and deleted. */
  readonly rows: number;
}

/** One statement as PostgreSQL has counted it. */
export interface StatementCost {
  readonly text: string;
  readonly calls: number;
  readonly meanMs: number;
  readonly blocksEach: number;
}

/** Records of one kind on one table or index. */
export interface WalCost {
  readonly text: string;
  readonly records: number;
  readonly bytes: number;
}

/** @param adminUrl of another database of the server, so that the looks are not counted. */
export const createCosts = async (adminUrl: string, database: string) => {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
  await admin.query("CREATE EXTENSION IF NOT EXISTS pg_walinspect");
  await admin.query("CREATE EXTENSION IF NOT EXISTS dblink");
  let resetAt = "0/0";
  const counted = `pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = '${database}')`;

  const look = async (programs: readonly Program[]) => {
    const { rows } = await admin.query<Record<string, string>>(
      `SELECT coalesce(sum(calls), 0) AS statements, coalesce(sum(calls) FILTER (WHERE query = 'COMMIT'), 0) AS commits,
        coalesce(sum(rows) FILTER (WHERE query ~* '^(insert|update|delete|with)'), 0) AS rows,
        pg_current_wal_lsn() - '0/0' AS wal FROM ${counted}`,
    );
    const [row = {}] = rows;
    const cpuMs = programs.reduce((sum, { cpuMs }) => sum + cpuMs(), 0);
    return { at: performance.now(), cpuMs, row };
  };

  return {
    /** Runs `work` and says what it cost. */
    async of<T>(programs: readonly Program[], work: () => Promise<T>): Promise<readonly [T, Cost]> {
      const before = await look(programs);
      const result = await work();
      const after = await look(programs);
      const of = (name: string) => Number(after.row[name]) - Number(before.row[name]);
      const cost = {
        seconds: (after.at - before.at) / 1000,
        cpuMs: after.cpuMs - before.cpuMs,
        statements: of("statements"),
        commits: of("commits"),
        walBytes: of("wal"),
        rows: of("rows"),
      };
      return [result, cost];
    },
    /** Forgets what was counted. */
    async reset(): Promise<void> {
      await admin.query("SELECT pg_stat_statements_reset()");
      const { rows } = await admin.query<{ at: string }>("SELECT pg_current_wal_lsn()::text AS at");
      resetAt = rows[0]?.at ?? resetAt;
    },
    /** What the log of writes since the reset is made of, the largest first. */
    async wal(): Promise<readonly WalCost[]> {
      const { rows } = await admin.query<{ text: string; records: string; bytes: string }>(
        `WITH names AS (SELECT * FROM dblink('dbname=${database} user=postgres host=127.0.0.1 port=' || current_setting('port'),
            'SELECT pg_relation_filenode(oid), relname FROM pg_class WHERE relkind IN (''r'', ''i'', ''t'')') AS t (node oid, name text)),
          blocks AS (SELECT start_lsn, min(relfilenode) AS node FROM pg_get_wal_block_info($1, pg_current_wal_lsn()) WHERE block_id = 0 GROUP BY 1)
        SELECT concat_ws(' ', coalesce(name, 'other'), resource_manager, record_type) AS text, count(*) AS records, sum(record_length) AS bytes
          FROM pg_get_wal_records_info($1, pg_current_wal_lsn()) LEFT JOIN blocks USING (start_lsn) LEFT JOIN names USING (node)
          GROUP BY 1 ORDER BY 3 DESC`,
        [resetAt],
      );
      return rows.map(({ text, records, bytes }) => ({ text, records: Number(records), bytes: Number(bytes) }));
    },
    /** The statements that were called since the reset, the most frequent first. */
    async statements(): Promise<readonly StatementCost[]> {
      const { rows } = await admin.query<{ query: string; calls: string; mean: number; blocks: string }>(
        `SELECT query, calls, mean_exec_time AS mean, (shared_blks_hit + shared_blks_read) / greatest(calls, 1) AS blocks
          FROM ${counted} ORDER BY calls DESC`,
      );
      return rows.map(({ query, calls, mean, blocks }) => ({
        text: query.replaceAll(/\s+/g, " "),
        calls: Number(calls),
        meanMs: mean,
        blocksEach: Number(blocks),
      }));
    },
    close: () => admin.end(),
  };
};
