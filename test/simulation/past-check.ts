/**
 * Promise 11: what people read of the past is so. History, figures, books and the service's report are held against what the bank
 * paid and what left the drawers: sums to the cent, no agreement that is none, no difference where there is none.
 */
import { reportedTwice } from "../../backend/contract/reconciliation.ts";
import { isClosed } from "../../backend/contract/transaction.ts";
import type { BookLine, BooksView, HistoryLine } from "../../preload/contract.ts";
import { timeCell } from "../../renderer/ui/csv-file.ts";
import type { CashGiven, Evidence, JournalAccount, ServiceRow } from "./evidence.ts";
import { isKnownError, type Violation, violation } from "./invariants.ts";
import type { Past, ReadBooks, ReportLine, ReportPast, TillPast } from "./read-past.ts";

const marginMs = 10 * 60_000;
const dayMs = 86_400_000;
/** A till knows the service's clock to some seconds: what lies so near the edge of what it asks for may be on either side. */
const edgeMs = 60_000;
/** What is less than a minute off counts as right, and a Date header knows seconds. */
const knownToMs = 65_000;

const digitsOf: Readonly<Record<string, number>> = { JPY: 0, KWD: 3 };
const minorOf = (amount: string, currency: string): number =>
  Math.round(Number(amount) * 10 ** (digitsOf[currency] ?? 2));

type Table = readonly Readonly<Record<string, string>>[];

/** Cells of these files hold no comma. */
const parseCsv = (text: string): Table => {
  const [head = "", ...rows] = text.split("\r\n").slice(0, -1);
  const columns = head.split(",");
  return rows.map((row) => Object.fromEntries(row.split(",").map((cell, at) => [columns[at] ?? `${at}`, cell])));
};

/** What the report says of what ended without cash; a bank that was silent, or said yes and no, is to be asked. */
const withoutCash = ["closed", "disputed", "no_after_silence"];

/** Every payment without cash, and every cash without payment, is a line that somebody has to look at; everything else is not. */
const reportIsSo = ({ lines, csv, byDay }: ReportPast, evidence: Evidence): Violation[] => {
  const { rows, ledger, cash, lost } = evidence;
  const found: Violation[] = [];
  const table = parseCsv(csv);
  const isSameLine = (line: ReportLine, at: number): boolean =>
    Object.entries(line).every(([column, value]) => table[at]?.[column] === String(value ?? ""));
  if (table.length !== lines.length || !lines.every(isSameLine))
    found.push(violation(11, null, "the report as CSV is another one than as JSON"));
  if (byDay.map((line) => JSON.stringify(line)).join("\n") !== lines.map((line) => JSON.stringify(line)).join("\n"))
    found.push(violation(11, null, "the report day by day is another one than the whole"));
  const paid = new Set(ledger.payments.map(({ reference }) => reference));
  const given = new Set(cash.map(({ transactionId }) => transactionId));
  const seen = new Set<string>();
  for (const line of lines) {
    const id = String(line.transaction_id);
    const row = rows.get(id);
    if (seen.has(id)) found.push(violation(11, id, "twice in the report"));
    seen.add(id);
    // What a database that was put back has forgotten is promise 14's.
    if (lost.has(id)) continue;
    const says = `${line.amount} ${line.currency} ${line.transaction_id_partner} ${line.device_id}`;
    const digits = digitsOf[row?.currency ?? ""] ?? 2;
    const is =
      row &&
      `${(row.amountMinor / 10 ** digits).toFixed(digits)} ${row.currency} ${row.terminalReference} ${row.deviceId}`;
    if (says !== is) found.push(violation(11, id, `in the report as ${says}, it is ${is}`));
    const { finding } = line;
    const isMatched = finding === "matched";
    const isPaidAndGiven = paid.has(id) && given.has(id);
    if (isMatched && !isPaidAndGiven && !isKnownError(evidence, id))
      found.push(violation(11, id, "matched in the report, and it is not"));
    if (isPaidAndGiven && row?.status === "linked" && !isMatched && finding !== "disputed")
      found.push(violation(11, id, `paid, given and linked, and ${finding} in the report`));
    if (!paid.has(id) && !given.has(id) && row && isClosed(row.status) && !withoutCash.includes(String(finding)))
      found.push(violation(11, id, `neither paid nor given, ${row.status}, and ${finding} in the report`));
    // What a bank books to which it says no is promise 13's.
    if (finding === "closed" && ((paid.has(id) && !ledger.denied.has(id)) || given.has(id)))
      found.push(violation(11, id, "without cash in the report, and it was paid or given"));
  }
  for (const id of new Set([...paid, ...given]))
    if (!seen.has(id) && !lost.has(id)) found.push(violation(11, id, "paid or given, and not in the report"));
  return found;
};

