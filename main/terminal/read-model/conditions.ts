/** What a list of the history is narrowed to, in SQL. */
import type { HistoryFilter } from "../../../preload/contract.ts";

/** A half-open range of times, as the filter's days come to. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

type Value = number | string;

/** Also what a person reads aloud or copies with spaces. */
const searched = (code: string): string => code.toUpperCase().replace(/[\s-]/g, "");
/** In this network's ids, letters that the alphabet leaves out are taken for their digits; another one's are as they are. */
const asTransactionId = (code: string): string => code.replace(/O/g, "0").replace(/[IL]/g, "1");

/** A list's conditions, and the values in them. */
export const conditionsOf = (
  range: TimeRange,
  filter: HistoryFilter | undefined,
): [readonly string[], readonly Value[]] => {
  const conditions: [string, ...Value[]][] = [["at >= ? AND at < ?", range.fromMs, range.toMs]];
  if (filter?.result) conditions.push(["result = ?", filter.result]);
  if (filter?.cashier) conditions.push(["instr(people, ?) > 0", ` ${filter.cashier} `]);
  const code = searched(filter?.code ?? "");
  if (code !== "")
    conditions.push([
      "(instr(transaction_id, ?) > 0 OR instr(upper(transaction_id), ?) > 0 OR instr(replace(upper(partner_id), '-', ''), ?) > 0)",
      asTransactionId(code),
      code,
      code,
    ]);
  return [conditions.map(([text]) => text), conditions.flatMap(([, ...values]) => values)];
};
