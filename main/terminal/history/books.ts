/** Compares a day in the journal with the service's report (read leniently) and lists the differences. Pure. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { parseAmount } from "../../../backend/contract/money.ts";
import { type Finding, findings, reportedTwice } from "../../../backend/contract/reconciliation.ts";
import type { BookExplanation, BookLine, BooksView, BookTotal, Discrepancy } from "../../../preload/contract.ts";
import { fieldsOf, isSameAmount, readAmount } from "../service/answer.ts";
import { installationOf } from "../withdrawal/book.ts";
import { notedOf, type WithdrawalRecord } from "./tables.ts";

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

const byStatus: Readonly<Record<string, Finding>> = {
  linked: "matched",
  settled: "not_linked",
  undelivered: "undelivered",
  awaiting_sca: "settle_unknown",
  settling: "settle_unknown",
};

const lineOf = (value: unknown) => {
  const fields = fieldsOf(value);
  const transactionId = text(fields.transaction_id);
  const confirmedAtMs = Date.parse(text(fields.confirmed_at) ?? "");
  if (transactionId === null || !Number.isFinite(confirmedAtMs)) return [];
  const status = text(fields.status) ?? "";
  const currency = text(fields.currency);
  const amount = readAmount(fields.amount, currency) ?? text(fields.amount);
  return [
    {
      transactionId,
      terminalReference: text(fields.transaction_id_partner),
      deviceId: text(fields.device_id),
      status,
      finding: findings.find((word) => word === fields.finding) ?? byStatus[status] ?? "closed",
      reason: text(fields.reason),
      money: amount === null || currency === null ? null : { amount, currency },
      /** By the service's clock. */
      confirmedAtMs,
    },
  ];
};
/** One line of the service's report. */
export type ReportLine = Readonly<ReturnType<typeof lineOf>[number]>;

/** The lines of a report; null if the body is not one. */
export const reportLines = (body: unknown): readonly ReportLine[] | null => {
  const lines = fieldsOf(body).lines ?? body;
  return Array.isArray(lines) ? lines.flatMap(lineOf) : null;
};

const itsEnd: readonly Discrepancy[] = ["unclear", "left_to_books", "status_unclear", "confirm_unclear", "not_found"];

/** Problems of this terminal that have the same cause as a difference; `any`: any problem. */
const cameTo: Readonly<Record<BookExplanation, readonly Discrepancy[] | "any">> = {
  link_refused: "any",
  undelivered_refused: "any",
  unclear_here: "any",
  noted_here: "any",
  amount_differs: ["amount_changed"],
  other_terminal: ["not_settled_any_more", "linked_by_another", "link_refused", "not_found"],
  reported_twice: ["linked_by_another", "link_refused", ...itsEnd],
  forgotten_there: ["forgotten"],
  paid_without_money: ["forgotten", "not_settled_any_more", "link_refused", "not_found"],
  linked_not_here: ["linked_by_another", "decided_otherwise", "undelivered_refused", ...itsEnd],
  undelivered_not_here: ["undelivered_by_another", "decided_otherwise", "link_refused"],
  cash_not_said: itsEnd,
  settle_unknown: itsEnd,
  known_here_only: itsEnd,
  // Stated by the service, or they resolve themselves.
  restored: [],
  disputed: [],
  undelivered: [],
  link_on_its_way: [],
  undelivered_on_its_way: [],
  known_there_only: [],
};

const has = (noted: string | null, words: readonly string[]): boolean =>
  noted?.split(", ").some((word) => words.includes(word)) === true;

/** Whether a manager's note about the withdrawal also clears this difference. */
const isCleared = (record: WithdrawalRecord, explanation: BookExplanation): boolean => {
  const words = cameTo[explanation];
  return words === "any" || has(notedOf(record), words);
};

type BookPair =
  | { readonly here: WithdrawalRecord; readonly there: ReportLine | null }
  | { readonly here: null; readonly there: ReportLine };

const isRefused = ({ discrepancy }: WithdrawalRecord, report: "link" | "undelivered"): boolean =>
  has(discrepancy, [`${report}_refused`, "forgotten"]);

/** Nobody waits for its report any more: the service refused it, or a manager left it to the books. */
const isNotReported = (here: WithdrawalRecord, report: "link" | "undelivered"): boolean =>
  isRefused(here, report) || has(here.discrepancy, ["left_to_books"]);

const differs = ({ facts }: WithdrawalRecord, { money }: ReportLine): boolean =>
  money !== null && (money.currency !== facts.currency || !isSameAmount(money.amount, facts.amount));