/** Its own hand-out it cannot read: it says nothing of the cash, what the service told it, or that a manager left it to the books. */
const isUntold = ({ outcome }: HistoryLine, { toBooks }: JournalAccount): boolean =>
  outcome === null || outcome === "handed_out_before" || (outcome === "unclear" && toBooks);

/** As the file has it, in the keys of its words. */
const endOf = (outcome: HistoryLine["outcome"]): string =>
  outcome === null ? "history.inProgress" : `outcomes.${outcome}`;

const isHandedOut = ({ outcome }: HistoryLine): boolean => outcome === "handed_out";

/** What this till's drawer gave, what its journal has, and the lines, the file and the sums that people read are one. */
const historyIsSo = (past: TillPast, { journals, cash }: Evidence): Violation[] => {
  const { till, drawers, lines, figures, hasStrangeEntries } = past;
  const found: Violation[] = [];
  const broken = (id: string | null, text: string): void => void found.push(violation(11, id, `till ${till} ${text}`));
  const cells = ({ at, money, outcome, transactionId, terminalReference }: HistoryLine): string =>
    [timeCell(at), money?.amount, money?.currency, endOf(outcome), transactionId, terminalReference].join();
  const saved = ["history.time", "history.amount", "day.currency", "figures.end", "history.code", "story.ownId"];
  const file = past.file.map((row) => saved.map((head) => row[head]).join());
  if (lines.map(cells).join("\n") !== file.join("\n")) broken(null, "saves another history than it shows");

  const accounts = new Map(journals.filter((one) => one.till === till).map((one) => [one.terminalReference, one]));
  const given = new Map(cash.filter((one) => drawers.includes(one.till)).map((one) => [one.transactionId, one]));
  const shown = new Set(lines.map(({ terminalReference }) => terminalReference));
  for (const { terminalReference, transactionId, lost } of accounts.values())
    if (!lost && !shown.has(terminalReference)) broken(transactionId, "leaves it out of its history");
  for (const line of lines) {
    const { transactionId, terminalReference, money } = line;
    const account = accounts.get(terminalReference);
    if (account === undefined) broken(transactionId, "has it in its history, and not in its journal");
    else if (
      isHandedOut(line) !== account.handedOut &&
      !account.lost &&
      !(hasStrangeEntries && isUntold(line, account))
    )
      broken(transactionId, `shows it as ${line.outcome}, its journal has it otherwise`);
    const cashGiven = given.get(transactionId);
    if (!isHandedOut(line) || cashGiven === undefined || money === null) continue;
    if (minorOf(money.amount, money.currency) !== cashGiven.amountMinor || money.currency !== cashGiven.currency)
      broken(transactionId, `shows ${money.amount} ${money.currency}, ${cashGiven.amountMinor} minor units were given`);
  }
  const handedOut = past.file.filter((row) => row["figures.end"] === endOf("handed_out"));
  const sumMinor = handedOut.reduce(
    (sum, row) => sum + minorOf(row["history.amount"] ?? "", row["day.currency"] ?? ""),
    0,
  );
  const says = (what: string, slots: readonly { readonly count: number; readonly sumMinor: number }[]): void => {
    const count = slots.reduce((sum, slot) => sum + slot.count, 0);
    const sum = slots.reduce((total, slot) => total + slot.sumMinor, 0);
    if (count !== handedOut.length || sum !== sumMinor)
      broken(null, `has ${count} hand-outs of ${sum} ${what}, its file has ${handedOut.length} of ${sumMinor}`);
  };
  says("in its figures", figures.paid);
  says(
    "by day",
    figures.paid.flatMap(({ byDay }) => byDay),
  );
  says(
    "by hour",
    figures.paid.flatMap(({ byHour }) => byHour),
  );
  if (figures.withdrawals !== lines.length)
    broken(null, `counts ${figures.withdrawals} withdrawals, its history has ${lines.length}`);
  return found;
};

/** A withdrawal as the world knows it, beside what this till's history has. */
interface Truth {
  readonly row: ServiceRow | undefined;
  readonly given: CashGiven | undefined;
  readonly here: readonly HistoryLine[];
  /** The confirm that the service took is this till's. */
  readonly isOwn: boolean;
  /** What the books ask the service for: false where a clock was wrong when it was confirmed; null at the edge. */
  readonly isAsked: boolean | null;
}

const rangeOf = ({ from, to }: BooksView): readonly [number, number] => [Date.parse(from), Date.parse(to) + dayMs];

const isWithin = (atMs: number, fromMs: number, toMs: number): boolean | null => {
  if (Math.min(Math.abs(atMs - fromMs), Math.abs(atMs - toMs)) < edgeMs) return null;
  return atMs >= fromMs && atMs < toMs;
};

