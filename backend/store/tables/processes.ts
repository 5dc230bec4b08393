/** Tables that the processes on one database share. */

/** What the processes on one database share. */
export interface SettingsTable {
  name: string;
  value: string;
}

/** When the database was put back to a copy. */
export interface RestoresTable {
  /** Never below an earlier one's, whatever the clock says: it names the restore. */
  restored_at: number;
  /** When the copy was begun: what happened since may be forgotten. */
  forgot_since: number;
}

/** Rows that a unit locks until its commit (`backend/withdrawals/caps.ts`). */
export interface LimitLocksTable {
  bucket: number;
}

/** The processes of a fleet, each with the last time it was seen. */
export interface WorkersTable {
  id: string;
  seen_at: number;
}

/** Three numbers about the schema (`migrate.ts`). */
export interface SchemaVersionTable {
  id: number;
  version: number;
}
