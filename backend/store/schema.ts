/**
 * The tables as Kysely sees them, in `tables/`. Times are epoch milliseconds, amounts minor units, flags 0 or 1: the same
 * values on SQLite and on PostgreSQL. The SQL that creates them is in `migrations.ts`.
 */

import type { Actor, EventKind } from "../contract/history.ts";
import type { PartnerAnswers } from "../contract/partner.ts";
import type { Reason } from "../contract/reasons.ts";
import type { Status } from "../contract/transaction.ts";

/** Whose device it is: a merchant's or a partner's. */
export type CredentialKind = "terminal" | "client";

/** Devices that may sign in. */
interface CredentialsTable {
  id: string;
  kind: CredentialKind;
  /** A merchant's id (terminal) or a partner's (client). */
  owner_id: string;
  device_id: string;
  secret_hash: string;
  /** Separated by spaces. */
  scopes: string;
  created_at: number;
  revoked_at: number | null;
}

/** Access tokens that have not been purged. */
interface TokensTable {
  /** HMAC of the token: the database never holds one that works. */
  token_hash: string;
  credential_id: string;
  scopes: string;
  created_at: number;
  expires_at: number;
}

/** Accounts made by `POST /api/v2/users`. */
interface UsersTable {
  /** The id in lower case: user ids are case-insensitive, and one partner learns nothing of another's. */
  id_folded: string;
  id: string;
  partner_id: string;
  password_hash: string;
  email: string | null;
  phone: string | null;
  auto_update: number;
  created_at: number;
}

