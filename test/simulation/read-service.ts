/** The service's books as its database holds them, read past the service. */
import type { Status } from "../../backend/contract/transaction.ts";
import type { SqliteEngine } from "../../backend/store/sqlite.ts";
import type { ServiceRow } from "./evidence.ts";

/** The columns of a withdrawal that the checker reads. */
export interface Columns {
  readonly id: string;
  readonly status: Status;
  readonly amount: number;
  readonly currency: string;
  readonly sca_required: number;
  readonly sca_expires_at: number | null;
  readonly expires_at: number;
  readonly settled_at: number | null;
  readonly confirmed_at: number | null;
  readonly transaction_id_partner: string | null;
  readonly device_id: string | null;
}

const columns =
  "id, status, amount, currency, sca_required, sca_expires_at, expires_at, settled_at, confirmed_at, transaction_id_partner, device_id";

/** A row of either table; times are milliseconds since the epoch. */
export const toRow = (row: Columns): ServiceRow => ({
  transactionId: row.id,
  status: row.status,
  amountMinor: row.amount,
  currency: row.currency,
  scaRequired: row.sca_required === 1,
  scaExpiresAtMs: row.sca_expires_at,
  expiresAtMs: row.expires_at,
  settledAtMs: row.settled_at,
  confirmedAtMs: row.confirmed_at,
  terminalReference: row.transaction_id_partner,
  deviceId: row.device_id,
});

/** One withdrawal; null when there is none. */
export const readRow = (database: SqliteEngine, transactionId: string): ServiceRow | null => {
  const of = (table: string) =>
    database.query(`SELECT ${columns} FROM ${table} WHERE id = ?`, [transactionId], true).rows as Columns[];
  const row = of("withdrawals")[0] ?? of("archived_withdrawals")[0];
  return row ? toRow(row) : null;
};

/** All withdrawals by their id, archived ones included. */
export const readRows = (database: SqliteEngine): ReadonlyMap<string, ServiceRow> => {
  const everywhere = `SELECT ${columns} FROM archived_withdrawals UNION ALL SELECT ${columns} FROM withdrawals`;
  const rows = database.query(everywhere, [], true).rows as Columns[];
  return new Map(rows.map((row) => [row.id, toRow(row)]));
};