/** Whether the service has another terminal's reference for it, or without a reference another device. */
const isOtherTerminals = ({ facts }: WithdrawalRecord, { terminalReference, deviceId }: ReportLine): boolean =>
  terminalReference === null
    ? deviceId !== null && installationOf(deviceId, facts.terminalReference) === null
    : terminalReference !== facts.terminalReference;

/** Explains the service's finding in view of this terminal's record; null if both agree. */
const beside = (here: WithdrawalRecord, { finding }: ReportLine): BookExplanation | null => {
  const isHandedOut = here.outcome === "handed_out";
  switch (finding) {
    case "matched":
      return isHandedOut ? null : "linked_not_here";
    case "not_linked": {
      if (!isHandedOut && here.outcome !== "not_handed_out") return "cash_not_said";
      const report = isHandedOut ? "link" : "undelivered";
      return `${report}_${isNotReported(here, report) ? "refused" : "on_its_way"}`;
    }
    case "undelivered":
      return isHandedOut ? "undelivered_not_here" : finding;
    case "settle_unknown":
      return isHandedOut ? "paid_without_money" : finding;
    case "no_after_silence":
    case "closed":
      if (isHandedOut) return "paid_without_money";
      return here.outcome === null ? "unclear_here" : null;
    case "restored":
    case "disputed":
      return finding;
    default:
      return assertNever(finding);
  }
};

/** Two programs with this terminal's identity have reported the cash with different results. */
const isReportedTwice = ({ finding, reason }: ReportLine): boolean =>
  (finding === "disputed" || finding === "restored") && reportedTwice.some((word) => word === reason);

const lost: ReadonlySet<Finding | undefined> = new Set([
  "not_linked",
  "settle_unknown",
  "no_after_silence",
  "closed",
  undefined,
]);

/** The service accepted this terminal's report and has lost it; if it refused it later, that is another difference. */
const isForgotten = (here: WithdrawalRecord, there: ReportLine | null): boolean =>
  here.taken !== null && !has(here.discrepancy, ["forgotten"]) && lost.has(there?.finding);

/** Explains a pair; null if both sides agree and there was no problem here. */
const explain = ({ here, there }: BookPair): BookExplanation | null => {
  if (here === null) return "known_there_only";
  if (isForgotten(here, there)) return "forgotten_there";
  if (there === null) {
    if (here.isConfirmed || here.outcome === "handed_out") return "known_here_only";
    return notedOf(here) === null ? null : "unclear_here";
  }
  if (differs(here, there)) return "amount_differs";
  if (here.outcome === "handed_out" && isOtherTerminals(here, there)) return "other_terminal";
  if (isReportedTwice(there)) return "reported_twice";
  return beside(here, there) ?? (notedOf(here) === null ? null : "noted_here");
};

const explainAlone = (here: WithdrawalRecord): BookExplanation | null => {
  if (isRefused(here, "link")) return "link_refused";
  if (isRefused(here, "undelivered")) return "undelivered_refused";
  return here.outcome === null || notedOf(here) !== null ? "unclear_here" : null;
};

/** A pair as shown on the screens. @param serviceOffMs this terminal's clock minus the service's. */
const bookLine = ({ here, there }: BookPair, explanation: BookExplanation, serviceOffMs: number): BookLine => {
  const { transactionId, terminalReference } = here === null ? there : here.facts;
  return {
    transactionId,
    terminalReference,
    at: new Date(here === null ? there.confirmedAtMs + serviceOffMs : here.atMs).toISOString(),
    explanation,
    noted: here && notedOf(here),
    cleared: here !== null && isCleared(here, explanation) ? here.cleared : null,
    here: here && {
      withdrawalId: here.facts.withdrawalId,
      outcome: here.outcome,
      money: { amount: here.facts.amount, currency: here.facts.currency },
    },
    there: there && { finding: there.finding, status: there.status, money: there.money },
  };
};

/** Totals of cash handed out by currency, by the terminal and by the service. */
const totalsOf = (pairs: readonly BookPair[], hasServiceReport: boolean): readonly BookTotal[] => {
  const totals = new Map<string, BookTotal>();
  const count = (currency: string, side: "here" | "there", minor: number): void => {
    const nothing = { count: 0, sumMinor: 0 };
    const before = totals.get(currency) ?? { currency, here: nothing, there: hasServiceReport ? nothing : null };
    const slot = before[side] ?? nothing;
    totals.set(currency, { ...before, [side]: { count: slot.count + 1, sumMinor: slot.sumMinor + minor } });
  };
  // After a restore the report may have two lines of one withdrawal.
  const handedOut = new Set(pairs.flatMap(({ here }) => (here?.outcome === "handed_out" ? [here] : [])));
  for (const { facts, minor } of handedOut) if (minor !== null) count(facts.currency, "here", minor);
  for (const { there } of pairs) {
    if (there?.status !== "linked" || there.money === null) continue;
    const minor = parseAmount(there.money.amount, there.money.currency);
    if (minor !== null) count(there.money.currency, "there", minor);
  }
  return [...totals.values()].sort((one, other) => one.currency.localeCompare(other.currency));
};

