/** The books of some days: records of this terminal and lines of the report put together by their ids. Pure. */
import type { BookLine, BooksView } from "../../../preload/contract.ts";
import type { WithdrawalRecord } from "../read-model/record.ts";
import { type BookPair, bookLine, explain, explainAlone, totalsOf } from "./compare.ts";
import type { ReportLine } from "./report-lines.ts";

/** More differences than these are counted and no longer listed. */
const linesMax = 500;

/** What the books are made of. */
export interface BooksSource {
  /** Milliseconds since the epoch by this terminal's clock; `toMs` is the first instant that is not in it. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The records of that time. */
  readonly records: readonly WithdrawalRecord[];
  /** Lines of that time and somewhat beyond, so that a pair is whole at its edges; null when the service could not be asked. */
  readonly lines: readonly ReportLine[] | null;
  readonly deviceId: string | null;
  /** Looks in all of the journal. */
  readonly find: (transactionId: string) => WithdrawalRecord | null;
  /** This terminal's clock minus the service's. */
  readonly serviceOffMs: number;
}

/** Of two withdrawals of one transaction, the one in which something happened. */
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

/** The sums, the lines to look at, and how many agree. */
export const makeBooks = (
  source: BooksSource,
): Pick<BooksView, "totals" | "agreeing" | "lines" | "leftOut" | "elsewhere"> => {
  const { fromMs, toMs, lines, deviceId, find, serviceOffMs } = source;
  const here = byTransaction(source.records);
  const pairs: BookPair[] = [];
  const paired = new Set<string>();
  const elsewhere: ReportLine[] = [];
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
    } else if (isInRange && find(line.transactionId) === null) pairs.push({ here: null, there: line });
  }
  for (const record of here.values())
    if (!paired.has(record.facts.transactionId)) pairs.push({ here: record, there: null });

  const explained = pairs.flatMap((pair) => {
    const explanation = lines === null ? pair.here && explainAlone(pair.here) : explain(pair);
    return explanation === null ? [] : [bookLine(pair, explanation, serviceOffMs)];
  });
  const isDone = ({ cleared }: BookLine): number => (cleared === null ? 0 : 1);
  explained.sort((one, other) => isDone(one) - isDone(other) || one.at.localeCompare(other.at));
  return {
    totals: totalsOf(pairs, lines !== null),
    agreeing: lines === null ? 0 : pairs.length - explained.length,
    lines: explained.slice(0, linesMax),
    leftOut: Math.max(0, explained.length - linesMax),
    elsewhere: { lines: elsewhere.length, unresolved: elsewhere.filter(isUnresolved).length },
  };
};
