/**
 * Handles a terminal's repeated reports after a restore (`as_reported`) that the ordinary verbs refuse: the copy may
 * lack the confirmation, the payment or the whole withdrawal. The cash is gone all the same, so it must show in the
 * reconciliation report.
 */
import { appendAuditIfKeyed } from "../access/audit.ts";
import { headBesideReport, type JournalHeadReport } from "../access/journal-heads.ts";
import type { LeasedEvent, Service, Terminal } from "../context.ts";
import { isTransactionId, makeTransactionId } from "../contract/ids.ts";
import { formatAmount, parseAmount } from "../contract/money.ts";
import type { AsReported } from "../contract/pos.ts";
import { decidedByOperator } from "../contract/reasons.ts";
import { dayMs, toNullableTime, toTime } from "../contract/times.ts";
import { isClosed, type LinkedTransaction } from "../contract/transaction.ts";
import { merchantById } from "../merchants/merchants.ts";
import { insertOrder } from "../partner/orders.ts";
import { invalidField, ServiceError } from "../service-error.ts";
import { restoreNamed, restoreOver } from "../store/restores.ts";
import type { RowOf } from "../store/schema.ts";
import { type Tx, UniqueViolation } from "../store/store.ts";
import { shownOrArchived } from "./closed.ts";
import {
  type CashReport,
  endDisputeAgreed,
  recordCashWord,
  recordOtherHandOut,
  recordOtherHandOutOfReport,
} from "./dispute.ts";
import { approvalOf, takeReported } from "./restored.ts";
import { countReports, entryOfLine, insertReport, reportBy } from "./restored-reports.ts";
import { type ShownRow, shownById, type ToSettle } from "./store.ts";
import {
  applyTransition,
  byTerminal,
  countTransition,
  handOutTerms,
  isVisibleToTerminal,
  recordTransition,
  type Transition,
  toTransaction,
} from "./transition.ts";

/** Tolerated error of a terminal's clock: a needless line costs a look, a missing one costs money. */
const clockSlackMs = dayMs;
/** Maximum lines per terminal. */
const linesPerTerminalMax = 10_000;

/** A report's transition, which also writes where the status stays. */
type ReportTransition = Transition & Required<Pick<Transition, "whenNotApplied">>;

/** Accepts any report about a withdrawal that an operator has decided, and records it beside the decision. */
const withDecided = (
  service: Service,
  terminal: Terminal,
  transition: ReportTransition,
  report: CashReport,
): ReportTransition => ({
  ...transition,
  async whenNotApplied(tx, row, now) {
    await transition.whenNotApplied(tx, row, now);
    const on = { tx, service, now };
    if (row.reason === decidedByOperator) await recordCashWord(on, terminal, row.id, report);
    else await recordOtherHandOut(on, terminal, row, report.handOutId);
  },
  isReplay: (row) => row.reason === decidedByOperator || transition.isReplay(row),
});

/** A report's own UPDATE, and when it was made before. */
type AskedReport = Pick<Transition, "transactionId" | "update" | "isReplay">;

/**
 * Applies a report by its transition or, if a restore made that impossible, as the terminal knows it.
 * @param head the newest link of the terminal's journal, kept in the same commit.
 */
export const replyToReport = async (
  service: Service,
  terminal: Terminal,
  asked: AskedReport,
  report: CashReport,
  asReported: AsReported | undefined,
  head: JournalHeadReport | undefined,
): Promise<LinkedTransaction> => {
  const beside = headBesideReport(terminal, head);
  const transition: ReportTransition = {
    ...asked,
    isVisibleTo: isVisibleToTerminal(terminal),
    cause: byTerminal(terminal, report.cashier),
    terms: () => handOutTerms(report.handOutId),
    from: () => "settled",
    inSameTransaction: (tx, _, now) => beside.keep(tx, now),
    whenNotApplied: beside.forget,
  };
  const reported = withDecided(service, terminal, transition, report);
  return beside.answer(await applyReport(service, terminal, reported, report, asReported));
};

const applyReport = async (
  service: Service,
  terminal: Terminal,
  transition: ReportTransition,
  report: CashReport,
  asReported: AsReported | undefined,
): Promise<LinkedTransaction> => {
  if (asReported === undefined) {
    const kept = { ...transition, whenNotApplied: keepsRefusedLink(service, terminal, transition, report) };
    return toLinked(await applyTransition(service, kept));
  }
  const amount = parseAmount(asReported.amount, asReported.currency);
  if (amount === null)
    throw invalidField("as_reported.amount", `must have exactly the minor digits of ${asReported.currency}`);
  try {
    return toLinked(await applyTransition(service, transition));
  } catch (error) {
    // The outcome is near; a refusal would be final.
    if (error instanceof ServiceError && error.extra.transaction?.status === "settling")
      throw new ServiceError("unavailable", "The bank is being asked. Repeat the report.", { retryAfterSeconds: 5 });
    const isRefused =
      error instanceof ServiceError &&
      (error.code === "transaction_conflict" || error.code === "transaction_not_found") &&
      isTransactionId(transition.transactionId);
    const taken = isRefused ? await take(service, terminal, transition, report, { ...asReported, amount }) : null;
    if (taken !== null) return taken;
    if (!isRefused) throw error;
    // Another report may have come between the two looks: it is held against what stands now.
    return toLinked(await applyTransition(service, transition));
  }
};