const isPaidHere = ({ row, given, here, isOwn }: Truth): boolean =>
  isOwn &&
  row?.status === "linked" &&
  given !== undefined &&
  here.some(
    (line) =>
      isHandedOut(line) &&
      line.terminalReference === row.terminalReference &&
      line.money?.currency === row.currency &&
      minorOf(line.money.amount, row.currency) === row.amountMinor,
  );

/** Nothing was paid on this till's word, and nothing given here. */
const isNothing = ({ row, given, isOwn }: Truth): boolean =>
  given === undefined && (!isOwn || row === undefined || isClosed(row.status));

const isClean = ({ here }: Truth): boolean =>
  here.every(({ discrepancy, outcome }) => discrepancy === null && outcome !== null && outcome !== "unclear");

/** Nobody has to look at it: both sides have the same, and it is so. */
const isAgreed = (truth: Truth): boolean =>
  truth.isAsked === true && isClean(truth) && (isPaidHere(truth) || (isNothing(truth) && truth.isOwn));

const lineIsSo = (till: TillPast, line: BookLine, truth: Truth): string | null => {
  const { row, here, isAsked } = truth;
  // A bank that contradicts itself is to be looked at, whatever became of the cash.
  if (line.there?.finding === "disputed") return null;
  if (line.here !== null) return isAgreed(truth) ? `shows ${line.explanation}, and both sides agree` : null;
  if (isAsked !== true) return null;
  if (row === undefined) return "shows a line of a withdrawal that nobody has made";
  if (row.deviceId !== till.deviceId) return `shows ${line.explanation} of ${row.deviceId}'s withdrawal`;
  return here.length > 0 ? `does not know it by its books, and has it in its history` : null;
};

const booksAreSo = (past: TillPast, evidence: Evidence, books: ReadBooks): Violation[] => {
  const { till, deviceId } = past;
  const found: Violation[] = [];
  const broken = (id: string | null, text: string): void =>
    void found.push(violation(11, id, `till ${till}'s books: ${text}`));
  const [fromMs, toMs] = rangeOf(books);
  const given = new Map(
    evidence.cash.filter((one) => past.drawers.includes(one.till)).map((one) => [one.transactionId, one]),
  );
  const byId = Map.groupBy(past.lines, ({ transactionId }) => transactionId);
  const truthOf = (id: string): Truth => {
    const row = evidence.rows.get(id);
    const here = byId.get(id) ?? [];
    const confirmedAt = (row?.confirmedAtMs ?? Number.NaN) + books.clockOffMs;
    return {
      row,
      given: given.get(id),
      here,
      isOwn:
        row?.confirmedAtMs != null && here.some(({ terminalReference }) => terminalReference === row.terminalReference),
      isAsked: row?.confirmedAtMs == null ? false : isWithin(confirmedAt, fromMs - marginMs, toMs + marginMs),
    };
  };

  if (Math.abs(past.clockOffMs - books.clockOffMs) > knownToMs)
    broken(null, `asked for by a clock that is ${books.clockOffMs} ms off, the service's is ${past.clockOffMs}`);

  const listed = new Set(books.lines.map(({ transactionId }) => transactionId));
  const inRange = new Set(
    past.lines.filter(({ at }) => Date.parse(at) >= fromMs && Date.parse(at) < toMs).map((line) => line.transactionId),
  );
  for (const line of books.lines) {
    const wrong = lineIsSo(past, line, truthOf(line.transactionId));
    if (wrong !== null) broken(line.transactionId, wrong);
  }
  if (books.leftOut > 0) return found;
  const agreeing = [...inRange].filter((id) => !listed.has(id));
  if (agreeing.length !== books.agreeing)
    broken(null, `${books.agreeing} agree, ${agreeing.length} are not among the differences`);
  for (const id of agreeing) {
    const truth = truthOf(id);
    if (!isPaidHere(truth) && !isNothing(truth) && !evidence.shared.has(id))
      broken(
        id,
        `taken for agreeing: ${truth.row?.status} at the service, cash ${truth.given ? "given" : "not given"}`,
      );
  }

  const sumHere = books.totals.map((total) => `${total.here.count} ${total.currency} ${total.here.sumMinor}`).join();
  const expected = (amounts: readonly { readonly currency: string; readonly minor: number }[]) =>
    [...Map.groupBy(amounts, ({ currency }) => currency)]
      .map(([currency, all]) => `${all.length} ${currency} ${all.reduce((sum, { minor }) => sum + minor, 0)}`)
      .join();
  const nothing = `0 ${books.totals[0]?.currency} 0`;
  const own = past.lines.filter((line) => isHandedOut(line) && inRange.has(line.transactionId));
  const here = expected(
    own.flatMap(({ money }) =>
      money === null ? [] : [{ currency: money.currency, minor: minorOf(money.amount, money.currency) }],
    ),
  );
  if (books.totals.length <= 1 && (sumHere || nothing) !== (here || nothing))
    broken(null, `handed out here ${sumHere}, it is ${here}`);

  // What the service has as handed out on this till's word: of what lies at an edge, either way.
  const linked = [...evidence.rows.values()].filter(({ status }) => status === "linked");
  const mayBeThere = linked.filter(({ transactionId: id, deviceId: by }) => {
    const { isAsked, isOwn, here } = truthOf(id);
    return isAsked !== false && (isOwn || by === deviceId || here.length > 0);
  });
  const mustBeThere = mayBeThere.filter(({ transactionId: id }) => {
    const { isAsked, isOwn } = truthOf(id);
    return isAsked === true && isOwn && inRange.has(id);
  });
  const there = books.totals[0]?.there ?? { count: 0, sumMinor: 0 };
  const isBetween = (is: number, least: number, most: number): boolean => least <= is && is <= most;
  const minor = (all: readonly ServiceRow[]): number => all.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  const isThere =
    isBetween(there.count, mustBeThere.length, mayBeThere.length) &&
    isBetween(there.sumMinor, minor(mustBeThere), minor(mayBeThere));
  if (books.totals.length <= 1 && !isThere)
    broken(
      null,
      `${there.count} of ${there.sumMinor} handed out as the service has it, it is ${mustBeThere.length} of ${minor(mustBeThere)} to ${mayBeThere.length} of ${minor(mayBeThere)}`,
    );

  const shop = [...evidence.rows.values()].filter(({ confirmedAtMs }) => confirmedAtMs !== null);
  const inDays = ({ confirmedAtMs }: ServiceRow) => isWithin((confirmedAtMs ?? 0) + books.clockOffMs, fromMs, toMs);
  if (shop.some((row) => inDays(row) === null)) return found;
  const others = shop.filter((row) => row.deviceId !== deviceId && inDays(row) === true);
  // What this till confirmed while it was another device may count for either.
  const strangers = others.filter((row) => !truthOf(row.transactionId).isOwn);
  const { lines, unresolved } = books.elsewhere;
  const isUnresolved = ({ status }: ServiceRow): boolean => status !== "linked" && !isClosed(status);
  if (lines < strangers.length || lines > others.length)
    broken(null, `${lines} elsewhere, there are ${strangers.length} to ${others.length}`);
  if (unresolved < strangers.filter(isUnresolved).length)
    broken(null, `${unresolved} unresolved elsewhere, there are ${strangers.filter(isUnresolved).length}`);
  return found;
};

