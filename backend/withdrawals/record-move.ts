/** What every move leaves in its own commit beside the row: its row in the history, the bank's status event, and the waking of those who wait. */

import type { LeasedEvent } from "../context.ts";
import type { Status } from "../contract/transaction.ts";
import { eventLeaseMs, insertEvent, ownTry } from "../partner/status-event-store.ts";
import { changed, send, type UnitOfWork } from "../store/store.ts";
import { type Cause, recordTransition } from "./history.ts";
import { statusEventOf } from "./status-event.ts";
import type { MovedRow } from "./store/moves.ts";

/**
 * A move whose status event any process may send, from now on: of the sweeper and of reads that come upon an expiry.
 * @param row as the move has left it, with `countsEvent` set.
 * @param from the status before; null for a new withdrawal.
 * @param now when it moved, epoch milliseconds.
 */
export function* recordMove(row: MovedRow, from: Status | null, now: number, cause: Cause): UnitOfWork<void> {
  yield* record(row, from, now, cause, { dueAt: now, attempts: 0 });
}

/**
 * The same for a move whose event this process sends itself after the commit (`countMove`); another one after its lease.
 * @returns the event; null where the bank is told of no such move, or of none.
 */
export function* recordOwnMove(
  row: MovedRow,
  from: Status | null,
  now: number,
  cause: Cause,
): UnitOfWork<LeasedEvent | null> {
  return yield* record(row, from, now, cause, { dueAt: now + eventLeaseMs, attempts: ownTry.attempts });
}

function* record(
  row: MovedRow,
  from: Status | null,
  now: number,
  cause: Cause,
  sending: { readonly dueAt: number; readonly attempts: 0 | 1 },
): UnitOfWork<LeasedEvent | null> {
  yield* recordTransition(row, from, now, cause);
  const event = row.tells_bank === 1 ? statusEventOf(row) : null;
  if (event) yield* send(insertEvent({ ...event, now, ...sending }));
  yield* changed(row.id);
  return event;
}
