/** The closed days as CSV: one line a day, one for each time cash went in or out, one for each count. Times in UTC. */
import { type CsvValue, csvLine } from "../../backend/contract/csv.ts";
import type { DayReport } from "../../preload/contract.ts";
import { minorCell } from "../ui/csv-file.ts";

const dayColumns = [
  "number",
  "currency",
  "opened_at",
  "opened_by",
  "closed_at",
  "closed_by",
  "approved_by",
  "float",
  "cash_in",
  "cash_out",
  "withdrawals",
  "withdrawals_sum",
  "expected",
  "counted",
  "difference",
  "reason",
  "counts",
  "first_count",
  "taken_out",
  "left",
  "open_at_close",
  "other_currency",
  "withdrawals_before",
  "withdrawals_before_sum",
  "left_before",
  "night_difference",
  "night_reason",
  "cleared_up",
] as const;

const dayLine = (report: DayReport): readonly CsvValue[] => {
  const { currency } = report;
  const sum = (minor: number): CsvValue => minorCell(minor, currency);
  return [
    String(report.number),
    currency,
    new Date(report.openedAtMs).toISOString(),
    report.openedBy,
    new Date(report.closedAtMs).toISOString(),
    report.closedBy,
    report.approvedBy,
    sum(report.floatMinor),
    sum(report.inMinor),
    sum(report.outMinor),
    String(report.handOuts),
    sum(report.handedOutMinor),
    sum(report.expectedMinor),
    sum(report.countedMinor),
    sum(report.differenceMinor),
    report.reason,
    String(report.counts),
    sum(report.firstCountMinor),
    sum(report.takenOutMinor),
    sum(report.leftMinor),
    report.over.map(({ transactionId }) => transactionId).join(" "),
    String(report.otherCurrency),
    String(report.before.handOuts),
    sum(report.before.handedOutMinor),
    report.night && sum(report.night.leftMinor),
    report.night && sum(report.night.differenceMinor),
    report.night?.reason ?? null,
    report.clearedUp.map(({ about, by, note }) => `${about} ${by}: ${note}`).join("; "),
  ];
};

const moveColumns = ["number", "at", "direction", "amount", "currency", "reason", "note", "by", "approved_by"] as const;

const moveLines = ({ number, currency, moves }: DayReport): readonly (readonly CsvValue[])[] =>
  moves.map(({ atMs, direction, amountMinor, reason, note, by, approvedBy }) => [
    String(number),
    new Date(atMs).toISOString(),
    direction,
    minorCell(amountMinor, currency),
    currency,
    reason,
    note,
    by,
    approvedBy,
  ]);

const countColumns = ["number", "count", "at", "counted", "currency", "by"] as const;

const countLines = ({ number, currency, everyCount }: DayReport): readonly (readonly CsvValue[])[] =>
  everyCount.map(({ countedMinor, by, atMs }, index) => [
    String(number),
    String(index + 1),
    new Date(atMs).toISOString(),
    minorCell(countedMinor, currency),
    currency,
    by,
  ]);

/** Three tables in one file, an empty line between them. */
export const reportsCsv = (reports: readonly DayReport[]): string =>
  [
    ...[dayColumns, ...reports.map(dayLine)].map(csvLine),
    "\r\n",
    ...[moveColumns, ...reports.flatMap(moveLines)].map(csvLine),
    "\r\n",
    ...[countColumns, ...reports.flatMap(countLines)].map(csvLine),
  ].join("");
