/**
 * Disputes: a bank contradicts its first definite answer (conventions, "Partner calls"), or a device reports two
 * hand-outs. They last until an operator closes them.
 */
import { appendAuditIfKeyed, auditAbout } from "../access/audit.ts";
import type { Service, Terminal } from "../context.ts";
import type { Dispute } from "../partner/answer.ts";
import type { RowOf } from "../store/schema.ts";
import type { Tx } from "../store/store.ts";
import {
  disputes,
  endAgreed,
  endDispute,
  firstOf,
  holdOne,
  oneOrArchived,
  openDispute,
  opensDispute,
  otherHandOut,
  shownOrArchived,
  takeCashWord,
} from "./closed.ts";
import { eventsOf } from "./history.ts";
import { type ReportRow, withLaterAnswer } from "./reconcile.ts";
import { closeReport, holdReports, otherHandOutOfReport } from "./restored-reports.ts";
import type { Row, ShownRow } from "./store.ts";
import { byOperator, byTerminal, type Change, recordNote } from "./transition.ts";

/** A terminal's report about the cash. */
export interface CashReport {
  readonly status: "linked" | "undelivered";
  /** Why nothing was handed out; null for `linked`. */
  readonly undeliveredReason: string | null;
  /** Code of the person who reported it. */
  readonly cashier: string | null;
  /** The terminal's id of the hand-out; null for `undelivered`, and if not sent. */
  readonly handOutId: string | null;
}

/** Opens a dispute in the commit of the contradicting answer; the status stays, archived or not. */
export async function recordDispute(change: Change, id: string, answer: Dispute): Promise<void> {
  const row = await firstOf(change.tx, openDispute, { id, now: change.now });
  if (row) await recordNote(change, "contradicted", row, answer);
}

/** Context of a terminal's report. */
type Receiving = Pick<Change, "tx" | "now"> & { readonly service: Pick<Service, "keys" | "log"> };

/** The audit's event of a second hand-out. */
export const otherHandOutEvent = "handed out twice";

/** Ends the detail of that event where it is about a report after a restore, which it opens again. */
export const ofReport = ", of a report after a restore";

const auditOf = (
  { merchantId, deviceId }: Terminal,
  object: string,
  first: string,
  second: string,
  of: "" | typeof ofReport,
) => ({
  event: otherHandOutEvent,
  actor: `terminal ${merchantId}/${deviceId}`,
  address: null,
  object,
  detail: `first ${first}, then ${second}${of}`,
});

/** How many further hand-outs of one withdrawal are noted: copies of a till are few, and more names add nothing to a line that is open. */
const otherHandOutsMax = 10;

/**
 * Records another hand-out of a withdrawal that is linked or undelivered already, in the report's commit: it comes from
 * a copy of the terminal's folder, and the cash may have left twice. The status stays; a repeat of a known one changes nothing.
 * @param handOutId null where the terminal names none: nothing is known of it then.
 */
export async function recordOtherHandOut(
  on: Receiving,
  terminal: Terminal,
  { id, status, created_at: askedAt, hand_out_id: first }: ShownRow,
  handOutId: string | null,
): Promise<void> {
  if (handOutId === null || handOutId === first) return;
  const isOpen = (await firstOf(on.tx, holdOne, { id }))?.disputed_at != null;
  const noted = (await on.tx.all(eventsOf({ id, askedAt }))).filter(({ kind }) => kind === "reported_again");
  if ((isOpen && noted.length >= otherHandOutsMax) || noted.some(({ reason }) => reason === handOutId)) return;
  const row = await firstOf(on.tx, otherHandOut, { id, handOutId, now: on.now });
  if (!row) return;
  await recordNote({ ...on, keys: on.service.keys, cause: byTerminal(terminal) }, "reported_again", row, handOutId);
  await appendAuditIfKeyed(on.tx, on.service, on.now, auditOf(terminal, id, first ?? status, handOutId, ""));
}

/** The same for a report after a restore, which it opens again. @returns the report as it is then. */
export async function recordOtherHandOutOfReport(
  on: Receiving,
  terminal: Terminal,
  report: RowOf<"restored_reports">,
  handOutId: string | null,
): Promise<RowOf<"restored_reports">> {
  if (handOutId === null) return report;
  const { id, transaction_id: object, hand_out_id: first, status } = report;
  const isOpen = report.closed_at === null;
  const entry = auditOf(terminal, object, first ?? status, handOutId, ofReport);
  const noted = (await on.tx.all(auditAbout(entry))).filter(
    ({ actor, detail }) => actor === entry.actor && detail?.endsWith(ofReport),
  );
  if ((isOpen && noted.length >= otherHandOutsMax) || noted.some(({ detail }) => detail === entry.detail))
    return report;
  const other = await on.tx.first(otherHandOutOfReport({ id, handOutId }));
  if (other) await appendAuditIfKeyed(on.tx, on.service, on.now, entry);
  return other ?? report;
}

/**
 * Records a terminal's report about cash that an operator has decided on, in the report's commit. The status stays; a
 * report that differs from the decision or an earlier report opens a dispute.
 */
