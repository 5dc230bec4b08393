/** The list and a story as CSV: amounts as decimals with a point, times in UTC. */

import { type CsvValue, csvLine } from "../../backend/contract/csv.ts";
import type { Amount, BooksView, Cleared, Durations, FiguresView, HistoryLine, Story } from "../../preload/contract.ts";
import { minorCell } from "../ui/csv-file.ts";

/** CSV cells of a cleared discrepancy: time, manager, note; empty where there is none. */
const clearedCells = (cleared: Cleared | null) => [cleared?.at ?? null, cleared?.by ?? null, cleared?.note ?? null];

const columns = [
  "at",
  "amount",
  "currency",
  "result",
  "outcome",
  "to_clear_up",
  "people",
  "transaction",
  "terminal_code",
  "cleared_up_at",
  "cleared_up_by",
  "cleared_up_note",
] as const;

/** The first line of the list's file. */
export const linesHead = csvLine(columns);

/** Withdrawals, a line each, to follow `linesHead`. */
export const linesCsv = (lines: readonly HistoryLine[]): string =>
  lines
    .map((line) =>
      csvLine([
        line.at,
        line.money && { decimal: line.money.amount },
        line.money?.currency ?? null,
        line.result,
        line.outcome,
        line.discrepancy,
        line.people.join(" "),
        line.transactionId,
        line.partnerId,
        ...clearedCells(line.cleared),
      ]),
    )
    .join("");

/** One withdrawal, a line a step, in the core's words. */
export const storyCsv = ({ line, steps }: Story): string =>
  [
    csvLine(["transaction", "at", "side", "step", "about", "by", "name"]),
    ...steps.map(({ side, atMs, what, about, by, byName }) =>
      csvLine([line.transactionId, new Date(atMs).toISOString(), side, what, about, by, byName]),
    ),
  ].join("");

const cellsOf = (money: Amount | null | undefined) =>
  money == null ? [null, null] : [{ decimal: money.amount }, money.currency];

/** Two tables in one file, an empty line between them. */
export const booksCsv = ({ totals, lines }: BooksView): string =>
  [
    csvLine(["currency", "here_count", "here_sum", "service_count", "service_sum"]),
    ...totals.map(({ currency, here, there }) =>
      csvLine([
        currency,
        here.count,
        minorCell(here.sumMinor, currency),
        there?.count ?? null,
        there && minorCell(there.sumMinor, currency),
      ]),
    ),
    "\r\n",
    csvLine([
      "at",
      "transaction",
      "terminal_code",
      "explanation",
      "here_outcome",
      "here_amount",
      "here_currency",
      "service_finding",
      "service_status",
      "service_amount",
      "service_currency",
      "noted",
      "cleared_up_at",
      "cleared_up_by",
      "cleared_up_note",
    ]),
    ...lines.map(({ at, transactionId, partnerId, explanation, noted, cleared, here, there }) =>
      csvLine([
        at,
        transactionId,
        partnerId,
        explanation,
        here && (here.outcome ?? "open"),
        ...cellsOf(here?.money),
        there?.finding ?? null,
        there?.status ?? null,
        ...cellsOf(there?.money),
        noted,
        ...clearedCells(cleared),
      ]),
    ),
  ].join("");

type Line = readonly [figure: string, at: CsvValue, currency: string | null, count: number, sum: CsvValue];

const timesOf = (figure: string, { count, medianMs, p90Ms, buckets }: Durations): readonly Line[] => [
  [`${figure}_median_ms`, null, null, count, medianMs],
  [`${figure}_p90_ms`, null, null, count, p90Ms],
  ...buckets.map(({ belowMs, count: inBucket }): Line => [`${figure}_below_ms`, belowMs, null, inBucket, null]),
];

/** Columns: what it is, its hour, day, end or upper bound, the currency, how many, and the sum or the time. */
export const figuresCsv = ({
  from,
  to,
  timeZone,
  withdrawals,
  paid,
  ends,
  scanToCash,
  approval,
}: FiguresView): string => {
  const lines: readonly Line[] = [
    ["withdrawals", `${from}/${to} ${timeZone}`, null, withdrawals, null],
    ...paid.flatMap(({ currency, count, sumMinor, byHour, byDay }): readonly Line[] => [
      ["handed_out", null, currency, count, minorCell(sumMinor, currency)],
      ...byHour.map(
        (slot, hour): Line => ["handed_out_by_hour", hour, currency, slot.count, minorCell(slot.sumMinor, currency)],
      ),
      ...byDay.map(
        (slot): Line => ["handed_out_by_day", slot.day, currency, slot.count, minorCell(slot.sumMinor, currency)],
      ),
    ]),
    ...ends.map(({ outcome, count }): Line => ["end", outcome ?? "open", null, count, null]),
    ...timesOf("scan_to_cash", scanToCash),
    ...timesOf("approval", approval),
  ];
  return [csvLine(["figure", "at", "currency", "count", "sum"]), ...lines.map(csvLine)].join("");
};
