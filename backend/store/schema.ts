/**
 * The tables: their columns and types. Times are epoch milliseconds, amounts minor units, flags 0 or 1, the same on
 * SQLite and PostgreSQL. The SQL that creates them is in `migrations.ts`.
 */
import type { Actor, EventKind } from "../contract/history.ts";
import type { PartnerAnswers } from "../contract/partner.ts";
import type { Reason } from "../contract/reasons.ts";
import type { Status } from "../contract/transaction.ts";

/** Kind of device: a merchant's terminal, a partner's server, or a chain's head office. */
export type CredentialKind = "terminal" | "client" | "chain";

/** Declares a column of type `T`; only the type is used. */
const column = <T>(): T => undefined as T;
/** A TEXT column. */
export const text = column<string>();
/** A BIGINT column. */
export const integer = column<number>();
const textOrNull = column<string | null>();
/** A BIGINT column that may hold null. */
export const integerOrNull = column<number | null>();

const withdrawals = {
  id: text,
  partner_id: text,
  merchant_id: text,
  user_id: text,
  amount: integer,
  currency: text,
  sca_required: integer,
  status: column<Status>(),
  reason: column<Reason | null>(),
  /** When the current status expires; null when only a call can end it. The sweeper's index is on it. */
  deadline_at: integerOrNull,
  device_id: textOrNull,
  transaction_id_partner: textOrNull,
  created_at: integer,
  expires_at: integer,
  confirmed_at: integerOrNull,
  sca_expires_at: integerOrNull,
  settled_at: integerOrNull,
  linked_at: integerOrNull,
  closed_at: integerOrNull,
  undelivered_reason: textOrNull,
  /** Settle order calls up to the definite answer; until then the outbox counts them. */
  settle_attempts: integer,
  /** Unique per partner; committed with the row, so that a repeat finds the first answer or waits for it. */
  idempotency_key: text,
  request_hash: text,
  /** The bank's own reference, echoed in answers, orders and events. */
  partner_reference: textOrNull,
  /** Number of rows in `withdrawal_events`, and the newest sequence; 0 for withdrawals older than the history. */
  history_length: integer,
  /** When the bank contradicted its first definite answer; null when it never did, or when an operator closed the dispute. */
  disputed_at: integerOrNull,
  /** The shop's name at the time of the request; null from releases that did not store it. */
  store_name: textOrNull,
  /** Code of the person who reported the cash at the terminal; null if not sent. */
  cashier: textOrNull,
  /** The terminal's id of the linked hand-out; null before it, and if not sent. */
  hand_out_id: textOrNull,
  /** The id of another hand-out reported by the same device: cash may have left twice. */
  other_hand_out_id: textOrNull,
};

/** Columns of queued messages to a bank, of all kinds. `insertEvent` (`partner/events.ts`) selects its values in this order. */
const queued = {
  /** The `webhook-id`, stable over all repeats. */
  id: text,
  transaction_id: text,
  partner_id: text,
  body: text,
  attempts: integer,
  /** When it may be claimed: the end of a lease or of a pause. */
  due_at: integer,
  /** Who holds the lease; a worker that lost it may no longer move `due_at`. */
  claimed_by: text,
  created_at: integer,
  last_error: textOrNull,
  /** Sent as the header `Partner-Reference`. */
  partner_reference: textOrNull,
};

