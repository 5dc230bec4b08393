/** Looks at everything as it happens, so that the five promises are checked after every step and not only at the end. */
import { parseAmount } from "../../backend/contract/money.ts";
import { isClosed, isFinal } from "../../backend/contract/transaction.ts";
import type { Payment } from "./bank.ts";
import type { Approval, CashGiven, Offer, ServiceRow } from "./evidence.ts";
import { approvalEndsAt, isPaidFor, type Violation } from "./invariants.ts";
import type { JournalReader } from "./read-journal.ts";
import type { Twins } from "./twins.ts";

/** Is told of everything as it happens. */
export interface Watch {
  /** A screen offers cash. */
  offered(till: number, transactionId: string): void;
  cashLeft(given: Omit<CashGiven, "atMs">): void;
  /** Whether the cash of this transaction went over a counter. */
  wasGiven(transactionId: string): boolean;
  /** A customer's approval is at the service's door. */
  approvalArrived(transactionId: string): void;
  bankPaid(payment: Payment): void;
  committed(rows: readonly ServiceRow[]): void;
  /** A promise that somebody else saw broken. */
  report(invariant: Violation["invariant"], transactionId: string, text: string): void;
  /**
   * The service's database is an older one from now on. What it has forgotten, or has otherwise than it was, is for promise 14 alone:
   * the others would hold the service to what it cannot know.
   */
  putBack(rows: ReadonlyMap<string, ServiceRow>): void;
  /** What a database that was put back has forgotten, or has otherwise than it was. */
  readonly lost: ReadonlySet<string>;
  /** What the service has had as settled at any time. */
  readonly settledOnce: ReadonlySet<string>;
  /** A row that was read from outside: what it says now, without the way it came there. */
  recordRow(row: ServiceRow): void;
  /** A transaction as the service's last commit left it. */
  row(transactionId: string): ServiceRow | null;
  readonly rows: ReadonlyMap<string, ServiceRow>;
  /** Not yet `linked`, `undelivered` or closed. */
  readonly unfinished: ReadonlySet<string>;
  readonly offers: readonly Offer[];
  readonly cash: readonly CashGiven[];
  readonly approvals: readonly Approval[];
  readonly violations: readonly Violation[];
}

/** What both of two machines with one identity have in their journals. */
export const sharedBy = (journals: readonly JournalReader[], twins: Twins | undefined): ReadonlySet<string> => {
  const idsOf = (till: number): ReadonlySet<string> =>
    new Set([...(journals[till]?.accounts().values() ?? [])].map(({ transactionId }) => transactionId));
  return new Set(
    journals.flatMap((_, till) => {
      const twin = twins?.twinOf(till) ?? null;
      return twin === null || twin < till ? [] : [...idsOf(till)].filter((id) => idsOf(twin).has(id));
    }),
  );
};

/** What was reported of commits and what the database holds are the same, or this checker is blind. */
export const assertSameRows = (
  reported: ReadonlyMap<string, ServiceRow>,
  held: ReadonlyMap<string, ServiceRow>,
): void => {
  for (const [id, row] of held)
    if (reported.get(id)?.status !== row.status)
      throw new Error(`${id}: reported as ${reported.get(id)?.status}, is ${row.status}`);
  for (const id of reported.keys()) if (!held.has(id)) throw new Error(`${id} is gone from the service's books`);
};

/**
 * However wrong the service's clock is, no approval counts so long after the confirm: its own seconds, and what a clock that is set
 * back by less than this while the service is off can add to them.
 */
const approvalMostMs = 2 * 60_000;

