/** What every move leaves in its own commit beside the row: its row in the history, the bank's status event, and the waking of those who wait. */
import { isEventStatus, type StatusEvent } from "../contract/status-events.ts";
import type { Status } from "../contract/transaction.ts";
import { insertEvent } from "../partner/status-event-store.ts";
import { changed, run, type UnitOfWork } from "../store/store.ts";
import { type Cause, recordTransition } from "./history.ts";
import { eventSequence } from "./lifecycle.ts";
import type { Row } from "./rows.ts";
import { toTransaction } from "./to-transaction.ts";

/**
 * @param row as the move has left it, with `countsEvent` set.
 * @param from the status before; null for a new withdrawal.
 * @param now when it moved, epoch milliseconds.
 */
export function* recordMove(row: Row, from: Status | null, now: number, cause: Cause): UnitOfWork<void> {
  yield* recordTransition(row, from, now, cause);
  if (isEventStatus(row.status)) {
    const sequence = eventSequence(row);
    const event: StatusEvent = { type: `withdrawal.${row.status}`, sequence, transaction: toTransaction(row) };
    yield* run(
      insertEvent({
        id: `event_${row.id}_${sequence}`,
        transaction: row.id,
        partner: row.partner_id,
        body: JSON.stringify(event),
        reference: row.partner_reference,
        now,
      }),
    );
  }
  yield* changed(row.id);
}