/**
 * A link that says nothing of the restore which has ended its withdrawal, as another vendor's terminal sends it, stays refused. The cash
 * is gone all the same, so it is a line, as far as the copy knows it. Ours names its hand-out, and comes again with what it knows.
 */
const keepsRefusedLink =
  (service: Service, terminal: Terminal, { whenNotApplied }: ReportTransition, report: CashReport) =>
  async (tx: Tx, row: ShownRow, now: number): Promise<void> => {
    await whenNotApplied(tx, row, now);
    if (report.status !== "linked" || report.handOutId !== null) return;
    if (row.reason !== "restored" || !isClosed(row.status)) return;
    const { id, amount, currency } = row;
    const known = { transaction_id_partner: row.transaction_id_partner ?? "", amount, currency };
    const forgotSince = await forgottenSince(tx, known, now);
    if (forgotSince === null) return;
    const lineId = makeTransactionId(service.random.bytes(15));
    await keepLine(tx, service, terminal, lineOf(lineId, id, terminal, report, known, forgotSince, now));
  };

const handOutOf = ({ hand_out_id: id }: { readonly hand_out_id: string | null }) =>
  id === null ? {} : { hand_out_id: id };

const toLinked = (row: ShownRow): LinkedTransaction => ({ ...toTransaction(row), ...handOutOf(row) });

type Known = Omit<AsReported, "amount"> & { readonly amount: number };

type Taken =
  | {
      readonly kind: "moved";
      readonly row: ToSettle;
      readonly event: LeasedEvent | null;
      readonly order: RowOf<"outbox"> | null;
    }
  | { readonly kind: "line"; readonly line: RowOf<"restored_reports">; readonly storeName: string }
  | { readonly kind: "known"; readonly row: ShownRow }
  | null;

/** @returns null where the refusal stands. */
const take = async (
  service: Service,
  terminal: Terminal,
  { transactionId }: Transition,
  report: CashReport,
  known: Known,
): Promise<LinkedTransaction | null> => {
  const lineId = makeTransactionId(service.random.bytes(15));
  let taken: Taken;
  try {
    taken = await service.store.write(async (tx): Promise<Taken> => {
      const now = service.clock.now();
      const moved = await move(tx, service, terminal, transactionId, report, known, now);
      if (moved !== null) return moved;
      const row = await shownOrArchived(tx, transactionId, now);
      if (row !== undefined && isAsReported(row, terminal, report, known)) {
        await recordOtherHandOut({ tx, service, now }, terminal, row, report.handOutId);
        return { kind: "known", row };
      }
      if (row !== undefined && isVisibleToTerminal(terminal)(row) && !(await isEndedForGood(tx, row))) return null;
      const forgotSince = await forgottenSince(tx, known, now);
      if (forgotSince === null) return null;
      const line = lineOf(lineId, transactionId, terminal, report, known, forgotSince, now);
      return await keepLine(tx, service, terminal, line);
    });
  } catch (error) {
    // The terminal's id is used for another withdrawal, so it is unclear which one it means.
    if (error instanceof UniqueViolation) return null;
    throw error;
  }
  if (taken === null) return null;
  if (taken.kind === "known") return toLinked(taken.row);
  if (taken.kind === "line") return transactionOf(taken.line, taken.storeName);
  countTransition(service, "canceled", taken.row, taken.event);
  if (taken.order) service.settleQueue.send(taken.order);
  return toLinked(taken.row);
};

/**
 * Whether it ended without cash other than by the restore, for instance by its deadline before the restore was known, or was archived
 * since, where no report moves it.
 */
const isEndedForGood = async (tx: Tx, row: ShownRow): Promise<boolean> =>
  isClosed(row.status) && (row.reason !== "restored" || (await tx.first(shownById({ id: row.id }))) === undefined);

/** Whether the withdrawal matches the report: nothing was forgotten, only the terminal's name has changed. */
const isAsReported = (row: ShownRow, { merchantId }: Terminal, { status }: CashReport, known: Known): boolean =>
  row.merchant_id === merchantId &&
  row.transaction_id_partner === known.transaction_id_partner &&
  row.status === status &&
  row.amount === known.amount &&
  row.currency === known.currency;

/** Gives a withdrawal ended by the restore the reported status; pays only with the customer's approval at the bank. */
async function move(
  tx: Tx,
  service: Service,
  terminal: Terminal,
  id: string,
  { status, undeliveredReason, cashier, handOutId }: CashReport,
  known: Known,
  now: number,
): Promise<Extract<Taken, { kind: "moved" }> | null> {
  const row = (await tx.first(
    takeReported({
      id,
      merchant: terminal.merchantId,
      device: terminal.deviceId,
      terminalReference: known.transaction_id_partner,
      amount: known.amount,
      currency: known.currency,
      status,
      undeliveredReason,
      cashier,
      handOutId,
      confirmedAt: firstTimeOf(known, now),
      now,
    }),
  )) as ToSettle | undefined;
  if (row === undefined) return null;
  const cause = byTerminal(terminal, cashier);
  const change = { tx, keys: service.keys, now, cause, terms: handOutTerms(handOutId) };
  const event = await recordTransition({ ...change, setsReference: true }, row, "canceled", "us");
  const isApproved = (await tx.first(approvalOf({ id, askedAt: row.created_at }))) !== undefined;
  if (isApproved && status === "undelivered") await endDisputeAgreed(change, id, "approved");
  const order =
    isApproved && status === "linked" ? await insertOrder(tx, row, now, service.settleQueue.workerId) : null;
  return { kind: "moved", row, event, order };
}

