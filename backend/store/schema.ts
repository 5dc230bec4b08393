/**
 * The tables as Kysely sees them, in `tables/`. Times are epoch milliseconds, amounts minor units, flags 0 or 1: the same
 * values on SQLite and on PostgreSQL. The SQL that creates them is in `migrations.ts`.
 */
import type {
  AuditHeadTable,
  AuditTable,
  CredentialsTable,
  EnrolmentsTable,
  JournalHeadsTable,
  ManagerResetsTable,
  TokensTable,
  UsersTable,
} from "./tables/access.ts";
import type {
  CheckinsTable,
  CustomersTable,
  MerchantsTable,
  PartnerBrandsTable,
  PartnerMerchantsTable,
  PartnersTable,
} from "./tables/parties.ts";
import type {
  ArchivedWithdrawalsTable,
  OutboxTable,
  RestoredReportsTable,
  StatusEventsTable,
  WithdrawalEventsTable,
  WithdrawalsTable,
} from "./tables/withdrawals.ts";

/** What the processes on one database share. */
interface SettingsTable {
  name: string;
  value: string;
}

/** When the database was put back to a copy. */
interface RestoresTable {
  /** Never below an earlier one's, whatever the clock says: it names the restore. */
  restored_at: number;
  /** When the copy was begun: what happened since may be forgotten. */
  forgot_since: number;
}

/** Rows that a unit locks until its commit (`backend/withdrawals/caps.ts`). */
interface LimitLocksTable {
  bucket: number;
}

/** The processes of a fleet, each with the last time it was seen. */
interface WorkersTable {
  id: string;
  seen_at: number;
}

/** Three numbers about the schema (`migrate.ts`). */
interface SchemaVersionTable {
  id: number;
  version: number;
}

/** Every table by its name. */
export interface Database {
  merchants: MerchantsTable;
  partners: PartnersTable;
  partner_merchants: PartnerMerchantsTable;
  partner_brands: PartnerBrandsTable;
  credentials: CredentialsTable;
  tokens: TokensTable;
  users: UsersTable;
  customers: CustomersTable;
  checkins: CheckinsTable;
  withdrawals: WithdrawalsTable;
  withdrawal_events: WithdrawalEventsTable;
  outbox: OutboxTable;
  status_events: StatusEventsTable;
  settings: SettingsTable;
  restores: RestoresTable;
  restored_reports: RestoredReportsTable;
  limit_locks: LimitLocksTable;
  audit: AuditTable;
  audit_head: AuditHeadTable;
  enrolments: EnrolmentsTable;
  manager_resets: ManagerResetsTable;
  journal_heads: JournalHeadsTable;
  workers: WorkersTable;
  archived_withdrawals: ArchivedWithdrawalsTable;
  schema_version: SchemaVersionTable;
}