/** Every table by its name. */
const tables = {
  /** Devices that may sign in. */
  credentials: {
    id: text,
    kind: column<CredentialKind>(),
    /** A merchant's id (terminal), a partner's (client) or a chain's name. */
    owner_id: text,
    device_id: text,
    secret_hash: text,
    /** Separated by spaces. */
    scopes: text,
    created_at: integer,
    revoked_at: integerOrNull,
  },

  /** Access tokens that have not been purged. */
  tokens: {
    /** HMAC of the token; tokens themselves are not stored. */
    token_hash: text,
    credential_id: text,
    scopes: text,
    created_at: integer,
    expires_at: integer,
  },

  /** Accounts made by `POST /api/v2/users`. */
  users: {
    /** The id in lower case, as user ids are case-insensitive; unique per partner. */
    id_folded: text,
    id: text,
    partner_id: text,
    password_hash: text,
    email: textOrNull,
    phone: textOrNull,
    auto_update: integer,
    created_at: integer,
  },

  /** One-time codes that turn into a terminal's access key. */
  enrolments: {
    /** HMAC of the code. */
    code_hash: text,
    merchant_id: text,
    device_id: text,
    /** 1: replaces an existing key. */
    replaces: integer,
    created_at: integer,
    expires_at: integer,
    used_at: integerOrNull,
  },

  /** One-time codes that reset a manager's PIN at one terminal. */
  manager_resets: {
    /** HMAC of the code. */
    code_hash: text,
    merchant_id: text,
    device_id: text,
    created_at: integer,
    expires_at: integer,
    used_at: integerOrNull,
  },

  /** When each terminal last called, to within five minutes, and with which version. */
  terminal_contacts: { merchant_id: text, device_id: text, heard_at: integer, version: textOrNull },

  /** Reported links of terminals' journals, kept as long as the books. */
  journal_heads: {
    merchant_id: text,
    device_id: text,
    /** Goes up with each enrolment, since a replaced machine has a new journal. Its first row is number 0, without a head. */
    epoch: integer,
    seq: integer,
    head: text,
    at: integer,
    received_at: integer,
    /** The newest restore at the time of the report, 0 for none; null from releases that did not store it. */
    after_restore: integerOrNull,
  },

  /**
   * Who did what to access (`backend/access/audit.ts`). The order of columns is part of the hash, so later columns must
   * be added only where not null.
   */
  audit: {
    seq: integer,
    at: integer,
    event: text,
    actor: text,
    address: textOrNull,
    object: text,
    detail: textOrNull,
    /** The key of `hash`. */
    key_id: text,
    /** HMAC over the entry and the hash before it. */
    hash: text,
  },

  /** One row: the newest entry's number and hash, locked by whoever appends. */
  audit_head: {
    id: integer,
    seq: integer,
    hash: text,
    /** The key of the next entry; null until a release stores it. */
    key_id: textOrNull,
  },

  /** The shops. */
  merchants: {
    /** The `merchant_id` of its terminals and the `store` of its transactions. */
    id: text,
    /** The name that banks get as `store` in Start order and customers see. */
    name: text,
    currency: text,
    amount_min: integer,
    amount_max: integer,
    amount_step: integer,
    created_at: integer,
    /** Limit of requests here per day (UTC), in minor units; null: none. */
    shop_day_max: integerOrNull,
    /** Limit of one terminal's confirmations per 60 minutes, in minor units; null: none. */
    terminal_hour_max: integerOrNull,
    /** Support for cashiers: a sentence and a telephone number. */
    support_text: textOrNull,
    support_phone: textOrNull,
    /** Since when the shop takes no new requests; existing withdrawals go on. Null: open. */
    disabled_at: integerOrNull,
    /** Such as `mon-sat 08:00-20:00`, in `time_zone`; null: unknown. */
    opening: textOrNull,
    time_zone: textOrNull,
  },

  /** The shops that a chain's head office may look at. */
  chain_merchants: { chain_id: text, merchant_id: text, created_at: integer },

  /** The banks. */
  partners: {
    /** The `merchant_id` of its client credentials. */
    id: text,
    /** Null: uses PARTNER_URL and PARTNER_SECRET if PARTNER_ID names this partner; otherwise it cannot request anything. */
    url: textOrNull,
    secret: textOrNull,
    created_at: integer,
    /** Where status events go; null: this bank gets none. */
    events_url: textOrNull,
    /** The link into the bank's app at `awaiting_sca`, with `{transaction_id}` in it; null: no button. */
    sca_url: textOrNull,
    /** How a definite answer is recognized; null: by a status word (`backend/contract/partner.ts`). */
    answers: column<PartnerAnswers | null>(),
    /** The key before the last rotation: calls are signed with both until `previous_secret_until`. */
    previous_secret: textOrNull,
    previous_secret_until: integerOrNull,
    /** Limit of one user's requests per day (UTC), in minor units of `user_day_currency`; null: none. */
    user_day_max: integerOrNull,
    user_day_currency: textOrNull,
    /** Settle orders in flight from one process; null: the default. */
    slots: integerOrNull,
  },

  /** Looks of banks on their customers' pages; a bank without a row has the pages' own. */
  partner_brands: {
    partner_id: text,
    /** Replaces the brand in a check-in; null: does not. */
    name: textOrNull,
    /** The bank's colour as `#rrggbb`; null: the pages' own. */
    color: textOrNull,
    /** Base64 of the checked file; null: the first letter of the name. */
    logo: textOrNull,
    logo_type: column<"image/png" | "image/svg+xml" | null>(),
    /** Part of the names of this look's files; changes with the look. */
    digest: text,
    changed_at: integer,
  },

  /** The shops that a partner may use; `merchant_id` is `*` for all of them, also later ones. */
  partner_merchants: {
    partner_id: text,
    merchant_id: text,
    created_at: integer,
  },

  /** The people a partner checks in: `new` without a row, `blocked` with `blocked_at`. */
  customers: {
    partner_id: text,
    user_id: text,
    created_at: integer,
    blocked_at: integerOrNull,
  },

  /** Customers whom a bank has sent to the pages. */
  checkins: {
    id: text,
    partner_id: text,
    /** HMAC of the secret in the destination url. */
    token_hash: text,
    reference_id: text,
    brand: text,
    user_id: text,
    balance: integer,
    currency: text,
    url_back: text,
    created_at: integer,
    expires_at: integer,
    /** When the url was opened, which works once; the page then uses a session. */
    opened_at: integerOrNull,
    session_hash: textOrNull,
    transaction_id: textOrNull,
  },

  /** Open withdrawals, those ended by a restore, and what an older release has left here. */
  withdrawals,
  /** Withdrawals that have ended. */
  archived_withdrawals: { ...withdrawals, archived_at: integer },
  /** Idempotency keys of `archived_withdrawals`, kept as long as repeats are answered. */
  idempotency_keys: { partner_id: text, idempotency_key: text, transaction_id: text, created_at: integer },
  /** Terminals' own ids of `archived_withdrawals`, kept as long. */
  terminal_references: {
    merchant_id: text,
    device_id: text,
    transaction_id_partner: text,
    transaction_id: text,
    created_at: integer,
  },

  /**
   * The history of the withdrawals; rows are written in the commit of the change that they describe, and never modified.
   * The order of columns is part of the hash, up to `cashier`.
   */
  withdrawal_events: {
    transaction_id: text,
    /** From 1 for each withdrawal, without gaps. */
    sequence: integer,
    kind: column<EventKind>(),
    at: integer,
    from_status: column<Status | null>(),
    to_status: column<Status>(),
    actor: column<Actor>(),
    actor_id: textOrNull,
    request_id: textOrNull,
    reason: textOrNull,
    attempt: integerOrNull,
    /** Code of the person who reported it at the terminal, never a name. */
    cashier: textOrNull,
    /** The terms that were checked, as written by `withdrawals/transition.ts`; null: none, or from releases that did not store them. */
    terms: textOrNull,
    /** The bank's address that answered, empty for the installation's PARTNER_URL; null as above. */
    address: textOrNull,
    /** HMAC over the row, its withdrawal's key data and the previous row's hash; null from releases without. */
    hash: textOrNull,
    /** Written by earlier releases: the audit entry whose digest covers this row. */
    seal: integerOrNull,
    /** When its withdrawal was requested; 0 from releases that did not store it. */
    asked_at: integer,
    /** The day, counted from 1970, in whose audit lines the row counts (`operate/proof.ts`); 0 from such releases. */
    day: integer,
  },

  /**
   * Reports repeated after a restore that match no withdrawal: the copy does not know it, or it is another terminal's. Also what a bank
   * was asked to pay that a failover has forgotten. Each is a line of the reconciliation report.
   */
  restored_reports: {
    /** Generated; orders lines of the same time. */
    id: text,
    transaction_id: text,
    merchant_id: text,
    /** Empty where only the bank was asked: the terminal may still report it. */
    device_id: text,
    /** As the terminal says; `settled` where a bank has paid, `settling` where it has not answered. */
    status: column<"linked" | "undelivered" | "settled" | "settling">(),
    undelivered_reason: textOrNull,
    transaction_id_partner: text,
    amount: integer,
    currency: text,
    /** As the terminal says, like `settled_at`, limited to the forgotten period; where it does not say, its earliest time. */
    confirmed_at: integer,
    settled_at: integerOrNull,
    reported_at: integer,
    cashier: textOrNull,
    /** When the report arrived. */
    created_at: integer,
    /** When an operator closed it; null: open. */
    closed_at: integerOrNull,
    /** As in `withdrawals`. */
    hand_out_id: textOrNull,
    other_hand_out_id: textOrNull,
  },

  /** Settle orders without a definite answer. */
  outbox: {
    ...queued,
    /** Equal to `attempts` while no try was sent; otherwise one may have reached the bank. */
    unsent_attempts: integer,
  },
  /** Status events that their bank has not accepted yet. */
  status_events: queued,

  /** Values shared by all processes on the database. */
  settings: { name: text, value: text },

  /** Restores of the database from a copy. */
  restores: {
    /** Always later than earlier ones, whatever the clock says; identifies the restore. */
    restored_at: integer,
    /** When the copy was begun; later events may be forgotten. */
    forgot_since: integer,
  },

  /** Rows locked by units until their commit (`backend/withdrawals/caps.ts`). */
  limit_locks: { bucket: integer },

  /** The processes of a fleet, and when each was last seen. */
  workers: {
    id: text,
    seen_at: integer,
    /** Names of its service keys, separated by spaces. */
    service_keys: textOrNull,
    /** The newest migration that it knows; null from releases that did not store it. */
    release: integerOrNull,
  },

  /** Three numbers about the schema (`migrate.ts`). */
  schema_version: { id: integer, version: integer },
};

/** The tables' types for Kysely. */
export type Database = typeof tables;
/** A row of a table. */
export type RowOf<Name extends keyof Database> = Database[Name];

/**
 * A table's columns in the order above, without those left out. Statements name columns and never use `*`, so that a
 * column added by a newer release does not change the results of prepared statements (README, "A fleet on PostgreSQL").
 */
export const columnsOf = <Name extends keyof Database, Left extends keyof Database[Name] & string = never>(
  table: Name,
  ...leftOut: readonly Left[]
) =>
  (Object.keys(tables[table]) as (keyof Database[Name] & string)[]).filter(
    (name): name is Exclude<typeof name, Left> => !leftOut.some((left) => left === name),
  );
