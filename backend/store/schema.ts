/**
 * The tables: their columns, and the types of what these hold. Times are epoch milliseconds, amounts minor units, flags 0 or 1: the
 * same values on SQLite and on PostgreSQL. The SQL that creates them is in `migrations.ts`.
 */

import type { Actor, EventKind } from "../contract/history.ts";
import type { PartnerAnswers } from "../contract/partner.ts";
import type { Reason } from "../contract/reasons.ts";
import type { Status } from "../contract/transaction.ts";

/** Whose device it is: a merchant's, a partner's, or the head office's of a chain. */
export type CredentialKind = "terminal" | "client" | "chain";

/** A column that holds `T`; it has no value, only its type is used. */
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
  /** When the present status expires; null when only a call can end it. The sweeper has an index on it. */
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
  /** Calls of Settle order until the definite answer; those before it are counted in the outbox. */
  settle_attempts: integer,
  /** Unique with the partner; committed with the row, so a repeat finds the first answer or waits for it. */
  idempotency_key: text,
  request_hash: text,
  /** The bank's own name for it, echoed in answers, orders and events. */
  partner_reference: textOrNull,
  /** Rows of this withdrawal in `withdrawal_events`: the sequence of the newest. 0 for one from before there was a history. */
  history_length: integer,
  /** When the bank contradicted its first definite answer; null when it never did, or when an operator closed the dispute. */
  disputed_at: integerOrNull,
  /** What a person called the shop when the withdrawal was asked for; null: of a release that did not keep it. */
  store_name: textOrNull,
  /** The code of whoever said at the terminal what became of the cash; null where it did not say. */
  cashier: textOrNull,
  /** The terminal's name for the hand-out that was linked; null before it, and where the terminal gave none. */
  hand_out_id: textOrNull,
  /** The name of another hand-out that the same device reported: cash may have left twice. */
  other_hand_out_id: textOrNull,
};

