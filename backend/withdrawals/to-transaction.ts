import { formatAmount } from "../contract/money.ts";
import type { Transaction } from "../contract/transaction.ts";
import type { ShownRow } from "./store.ts";

/** RFC 3339, UTC, milliseconds. */
export const toTime = (epochMs: number): string => new Date(epochMs).toISOString();

/** The same for a time that may be missing. */
export const toNullableTime = (epochMs: number | null): string | null => (epochMs === null ? null : toTime(epochMs));

/** What everybody may see of a withdrawal: never the user's id. */
export const toTransaction = (row: ShownRow): Transaction => ({
  transaction_id: row.id,
  status: row.status,
  amount: formatAmount(row.amount, row.currency),
  currency: row.currency,
  store: row.merchant_id,
  store_name: row.store_name ?? row.merchant_id,
  transaction_id_partner: row.transaction_id_partner,
  partner_reference: row.partner_reference,
  sca_required: row.sca_required === 1,
  created_at: toTime(row.created_at),
  expires_at: toTime(row.expires_at),
  confirmed_at: toNullableTime(row.confirmed_at),
  sca_expires_at: toNullableTime(row.sca_expires_at),
  settled_at: toNullableTime(row.settled_at),
  linked_at: toNullableTime(row.linked_at),
  closed_at: toNullableTime(row.closed_at),
  reason: row.status === "undelivered" ? row.undelivered_reason : row.reason,
});
