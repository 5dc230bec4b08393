import type pg from "pg";
import type { Clock } from "../ports.ts";
import { migrationFrom } from "./migrate.ts";
import { StoreRefused } from "./store.ts";

/** Processes that start together run into each other's CREATE TABLE; the others come again and find it done. */
const attemptsMax = 50;
const pauseMs = 100;
const collisionCodes = ["23505", "42P07", "40001", "40P01", "XX000"];

export const migratePostgres = async (pool: pg.Pool, clock: Clock): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await migrateOnce(pool);
      return;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      if (error instanceof StoreRefused || !collisionCodes.includes(code) || attempt >= attemptsMax) throw error;
      await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
    }
  }
};

const migrateOnce = async (pool: pg.Pool): Promise<void> => {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    for (const sql of migrationFrom(await versionOf(client))) await client.query(sql);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
};

const versionOf = async (client: pg.PoolClient): Promise<number | null> => {
  const table = await client.query(
    "SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = 'schema_version'",
  );
  if (table.rows.length === 0) return null;
  const { rows } = await client.query<{ version: number }>(
    "SELECT version FROM schema_version WHERE id = 1 FOR UPDATE",
  );
  return rows[0]?.version ?? null;
};