/** What waits for a bank, whatever its kind. `insertEvent` (`partner/events.ts`) selects its values in this order. */
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
  /** Goes along as the header `Partner-Reference`. */
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
    /** HMAC of the token: the database never holds one that works. */
    token_hash: text,
    credential_id: text,
    scopes: text,
    created_at: integer,
    expires_at: integer,
  },

  /** Accounts made by `POST /api/v2/users`. */
  users: {
    /** The id in lower case: user ids are case-insensitive, and one partner learns nothing of another's. */
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
    /** 1: a key that is in use is replaced. */
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

  /** When each terminal last made a call, to five minutes, and the version that it named. */
  terminal_contacts: { merchant_id: text, device_id: text, heard_at: integer, version: textOrNull },

  /** The links of terminals' journals that were reported, kept as long as the books. */
  journal_heads: {
    merchant_id: text,
    device_id: text,
    /** Counts up with each enrolment: a replaced machine has a new journal. Its first row is number 0, without a head. */
    epoch: integer,
    seq: integer,
    head: text,
    at: integer,
    received_at: integer,
    /** The newest restore when it was reported, 0 for none; null from before this was written down. */
    after_restore: integerOrNull,
  },

  /**
   * Who did what to access (`backend/access/audit.ts`). The order of the columns is part of what is chained: a later one goes in only
   * where it is not null.
   */
  audit: {
    seq: integer,
    at: integer,
    event: text,
    actor: text,
    address: textOrNull,
    object: text,
    detail: textOrNull,
    /** Which key made `hash`. */
    key_id: text,
    /** HMAC over the entry and the hash before it. */
    hash: text,
  },

  /** One row: the newest entry's number and hash, locked by whoever adds the next. */
  audit_head: {
    id: integer,
    seq: integer,
    hash: text,
    /** Which key the next entry is made with; null: noted by no release yet. */
    key_id: textOrNull,
  },

  /** The shops. */
  merchants: {
    /** The `merchant_id` of its terminals and the `store` of its transactions. */
    id: text,
    /** What the bank sees as `store` in Start order and what the customer reads. */
    name: text,
    currency: text,
    amount_min: integer,
    amount_max: integer,
    amount_step: integer,
    created_at: integer,
    /** The most that may be asked for here in a day (UTC), in minor units; null: no such limit. */
    shop_day_max: integerOrNull,
    /** The most that one terminal may confirm in 60 minutes, in minor units; null: no such limit. */
    terminal_hour_max: integerOrNull,
    /** Whom a cashier asks: a sentence and a telephone number. */
    support_text: textOrNull,
    support_phone: textOrNull,
    /** From when on nobody may ask for cash here; what was asked for before goes on. Null: open. */
    disabled_at: integerOrNull,
    /** `mon-sat 08:00-20:00` by the clocks of `time_zone`; null: not known. */
    opening: textOrNull,
    time_zone: textOrNull,
  },

  /** The shops that a chain's head office may look at. */
  chain_merchants: { chain_id: text, merchant_id: text, created_at: integer },

  /** The banks. */
  partners: {
    /** The `merchant_id` of its client credentials. */
    id: text,
    /** Null: only PARTNER_URL and PARTNER_SECRET, where PARTNER_ID names this partner; else it can ask for nothing. */
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
    /** The most that one user may ask for in a day (UTC), in minor units of `user_day_currency`; null: no such limit. */
    user_day_max: integerOrNull,
    user_day_currency: textOrNull,
    /** Settle orders in flight to it from one process; null: as many as to any bank. */
    slots: integerOrNull,
  },

  /** How banks look on their customers' pages; a bank without a row looks as the pages do by themselves. */
  partner_brands: {
    partner_id: text,
    /** In place of the brand that a check-in names; null: that one. */
    name: textOrNull,
    /** `#rrggbb` as the bank has it; null: the pages' own. */
    color: textOrNull,
    /** Base64 of the checked file; null: the first letter of the name. */
    logo: textOrNull,
    logo_type: column<"image/png" | "image/svg+xml" | null>(),
    /** Names the files of this look; another look has another. */
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
    /** The url works once; the page then goes on with a session. */
    opened_at: integerOrNull,
    session_hash: textOrNull,
    transaction_id: textOrNull,
  },

  /** The withdrawals that run, those that a restore has ended, and what a release before has left there. */
  withdrawals,
  /** Withdrawals that have ended. */
  archived_withdrawals: { ...withdrawals, archived_at: integer },
  /** Which of `archived_withdrawals` a bank's key has made, for as long as a repeat is answered with it. */
  idempotency_keys: { partner_id: text, idempotency_key: text, transaction_id: text, created_at: integer },
  /** Which of `archived_withdrawals` a terminal has given its own id to, as long. */
  terminal_references: {
    merchant_id: text,
    device_id: text,
    transaction_id_partner: text,
    transaction_id: text,
    created_at: integer,
  },

  /**
   * The history of the withdrawals; a row is written in the commit of the change that it describes, and never changed.
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
    /** The code of whoever said so at the terminal, never a name. */
    cashier: textOrNull,
    /** What was checked before it, as `withdrawals/caps.ts` writes it; null: nothing, or by a release that did not keep it. */
    terms: textOrNull,
    /** Where the bank's answer came from: its own address, empty for the installation's PARTNER_URL; null as above. */
    address: textOrNull,
    /** HMAC over the row, what its withdrawal is about and the hash of the row before; null: of a release that made none. */
    hash: textOrNull,
    /** Of an earlier release: the audit's entry whose digest holds this row. */
    seal: integerOrNull,
    /** When its withdrawal was asked for; 0: of a release that did not write it. */
    asked_at: integer,
    /** The day, counted from 1970, in whose lines of the audit the row is (`operate/proof.ts`); 0: of such a release. */
    day: integer,
  },

  /**
   * What a terminal reported again after a restore and no withdrawal can take: one that the copy does not know, or one that
   * another terminal has. A line of the reconciliation report.
   */
  restored_reports: {
    /** Made by the service; orders the lines of one moment. */
    id: text,
    transaction_id: text,
    merchant_id: text,
    device_id: text,
    status: column<"linked" | "undelivered">(),
    undelivered_reason: textOrNull,
    transaction_id_partner: text,
    amount: integer,
    currency: text,
    /** By the terminal, as `settled_at`, within what the restore has forgotten; the first time that it names where it does not say. */
    confirmed_at: integer,
    settled_at: integerOrNull,
    reported_at: integer,
    cashier: textOrNull,
    /** When it came. */
    created_at: integer,
    /** When an operator closed it; null: open. */
    closed_at: integerOrNull,
    /** As of a withdrawal. */
    hand_out_id: textOrNull,
    other_hand_out_id: textOrNull,
  },

  /** One Settle order that has no definite answer yet. */
  outbox: {
    ...queued,
    /** Equal to `attempts` as long as none of them was sent; anything else: one may have reached the bank. */
    unsent_attempts: integer,
  },
  /** One status event that the bank has not taken yet. */
  status_events: queued,

  /** What the processes on one database share. */
  settings: { name: text, value: text },

  /** When the database was put back to a copy. */
  restores: {
    /** Never below an earlier one's, whatever the clock says: it names the restore. */
    restored_at: integer,
    /** When the copy was begun: what happened since may be forgotten. */
    forgot_since: integer,
  },

  /** Rows that a unit locks until its commit (`backend/withdrawals/caps.ts`). */
  limit_locks: { bucket: integer },

  /** The processes of a fleet, each with the last time it was seen. */
  workers: {
    id: text,
    seen_at: integer,
    /** The names of the service keys that it has, separated by spaces. */
    service_keys: textOrNull,
    /** The newest migration that it knows; null: of a release that did not say. */
    release: integerOrNull,
  },

  /** Three numbers about the schema (`migrate.ts`). */
  schema_version: { id: integer, version: integer },
};

/** The tables as Kysely sees them. */
export type Database = typeof tables;
/** A row of a table. */
export type RowOf<Name extends keyof Database> = Database[Name];

/**
 * The columns of a table in the order above, but for some. Statements name them and never read `*`: a column that a newer release
 * adds must not change what this release's prepared statements return (README, "A fleet on PostgreSQL").
 */
export const columnsOf = <Name extends keyof Database, Left extends keyof Database[Name] & string = never>(
  table: Name,
  ...leftOut: readonly Left[]
) =>
  (Object.keys(tables[table]) as (keyof Database[Name] & string)[]).filter(
    (name): name is Exclude<typeof name, Left> => !leftOut.some((left) => left === name),
  );
