/** What stands on paper for each thing that can be printed. */
import type { PaperLine } from "../paper/paper-line.ts";
import { dayReportLines, type PrintedReport } from "./day-report.ts";
import type { PaperLocale } from "./paper-format.ts";
import type { Receipt, ReceiptCopy } from "./receipt-schema.ts";
import { receiptLines } from "./withdrawal-receipt.ts";

/** What is to be printed. */
export type PrintTask =
  | { readonly kind: "receipt"; readonly receipt: Receipt; readonly copies: readonly ReceiptCopy[] }
  | ({ readonly kind: "day_report" } & PrintedReport);

/** A receipt once for each copy asked for, or the report of a day. */
export const printedLines = (task: PrintTask, locale: PaperLocale): readonly PaperLine[] =>
  task.kind === "receipt"
    ? task.copies.flatMap((copy) => receiptLines(task.receipt, copy, locale))
    : dayReportLines(task, locale);
