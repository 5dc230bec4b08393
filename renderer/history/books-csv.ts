/** The books as CSV: the sums first, then one line a difference. */
import { csvLine } from "../../backend/contract/csv.ts";
import type { Amount, BooksView } from "../../preload/contract.ts";
import { minorCell } from "../ui/csv-file.ts";
import { clearedCells } from "./cleared-cells.ts";

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
