/** The figures as CSV: one line a figure, sums as decimals with a point. */
import { type CsvValue, csvLine } from "../../backend/contract/csv.ts";
import type { Durations, FiguresView } from "../../preload/contract.ts";
import { minorCell } from "../ui/csv-file.ts";

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
