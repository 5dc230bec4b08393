/** The promises, as pure functions over the evidence. Each answers with what breaks it. */
import { parseAmount } from "../../backend/contract/money.ts";
import { scaTimeoutSeconds } from "../../backend/contract/sca.ts";
import { isClosed } from "../../backend/contract/transaction.ts";
import type { Ledger } from "./bank.ts";
import type { Evidence, JournalAccount, ServiceRow } from "./evidence.ts";

/** A broken promise, by its number in docs/simulation.md. */
export interface Violation {
  readonly invariant: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16;
  readonly transactionId: string | null;
  readonly text: string;
}

const scaMs = scaTimeoutSeconds * 1_000;

/** Finds what breaks a promise. */
export type Check = (evidence: Evidence) => Violation[];

/** One of them. */
export const violation = (
  invariant: Violation["invariant"],
  transactionId: string | null,
  text: string,
): Violation => ({
  invariant,
  transactionId,
  text,
});

const countBy = <T>(items: readonly T[], key: (item: T) => string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
};

/** Whether cash may be offered: it is settled, or was until an operator said of the cash what its terminal has not heard. */
export const isPaidFor = (status: string | null, isDecided: boolean): boolean =>
  status === "settled" || (isDecided && (status === "linked" || status === "undelivered"));

/** 1. Cash is offered only for a withdrawal that the service has settled; handed out at most once over all tills. */
export const cashOnlyWhenSettled: Check = ({ offers, cash, shared, decided }) => [
  ...offers
    .filter(({ serviceStatus, transactionId: id }) => !isPaidFor(serviceStatus, decided.has(id)) && !shared.has(id))
    .map((offer) => violation(1, offer.transactionId, `till ${offer.till} offered cash while ${offer.serviceStatus}`)),
  ...[...countBy(cash, (given) => given.transactionId)]
    .filter(([id, count]) => count > 1 && !shared.has(id))
    .map(([id, count]) => violation(1, id, `cash handed out ${count} times`)),
];

/** The interface's time for the approval, whatever deadline the service has written down. */
export const approvalEndsAt = (row: ServiceRow): number => (row.confirmedAtMs ?? 0) + scaMs;

const isLeftToPromise13 = (row: ServiceRow, { denied }: Ledger): boolean =>
  row.status === "failed" && denied.has(row.transactionId);

/** 2. The bank pays at most once, never after a close without cash, never when SCA came after the deadline. */
export const bankPaysOnce: Check = ({ ledger, rows, approvals, approvalSlackMs }) => {
  const approvedAt = new Map<string, number>();
  for (const { transactionId, atMs } of approvals)
    approvedAt.set(transactionId, Math.min(atMs, approvedAt.get(transactionId) ?? atMs));
  const found = [...countBy(ledger.payments, (payment) => payment.reference)]
    .filter(([, count]) => count > 1)
    .map(([id, count]) => violation(2, id, `paid ${count} times`));
  for (const payment of ledger.payments) {
    const row = rows.get(payment.reference);
    if (!row) found.push(violation(2, payment.reference, "paid, but the service has no such transaction"));
    else if (isClosed(row.status)) {
      if (!isLeftToPromise13(row, ledger)) found.push(violation(2, payment.reference, `paid, but ${row.status}`));
    } else if (row.scaRequired) {
      const atMs = approvedAt.get(payment.reference);
      if (atMs === undefined) found.push(violation(2, payment.reference, "paid without the customer's approval"));
      else if (atMs >= approvalEndsAt(row) + approvalSlackMs)
        found.push(violation(2, payment.reference, "paid on an approval that came after the deadline"));
    }
  }
  return found;
};

/** What must hold at every moment, faults or not. */
export const checkAlways: Check = (evidence) => [...cashOnlyWhenSettled(evidence), ...bankPaysOnce(evidence)];

