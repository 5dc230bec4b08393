/** How every verb moves a withdrawal: one conditional UPDATE; whoever finds it already moved reads why, in the same unit. */

import type { LeasedEvent, Service } from "../context.ts";
import { assertNever } from "../contract/assert-never.ts";
import { isTransactionId } from "../contract/ids.ts";
import type { Status, Transaction } from "../contract/transaction.ts";
import { ServiceError } from "../service-error.ts";
import type { Query } from "../store/statement.ts";
import { one, type UnitOfWork } from "../store/store.ts";
import { oneOrArchived } from "./archive.ts";
import { writeExpiry } from "./expire.ts";
import type { Cause } from "./history.ts";
import { expiredFrom, expiryAt } from "./lifecycle.ts";
import { recordOwnMove } from "./record-move.ts";
import type { MovedRow } from "./store/moves.ts";
import type { Row } from "./store/reads.ts";
import { toTransaction } from "./to-transaction.ts";

/** One move of a withdrawal, as a verb describes it. */
export interface Transition {
  readonly transactionId: string;
  /** Whether the caller may know of it; if not, it is answered as unknown. */
  readonly isVisibleTo: (row: Row) => boolean;
  /** The UPDATE … RETURNING; its WHERE decides, also about `deadline_at > now`. */
  readonly update: (now: number) => Query<MovedRow>;
  /** The status before the move, read from the row after it. */
  readonly from: (moved: Row) => Status;
  /** Who asked for it, for the history. */
  readonly cause: Cause;
  /** What else belongs to the same commit. */
  readonly inSameTransaction?: (moved: MovedRow, now: number) => UnitOfWork<void>;
  /** The same call has been answered before: its answer is the transaction as it is now. */
  readonly isReplay: (row: Row) => boolean;
}

/** What became of a move. */
export type Outcome =
  | { readonly kind: "moved"; readonly row: Row; readonly event: LeasedEvent | null }
  | { readonly kind: "repeated" | "conflict"; readonly row: Row; readonly expired: boolean }
  | { readonly kind: "unknown" };

/** 404, for what does not exist and for what the caller may not know of alike. */
export const unknownTransaction = (): ServiceError =>
  new ServiceError("transaction_not_found", "There is no such transaction.");

/** 409 with the transaction as it is. @param detail a sentence for the caller. */
export const conflict = (row: Row, detail = `The transaction is ${row.status}.`): ServiceError =>
  new ServiceError("transaction_conflict", detail, { transaction: toTransaction(row) });

/** After the commit of a move that this process made: counts it and sends its status event. */
export const countMove = (service: Service, from: Status | null, row: Row, event: LeasedEvent | null): void => {
  service.telemetry.transition(from, row.status, row.reason);
  if (event) service.statusEvents.send(event);
};

/** Counts an expiry that this process wrote; its status event is nobody's own. */
export const countExpiry = (service: Service, row: Row): void => {
  service.telemetry.transition(expiredFrom(row), row.status, row.reason);
  service.statusEvents.wake();
};

/** The steps of a move; throws nothing, so that an expiry it comes upon is committed with the refusal. */
export function* transitionSteps(service: Service, move: Transition): UnitOfWork<Outcome> {
  const now = service.clock.now();
  const moved = yield* one(move.update(now));
  if (moved) {
    if (move.inSameTransaction) yield* move.inSameTransaction(moved, now);
    const event = yield* recordOwnMove(moved, move.from(moved), now, move.cause);
    return { kind: "moved", row: moved, event };
  }
  const row = yield* oneOrArchived(move.transactionId);
  if (!row || !move.isVisibleTo(row)) return { kind: "unknown" };
  const late = expiryAt(row, now) ? yield* writeExpiry(row.id, now) : undefined;
  if (late) return { kind: move.isReplay(late) ? "repeated" : "conflict", row: late, expired: true };
  return { kind: move.isReplay(row) ? "repeated" : "conflict", row, expired: false };
}

/**
 * Moves and answers; the row for whoever has to act on it after the commit.
 * @throws ServiceError `transaction_not_found`, `transaction_conflict` (with the transaction), `unavailable`.
 */
export const applyTransition = async (service: Service, move: Transition): Promise<Outcome & { readonly row: Row }> => {
  if (!isTransactionId(move.transactionId)) throw unknownTransaction();
  const outcome = await service.store.write(() => transitionSteps(service, move));
  switch (outcome.kind) {
    case "moved":
      countMove(service, move.from(outcome.row), outcome.row, outcome.event);
      return outcome;
    case "repeated":
    case "conflict":
      if (outcome.expired) countExpiry(service, outcome.row);
      if (outcome.kind === "conflict") throw conflict(outcome.row);
      return outcome;
    case "unknown":
      throw unknownTransaction();
    default:
      return assertNever(outcome);
  }
};

/** Moves and answers with the transaction. @throws as `applyTransition`. */
export const move = async (service: Service, how: Transition): Promise<Transaction> =>
  toTransaction((await applyTransition(service, how)).row);
