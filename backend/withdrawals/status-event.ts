/** The status event of a transition (conventions, "Partner calls"), read from the row alone: so it can be written in the transition's commit and sent after it. */
import type { LeasedEvent } from "../context.ts";
import { isEventStatus, type StatusEvent } from "../contract/status-events.ts";
import { eventSequence, eventSequenceAfterRestore } from "./lifecycle.ts";
import type { Row } from "./store.ts";
import { toTransaction } from "./to-transaction.ts";

/**
 * @param row as the transition has left it, with `countsEvent` set.
 * @param restoredAt of a restore after which the bank is told again, above all that it has seen.
 * @returns null for a status that a bank is not notified of (`requested`, `settling`).
 */
export const statusEventOf = (
  row: Row,
  restoredAt = row.reason === "restored" ? (row.linked_at ?? row.closed_at) : null,
): LeasedEvent | null => {
  if (!isEventStatus(row.status)) return null;
  const sequence = restoredAt === null ? eventSequence(row) : eventSequenceAfterRestore(row.status, restoredAt);
  const event: StatusEvent = { type: `withdrawal.${row.status}`, sequence, transaction: toTransaction(row) };
  return {
    id: `event_${row.id}_${sequence}`,
    transaction_id: row.id,
    partner_id: row.partner_id,
    body: JSON.stringify(event),
    partner_reference: row.partner_reference,
  };
};
