/**
 * The history of a withdrawal: one row for each transition, written in the transition's own commit (conventions,
 * "Extensions").
 */

import type { Client, Terminal } from "../context.ts";
import type { Actor, EventKind } from "../contract/history.ts";
import type { Status } from "../contract/transaction.ts";
import { send, type UnitOfWork } from "../store/store.ts";
import type { WithdrawalEventsTable } from "../store/tables/withdrawals.ts";
import { insertEvent } from "./store/events.ts";
import type { Row } from "./store/reads.ts";

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

/** @param row as it is after the change. */
const eventOf = (
  kind: EventKind,
  from: Status | null,
  row: Row,
  at: number,
  cause: Cause,
): Readonly<WithdrawalEventsTable> => ({
  transaction_id: row.id,
  sequence: row.history_length,
  kind,
  at,
  from_status: from,
  to_status: row.status,
  actor: cause.actor,
  actor_id: cause.actorId,
  request_id: cause.requestId,
  reason: row.status === "undelivered" ? row.undelivered_reason : row.reason,
  attempt: cause.attempt,
  cashier: cause.cashier ?? null,
});

/** Writes the row of a transition; the UPDATE or INSERT that changed the withdrawal has set `history_length`. */
export const recordHistory = (row: Row, from: Status | null, at: number, cause: Cause): UnitOfWork<void> =>
  send(insertEvent({ ...eventOf("transition", from, row, at, cause) }));

/** Writes what happened beside the transitions; the status stays. The row's UPDATE has set `countsEvent`. */
export const recordNote = (kind: EventKind, row: Row, at: number, cause: Cause, reason: string): UnitOfWork<void> =>
  send(insertEvent({ ...eventOf(kind, row.status, row, at, cause), reason }));