export async function recordCashWord(
  on: Receiving,
  terminal: Terminal,
  id: string,
  { status, handOutId, cashier }: CashReport,
): Promise<void> {
  const { tx, now, service } = on;
  await firstOf(tx, holdOne, { id });
  const row = await shownOrArchived(tx, id, now);
  if (!row) return;
  const said = (await tx.all(eventsOf({ id, askedAt: row.created_at })))
    .filter(({ kind }) => kind === "cash_reported")
    .map((e) => e.reason);
  // A report without an id does not cover a later one with an id.
  const isNamed = handOutId !== null && row.hand_out_id === null;
  if (!said.includes(status) || isNamed) {
    const isOther = row.status !== status || said.some((word) => word !== status);
    const taken = await firstOf(tx, takeCashWord, { id, handOutId, disputedAt: isOther ? now : null });
    if (!taken) return;
    await recordNote(
      { tx, now, keys: service.keys, cause: byTerminal(terminal, cashier) },
      "cash_reported",
      taken,
      status,
    );
    if (isOther)
      await appendAuditIfKeyed(tx, service, now, {
        event: "cash reported otherwise",
        actor: `terminal ${terminal.merchantId}/${terminal.deviceId}`,
        address: null,
        object: id,
        detail: `decided ${row.status}, reported ${status}`,
      });
  } else await recordOtherHandOut(on, terminal, row, handOutId);
}

/** Ends a dispute in the commit in which the bank repeats its first answer, or approves what a terminal reported again after a restore. */
export async function endDisputeAgreed(change: Change, id: string, word: "declined" | "approved"): Promise<void> {
  const row = await firstOf(change.tx, endAgreed, { id });
  if (row) await recordNote(change, "dispute_closed", row, word);
}

/** Disputed withdrawals, oldest dispute first, also archived ones. */
export const listDisputes = async (
  store: Service["store"],
): Promise<readonly (Row & Pick<ReportRow, "later_answer">)[]> => {
  const [running, archived] = disputes;
  const rows = await store.read(async (tx) => {
    const all = [...(await tx.all(running({}))), ...(await tx.all(archived({})))];
    // A withdrawal that ends in between is in both.
    return withLaterAnswer(tx, [...new Map(all.map((row) => [row.id, row])).values()]);
  });
  return rows.toSorted((a, b) => (a.disputed_at ?? 0) - (b.disputed_at ?? 0) || (a.id < b.id ? -1 : 1));
};

/** Thrown when more came about a transaction than what its dispute began with, and nobody has seen it. Epoch milliseconds. */
export class DisputeChanged extends Error {
  readonly since: number;
  readonly newest: number;
  constructor(since: number, newest: number) {
    super("more came after the dispute began");
    this.since = since;
    this.newest = newest;
  }
}

/** What there is to be closed about a transaction, held until the commit: since when, and when the newest word about it came. */
async function lockDispute(tx: Tx, id: string, near: number) {
  await firstOf(tx, holdOne, { id });
  const row = await oneOrArchived(tx, id, near);
  const reports = await tx.all(holdReports({ transaction: id }));
  const events = row ? await tx.all(eventsOf({ id, askedAt: row.created_at })) : [];
  const [again] = await tx.all(auditAbout({ event: otherHandOutEvent, object: id }));
  // Each contradiction and each report sets the row's time anew: when the first of them came is in the history.
  const lastClosed = events.findLastIndex(({ kind }) => kind === "dispute_closed");
  const ofDispute = events.slice(lastClosed + 1).filter(opensDispute);
  const disputed = row?.disputed_at == null ? [] : [row.disputed_at, ...ofDispute.map(({ at }) => at)];
  // A clock that was set back dates the second hand-out of a report before it.
  const handedOut = again ? [again.at] : [];
  const opened = [...disputed, ...reports.flatMap((one) => [one.created_at, ...handedOut])];
  // A dispute may begin while the bank is still asked: that the withdrawal then ends is no word of anybody's.
  const said = events.filter((event) => event.kind !== "transition" || opensDispute(event)).map(({ at }) => at);
  const words = [...opened, ...said, ...handedOut];
  return { reports, since: Math.min(...opened), newest: Math.max(...words) };
}

/**
 * Closes a dispute and the transaction's reports after a restore; the finding then follows from the status again.
 * @param operator who closes it.
 * @param note what was found out, 1 to 500 characters.
 * @param seenUntil the newest word that the operator has seen; by default the one that opened the first of them.
 * @returns false when there is no such dispute. @throws DisputeChanged
 */
export const closeDispute = (
  service: Pick<Service, "store" | "clock" | "keys">,
  transactionId: string,
  operator: string,
  note: string,
  seenUntil = Number.NEGATIVE_INFINITY,
): Promise<boolean> =>
  service.store.write(async (tx) => {
    const now = service.clock.now();
    const { reports, since, newest } = await lockDispute(tx, transactionId, now);
    if (newest > Math.max(since, seenUntil)) throw new DisputeChanged(since, newest);
    const row = await firstOf(tx, endDispute, { id: transactionId });
    for (const { id } of reports) await tx.run(closeReport({ id, now }));
    const change = { tx, keys: service.keys, now, cause: byOperator(operator) };
    if (row) await recordNote(change, "dispute_closed", row, note);
    return row !== undefined || reports.length > 0;
  });
