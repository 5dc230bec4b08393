import { formatAmount } from "../contract/money.ts";
import type { Transaction } from "../contract/transaction.ts";
import type { WithdrawalsTable } from "../store/tables/withdrawals.ts";

const minuteMs = 60_000;
let latestMinute = { at: Number.NaN, text: "" };

/** RFC 3339, UTC, milliseconds. Keeps the last minute's text: Date takes longer over four times than the rest of a row. */
export const toTime = (epochMs: number): string => {
  const at = Math.floor(epochMs / minuteMs);
  if (at !== latestMinute.at) latestMinute = { at, text: new Date(epochMs).toISOString().slice(0, 17) };
  const ms = String(epochMs - at * minuteMs).padStart(5, "0");
  return `${latestMinute.text}${ms.slice(0, 2)}.${ms.slice(2)}Z`;
};

/** The same for a time that may be missing. */
export const toNullableTime = (epochMs: number | null): string | null => (epochMs === null ? null : toTime(epochMs));

/** What everybody may see of a withdrawal: never the user's id. */
export const toTransaction = (row: WithdrawalsTable): Transaction => ({
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
