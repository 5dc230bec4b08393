/** The sandbox bank's books: tables of their own, which only a service with the sandbox on ever creates. */
import { type Kysely, sql } from "kysely";
import { columnsOf } from "../store/columns.ts";
import { versionRows } from "../store/migrate.ts";
import type { Database } from "../store/schema.ts";
import { adhoc, statement } from "../store/statement.ts";
import { run, type Store } from "../store/store.ts";

/** The bank's holds; amounts in minor units, times in epoch milliseconds. */
export type HoldsTable = {
  reference: string;
  user_id: string;
  shop: string;
  amount: number;
  currency: string;
  expires_at: number;
  /** Settle orders received, whatever became of them. */
  settle_calls: number;
  first_settle_at: number | null;
  /** When the hold ended without a payment. */
  released_at: number | null;
  /** 1 while the bank still has to approve this one by itself. */
  to_approve: number;
};

/** Every column of a hold. */
export const holdColumns = columnsOf<HoldsTable>()({
  reference: true,
  user_id: true,
  shop: true,
  amount: true,
  currency: true,
  expires_at: true,
  settle_calls: true,
  first_settle_at: true,
  released_at: true,
  to_approve: true,
});

/** The bank's payments, one a reference for ever. */
export type PaymentsTable = {
  reference: string;
  user_id: string;
  amount: number;
  currency: string;
  booked_at: number;
};

/** The bank's own tables, beside the service's. */
export type SandboxTables = {
  sandbox_holds: HoldsTable;
  sandbox_payments: PaymentsTable;
};

/** Adds them to what Kysely knows. */
export const withSandbox = (db: Kysely<Database>) => db.withTables<SandboxTables>();

const definitions = [
  sql`CREATE TABLE IF NOT EXISTS sandbox_holds (
    reference TEXT PRIMARY KEY, user_id TEXT NOT NULL, shop TEXT NOT NULL, amount BIGINT NOT NULL, currency TEXT NOT NULL,
    expires_at BIGINT NOT NULL, settle_calls BIGINT NOT NULL, first_settle_at BIGINT, released_at BIGINT,
    to_approve BIGINT NOT NULL)`,
  sql`CREATE INDEX IF NOT EXISTS sandbox_holds_to_approve ON sandbox_holds (reference) WHERE to_approve = 1`,
  sql`CREATE TABLE IF NOT EXISTS sandbox_payments (
    reference TEXT PRIMARY KEY, user_id TEXT NOT NULL, amount BIGINT NOT NULL, currency TEXT NOT NULL,
    booked_at BIGINT NOT NULL)`,
];

/** The row that a migration locks: PostgreSQL trips over two who create one table at once, also with IF NOT EXISTS. */
const lockMigrations = statement("sandbox_tables_lock", (db) =>
  db.selectFrom("schema_version").select("id").where("id", "=", versionRows.lock).forUpdate(),
);

/** Safe at every start, also of a whole fleet at once. */
export const createSandboxTables = (store: Store): Promise<void> =>
  store.write(function* () {
    if (store.dialect === "postgres") yield* run(lockMigrations({}));
    for (const definition of definitions) {
      yield* run(adhoc((db) => ({ compile: () => definition.compile(db) })));
    }
  });