/** 3. Every settled withdrawal ends linked, undelivered or in the report; nothing else is open for ever. */
export const nothingForgotten: Check = ({ rows, report, journals, decided, unreported }) => {
  const found = unreported.map((till) => violation(3, null, `till ${till} has not reported all that it did`));
  for (const row of rows.values()) {
    const ended = isClosed(row.status) || row.status === "linked" || row.status === "undelivered";
    if (row.status === "settled" && !["not_linked", "disputed"].includes(report.get(row.transactionId) ?? ""))
      found.push(violation(3, row.transactionId, "settled, not linked, and not in the report"));
    else if (!ended && row.status !== "settled")
      found.push(violation(3, row.transactionId, `still ${row.status} after all has drained`));
    if (row.confirmedAtMs !== null && !report.has(row.transactionId))
      found.push(violation(3, row.transactionId, "confirmed, but not in the report"));
  }
  // Of cash that may have left, and of which an operator has spoken, people at the till have to say what they know.
  for (const account of journals)
    if (account.open && !decided.has(account.transactionId))
      found.push(violation(3, account.transactionId, `still open in the journal of till ${account.till}`));
  return found;
};

/** An operator's wrong word of the cash stands in the report since the till has said otherwise; one that lost what it did cannot say so. */
export const isKnownError = ({ decided, report, closed, journals }: Evidence, id: string): boolean =>
  decided.has(id) &&
  (report.get(id) === "disputed" ||
    closed.has(id) ||
    journals.some((one) => one.transactionId === id && (one.toBooks || one.lost)));

/** 4. The journals, the service and the bank's ledger add up to the cent. */
export const booksAddUp: Check = (evidence) => {
  const { rows, ledger, journals, cash, shared } = evidence;
  const found: Violation[] = [];
  const paid = new Map(ledger.payments.map((payment) => [payment.reference, payment]));
  const given = new Map(cash.map((one) => [one.transactionId, one]));
  const noted = new Map(journals.filter((one) => one.handedOut).map((one) => [one.transactionId, one]));
  // It is a line of the report that nobody can settle from the till any more (promise 3 looks that it is there).
  const explained = new Set(
    journals.filter((one) => one.toBooks || one.lost || one.open).map((one) => one.transactionId),
  );
  for (const row of rows.values()) {
    const id = row.transactionId;
    const payment = paid.get(id);
    if (row.settledAtMs !== null && !payment) found.push(violation(4, id, `${row.status}, but the bank paid nothing`));
    if (payment && parseAmount(payment.amount, row.currency) !== row.amountMinor)
      found.push(violation(4, id, `paid ${payment.amount}, ordered ${row.amountMinor} minor units`));
    if (payment && row.settledAtMs === null && !isLeftToPromise13(row, ledger))
      found.push(violation(4, id, `paid, but ${row.status} at the service`));
    if (shared.has(id)) continue;
    const isExplained = (explained.has(id) && row.status === "settled") || isKnownError(evidence, id);
    if ((row.status === "linked") !== given.has(id) && !isExplained)
      found.push(violation(4, id, `${row.status} at the service, cash ${given.has(id) ? "given" : "not given"}`));
    if (given.has(id) !== noted.has(id) && !explained.has(id))
      found.push(violation(4, id, `cash ${given.has(id) ? "given" : "not given"}, the journal says otherwise`));
    const differs = [given.get(id)?.amountMinor, noted.get(id)?.amountMinor].some(
      (minor) => minor !== undefined && minor !== null && minor !== row.amountMinor,
    );
    if (differs) found.push(violation(4, id, "the amounts differ between drawer, journal and service"));
  }
  for (const account of journals)
    if (!shared.has(account.transactionId)) found.push(...accountAddsUp(account, rows.get(account.transactionId)));
  return [...found, ...confirmsAreWritten(evidence)];
};

/** 4, at the bank: every hold ends in a payment or is released, by the events alone, long before it expires by itself. */
export const holdsEnd: Check = ({ ledger, rows }) =>
  [...ledger.openHolds].map((id) =>
    violation(4, id, `${rows.get(id)?.status ?? "unknown"}, but the bank holds the funds`),
  );

