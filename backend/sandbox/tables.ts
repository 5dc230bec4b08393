/** The sandbox bank's books: tables of their own, which only a service with the sandbox on ever creates. */
import { type Kysely, sql } from "kysely";
import { columnsOf } from "../store/columns.ts";
import type { Database } from "../store/schema.ts";
import { adhoc } from "../store/statement.ts";
import { run, type Store, UniqueViolation } from "../store/store.ts";

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

const attemptsMax = 3;

/** Safe at every start. Two processes that create a table at once can trip over each other on PostgreSQL: try again. */
export const createSandboxTables = async (store: Store, attempt = 1): Promise<void> => {
  try {
    await store.write(function* () {
      for (const definition of definitions) {
        yield* run(adhoc((db) => ({ compile: () => definition.compile(db) })));
      }
    });
  } catch (error) {
    if (!(error instanceof UniqueViolation) || attempt >= attemptsMax) throw error;
    await createSandboxTables(store, attempt + 1);
  }
};
