import { withdrawalColumns } from "../store/columns.ts";
import type { WithdrawalsTable } from "../store/schema.ts";
import { statement } from "../store/statement.ts";

export type Row = WithdrawalsTable;

export const withdrawalById = statement("withdrawal_by_id", (db, p: { id: string }) =>
  db.selectFrom("withdrawals").select(withdrawalColumns).where("id", "=", p.id),
);
