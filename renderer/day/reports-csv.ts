/** The closed days as CSV: one line a day, sums as decimals with a point, times in UTC. */
import { type CsvValue, csvLine } from "../../backend/contract/csv.ts";
import type { DayReport } from "../../preload/contract.ts";
import { minorCell } from "../ui/csv-file.ts";

const columns = [
  "number",
  "currency",
  "opened_at",
  "opened_by",
  "closed_at",
  "closed_by",
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
  "taken_out",
  "left",
  "open_at_close",
] as const;

const lineOf = (report: DayReport): readonly CsvValue[] => {
  const { currency } = report;
  const sum = (minor: number): CsvValue => minorCell(minor, currency);
  return [
    String(report.number),
    currency,
    new Date(report.openedAtMs).toISOString(),
    report.openedBy,
    new Date(report.closedAtMs).toISOString(),
    report.closedBy,
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
    sum(report.takenOutMinor),
    sum(report.leftMinor),
    report.over.map(({ transactionId }) => transactionId).join(" "),
  ];
};

/** RFC 4180 with a head, for a file that a spreadsheet opens. */
export const reportsCsv = (reports: readonly DayReport[]): string =>
  [columns, ...reports.map(lineOf)].map(csvLine).join("");
