/**
 * Every column of the tables that are read or written whole. Statements name them and never read `*`: a column that a newer
 * release adds must not change what this release's prepared statements return (README, "A fleet on PostgreSQL").
 */

import type { AuditTable, CheckinsTable, OutboxTable, StatusEventsTable, WithdrawalsTable } from "./schema.ts";
import type { Values } from "./statement.ts";

/** Takes an object, so that the compiler misses no column: `{ id: true, name: true }`. */
export const columnsOf =
  <Row>() =>
  (columns: Readonly<Record<keyof Row & string, true>>): readonly (keyof Row & string)[] =>
    Object.keys(columns) as (keyof Row & string)[];

/** The row of an INSERT from the placeholders of the same names. */
export const rowFrom = <Row extends object>(p: Values, columns: readonly (keyof Row & string)[]): Row =>
  Object.fromEntries(columns.map((column) => [column, p[column]])) as Row;

/** Every column of a check-in. */
export const checkinColumns = columnsOf<CheckinsTable>()({
  id: true,
  partner_id: true,
  token_hash: true,
  reference_id: true,
  brand: true,
  user_id: true,
  balance: true,
  currency: true,
  url_back: true,
  created_at: true,
  expires_at: true,
  opened_at: true,
  session_hash: true,
  transaction_id: true,
});

/** Every column of a withdrawal. */
export const withdrawalColumns = columnsOf<WithdrawalsTable>()({
  id: true,
  partner_id: true,
  merchant_id: true,
  user_id: true,
  amount: true,
  currency: true,
  sca_required: true,
  status: true,
  reason: true,
  deadline_at: true,
  device_id: true,
  transaction_id_partner: true,
  created_at: true,
  expires_at: true,
  confirmed_at: true,
  sca_expires_at: true,
  settled_at: true,
  linked_at: true,
  closed_at: true,
  undelivered_reason: true,
  settle_attempts: true,
  idempotency_key: true,
  request_hash: true,
  partner_reference: true,
  history_length: true,
  disputed_at: true,
  store_name: true,
  cashier: true,
  hand_out_id: true,
  other_hand_out_id: true,
});

const queueColumns = {
  id: true,
  transaction_id: true,
  partner_id: true,
  body: true,
  attempts: true,
  due_at: true,
  claimed_by: true,
  created_at: true,
  last_error: true,
  partner_reference: true,
} as const;

/** Every column of a Settle order that waits. */
export const outboxColumns = columnsOf<OutboxTable>()({ ...queueColumns, unsent_attempts: true });

/** Every column of a status event that waits. */
export const statusEventColumns = columnsOf<StatusEventsTable>()(queueColumns);

/** Every column of an entry of the audit. */
export const auditColumns = columnsOf<AuditTable>()({
  seq: true,
  at: true,
  event: true,
  actor: true,
  address: true,
  object: true,
  detail: true,
  key_id: true,
  hash: true,
});