const timesOf = ({ confirmed_at, settled_at, reported_at }: Known): readonly number[] =>
  [confirmed_at, settled_at, reported_at].flatMap((text) => (text === undefined ? [] : [Date.parse(text)]));

/** When it is said to have been confirmed, or what came next; a clock may be ahead. */
const firstTimeOf = (known: Known, now: number): number => Math.min(now, ...timesOf(known));

const lineOf = (
  id: string,
  transactionId: string,
  terminal: Terminal,
  { status, undeliveredReason, cashier, handOutId }: CashReport,
  known: Known,
  forgotSince: number,
  now: number,
): RowOf<"restored_reports"> => {
  // Forgotten events happened after the copy, whatever a terminal's clock says.
  const bounded = (at: number): number => Math.min(now, Math.max(forgotSince, at));
  const timeOr = <T>(text: string | undefined, otherwise: T): number | T =>
    text === undefined ? otherwise : bounded(Date.parse(text));
  return {
    id,
    transaction_id: transactionId,
    merchant_id: terminal.merchantId,
    device_id: terminal.deviceId,
    status,
    undelivered_reason: undeliveredReason,
    transaction_id_partner: known.transaction_id_partner,
    amount: known.amount,
    currency: known.currency,
    confirmed_at: timeOr(known.confirmed_at, bounded(firstTimeOf(known, now))),
    settled_at: timeOr(known.settled_at, null),
    reported_at: timeOr(known.reported_at, now),
    cashier,
    created_at: now,
    closed_at: null,
    hand_out_id: handOutId,
    other_hand_out_id: null,
  };
};

/** Since when a restore may have forgotten what is reported; null for none. */
async function forgottenSince(tx: Tx, known: Known, now: number): Promise<number | null> {
  const times = timesOf(known).map((at) => Math.min(at, now));
  const from = times.length === 0 ? 0 : Math.min(...times) - clockSlackMs;
  const until = times.length === 0 ? Number.MAX_SAFE_INTEGER : Math.max(...times) + clockSlackMs;
  const named = known.restored_at;
  const over = (await tx.first(restoreOver({ from, until })))?.forgot_since;
  if (over != null || named === undefined) return over ?? null;
  // The times match no restore, so a clock was wrong.
  return (await tx.first(restoreNamed({ restoredAt: Date.parse(named) })))?.forgot_since ?? null;
}

/** Stores a line; a repeat by the same terminal returns the existing one. */
async function keepLine(tx: Tx, service: Service, terminal: Terminal, line: RowOf<"restored_reports">): Promise<Taken> {
  const key = { transaction: line.transaction_id, merchant: line.merchant_id, device: line.device_id };
  const storeName = (await tx.first(merchantById({ id: line.merchant_id })))?.name ?? line.merchant_id;
  const before = await tx.first(reportBy(key));
  if (before !== undefined) {
    const on = { tx, service, now: line.created_at };
    const known = await recordOtherHandOutOfReport(on, terminal, before, line.hand_out_id);
    return { kind: "line", line: known, storeName };
  }
  const count = (await tx.first(countReports({ merchant: line.merchant_id, device: line.device_id })))?.count ?? 0;
  if (Number(count) >= linesPerTerminalMax) return null;
  const added = await tx.first(insertReport({ ...line }));
  // Another process was faster: its line is there now.
  if (added === undefined) return keepLine(tx, service, terminal, line);
  await appendAuditIfKeyed(tx, service, line.created_at, { ...entryOfLine(line), address: null });
  return { kind: "line", line: added, storeName };
}

/** A line as a transaction for the reporting terminal. */
const transactionOf = (line: RowOf<"restored_reports">, storeName: string): LinkedTransaction => ({
  transaction_id: line.transaction_id,
  status: line.status,
  amount: formatAmount(line.amount, line.currency),
  currency: line.currency,
  store: line.merchant_id,
  store_name: storeName,
  transaction_id_partner: line.transaction_id_partner,
  partner_reference: null,
  sca_required: true,
  created_at: toTime(line.confirmed_at),
  expires_at: toTime(line.confirmed_at),
  confirmed_at: toTime(line.confirmed_at),
  sca_expires_at: null,
  settled_at: toNullableTime(line.settled_at),
  linked_at: line.status === "linked" ? toTime(line.reported_at) : null,
  closed_at: line.status === "linked" ? null : toTime(line.reported_at),
  reason: line.undelivered_reason ?? "restored",
  ...handOutOf(line),
});
