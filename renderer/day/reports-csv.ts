/** The closed days as CSV: one line a day, sums as decimals with a point, times in UTC. */
import { csvField } from "../../backend/contract/csv.ts";
import { formatAmount } from "../../backend/contract/money.ts";
import type { DayReport } from "../../preload/contract.ts";

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

/** Sums below zero begin with a minus, and are no formula. */
const cell = (value: string): string => (/^-?\d+(\.\d+)?$/.test(value) ? value : csvField(value));

const money = (minor: number, currency: string): string =>
  `${minor < 0 ? "-" : ""}${formatAmount(Math.abs(minor), currency)}`;

const lineOf = (report: DayReport): readonly string[] => {
  const { currency } = report;
  const sum = (minor: number): string => money(minor, currency);
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
  [columns, ...reports.map(lineOf)].map((line) => `${line.map(cell).join(",")}\r\n`).join("");
