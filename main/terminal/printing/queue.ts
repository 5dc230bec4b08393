/** What can be printed, and what waits for the printer. */
import type { PaperLine, PrintTrouble } from "../../../preload/contract.ts";
import { withNames } from "../../../preload/names.ts";
import { printJobsMax, printRetryPausesMs } from "../bounds.ts";
import { dayReportLines, type PrintedReport } from "./day-report.ts";
import type { PaperLocale } from "./paper.ts";
import { type Receipt, type ReceiptCopy, receiptLines } from "./receipt.ts";

/** What is to be printed. */
export type PrintTask =
  | { readonly kind: "receipt"; readonly receipt: Receipt; readonly copies: readonly ReceiptCopy[] }
  | ({ readonly kind: "day_report" } & PrintedReport);

/** A receipt, once for each requested copy, or the report of a day. @param nameOf the name behind a person's code. */
export const printedLines = (
  task: PrintTask,
  locale: PaperLocale,
  nameOf: (code: string) => string,
): readonly PaperLine[] => {
  if (task.kind === "day_report") return dayReportLines({ ...task, report: withNames(task.report, nameOf) }, locale);
  const { receipt, copies } = task;
  const named = { ...receipt, cashier: receipt.cashier && nameOf(receipt.cashier) };
  return copies.flatMap((copy) => receiptLines(named, copy, locale));
};

/** One job; `tries` counts the failed ones. */
interface PrintJob {
  /** Grows with each job of this run. */
  readonly number: number;
  readonly task: PrintTask;
  readonly tries: number;
}

/** What the printer is doing with the first job. Times are monotonic milliseconds. */
type PrinterState =
  | { readonly kind: "idle" }
  /** Under way, or about to be. */
  | { readonly kind: "printing"; readonly notBeforeMs: number }
  /** Nothing of it was printed. It is retried at `retryAtMs`, or when somebody asks for it. */
  | { readonly kind: "not_printed"; readonly why: PrintTrouble; readonly retryAtMs: number | null }
  /** Some of it may have been printed: a person has to decide. */
  | { readonly kind: "unclear"; readonly why: PrintTrouble };

/** The queue and its head's state. */
export interface Printing {
  /** The state is about the first. */
  readonly jobs: readonly PrintJob[];
  readonly printer: PrinterState;
  readonly paperLow: boolean;
  readonly nextNumber: number;
}

/** An empty queue, at each start. */
export const noPrinting: Printing = { jobs: [], printer: { kind: "idle" }, paperLow: false, nextNumber: 1 };

const startNext = (printing: Printing, atMs: number): Printing => ({
  ...printing,
  printer: printing.jobs.length === 0 ? { kind: "idle" } : { kind: "printing", notBeforeMs: atMs },
});

/** Adds a task at the end. In a full queue the oldest tasks are dropped: they can be reprinted. */
export const addPrintTask = (printing: Printing, task: PrintTask, atMs: number): Printing => {
  const { jobs, nextNumber } = printing;
  const [first, ...waiting] = jobs;
  const kept = first === undefined ? [] : [first, ...waiting.slice(-(printJobsMax - 2))];
  const added = { ...printing, jobs: [...kept, { number: nextNumber, task, tries: 0 }], nextNumber: nextNumber + 1 };
  return printing.printer.kind === "idle" ? startNext(added, atMs) : added;
};

/** The job `number` was printed: the next one starts. */
export const printed = (printing: Printing, number: number, paperLow: boolean, atMs: number): Printing =>
  startNext({ ...printing, paperLow, jobs: printing.jobs.filter((job) => job.number !== number) }, atMs);

/** Nothing of the first job was printed: retried after a pause a few times, then only by hand. */
export const notPrinted = (printing: Printing, why: PrintTrouble, atMs: number): Printing => {
  const [first, ...waiting] = printing.jobs;
  if (first === undefined) return printing;
  const pauseMs = printRetryPausesMs[first.tries];
  return {
    ...printing,
    jobs: [{ ...first, tries: first.tries + 1 }, ...waiting],
    printer: { kind: "not_printed", why, retryAtMs: pauseMs === undefined ? null : atMs + pauseMs },
  };
};

/** Marks it as a reprint, since it may have been printed already. */
const asReprint = (task: PrintTask): PrintTask =>
  task.kind === "receipt" ? { ...task, receipt: { ...task.receipt, isReprint: true } } : { ...task, isReprint: true };

/** Some of the first job may have been printed; printed again, it is marked as a reprint. */
export const printUnclear = (printing: Printing, why: PrintTrouble): Printing => {
  const [first, ...waiting] = printing.jobs;
  if (first === undefined) return printing;
  const again = { ...first, task: asReprint(first.task), tries: first.tries + 1 };
  return { ...printing, jobs: [again, ...waiting], printer: { kind: "unclear", why } };
};

/** Somebody refilled or repaired the printer: tries at once. */
export const retryPrint = (printing: Printing, atMs: number): Printing => startNext(printing, atMs);

/** Discards what waits. */
export const dropPrints = (printing: Printing): Printing => ({ ...printing, jobs: [], printer: { kind: "idle" } });