/** The report is read with this margin, so that a withdrawal at midnight has both sides. */
export const marginMs = 10 * 60_000;

/** More differences than this are counted but not listed. */
const linesMax = 500;

/** Input of `makeBooks`. */
export interface BooksSource {
  /** Milliseconds since the epoch by this terminal's clock; `toMs` is exclusive. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly records: readonly WithdrawalRecord[];
  /** Report lines of this time and `marginMs`, so that pairs at its edges are complete; null if the service could not be asked. */
  readonly lines: readonly ReportLine[] | null;
  readonly deviceId: string | null;
  readonly find: (transactionId: string) => WithdrawalRecord | null;
  /** This terminal's clock minus the service's. */
  readonly serviceOffMs: number;
}

/** Order of two withdrawals of one transaction: the one in which more happened wins. */
const rank = ({ outcome, isConfirmed }: WithdrawalRecord): number =>
  outcome === "handed_out" ? 3 : outcome === "not_handed_out" ? 2 : isConfirmed ? 1 : 0;

const byTransaction = (records: readonly WithdrawalRecord[]): Map<string, WithdrawalRecord> => {
  const found = new Map<string, WithdrawalRecord>();
  for (const record of records) {
    const before = found.get(record.facts.transactionId);
    if (before === undefined || rank(record) >= rank(before)) found.set(record.facts.transactionId, record);
  }
  return found;
};

const isUnresolved = ({ finding }: ReportLine): boolean => finding !== "matched" && finding !== "closed";

/** Totals, differences, and the number of pairs that agree. */
export const makeBooks = (
  source: BooksSource,
): Pick<BooksView, "totals" | "agreeing" | "lines" | "leftOut" | "elsewhere"> => {
  const { fromMs, toMs, lines, deviceId, find, serviceOffMs } = source;
  const here = byTransaction(source.records);
  const pairs: BookPair[] = [];
  const paired = new Set<string>();
  const elsewhere: ReportLine[] = [];
  /** A clock was wrong: the books of the record's own day do not read its line. They count it; what differs is listed here. */
  const astray: BookPair[] = [];
  for (const line of lines ?? []) {
    const atMs = line.confirmedAtMs + serviceOffMs;
    const isInRange = atMs >= fromMs && atMs < toMs;
    const record = here.get(line.transactionId);
    const isOwn =
      line.deviceId === null ||
      line.deviceId === deviceId ||
      record?.isConfirmed === true ||
      record?.outcome === "handed_out";
    if (record !== undefined && isOwn) {
      pairs.push({ here: record, there: line });
      paired.add(line.transactionId);
    } else if (!isOwn) {
      if (isInRange) elsewhere.push(line);
    } else if (isInRange) {
      const other = find(line.transactionId);
      if (other === null) pairs.push({ here: null, there: line });
      else if (Math.abs(other.atMs - atMs) > marginMs) astray.push({ here: other, there: line });
    }
  }
  for (const record of here.values())
    if (!paired.has(record.facts.transactionId)) pairs.push({ here: record, there: null });

  const linesOf = (some: readonly BookPair[]): readonly BookLine[] =>
    some.flatMap((pair) => {
      const explanation = lines === null ? pair.here && explainAlone(pair.here) : explain(pair);
      return explanation === null ? [] : [bookLine(pair, explanation, serviceOffMs)];
    });
  const differing = linesOf(pairs);
  const isDone = ({ cleared }: BookLine): number => (cleared === null ? 0 : 1);
  const explained = [...differing, ...linesOf(astray)].sort(
    (one, other) => isDone(one) - isDone(other) || one.at.localeCompare(other.at),
  );
  return {
    totals: totalsOf(pairs, lines !== null),
    agreeing: lines === null ? 0 : pairs.length - differing.length,
    lines: explained.slice(0, linesMax),
    leftOut: Math.max(0, explained.length - linesMax),
    elsewhere: { lines: elsewhere.length, unresolved: elsewhere.filter(isUnresolved).length },
  };
};