/** `now` is virtual time, `serviceNow` the service's own clock. */
export const createWatch = (options: {
  readonly now: () => number;
  readonly serviceNow: () => number;
  readonly journals: readonly JournalReader[];
  readonly twins?: Twins;
  /** How much later than its deadline an approval may count: the processes of a fleet know its clock to some seconds. */
  readonly approvalSlackMs?: number;
  /** Whether the bank has said no to this order, whatever it said besides. */
  readonly isDenied?: (transactionId: string) => boolean;
  /** Whether an operator has said what became of its cash. */
  readonly isDecided?: (transactionId: string) => boolean;
}): Watch => {
  /** What a bank books to which it says no is not the service's fault; promise 13 looks at it in the end. */
  const { now, twins, isDenied = () => false, isDecided = () => false, approvalSlackMs = 0 } = options;
  const isTwin = (till: number): boolean => (twins?.twinOf(till) ?? null) !== null;
  /** Both of two machines with one identity have it: what becomes of it is read at the end. */
  const isShared = (transactionId: string): boolean => sharedBy(options.journals, twins).has(transactionId);
  const rows = new Map<string, ServiceRow>();
  const unfinished = new Set<string>();
  const offers: Offer[] = [];
  const cash: CashGiven[] = [];
  const approvals: Approval[] = [];
  const approvedAt = new Map<string, number>();
  /** In virtual time, which no clock changes. */
  const confirmedAt = new Map<string, number>();
  const lateBy = (transactionId: string): number => {
    const approval = approvedFirst.get(transactionId) ?? 0;
    return approval - (confirmedAt.get(transactionId) ?? approval);
  };
  const approvedFirst = new Map<string, number>();
  const given = new Set<string>();
  const paid = new Map<string, number>();
  const violations: Violation[] = [];
  const lost = new Set<string>();
  const settledOnce = new Set<string>();
  const broken = (invariant: Violation["invariant"], transactionId: string, text: string): void => {
    // Cash twice, or a second payment, is wrong whatever a service has forgotten.
    if (lost.has(transactionId) && !text.includes("second time") && !text.includes("times")) return;
    violations.push({ invariant, transactionId, text });
  };

  const moved = (before: ServiceRow | undefined, row: ServiceRow): void => {
    const id = row.transactionId;
    if (before?.status === row.status) return;
    if (row.status === "awaiting_sca") confirmedAt.set(id, now());
    if (before && isFinal(before.status)) broken(2, id, `left ${before.status} for ${row.status}`);
    if (isClosed(row.status) && paid.has(id) && !isDenied(id)) broken(2, id, `paid, and then ${row.status}`);
    if (row.status === "settling" && row.scaRequired) {
      const atMs = approvedAt.get(id);
      if (atMs === undefined) broken(2, id, "to be paid without the customer's approval");
      else if (atMs >= approvalEndsAt(row) + approvalSlackMs)
        broken(2, id, "to be paid on an approval after the deadline");
      else if (lateBy(id) > approvalMostMs)
        broken(2, id, `to be paid on an approval ${lateBy(id)} ms after the confirm`);
    }
    if (row.status === "settled" && !paid.has(id)) broken(4, id, "settled, but the bank paid nothing");
    // An operator may err about cash; the end of the story looks that somebody reads of it.
    if (row.status === "linked" && !given.has(id) && !isDecided(id)) broken(4, id, "linked, but no cash was given");
    if (row.status === "undelivered" && given.has(id) && !isShared(id) && !isDecided(id))
      broken(4, id, "undelivered, but the cash was given");
    if (row.confirmedAtMs !== null && before?.confirmedAtMs === null) {
      const isWritten = options.journals.some((journal) => journal.intended(id, row.terminalReference));
      if (!isWritten) broken(4, id, `confirmed as ${row.terminalReference}, which no journal intended`);
    }
  };

  return {
    rows,
    unfinished,
    offers,
    cash,
    approvals,
    violations,
    report: broken,
    lost,
    settledOnce,
    putBack: (older) => {
      for (const [id, row] of rows) if (older.get(id)?.status !== row.status) lost.add(id);
      rows.clear();
      unfinished.clear();
      for (const [id, row] of older) {
        rows.set(id, row);
        // What a bank or a customer says of it may be forgotten too.
        if (!isFinal(row.status)) {
          unfinished.add(id);
          lost.add(id);
        }
      }
    },
    recordRow: (row) => void rows.set(row.transactionId, row),
    row: (transactionId) => rows.get(transactionId) ?? null,
    offered(till, transactionId) {
      const serviceStatus = rows.get(transactionId)?.status ?? null;
      offers.push({ till, transactionId, atMs: now(), serviceStatus });
      if (isTwin(till)) return;
      if (options.journals.some((journal) => journal.noted(transactionId)))
        broken(9, transactionId, `till ${till} offers cash that is handed out already, as its journal says`);
      if (!isPaidFor(serviceStatus, isDecided(transactionId)))
        broken(1, transactionId, `till ${till} offers cash while ${serviceStatus}`);
    },
    wasGiven: (transactionId) => given.has(transactionId),
    cashLeft(one) {
      const { transactionId } = one;
      const isSecond = given.has(transactionId);
      if (isSecond && !isTwin(one.till)) broken(1, transactionId, "cash handed out a second time");
      const known = isSecond && isTwin(one.till) ? twins?.mustHaveKnown(one.till, transactionId) : null;
      if (known) broken(1, transactionId, `till ${one.till} hands the cash out a second time ${known}`);
      given.add(transactionId);
      cash.push({ ...one, atMs: now() });
      const row = rows.get(transactionId);
      // What an operator says of it while the drawer is open, the report has as disputed in the end.
      const isPaid = row?.status === "linked" || isPaidFor(row?.status ?? null, isDecided(transactionId));
      if (!isPaid && !isShared(transactionId))
        broken(1, transactionId, `till ${one.till} hands out cash while ${row?.status}`);
      if (row && (row.amountMinor !== one.amountMinor || row.currency !== one.currency))
        broken(
          4,
          transactionId,
          `${one.amountMinor} ${one.currency} given, ${row.amountMinor} ${row.currency} ordered, in minor units`,
        );
    },
    approvalArrived(transactionId) {
      const atMs = options.serviceNow();
      approvals.push({ transactionId, atMs });
      if (!approvedFirst.has(transactionId)) approvedFirst.set(transactionId, now());
      approvedAt.set(transactionId, Math.min(atMs, approvedAt.get(transactionId) ?? atMs));
    },
    bankPaid({ reference, amount }) {
      const times = (paid.get(reference) ?? 0) + 1;
      paid.set(reference, times);
      const row = rows.get(reference);
      if (times > 1) broken(2, reference, `paid ${times} times`);
      else if (row?.status !== "settling" && !(row?.status === "failed" && isDenied(reference)))
        broken(2, reference, `paid while ${row?.status}`);
      if (row && parseAmount(amount, row.currency) !== row.amountMinor)
        broken(4, reference, `paid ${amount}, ordered ${row.amountMinor} minor units`);
    },
    committed(changed) {
      for (const row of changed) {
        const id = row.transactionId;
        const before = rows.get(id);
        rows.set(id, row);
        if (row.settledAtMs !== null) settledOnce.add(id);
        if (isFinal(row.status)) unfinished.delete(id);
        else unfinished.add(id);
        moved(before, row);
      }
    },
  };
};
