/** The list and a story as CSV: amounts as decimals with a point, times in UTC. */
import { csvLine } from "../../backend/contract/csv.ts";
import type { HistoryLine, Story } from "../../preload/contract.ts";
import { clearedCells } from "./cleared-cells.ts";

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