/** 4, at the bank: what it was told last of a withdrawal is what became of it. */
export const banksAreTold: Check = ({ ledger, rows }) =>
  [...rows.values()].flatMap((row) => {
    const { transactionId: id, status } = row;
    if (ledger.told === null) return [];
    const told = ledger.told.get(id)?.transaction;
    if (told?.status !== status)
      return [violation(4, id, `${status}, and the bank was told last that it is ${told?.status}`)];
    const is = `${row.amountMinor} ${row.currency} ${row.terminalReference}`;
    const says = `${parseAmount(told.amount, told.currency)} ${told.currency} ${told.transaction_id_partner}`;
    return is === says ? [] : [violation(4, id, `${is}, and the bank was told ${says}`)];
  });

/** What a till believes of a withdrawal whose confirm the service took from it. */
const accountAddsUp = (account: JournalAccount, row: ServiceRow | undefined): Violation[] => {
  const id = account.transactionId;
  if (!row) return [violation(4, id, `till ${account.till} knows of it, the service does not`)];
  if (row.terminalReference !== account.terminalReference) return [];
  if (account.toBooks || account.lost) return [];
  const over = account.closed && !account.flagged && !isClosed(row.status);
  if (over) return [violation(4, id, `closed without cash at till ${account.till}, ${row.status} at the service`)];
  if (account.declaredNot && !account.handedOut && row.status !== "undelivered" && !account.flagged)
    return [violation(4, id, `declared not handed out at till ${account.till}, ${row.status} at the service`)];
  return [];
};

/** Journal first: whatever was confirmed stands in the journal of the till that confirmed it, under the same id. */
const confirmsAreWritten = ({ rows, journals, report, closed }: Evidence): Violation[] => {
  // What a failover may have forgotten the confirm of has its dispute's time instead.
  const isUnknown = ({ transactionId: id, terminalReference }: ServiceRow): boolean =>
    terminalReference === null && (report.get(id) === "disputed" || closed.has(id));
  const written = new Set(
    journals.filter((one) => one.intended).map((one) => `${one.transactionId} ${one.terminalReference}`),
  );
  return [...rows.values()]
    .filter((row) => !isUnknown(row))
    .filter((row) => row.confirmedAtMs !== null && !written.has(`${row.transactionId} ${row.terminalReference}`))
    .map((row) => violation(4, row.transactionId, `confirmed as ${row.terminalReference}, which no journal intended`));
};

/** 5. No till is unable to serve the next customer for longer than its own SCA time-out plus 5 s. */
export const tillsStayFree = ({ blocked }: Pick<Evidence, "blocked">): Violation[] =>
  blocked.map((one) =>
    violation(5, null, `till ${one.till} held for ${Math.round(one.toMs - one.fromMs)} ms on ${one.screen}`),
  );

/** 7. Whatever is unresolved is visible: the till counts it in its header until a manager has acknowledged it. */
export const nothingHidden: Check = ({ journals, problemsShown, forked }) =>
  problemsShown.flatMap(({ till, count }) => {
    const unresolved = journals.filter((account) => account.till === till && account.unresolved);
    const isForked = forked.includes(till);
    if (unresolved.length + (isForked ? 1 : 0) <= count) return [];
    const text = `till ${till} shows ${count} of ${unresolved.length} unresolved withdrawals${isForked ? " and a forked journal" : ""}`;
    return [violation(7, unresolved[0]?.transactionId ?? null, text)];
  });

/** What a line of the report says of a bank that is not to be believed. */
const contradictions: readonly string[] = ["disputed"];

