/**
 * A numbered migration for both stores: TEXT and BIGINT, primary keys, unique and partial indexes, nothing else. Released ones
 * are never edited. A migration only adds (or drops an unused index); removing is for a later release (`contracts: true`).
 */
export interface Migration {
  readonly version: number;
  /** Run in one transaction. Each waits for its table while everybody queues behind it, so none may read a large table. */
  readonly statements: readonly string[];
  /** Created after the statements, on PostgreSQL without locking the table; for tables that may hold rows. */
  readonly indexes?: readonly IndexStep[];
  /** Indexes of earlier migrations that these come in the place of: no longer made, and dropped once no process of a release before runs. */
  readonly replaced?: readonly string[];
  /** Programs without this migration cannot work with its result, and are refused. Default: they can. */
  readonly contracts?: true;
}

/** An index on a table that may hold rows already. */
export interface IndexStep {
  readonly name: string;
  /** `withdrawals (merchant_id, confirmed_at)`. */
  readonly on: string;
  /** The condition of a partial index. */
  readonly where?: string;
  readonly isUnique?: true;
  /** Needed only while ended withdrawals are in the same table as open ones: made by earlier releases, dropped once they have their own. */
  readonly ofEnded?: true;
}

/**
 * Condition on a row of the history: it is of another day than its withdrawal's request, of none, or written long after. All
 * others of a day are found by the time of the request, and need no index for it.
 */
export const writtenApart =
  "day < 1 OR day > 2932896 OR day <> asked_at / 86400000 OR at < asked_at OR at / 3600000 > asked_at / 3600000 + 1";

