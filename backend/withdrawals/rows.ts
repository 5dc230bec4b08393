import { withdrawalColumns } from "../store/columns.ts";
import type { WithdrawalsTable } from "../store/schema.ts";
import { statement } from "../store/statement.ts";

export type Row = WithdrawalsTable;

export const withdrawalById = statement("withdrawal_by_id", (db, p: { id: string }) =>
  db.selectFrom("withdrawals").select(withdrawalColumns).where("id", "=", p.id),
);

/** The id of what a partner asked for under an idempotency key. */
export const withdrawalIdByKey = statement("withdrawal_id_by_key", (db, p: { partner: string; key: string }) =>
  db.selectFrom("withdrawals").select("id").where("partner_id", "=", p.partner).where("idempotency_key", "=", p.key),
);