/** 13. What a bank says against its own word stands in the report, until an operator who has asked it closes the line. */
export const contradictionsShow: Check = ({ ledger, rows, report, closed }) => {
  const found: Violation[] = [];
  const paid = new Set(ledger.payments.map(({ reference }) => reference));
  for (const [id, { yes, no }] of ledger.heard) {
    const row = rows.get(id);
    const isShown = contradictions.includes(report.get(id) ?? "") || closed.has(id);
    if (row === undefined || isShown) continue;
    if (yes && no) found.push(violation(13, id, `the bank has said yes and no, and the report says ${report.get(id)}`));
    else if (yes && row.status === "failed" && paid.has(id))
      found.push(violation(13, id, `paid, failed at the service, and the report says ${report.get(id)}`));
  }
  return found;
};

/** 14. What a database that was put back has forgotten comes to light again: as what it was, or as a line with a finding. */
export const lossesShow: Check = (evidence) => {
  const { lost, restored, closed, settledOnce, rows, report, ledger, cash, journals } = evidence;
  const found: Violation[] = [];
  const paid = new Set(ledger.payments.map(({ reference }) => reference));
  const given = new Set(cash.map(({ transactionId }) => transactionId));
  const inTillsList = new Set(
    journals.filter((one) => one.unresolved || one.flagged || one.lost).map(({ transactionId }) => transactionId),
  );
  // Its till was put back too: nobody is left who knows of the cash but the bank and the customer.
  const isForgottenByAll = (id: string): boolean => journals.some((one) => one.transactionId === id && one.lost);
  for (const id of lost) {
    const status = rows.get(id)?.status;
    const finding = report.get(id) ?? "nothing";
    const isLine = restored.has(id) || closed.has(id) || !["nothing", "closed", "matched"].includes(finding);
    const isMatched = finding === "matched" && paid.has(id) && given.has(id);
    if (status === "settling" || (status !== undefined && !isClosed(status) && finding === "nothing"))
      found.push(violation(14, id, `${status} at a service that was put back`));
    if (given.has(id) && !isMatched && !isLine && !isForgottenByAll(id))
      found.push(violation(14, id, `given, forgotten by a database that was put back, ${finding} in the report`));
    // What a bank has paid and denied, where it failed by that word, or the copy does not know it and no till holds it.
    const isDenied = ledger.denied.has(id) && (status === undefined || status === "failed");
    const isPaid = settledOnce.has(id) || (paid.has(id) && !isDenied);
    if (isPaid && !given.has(id) && !isLine && !inTillsList.has(id))
      found.push(violation(14, id, `paid, forgotten by a database that was put back, ${finding} in the report`));
    // An operator who was wrong about cash has closed the dispute that came of it, or the till that knew better was put back, too.
    if (finding === "matched" && !isMatched && !closed.has(id) && !isKnownError(evidence, id))
      found.push(violation(14, id, "matched after the database was put back, and it is not"));
    // Of what ended without money a newer copy may know another reason.
    const toldLast = ledger.told?.get(id)?.transaction.status;
    const isTold =
      toldLast === status || (status !== undefined && toldLast !== undefined && isClosed(status) && isClosed(toldLast));
    if (status !== undefined && !isTold && !isLine)
      found.push(
        violation(14, id, `${status}, ${finding} in the report, and the bank was told last that it is ${toldLast}`),
      );
  }
  return found;
};

/** What must hold once the faults have stopped and everything has drained. */
export const checkAtEnd: Check = (evidence) => {
  const found = [
    ...checkAlways(evidence),
    ...nothingForgotten(evidence),
    ...booksAddUp(evidence),
    ...nothingHidden(evidence),
    ...holdsEnd(evidence),
    ...banksAreTold(evidence),
    ...contradictionsShow(evidence),
    ...tillsStayFree(evidence),
  ];
  const isAboutLost = ({ transactionId, invariant, text }: Violation): boolean =>
    [1, 2, 3, 4, 13].includes(invariant) && evidence.lost.has(transactionId ?? "") && !/times|still open/.test(text);
  return [...lossesShow(evidence), ...found.filter((one) => !isAboutLost(one))];
};