/** 1: what two machines with one identity made of one withdrawal is right, or somebody reads that it is not. */
const sharedIsNamed = (
  { tills, report }: Past,
  { shared, rows, cash, ledger, journals, closed }: Evidence,
): Violation[] => {
  const twins = tills.filter(({ drawers }) => drawers.length > 1);
  const isPaid = new Set(ledger.payments.map(({ reference }) => reference));
  const lines = new Map(report.lines.map((line) => [String(line.transaction_id), line]));
  return [...shared].flatMap((id) => {
    const times = cash.filter(({ transactionId }) => transactionId === id).length;
    const isLinked = rows.get(id)?.status === "linked";
    const isRight = isPaid.has(id) ? times === (isLinked ? 1 : 0) : times === 0;
    const { finding, reason } = lines.get(id) ?? {};
    // Both have reported it by now: whoever reads the report knows that the cash left twice, whatever else says so.
    const haveBothSaidSo = journals.filter((one) => one.transactionId === id && one.handedOut).length > 1;
    if (times > 1 && haveBothSaidSo && !closed.has(id) && !reportedTwice.some((word) => word === reason))
      return [
        violation(
          1,
          id,
          `given and reported ${times} times by two machines with one identity, ${finding} in the report`,
        ),
      ];
    const isInReport = finding !== undefined && finding !== "matched" && finding !== "closed" && times < 2;
    const isNamed = twins.some(
      ({ showsFork, books }) => showsFork || books.some(({ lines }) => lines.some((line) => line.transactionId === id)),
    );
    if (isRight || isInReport || isNamed) return [];
    return [violation(1, id, `given ${times} times by two machines with one identity, and nobody reads of it`)];
  });
};

/** What breaks promise 11. */
export const pastIsSo = (past: Past, evidence: Evidence): readonly Violation[] => [
  ...(evidence.lost.size > 0 ? [] : sharedIsNamed(past, evidence)),
  ...reportIsSo(past.report, evidence),
  ...past.tills.flatMap((till) => [
    ...historyIsSo(till, evidence),
    // What a database that was put back has forgotten is promise 14's.
    ...(evidence.lost.size > 0 ? [] : till.books.flatMap((books) => booksAreSo(till, evidence, books))),
  ]),
];