/** Every migration, from the first. */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    statements: [
      `CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)`,
      `CREATE TABLE merchants (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, currency TEXT NOT NULL,
        amount_min BIGINT NOT NULL, amount_max BIGINT NOT NULL, amount_step BIGINT NOT NULL, created_at BIGINT NOT NULL)`,
      `CREATE TABLE partners (id TEXT PRIMARY KEY, url TEXT, secret TEXT, created_at BIGINT NOT NULL)`,
      `CREATE TABLE credentials (
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, owner_id TEXT NOT NULL, device_id TEXT NOT NULL,
        secret_hash TEXT NOT NULL, scopes TEXT NOT NULL, created_at BIGINT NOT NULL, revoked_at BIGINT)`,
      `CREATE UNIQUE INDEX credentials_by_device ON credentials (kind, owner_id, device_id)`,
      `CREATE TABLE tokens (
        token_hash TEXT PRIMARY KEY, credential_id TEXT NOT NULL, scopes TEXT NOT NULL,
        created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL)`,
      `CREATE INDEX tokens_by_expiry ON tokens (expires_at)`,
      `CREATE INDEX tokens_by_credential ON tokens (credential_id)`,
      `CREATE TABLE users (
        partner_id TEXT NOT NULL, id_folded TEXT NOT NULL, id TEXT NOT NULL, password_hash TEXT NOT NULL,
        email TEXT, phone TEXT, auto_update BIGINT NOT NULL, created_at BIGINT NOT NULL,
        PRIMARY KEY (partner_id, id_folded))`,
      `CREATE TABLE customers (
        partner_id TEXT NOT NULL, user_id TEXT NOT NULL, created_at BIGINT NOT NULL, blocked_at BIGINT,
        PRIMARY KEY (partner_id, user_id))`,
      `CREATE TABLE checkins (
        id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, token_hash TEXT NOT NULL, reference_id TEXT NOT NULL,
        brand TEXT NOT NULL, user_id TEXT NOT NULL, balance BIGINT NOT NULL, currency TEXT NOT NULL, url_back TEXT NOT NULL,
        created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, opened_at BIGINT, session_hash TEXT, transaction_id TEXT)`,
      `CREATE UNIQUE INDEX checkins_by_token ON checkins (token_hash)`,
      `CREATE INDEX checkins_by_session ON checkins (session_hash) WHERE session_hash IS NOT NULL`,
      `CREATE TABLE withdrawals (
        id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, merchant_id TEXT NOT NULL, user_id TEXT NOT NULL,
        amount BIGINT NOT NULL, currency TEXT NOT NULL, sca_required BIGINT NOT NULL,
        status TEXT NOT NULL, reason TEXT, deadline_at BIGINT, device_id TEXT, transaction_id_partner TEXT,
        created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, confirmed_at BIGINT, sca_expires_at BIGINT,
        settled_at BIGINT, linked_at BIGINT, closed_at BIGINT, undelivered_reason TEXT,
        settle_attempts BIGINT NOT NULL, idempotency_key TEXT NOT NULL, request_hash TEXT NOT NULL)`,
      `CREATE UNIQUE INDEX withdrawals_by_key ON withdrawals (partner_id, idempotency_key)`,
      `CREATE UNIQUE INDEX withdrawals_by_pos_id ON withdrawals (merchant_id, device_id, transaction_id_partner)
        WHERE transaction_id_partner IS NOT NULL`,
      `CREATE INDEX withdrawals_by_deadline ON withdrawals (deadline_at) WHERE deadline_at IS NOT NULL`,
      `CREATE INDEX withdrawals_confirmed ON withdrawals (confirmed_at, id) WHERE confirmed_at IS NOT NULL`,
      `CREATE TABLE outbox (
        id TEXT PRIMARY KEY, transaction_id TEXT NOT NULL, partner_id TEXT NOT NULL, body TEXT NOT NULL,
        attempts BIGINT NOT NULL, due_at BIGINT NOT NULL, claimed_by TEXT NOT NULL, created_at BIGINT NOT NULL,
        last_error TEXT)`,
      `CREATE INDEX outbox_by_due ON outbox (partner_id, due_at)`,
    ],
  },
  {
    version: 2,
    statements: [
      `ALTER TABLE withdrawals ADD COLUMN partner_reference TEXT`,
      `ALTER TABLE outbox ADD COLUMN partner_reference TEXT`,
      `ALTER TABLE partners ADD COLUMN events_url TEXT`,
      `ALTER TABLE partners ADD COLUMN sca_url TEXT`,
      `CREATE TABLE status_events (
        id TEXT PRIMARY KEY, transaction_id TEXT NOT NULL, partner_id TEXT NOT NULL, body TEXT NOT NULL,
        attempts BIGINT NOT NULL, due_at BIGINT NOT NULL, claimed_by TEXT NOT NULL, created_at BIGINT NOT NULL,
        last_error TEXT, partner_reference TEXT)`,
      `CREATE INDEX status_events_by_due ON status_events (partner_id, due_at)`,
    ],
  },
  {
    version: 3,
    statements: [
      `ALTER TABLE partners ADD COLUMN answers TEXT`,
      `ALTER TABLE partners ADD COLUMN previous_secret TEXT`,
      `ALTER TABLE partners ADD COLUMN previous_secret_until BIGINT`,
      `ALTER TABLE partners ADD COLUMN user_day_max BIGINT`,
      `ALTER TABLE partners ADD COLUMN user_day_currency TEXT`,
      `ALTER TABLE merchants ADD COLUMN shop_day_max BIGINT`,
      `ALTER TABLE merchants ADD COLUMN terminal_hour_max BIGINT`,
      `ALTER TABLE merchants ADD COLUMN support_text TEXT`,
      `ALTER TABLE merchants ADD COLUMN support_phone TEXT`,
      `CREATE TABLE partner_merchants (
        partner_id TEXT NOT NULL, merchant_id TEXT NOT NULL, created_at BIGINT NOT NULL,
        PRIMARY KEY (partner_id, merchant_id))`,
      // Existing partners keep the use of every shop.
      `INSERT INTO partner_merchants (partner_id, merchant_id, created_at) SELECT id, '*', created_at FROM partners`,
    ],
  },
  { version: 4, statements: [`CREATE INDEX customers_by_folded_id ON customers (partner_id, lower(user_id))`] },
  {
    version: 5,
    statements: [
      `ALTER TABLE withdrawals ADD COLUMN history_length BIGINT NOT NULL DEFAULT 0`,
      `ALTER TABLE withdrawals ADD COLUMN disputed_at BIGINT`,
      `CREATE TABLE withdrawal_events (
        transaction_id TEXT NOT NULL, sequence BIGINT NOT NULL, kind TEXT NOT NULL, at BIGINT NOT NULL,
        from_status TEXT, to_status TEXT NOT NULL, actor TEXT NOT NULL, actor_id TEXT, request_id TEXT, reason TEXT,
        attempt BIGINT, PRIMARY KEY (transaction_id, sequence))`,
    ],
    indexes: [{ name: "withdrawals_disputed", on: "withdrawals (disputed_at)", where: "disputed_at IS NOT NULL" }],
  },
  {
    version: 6,
    statements: [
      `CREATE TABLE audit (
        seq BIGINT PRIMARY KEY, at BIGINT NOT NULL, event TEXT NOT NULL, actor TEXT NOT NULL, address TEXT,
        object TEXT NOT NULL, detail TEXT, key_id TEXT NOT NULL, hash TEXT NOT NULL)`,
      `CREATE TABLE audit_head (id BIGINT PRIMARY KEY, seq BIGINT NOT NULL, hash TEXT NOT NULL)`,
      `INSERT INTO audit_head (id, seq, hash) VALUES (1, 0, '')`,
      `CREATE TABLE enrolments (
        code_hash TEXT PRIMARY KEY, merchant_id TEXT NOT NULL, device_id TEXT NOT NULL, replaces BIGINT NOT NULL,
        created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, used_at BIGINT)`,
      `CREATE TABLE journal_heads (
        merchant_id TEXT NOT NULL, device_id TEXT NOT NULL, epoch BIGINT NOT NULL, seq BIGINT NOT NULL,
        head TEXT NOT NULL, at BIGINT NOT NULL, received_at BIGINT NOT NULL,
        PRIMARY KEY (merchant_id, device_id, epoch, seq))`,
    ],
  },
  {
    version: 7,
    statements: [`CREATE TABLE limit_locks (bucket BIGINT PRIMARY KEY)`],
    indexes: [
      { name: "withdrawals_by_user", on: "withdrawals (partner_id, lower(user_id), created_at)" },
      { name: "withdrawals_by_shop", on: "withdrawals (merchant_id, created_at)" },
      {
        name: "withdrawals_by_shop_confirmed",
        on: "withdrawals (merchant_id, confirmed_at, id)",
        where: "confirmed_at IS NOT NULL",
        ofEnded: true,
      },
    ],
  },
  {
    version: 8,
    statements: [
      `CREATE TABLE workers (id TEXT PRIMARY KEY, seen_at BIGINT NOT NULL)`,
      `CREATE TABLE archived_withdrawals (
        id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, merchant_id TEXT NOT NULL, user_id TEXT NOT NULL,
        amount BIGINT NOT NULL, currency TEXT NOT NULL, sca_required BIGINT NOT NULL,
        status TEXT NOT NULL, reason TEXT, deadline_at BIGINT, device_id TEXT, transaction_id_partner TEXT,
        created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, confirmed_at BIGINT, sca_expires_at BIGINT,
        settled_at BIGINT, linked_at BIGINT, closed_at BIGINT, undelivered_reason TEXT,
        settle_attempts BIGINT NOT NULL, idempotency_key TEXT NOT NULL, request_hash TEXT NOT NULL,
        partner_reference TEXT, history_length BIGINT NOT NULL DEFAULT 0, disputed_at BIGINT, archived_at BIGINT NOT NULL)`,
      `CREATE INDEX archived_by_shop ON archived_withdrawals (merchant_id, confirmed_at, id)`,
      `CREATE INDEX archived_by_partner ON archived_withdrawals (partner_id, confirmed_at, id)`,
      `CREATE INDEX archived_by_time ON archived_withdrawals (archived_at)`,
    ],
    indexes: [
      {
        name: "withdrawals_by_partner",
        on: "withdrawals (partner_id, confirmed_at, id)",
        where: "confirmed_at IS NOT NULL",
        ofEnded: true,
      },
      { name: "withdrawals_by_creation", on: "withdrawals (created_at)" },
      { name: "checkins_by_creation", on: "checkins (created_at)" },
      { name: "merchants_by_currency", on: "merchants (currency, name, id)" },
    ],
  },
  { version: 9, statements: [`ALTER TABLE merchants ADD COLUMN disabled_at BIGINT`] },
  {
    version: 10,
    statements: [
      `ALTER TABLE withdrawals ADD COLUMN store_name TEXT`,
      `ALTER TABLE archived_withdrawals ADD COLUMN store_name TEXT`,
    ],
  },
  // An older release beside this one writes 0 and never counts: its tries are never taken for unsent.
  {
    version: 11,
    statements: [`ALTER TABLE outbox ADD COLUMN unsent_attempts BIGINT NOT NULL DEFAULT 0`],
    indexes: [
      { name: "archived_disputed", on: "archived_withdrawals (disputed_at)", where: "disputed_at IS NOT NULL" },
    ],
  },
  {
    version: 12,
    statements: [
      `CREATE TABLE manager_resets (
        code_hash TEXT PRIMARY KEY, merchant_id TEXT NOT NULL, device_id TEXT NOT NULL,
        created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, used_at BIGINT)`,
    ],
  },
  {
    version: 13,
    statements: [
      `ALTER TABLE withdrawals ADD COLUMN cashier TEXT`,
      `ALTER TABLE archived_withdrawals ADD COLUMN cashier TEXT`,
      `ALTER TABLE withdrawal_events ADD COLUMN cashier TEXT`,
    ],
  },
  {
    version: 14,
    statements: [
      `CREATE TABLE partner_brands (
        partner_id TEXT PRIMARY KEY, name TEXT, color TEXT, logo TEXT, logo_type TEXT, digest TEXT NOT NULL,
        changed_at BIGINT NOT NULL)`,
      `CREATE UNIQUE INDEX partner_brands_by_digest ON partner_brands (digest)`,
    ],
  },
  {
    version: 15,
    statements: [],
    indexes: [{ name: "status_events_untried", on: "status_events (partner_id, due_at)", where: "last_error IS NULL" }],
  },
  {
    version: 16,
    statements: [
      `ALTER TABLE withdrawal_events ADD COLUMN hash TEXT`,
      `ALTER TABLE withdrawal_events ADD COLUMN seal BIGINT`,
    ],
    indexes: [
      { name: "withdrawal_events_by_seal", on: "withdrawal_events (seal)", where: "seal IS NOT NULL" },
      { name: "audit_by_event", on: "audit (event, seq)" },
    ],
  },
  {
    version: 17,
    statements: [
      `CREATE TABLE restores (restored_at BIGINT PRIMARY KEY, forgot_since BIGINT NOT NULL)`,
      `CREATE TABLE restored_reports (
        id TEXT PRIMARY KEY, transaction_id TEXT NOT NULL, merchant_id TEXT NOT NULL, device_id TEXT NOT NULL,
        status TEXT NOT NULL, undelivered_reason TEXT, transaction_id_partner TEXT NOT NULL,
        amount BIGINT NOT NULL, currency TEXT NOT NULL, confirmed_at BIGINT NOT NULL, settled_at BIGINT,
        reported_at BIGINT NOT NULL, cashier TEXT, created_at BIGINT NOT NULL, closed_at BIGINT)`,
      `CREATE UNIQUE INDEX restored_reports_by_device
        ON restored_reports (transaction_id, merchant_id, device_id)`,
      `CREATE INDEX restored_reports_by_shop ON restored_reports (merchant_id, confirmed_at, id)`,
    ],
  },
  {
    version: 18,
    statements: [`ALTER TABLE journal_heads ADD COLUMN after_restore BIGINT`],
  },
  {
    version: 19,
    statements: ["withdrawals", "archived_withdrawals", "restored_reports"].flatMap((table) => [
      `ALTER TABLE ${table} ADD COLUMN hand_out_id TEXT`,
      `ALTER TABLE ${table} ADD COLUMN other_hand_out_id TEXT`,
    ]),
  },
  // Unused: reports read one shop's or one bank's withdrawals, which have their own indexes.
  { version: 20, statements: [`DROP INDEX IF EXISTS withdrawals_confirmed`] },
  {
    version: 21,
    statements: [],
    indexes: [
      {
        name: "withdrawals_paying",
        on: "withdrawals (status, settled_at)",
        where: "status IN ('settling', 'settled')",
        ofEnded: true,
      },
    ],
  },
  {
    version: 22,
    statements: [],
    indexes: [{ name: "enrolments_by_device", on: "enrolments (merchant_id, device_id)" }],
  },
  {
    version: 23,
    statements: [],
    indexes: [
      { name: "withdrawals_by_request", on: "withdrawals (partner_id, created_at, id)", ofEnded: true },
      { name: "archived_by_request", on: "archived_withdrawals (partner_id, created_at, id)" },
    ],
  },
  {
    version: 24,
    statements: [
      `CREATE TABLE chain_merchants (
        chain_id TEXT NOT NULL, merchant_id TEXT NOT NULL, created_at BIGINT NOT NULL,
        PRIMARY KEY (chain_id, merchant_id))`,
    ],
    indexes: [{ name: "archived_by_creation", on: "archived_withdrawals (created_at)" }],
  },
  {
    version: 25,
    statements: [],
    indexes: [
      { name: "outbox_due", on: "outbox (due_at)" },
      { name: "status_events_due", on: "status_events (due_at)" },
    ],
  },
  {
    version: 26,
    statements: [`ALTER TABLE audit_head ADD COLUMN key_id TEXT`, `ALTER TABLE workers ADD COLUMN service_keys TEXT`],
  },
  {
    version: 27,
    statements: [
      `CREATE TABLE terminal_contacts (
        merchant_id TEXT NOT NULL, device_id TEXT NOT NULL, heard_at BIGINT NOT NULL, version TEXT,
        PRIMARY KEY (merchant_id, device_id))`,
      `ALTER TABLE merchants ADD COLUMN opening TEXT`,
      `ALTER TABLE merchants ADD COLUMN time_zone TEXT`,
    ],
  },
  { version: 28, statements: [`ALTER TABLE partners ADD COLUMN slots BIGINT`] },
  // A chain's report reads by time. The shop is left out, or PostgreSQL would prefer these to the shop's own indexes.
  {
    version: 29,
    statements: [],
    indexes: [
      {
        name: "withdrawals_by_confirmation",
        on: "withdrawals (confirmed_at, id)",
        where: "confirmed_at IS NOT NULL",
      },
      { name: "archived_by_confirmation", on: "archived_withdrawals (confirmed_at, id)" },
      { name: "restored_reports_by_confirmation", on: "restored_reports (confirmed_at, id)" },
    ],
  },
  {
    version: 30,
    statements: [
      `ALTER TABLE withdrawal_events ADD COLUMN terms TEXT`,
      `ALTER TABLE withdrawal_events ADD COLUMN address TEXT`,
    ],
    indexes: [
      { name: "audit_by_object", on: "audit (object, seq)" },
      { name: "customers_blocked", on: "customers (partner_id, user_id)", where: "blocked_at IS NOT NULL" },
    ],
  },
  // Keys of ended withdrawals, which have left `withdrawals`. In an empty database without older processes they leave
  // it from the start.
  {
    version: 33,
    statements: [
      `CREATE TABLE idempotency_keys (
        partner_id TEXT NOT NULL, idempotency_key TEXT NOT NULL, transaction_id TEXT NOT NULL, created_at BIGINT NOT NULL,
        PRIMARY KEY (partner_id, idempotency_key))`,
      `CREATE INDEX idempotency_keys_by_creation ON idempotency_keys (created_at)`,
      `CREATE TABLE terminal_references (
        merchant_id TEXT NOT NULL, device_id TEXT NOT NULL, transaction_id_partner TEXT NOT NULL, transaction_id TEXT NOT NULL,
        created_at BIGINT NOT NULL, PRIMARY KEY (merchant_id, device_id, transaction_id_partner))`,
      `CREATE INDEX terminal_references_by_creation ON terminal_references (created_at)`,
      `ALTER TABLE workers ADD COLUMN release BIGINT`,
      `INSERT INTO settings (name, value) SELECT 'ended_apart', '1'
        WHERE NOT EXISTS (SELECT 1 FROM withdrawals) AND NOT EXISTS (SELECT 1 FROM workers)`,
      `UPDATE schema_version SET version = 33 WHERE id = 3 AND EXISTS (SELECT 1 FROM settings WHERE name = 'ended_apart')`,
    ],
    indexes: [{ name: "archived_by_user", on: "archived_withdrawals (partner_id, lower(user_id), created_at)" }],
  },
  // Rows by an older release beside this one get day 0.
  {
    version: 34,
    statements: [
      `ALTER TABLE withdrawal_events ADD COLUMN asked_at BIGINT NOT NULL DEFAULT 0`,
      `ALTER TABLE withdrawal_events ADD COLUMN day BIGINT NOT NULL DEFAULT 0`,
    ],
    indexes: [{ name: "withdrawal_events_by_day", on: "withdrawal_events (day, at)" }],
  },
  // For open withdrawals no index contains columns that transitions change (`dueWithdrawals`).
  {
    version: 35,
    statements: [],
    indexes: [
      {
        name: "withdrawals_by_deadline",
        on: "withdrawals (deadline_at)",
        where: "deadline_at IS NOT NULL",
        ofEnded: true,
      },
    ],
  },
  // A row of the history has one index, as a rule, instead of two.
  {
    version: 36,
    statements: [],
    indexes: [
      {
        name: "withdrawal_events_by_asking",
        on: "withdrawal_events (asked_at, transaction_id, sequence)",
        isUnique: true,
      },
      { name: "withdrawal_events_apart", on: "withdrawal_events (day, at)", where: writtenApart },
    ],
    replaced: ["withdrawal_events_by_day", "withdrawal_events_key"],
  },
];
