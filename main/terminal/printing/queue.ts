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

/** A receipt once for each copy asked for, or the report of a day. @param nameOf the name behind a person's code. */
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

/** One thing to print; `tries` counts the failed ones. */
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
  /** Nothing of it is on paper. It is tried again by itself at `retryAtMs`, or when somebody says so. */
  | { readonly kind: "not_printed"; readonly why: PrintTrouble; readonly retryAtMs: number | null }
  /** Some of it may be on paper: only a person says what next. */
  | { readonly kind: "unclear"; readonly why: PrintTrouble };

/** The queue and its head's state. */
export interface Printing {
  /** The first is the one that the state speaks of. */
  readonly jobs: readonly PrintJob[];
  readonly printer: PrinterState;
  readonly paperLow: boolean;
  readonly nextNumber: number;
}

/** Nothing waits: where each run starts. */
export const noPrinting: Printing = { jobs: [], printer: { kind: "idle" }, paperLow: false, nextNumber: 1 };

const startNext = (printing: Printing, atMs: number): Printing => ({
  ...printing,
  printer: printing.jobs.length === 0 ? { kind: "idle" } : { kind: "printing", notBeforeMs: atMs },
});

/** Puts a task behind those that wait. When nobody looks after the printer, the oldest make room: they can be reprinted. */
export const addPrintTask = (printing: Printing, task: PrintTask, atMs: number): Printing => {
  const { jobs, nextNumber } = printing;
  const [first, ...waiting] = jobs;
  const kept = first === undefined ? [] : [first, ...waiting.slice(-(printJobsMax - 2))];
  const added = { ...printing, jobs: [...kept, { number: nextNumber, task, tries: 0 }], nextNumber: nextNumber + 1 };
  return printing.printer.kind === "idle" ? startNext(added, atMs) : added;
};

/** The job `number` is on paper: the next one starts. */
export const printed = (printing: Printing, number: number, paperLow: boolean, atMs: number): Printing =>
  startNext({ ...printing, paperLow, jobs: printing.jobs.filter((job) => job.number !== number) }, atMs);

/** Nothing of the first job is on paper: tried again after the pause for so many tries, then only by hand. */
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

/** What may be on paper already is a copy when it is printed again. */
const asReprint = (task: PrintTask): PrintTask =>
  task.kind === "receipt" ? { ...task, receipt: { ...task.receipt, isReprint: true } } : { ...task, isReprint: true };

/** Some of the first job may be on paper; should it be printed again, it says that it is a reprint. */
export const printUnclear = (printing: Printing, why: PrintTrouble): Printing => {
  const [first, ...waiting] = printing.jobs;
  if (first === undefined) return printing;
  const again = { ...first, task: asReprint(first.task), tries: first.tries + 1 };
  return { ...printing, jobs: [again, ...waiting], printer: { kind: "unclear", why } };
};

/** Somebody looked after the printer. */
export const retryPrint = (printing: Printing, atMs: number): Printing => startNext(printing, atMs);

/** Nobody needs what waits. */
export const dropPrints = (printing: Printing): Printing => ({ ...printing, jobs: [], printer: { kind: "idle" } });
