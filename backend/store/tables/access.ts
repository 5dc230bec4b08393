/** Tables of who may call: credentials, tokens, one-time codes, the audit, and what terminals report about their journals. */

/** Whose device it is: a merchant's or a partner's. */
export type CredentialKind = "terminal" | "client";

/** Devices that may sign in. */
export interface CredentialsTable {
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
export interface TokensTable {
  /** HMAC of the token: the database never holds one that works. */
  token_hash: string;
  credential_id: string;
  scopes: string;
  created_at: number;
  expires_at: number;
}

/** Accounts made by `POST /api/v2/users`. */
export interface UsersTable {
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
export interface EnrolmentsTable {
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
export interface ManagerResetsTable {
  /** HMAC of the code. */
  code_hash: string;
  merchant_id: string;
  device_id: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

/** The links of terminals' journals that were reported, kept as long as the books. */
export interface JournalHeadsTable {
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
export interface AuditHeadTable {
  id: number;
  seq: number;
  hash: string;
}
