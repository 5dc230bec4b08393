/** The service's books as its database holds them, read past the service. */
import type { Status } from "../../backend/contract/transaction.ts";
import type { SqliteEngine } from "../../backend/store/sqlite-engine.ts";
import { type BankCredential, grantOf } from "./bank-credential.ts";
import type { ServiceRow } from "./evidence.ts";
import type { SentRequest } from "./light-http.ts";

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
}

const columns =
  "id, status, amount, currency, sca_required, sca_expires_at, expires_at, settled_at, confirmed_at, transaction_id_partner";

/** A row of the table `withdrawals`; times are milliseconds since the epoch. */
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
  partnerId: row.transaction_id_partner,
});

/** One withdrawal; null when there is none. */
export const readRow = (database: SqliteEngine, transactionId: string): ServiceRow | null => {
  const [row] = database.query(`SELECT ${columns} FROM withdrawals WHERE id = ?`, [transactionId], true)
    .rows as Columns[];
  return row ? toRow(row) : null;
};

/** All withdrawals by their id, archived ones included. */
export const readRows = (database: SqliteEngine): ReadonlyMap<string, ServiceRow> => {
  const everywhere = `SELECT ${columns} FROM archived_withdrawals UNION ALL SELECT ${columns} FROM withdrawals`;
  const rows = database.query(everywhere, [], true).rows as Columns[];
  return new Map(rows.map((row) => [row.id, toRow(row)]));
};

/** Finding by transaction id, as the partner gets the report over HTTP. */
export const readReport = async (
  fetchService: (request: SentRequest) => Promise<Response>,
  url: string,
  credential: BankCredential,
): Promise<ReadonlyMap<string, string>> => {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(grantOf(credential, "reconciliation"));
  const signIn = await fetchService({ method: "POST", url: `${url}/oauth2/authorize`, headers, body });
  const granted = await signIn.text();
  if (signIn.status !== 201) throw new Error(`no token for the report: ${signIn.status} ${granted}`);
  const { access_token: token } = JSON.parse(granted) as { access_token: string };
  // A service whose clock was set back by years has its books before the beginning.
  const query = "from=1970-01-01";
  const answer = await fetchService({
    method: "GET",
    url: `${url}/ext/v1/reconciliation?${query}`,
    headers: { authorization: `Bearer ${token}` },
    body: null,
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`no report: ${answer.status} ${text}`);
  const { lines } = JSON.parse(text) as { lines: { transaction_id: string; finding: string }[] };
  return new Map(lines.map((line) => [line.transaction_id, line.finding]));
};
