/**
 * A Settle order to which its bank never says a definite word is decided by an operator who has asked the bank (docs/api.md,
 * "What a bank's answer means"). It never leads to cash: nobody stands at the counter any more.
 */

import type { Service } from "../context.ts";
import { orderId, outbox, unansweredOrder, unansweredOrders } from "../partner/orders.ts";
import { countNote, failByOperator, returnByOperator, settleByOperator } from "./closed.ts";
import { type Cause, type Change, recordNote } from "./history.ts";
import { type Row, type UpdatedRow, withdrawalById } from "./store.ts";
import { recordTransition } from "./transition.ts";

/** Whether the bank has booked the payment, by its own word outside of the interface. */
export type Decision = "paid" | "not-paid";

/** Milliseconds that a bank is asked before anybody may decide in its stead. */
export const decidableAfterMs = 15 * 60_000;

/** By how much the clocks of a fleet's processes may differ. */
const slackMs = 5_000;
const decidable = (now: number) => ({ before: now - decidableAfterMs, future: now + slackMs });

/** Booked by the bank and never handed out: `undelivered`, so the payment is due back. */
async function decidePaid(change: Change, id: string): Promise<UpdatedRow | undefined> {
  const { tx, now } = change;
  const settled = await tx.first(settleByOperator({ id, now }));
  if (!settled) return undefined;
  await recordTransition(change, settled, "settling");
  const row = await tx.first(returnByOperator({ id, now }));
  if (row) await recordTransition(change, row, "settled");
  return row;
}

/** `failed`, and disputed until somebody has closed it: an operator who is wrong must not hide a payment. */
async function decideNotPaid(change: Change, id: string): Promise<UpdatedRow | undefined> {
  const row = await change.tx.first(failByOperator({ id, now: change.now }));
  if (row) await recordTransition(change, row, "settling");
  return row;
}

/** Withdrawals whose bank has been asked for 15 minutes or longer without a definite answer, the oldest first. */
export const listUnanswered = ({ store, clock }: Pick<Service, "store" | "clock">): Promise<readonly Row[]> =>
  store.read(async (tx) => {
    const rows: Row[] = [];
    for (const { transaction_id: id } of await tx.all(unansweredOrders(decidable(clock.now())))) {
      const row = await tx.first(withdrawalById({ id }));
      // One that was handed out before a restore has ended already; it is closed like a dispute.
      if (row?.status === "settling") rows.push(row);
    }
    return rows;
  });

/**
 * Ends the asking. The bank's own word, should it come late, is held against the decision like any that contradicts.
 * @param operator who decides. @param note what the bank said and who said it, 1 to 500 characters.
 * @returns the row; null where no order has waited for an answer for 15 minutes.
 */
export const decideSettling = (
  service: Pick<Service, "store" | "clock" | "keys">,
  id: string,
  decision: Decision,
  operator: string,
  note: string,
): Promise<Row | null> =>
  service.store.write(async (tx) => {
    const now = service.clock.now();
    if (!(await tx.first(unansweredOrder({ id: orderId(id), ...decidable(now) })))) return null;
    const cause: Cause = { actor: "operator", actorId: operator, requestId: null, attempt: null };
    const change: Change = { tx, keys: service.keys, now, cause };
    const updated = await (decision === "paid" ? decidePaid : decideNotPaid)(change, id);
    if (!updated) return null;
    await tx.run(outbox.delete({ id: orderId(id) }));
    const row = (await tx.first(countNote({ id }))) ?? updated;
    await recordNote(change, "decided", row, note);
    return row;
  });
