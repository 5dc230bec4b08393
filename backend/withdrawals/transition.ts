/** How every verb changes a withdrawal's status: one conditional UPDATE; whoever finds it already changed reads why, in the same unit. */

import type { LeasedEvent, Service, Terminal } from "../context.ts";
import { assertNever } from "../contract/assert-never.ts";
import { isTransactionId } from "../contract/ids.ts";
import type { Status, Transaction } from "../contract/transaction.ts";
import { ServiceError } from "../service-error.ts";
import type { Query } from "../store/statement.ts";
import { one, type UnitOfWork } from "../store/store.ts";
import { shownOrArchived } from "./archive.ts";
import { writeExpiry } from "./expire.ts";
import type { Cause } from "./history.ts";
import { expiredFrom, expiryAt } from "./lifecycle.ts";
import { recordOwnTransition } from "./record-transition.ts";
import type { Row, ShownRow, UpdatedRow } from "./store.ts";
import { toTransaction } from "./to-transaction.ts";

/** One change of a withdrawal's status, as a verb describes it. */
export interface Transition {
  readonly transactionId: string;
  /** Whether the caller may know of it; if not, it is answered as unknown. */
  readonly isVisibleTo: (row: ShownRow) => boolean;
  /** The UPDATE … RETURNING; its WHERE decides, also about `deadline_at > now`. */
  readonly update: (now: number) => Query<UpdatedRow>;
  /** The status before the transition, read from the row after it. */
  readonly from: (updated: Row) => Status;
  /** Who asked for it, for the history. */
  readonly cause: Cause;
  /** What else belongs to the same commit. */
  readonly inSameTransaction?: (updated: UpdatedRow, now: number) => UnitOfWork<void>;
  /** What a call that changes nothing any more leaves in the same commit. */
  readonly whenNotApplied?: (row: ShownRow, now: number) => UnitOfWork<void>;
  /** The same call has been answered before: its answer is the transaction as it is now. */
  readonly isReplay: (row: ShownRow) => boolean;
}

/** A terminal knows of its shop's withdrawals that no other device has confirmed. */
export const isVisibleToTerminal =
  ({ merchantId, deviceId }: Terminal): Transition["isVisibleTo"] =>
  (row) =>
    row.merchant_id === merchantId && (row.device_id === null || row.device_id === deviceId);

/** What became of a transition. */
export type Outcome =
  | { readonly kind: "applied"; readonly row: Row; readonly event: LeasedEvent | null }
  | { readonly kind: "repeated" | "conflict"; readonly row: ShownRow; readonly expired: boolean }
  | { readonly kind: "unknown" };

/** 404, for what does not exist and for what the caller may not know of alike. */
export const unknownTransaction = (): ServiceError =>
  new ServiceError("transaction_not_found", "There is no such transaction.");

/** 409 with the transaction as it is. @param detail a sentence for the caller. */
export const conflict = (row: ShownRow, detail = `The transaction is ${row.status}.`): ServiceError =>
  new ServiceError("transaction_conflict", detail, { transaction: toTransaction(row) });

/** After the commit of a transition that this process made: counts it and sends its status event. */
export const countTransition = (
  service: Service,
  from: Status | null,
  row: ShownRow,
  event: LeasedEvent | null,
): void => {
  service.telemetry.transition(from, row.status, row.reason);
  if (event) service.statusEvents.send(event);
};

/** Counts an expiry that this process wrote, and wakes the sender of status events. */
export const countExpiry = (service: Service, row: ShownRow): void => {
  service.telemetry.transition(expiredFrom(row), row.status, row.reason);
  service.statusEvents.wake();
};

/** The steps of a transition; throws nothing, so that an expiry it comes upon is committed with the refusal. */
export function* transitionUnit(service: Service, transition: Transition): UnitOfWork<Outcome> {
  const now = service.clock.now();
  const updated = yield* one(transition.update(now));
  if (updated) {
    if (transition.inSameTransaction) yield* transition.inSameTransaction(updated, now);
    const event = yield* recordOwnTransition(service, updated, transition.from(updated), now, transition.cause);
    return { kind: "applied", row: updated, event };
  }
  const row = yield* shownOrArchived(transition.transactionId);
  if (!row || !transition.isVisibleTo(row)) return { kind: "unknown" };
  if (transition.whenNotApplied) yield* transition.whenNotApplied(row, now);
  const late = expiryAt(row, now) ? yield* writeExpiry(service, row.id, now) : undefined;
  if (late) return { kind: transition.isReplay(late) ? "repeated" : "conflict", row: late, expired: true };
  return { kind: transition.isReplay(row) ? "repeated" : "conflict", row, expired: false };
}

/**
 * Moves and answers; the row for whoever has to act on it after the commit.
 * @throws ServiceError `transaction_not_found`, `transaction_conflict` (with the transaction), `unavailable`.
 */
export const applyTransition = async (
  service: Service,
  transition: Transition,
): Promise<Exclude<Outcome, { readonly kind: "unknown" }>> => {
  if (!isTransactionId(transition.transactionId)) throw unknownTransaction();
  const outcome = await service.store.write(() => transitionUnit(service, transition), transition.transactionId);
  switch (outcome.kind) {
    case "applied":
      countTransition(service, transition.from(outcome.row), outcome.row, outcome.event);
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

/** Applies a transition and answers with the transaction. @throws as `applyTransition`. */
export const replyAfterTransition = async (service: Service, transition: Transition): Promise<Transaction> =>
  toTransaction((await applyTransition(service, transition)).row);
