/**
 * A bank that contradicts its first definite answer (conventions, "Partner calls"), or a device that reports two hand-outs, until
 * an operator closes the dispute.
 */

import { appendAuditIfKeyed } from "../access/audit.ts";
import type { Service, Terminal } from "../context.ts";
import type { Dispute } from "../partner/answer.ts";
import type { Query, Tx } from "../store/store.ts";
import { disputes, endAgreed, endDispute, openDispute, otherHandOut } from "./closed.ts";
import { byTerminal, type Cause, type Change, recordNote } from "./history.ts";
import type { ReportRow } from "./report.ts";
import { closeReports } from "./restored.ts";
import type { Row, ShownRow } from "./store.ts";

/** The row of whichever of the two has it: the running ones, or the archive. */
async function firstOf<P, R>(tx: Tx, both: readonly ((p: P) => Query<R>)[], p: P): Promise<R | undefined> {
  for (const statementOf of both) {
    const row = await tx.first(statementOf(p));
    if (row !== undefined) return row;
  }
  return undefined;
}

/** Part of the commit that receives what contradicts; the transaction stays as it is, archived or not. */
export async function recordDispute(change: Change, id: string, answer: Dispute): Promise<void> {
  const row = await firstOf(change.tx, openDispute, { id, now: change.now });
  if (row) await recordNote(change, "contradicted", row, answer);
}

/** Where and with what a report of a terminal is received. */
type Receiving = Pick<Change, "tx" | "now"> & { readonly service: Pick<Service, "keys" | "log"> };

/** The audit's entry for a second hand-out of one withdrawal. @param first what the service has of the first. */
export const auditOtherHandOut = (
  { tx, service, now }: Receiving,
  { merchantId, deviceId }: Terminal,
  id: string,
  first: string,
  second: string,
): Promise<unknown> =>
  appendAuditIfKeyed(tx, service, now, {
    event: "handed out twice",
    actor: `terminal ${merchantId}/${deviceId}`,
    address: null,
    object: id,
    detail: `first ${first}, then ${second}`,
  });

/**
 * Part of the commit that receives a link for what is linked already, or was declared as not handed out: another hand-out than the
 * known one comes from a copy of the terminal's folder, and the cash may have left twice. The transaction stays as it is.
 */
export async function recordOtherHandOut(
  on: Receiving,
  terminal: Terminal,
  { id, status, hand_out_id: first }: ShownRow,
  handOutId: string,
): Promise<void> {
  const isOther = status === "undelivered" || (status === "linked" && first !== null && first !== handOutId);
  if (!isOther) return;
  const row = await firstOf(on.tx, otherHandOut, { id, handOutId, now: on.now });
  if (!row) return;
  await recordNote({ ...on, keys: on.service.keys, cause: byTerminal(terminal) }, "reported_again", row, handOutId);
  await auditOtherHandOut(on, terminal, id, first ?? status, handOutId);
}

/**
 * Part of the commit in which the bank says again what it said at first, or approves what a terminal reported again after a restore:
 * nothing is left to look into.
 */
export async function endDisputeAgreed(change: Change, id: string, word: "declined" | "approved"): Promise<void> {
  const row = await change.tx.first(endAgreed({ id }));
  if (row) await recordNote(change, "dispute_closed", row, word);
}

/** Withdrawals whose bank contradicted itself, the oldest dispute first; archived ones too. */
export const listDisputes = async (
  store: Service["store"],
): Promise<readonly (Row & Pick<ReportRow, "later_answer">)[]> => {
  const [running, archived] = disputes;
  const rows = await store.read(async (tx) => {
    return [...(await tx.all(running({}))), ...(await tx.all(archived({})))];
  });
  return rows.toSorted((a, b) => (a.disputed_at ?? 0) - (b.disputed_at ?? 0) || (a.id < b.id ? -1 : 1));
};

/**
 * Ends a dispute, and what terminals reported of the transaction after a restore; the finding is again what the status says.
 * @param operator who closes it. @param note what was found out, 1 to 500 characters.
 * @returns false when there is no such transaction or its bank did not contradict itself.
 */
export const closeDispute = (
  service: Pick<Service, "store" | "clock" | "keys">,
  transactionId: string,
  operator: string,
  note: string,
): Promise<boolean> =>
  service.store.write(async (tx) => {
    const now = service.clock.now();
    const row = await firstOf(tx, endDispute, { id: transactionId });
    const reports = await tx.all(closeReports({ transaction: transactionId, now }));
    const cause: Cause = { actor: "operator", actorId: operator, requestId: null, attempt: null };
    if (row) await recordNote({ tx, keys: service.keys, now, cause }, "dispute_closed", row, note);
    return row !== undefined || reports.length > 0;
  });
