/**
 * The history of a withdrawal: one row for each transition, written in the transition's own commit (conventions,
 * "Extensions").
 */

import type { Client, Service, Terminal } from "../context.ts";
import type { Actor, EventKind } from "../contract/history.ts";
import type { Status } from "../contract/transaction.ts";
import { one, send, type UnitOfWork } from "../store/store.ts";
import { type HashedEvent, historyHash } from "./history-hash.ts";
import { hashOfEvent, insertEvent } from "./store/events.ts";
import type { CountedRow } from "./store/updated-row.ts";

/** Who caused a transition. */
export interface Cause {
  readonly actor: Actor;
  /** The device's, the partner's or the operator's name; null for the sweeper. */
  readonly actorId: string | null;
  /** The `X-Request-Id` of the call that did it; null for what no call did. */
  readonly requestId: string | null;
  /** The try of the call to the bank that brought the answer, from 1; null for everything else. */
  readonly attempt: number | null;
  /** The code of the person at the terminal who said so. */
  readonly cashier?: string | null;
}

/** The passing of a deadline, whoever wrote it. */
export const bySweeper: Cause = { actor: "sweeper", actorId: null, requestId: null, attempt: null };

/** A terminal's call. @param cashier the code of whoever stood there, where the terminal says it. */
export const byTerminal = ({ deviceId, requestId }: Terminal, cashier: string | null = null): Cause => ({
  actor: "device",
  actorId: deviceId,
  requestId: requestId ?? null,
  attempt: null,
  cashier,
});

/** @param attempt the try that a bank's answer belongs to; null for a call that the bank made. */
export const byPartner = ({ partnerId, requestId }: Client, attempt: number | null = null): Cause => ({
  actor: "partner",
  actorId: partnerId,
  requestId: requestId ?? null,
  attempt,
});

/**
 * Whether a caller's request id holds the user's id, in any case. History is never rewritten, so an id that can be erased
 * (`users erase`) stays out of it. A short id counts where it stands by itself alone: a random id may hold it by chance.
 */
const namesUser = (requestId: string | null, userId: string): boolean => {
  if (requestId === null) return false;
  const [text, id] = [requestId.toLowerCase(), userId.toLowerCase()];
  return id.length > 3 ? text.includes(id) : text.split(/[^\p{L}\p{N}]+/u).includes(id);
};

/** @param row as it is after the change. */
const eventOf = (kind: EventKind, from: Status | null, row: CountedRow, at: number, cause: Cause): HashedEvent => ({
  transaction_id: row.id,
  sequence: row.history_length,
  kind,
  at,
  from_status: from,
  to_status: row.status,
  actor: cause.actor,
  actor_id: cause.actorId,
  request_id: namesUser(cause.requestId, row.user_id) ? null : cause.requestId,
  reason: row.status === "undelivered" ? row.undelivered_reason : row.reason,
  attempt: cause.attempt,
  cashier: cause.cashier ?? null,
});

/** What chains the history. */
type Keyed = Pick<Service, "keys">;

/** The hash to go on from; empty at the beginning, and after a row of a release that made none. */
function* previousHash({ id, history_length, previous_hash }: CountedRow): UnitOfWork<string> {
  if (previous_hash !== null || history_length <= 1) return previous_hash ?? "";
  return (yield* one(hashOfEvent({ id, sequence: history_length - 1 })))?.hash ?? "";
}

function* write({ keys }: Keyed, row: CountedRow, event: HashedEvent): UnitOfWork<void> {
  const hash = historyHash(keys.history, yield* previousHash(row), event, row);
  yield* send(insertEvent({ ...event, hash }));
}

/** Writes the row of a transition; the UPDATE or INSERT that changed the withdrawal has set `history_length`. */
export const recordHistory = (
  service: Keyed,
  row: CountedRow,
  from: Status | null,
  at: number,
  cause: Cause,
): UnitOfWork<void> => write(service, row, eventOf("transition", from, row, at, cause));

/** Writes what happened beside the transitions; the status stays. The row's UPDATE has set `countsEvent`. */
export const recordNote = (
  service: Keyed,
  kind: EventKind,
  row: CountedRow,
  at: number,
  cause: Cause,
  reason: string,
): UnitOfWork<void> => write(service, row, { ...eventOf(kind, row.status, row, at, cause), reason });
