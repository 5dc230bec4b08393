/** Disputes in the reconciliation report: banks that contradicted their first answer (conventions, "Partner calls"). */
import { userInfo } from "node:os";
import { z } from "zod";
import { formatAmount } from "../contract/money.ts";
import { closeDispute, listDisputes } from "../withdrawals/dispute.ts";
import { toTime } from "../withdrawals/to-transaction.ts";
import { UsageError } from "./arguments.ts";
import type { CommandOutput, Management } from "./context.ts";
import { checked, textSchema } from "./words.ts";

const noteLengthMax = 500;
const form = "reports close TRANSACTION --note TEXT";
const closing = z.object({
  id: z.string({ error: "the TRANSACTION" }),
  note: textSchema("--note", noteLengthMax),
});

/** What waits for an operator. */
export const listOpenDisputes = async ({ store }: Management): Promise<CommandOutput> =>
  (await listDisputes(store)).map((row) => ({
    transaction: row.id,
    partner: row.partner_id,
    shop: row.merchant_id,
    amount: formatAmount(row.amount, row.currency),
    currency: row.currency,
    status: row.status,
    disputed: toTime(row.disputed_at ?? 0),
  }));

/** @throws UsageError without a note, or when the transaction is not disputed. */
export const closeReport = async (on: Management, input: unknown) => {
  const { id, note } = checked(closing, input, form);
  if (!(await closeDispute(on, id, userInfo().username, note))) {
    throw new UsageError(`transaction ${id} is not disputed; "reports list" shows what is`);
  }
  return { transaction: id, status: "closed" };
};