/** One-time codes that turn into a terminal's access key. */
interface EnrolmentsTable {
  /** HMAC of the code. */
  code_hash: string;
  merchant_id: string;
  device_id: string;
  /** 1: a key that is in use is replaced. */
  replaces: number;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

/** One-time codes that reset a manager's PIN at one terminal. */
interface ManagerResetsTable {
  /** HMAC of the code. */
  code_hash: string;
  merchant_id: string;
  device_id: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

/** The links of terminals' journals that were reported, kept as long as the books. */
interface JournalHeadsTable {
  merchant_id: string;
  device_id: string;
  /** Counts up with each enrolment: a replaced machine has a new journal. Its first row is number 0, without a head. */
  epoch: number;
  seq: number;
  head: string;
  at: number;
  received_at: number;
  /** The newest restore when it was reported, 0 for none; null from before this was written down. */
  after_restore: number | null;
}

/** Who did what to access (`backend/access/audit.ts`). */
export interface AuditTable {
  seq: number;
  at: number;
  event: string;
  actor: string;
  address: string | null;
  object: string;
  detail: string | null;
  /** Which key made `hash`. */
  key_id: string;
  /** HMAC over the entry and the hash before it. */
  hash: string;
}

/** One row: the newest entry's number and hash, locked by whoever adds the next. */
interface AuditHeadTable {
  id: number;
  seq: number;
  hash: string;
}

/** The shops. */
export interface MerchantsTable {
  /** The `merchant_id` of its terminals and the `store` of its transactions. */
  id: string;
  /** What the bank sees as `store` in Start order and what the customer reads. */
  name: string;
  currency: string;
  amount_min: number;
  amount_max: number;
  amount_step: number;
  created_at: number;
  /** The most that may be asked for here in a day (UTC), in minor units; null: no such limit. */
  shop_day_max: number | null;
  /** The most that one terminal may confirm in 60 minutes, in minor units; null: no such limit. */
  terminal_hour_max: number | null;
  /** Whom a cashier asks: a sentence and a telephone number. */
  support_text: string | null;
  support_phone: string | null;
  /** From when on nobody may ask for cash here; what was asked for before goes on. Null: open. */
  disabled_at: number | null;
}

/** The banks. */
export interface PartnersTable {
  /** The `merchant_id` of its client credentials. */
  id: string;
  /** Null: only PARTNER_URL and PARTNER_SECRET, where PARTNER_ID names this partner; else it can ask for nothing. */
  url: string | null;
  secret: string | null;
  created_at: number;
  /** Where status events go; null: this bank gets none. */
  events_url: string | null;
  /** The link into the bank's app at `awaiting_sca`, with `{transaction_id}` in it; null: no button. */
  sca_url: string | null;
  /** How a definite answer is recognized; null: by a status word (`backend/contract/partner.ts`). */
  answers: PartnerAnswers | null;
  /** The key before the last rotation: calls are signed with both until `previous_secret_until`. */
  previous_secret: string | null;
  previous_secret_until: number | null;
  /** The most that one user may ask for in a day (UTC), in minor units of `user_day_currency`; null: no such limit. */
  user_day_max: number | null;
  user_day_currency: string | null;
}

/** How banks look on their customers' pages; a bank without a row looks as the pages do by themselves. */
export interface PartnerBrandsTable {
  partner_id: string;
  /** In place of the brand that a check-in names; null: that one. */
  name: string | null;
  /** `#rrggbb` as the bank has it; null: the pages' own. */
  color: string | null;
  /** Base64 of the checked file; null: the first letter of the name. */
  logo: string | null;
  logo_type: "image/png" | "image/svg+xml" | null;
  /** Names the files of this look; another look has another. */
  digest: string;
  changed_at: number;
}

/** The shops that a partner may use; `merchant_id` is `*` for all of them, also later ones. */
interface PartnerMerchantsTable {
  partner_id: string;
  merchant_id: string;
  created_at: number;
}

/** The people a partner checks in: `new` without a row, `blocked` with `blocked_at`. */
interface CustomersTable {
  partner_id: string;
  user_id: string;
  created_at: number;
  blocked_at: number | null;
}

/** Customers whom a bank has sent to the pages. */
export interface CheckinsTable {
  id: string;
  partner_id: string;
  /** HMAC of the secret in the destination url. */
  token_hash: string;
  reference_id: string;
  brand: string;
  user_id: string;
  balance: number;
  currency: string;
  url_back: string;
  created_at: number;
  expires_at: number;
  /** The url works once; the page then goes on with a session. */
  opened_at: number | null;
  session_hash: string | null;
  transaction_id: string | null;
}

/** The withdrawals that run, and those that ended lately. */
export interface WithdrawalsTable {
  id: string;
  partner_id: string;
  merchant_id: string;
  user_id: string;
  amount: number;
  currency: string;
  sca_required: number;
  status: Status;
  reason: Reason | null;
  /** When the present status expires; null when only a call can end it. The sweeper has an index on it. */
  deadline_at: number | null;
  device_id: string | null;
  transaction_id_partner: string | null;
  created_at: number;
  expires_at: number;
  confirmed_at: number | null;
  sca_expires_at: number | null;
  settled_at: number | null;
  linked_at: number | null;
  closed_at: number | null;
  undelivered_reason: string | null;
  /** Calls of Settle order until the definite answer; those before it are counted in the outbox. */
  settle_attempts: number;
  /** Unique with the partner; committed with the row, so a repeat finds the first answer or waits for it. */
  idempotency_key: string;
  request_hash: string;
  /** The bank's own name for it, echoed in answers, orders and events. */
  partner_reference: string | null;
  /** Rows of this withdrawal in `withdrawal_events`: the sequence of the newest. 0 for one from before there was a history. */
  history_length: number;
  /** When the bank contradicted its first definite answer; null when it never did, or when an operator closed the dispute. */
  disputed_at: number | null;
  /** What a person called the shop when the withdrawal was asked for; null: of a release that did not keep it. */
  store_name: string | null;
  /** The code of whoever said at the terminal what became of the cash; null where it did not say. */
  cashier: string | null;
  /** The terminal's name for the hand-out that was linked; null before it, and where the terminal gave none. */
  hand_out_id: string | null;
  /** The name of another hand-out that the same device reported: cash may have left twice. */
  other_hand_out_id: string | null;
}

/** Withdrawals that ended long ago: what the report and a look at one still need. */
interface ArchivedWithdrawalsTable extends WithdrawalsTable {
  archived_at: number;
}

/** The history of the withdrawals; a row is written in the commit of the change that it describes, and never changed. */
export interface WithdrawalEventsTable {
  transaction_id: string;
  /** From 1 for each withdrawal, without gaps. */
  sequence: number;
  kind: EventKind;
  at: number;
  from_status: Status | null;
  to_status: Status;
  actor: Actor;
  actor_id: string | null;
  request_id: string | null;
  reason: string | null;
  attempt: number | null;
  /** The code of whoever said so at the terminal, never a name. */
  cashier: string | null;
  /** HMAC over the row, what its withdrawal is about and the hash of the row before; null: of a release that made none. */
  hash: string | null;
  /** The audit's entry whose digest holds this row; null until the next one is made. */
  seal: number | null;
}

/**
 * What a terminal reported again after a restore and no withdrawal can take: one that the copy does not know, or one that
 * another terminal has. A line of the reconciliation report.
 */
export interface RestoredReportsTable {
  /** Puts lines of one moment in order; made by us. */
  id: string;
  transaction_id: string;
  merchant_id: string;
  device_id: string;
  status: "linked" | "undelivered";
  undelivered_reason: string | null;
  transaction_id_partner: string;
  amount: number;
  currency: string;
  /** By the terminal, as `settled_at`, within what the restore has forgotten; the first time that it names where it does not say. */
  confirmed_at: number;
  settled_at: number | null;
  reported_at: number;
  cashier: string | null;
  /** When it came. */
  created_at: number;
  /** When an operator closed it; null: open. */
  closed_at: number | null;
  /** As of a withdrawal. */
  hand_out_id: string | null;
  other_hand_out_id: string | null;
}

/** One Settle order that has no definite answer yet. */
export interface OutboxTable {
  /** The `webhook-id`, stable over all repeats. */
  id: string;
  transaction_id: string;
  partner_id: string;
  body: string;
  attempts: number;
  /** When it may be claimed: the end of a lease or of a pause. */
  due_at: number;
  /** Who holds the lease; a worker that lost it may no longer move `due_at`. */
  claimed_by: string;
  created_at: number;
  last_error: string | null;
  /** Goes along as the header `Partner-Reference`. */
  partner_reference: string | null;
  /** Equal to `attempts` as long as none of them was sent; anything else: one may have reached the bank. */
  unsent_attempts: number;
}

/** One status event that the bank has not taken yet; columns as in the outbox. */
export type StatusEventsTable = Omit<OutboxTable, "unsent_attempts">;

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
