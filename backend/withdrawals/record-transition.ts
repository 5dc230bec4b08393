/** What every transition leaves in its own commit beside the row: its row in the history, the bank's status event, and the waking of those who wait. */

import type { LeasedEvent, Service } from "../context.ts";
import type { Status } from "../contract/transaction.ts";
import { insertEvent, ownTry } from "../partner/events.ts";
import { leaseMs } from "../partner/queue.ts";
import { changed, send, type UnitOfWork } from "../store/store.ts";
import { type Cause, recordHistory } from "./history.ts";
import { statusEventOf } from "./status-event.ts";
import type { UpdatedRow } from "./store.ts";

type Keyed = Pick<Service, "keys">;

/**
 * A transition whose status event any process may send, from now on: of the sweeper and of reads that come upon an expiry.
 * @param row as the transition has left it, with `countsEvent` set.
 * @param from the status before; null for a new withdrawal.
 * @param now when it was, epoch milliseconds.
 */
export function* recordTransition(
  service: Keyed,
  row: UpdatedRow,
  from: Status | null,
  now: number,
  cause: Cause,
): UnitOfWork<void> {
  yield* record(service, row, from, now, cause, { dueAt: now, attempts: 0 });
}

/**
 * The same for a transition whose event this process sends itself after the commit (`countTransition`); another one after its lease.
 * @returns the event; null where the bank is not notified of it.
 */
export function* recordOwnTransition(
  service: Keyed,
  row: UpdatedRow,
  from: Status | null,
  now: number,
  cause: Cause,
): UnitOfWork<LeasedEvent | null> {
  return yield* record(service, row, from, now, cause, { dueAt: now + leaseMs, attempts: ownTry.attempts });
}

function* record(
  service: Keyed,
  row: UpdatedRow,
  from: Status | null,
  now: number,
  cause: Cause,
  sending: { readonly dueAt: number; readonly attempts: 0 | 1 },
): UnitOfWork<LeasedEvent | null> {
  yield* recordHistory(service, row, from, now, cause);
  const event = row.wants_events === 1 ? statusEventOf(row) : null;
  if (event) yield* send(insertEvent({ ...event, now, ...sending }));
  yield* changed(row.id);
  return event;
}
