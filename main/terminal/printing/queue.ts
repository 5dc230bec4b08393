/** Print tasks, and the queue of those that wait for the printer. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { PaperLine, PrintTrouble } from "../../../preload/contract.ts";
import { withNames } from "../../../preload/names.ts";
import { printJobsMax, printRefillPauseMs, printRetryPausesMs } from "../bounds.ts";
import type { PrintAnswer } from "../ports.ts";
import {
  dayReportLines,
  type PaperLocale,
  type PrintedReport,
  type Receipt,
  type ReceiptCopy,
  receiptLines,
} from "./paper.ts";

/** Something to print. */
export type PrintTask =
  | { readonly kind: "receipt"; readonly receipt: Receipt; readonly copies: readonly ReceiptCopy[] }
  | ({ readonly kind: "day_report" } & PrintedReport);

/** The lines of a receipt (each requested copy) or of a day report. @param nameOf returns the name for a person's code. */
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

/** One job; `tries` counts failed attempts, `failures` those in a row that were not for lack of paper or an open cover. */
interface PrintJob {
  /** Increases with each job of this run. */
  readonly number: number;
  readonly task: PrintTask;
  readonly tries: number;
  readonly failures: number;
}

/** State of the first job. Times are monotonic milliseconds. */
type PrinterState =
  | { readonly kind: "idle" }
  /** In progress or about to start. `again`: why the previous attempt printed nothing. */
  | { readonly kind: "printing"; readonly notBeforeMs: number; readonly again?: PrintTrouble }
  /** Nothing was printed. Retried at `retryAtMs`, or on request. */
  | { readonly kind: "not_printed"; readonly why: PrintTrouble; readonly retryAtMs: number | null }
  /** Part of it may have been printed: a person has to decide. */
  | { readonly kind: "unclear"; readonly why: PrintTrouble };

/** The empty queue at start. `printer` is the state of the first job. */
export const noPrinting = {
  jobs: [] as readonly PrintJob[],
  printer: { kind: "idle" } as PrinterState,
  paperLow: false,
  nextNumber: 1,
};
/** The print queue. */
export type Printing = Readonly<typeof noPrinting>;

const startNext = (printing: Printing, atMs: number): Printing => ({
  ...printing,
  printer: printing.jobs.length === 0 ? { kind: "idle" } : { kind: "printing", notBeforeMs: atMs },
});

/** Adds a task at the end. A full queue drops the oldest waiting tasks; they can be reprinted. */
export const addPrintTask = (printing: Printing, task: PrintTask, atMs: number): Printing => {
  const { jobs, nextNumber } = printing;
  const [first, ...waiting] = jobs;
  const kept = first === undefined ? [] : [first, ...waiting.slice(-(printJobsMax - 2))];
  const job = { number: nextNumber, task, tries: 0, failures: 0 };
  const added = { ...printing, jobs: [...kept, job], nextNumber: nextNumber + 1 };
  return printing.printer.kind === "idle" ? startNext(added, atMs) : added;
};

/** Events of the printer. `number` is the job's. */
export type PrintEvent =
  | { readonly type: "print_ended"; readonly number: number; readonly answer: PrintAnswer }
  /** The printer was refilled or repaired, or the pause is over: tries again now. */
  | { readonly type: "print_retried" }
  | { readonly type: "prints_dropped" };

/** Marks a task as a reprint, because it may have been printed already. */
const asReprint = (task: PrintTask): PrintTask =>
  task.kind === "receipt" ? { ...task, receipt: { ...task.receipt, isReprint: true } } : { ...task, isReprint: true };

/** Why nothing was printed, also during another attempt; null: no trouble. */
export const printTroubleOf = (printer: PrinterState): PrintTrouble | null => {
  if (printer.kind === "printing") return printer.again ?? null;
  return printer.kind === "idle" ? null : printer.why;
};

/** Retries a few times with pauses, then only on request; without paper or with an open cover it retries for ever. */
const printEnded = (printing: Printing, number: number, answer: PrintAnswer, atMs: number): Printing => {
  const [first, ...waiting] = printing.jobs;
  if (answer.kind === "printed") {
    const { paperLow } = answer;
    return startNext({ ...printing, paperLow, jobs: printing.jobs.filter((job) => job.number !== number) }, atMs);
  }
  if (first === undefined) return printing;
  const { kind, why } = answer;
  const tries = first.tries + 1;
  if (kind === "unclear") {
    const again = { ...first, task: asReprint(first.task), tries };
    return { ...printing, jobs: [again, ...waiting], printer: { kind, why } };
  }
  const isRefilled = why === "no_paper" || why === "cover_open";
  const pauseMs = isRefilled ? printRefillPauseMs : printRetryPausesMs[first.failures];
  const retryAtMs = pauseMs === undefined ? null : atMs + pauseMs;
  const failed = { ...first, tries, failures: isRefilled ? 0 : first.failures + 1 };
  return { ...printing, jobs: [failed, ...waiting], printer: { kind, why, retryAtMs } };
};

/** The queue after an event. */
export const evolvePrinting = (
  printing: Printing,
  event: PrintEvent,
  { monotonicMs: atMs }: { readonly monotonicMs: number },
): Printing => {
  switch (event.type) {
    case "print_retried": {
      const again = printing.printer.kind === "unclear" ? null : printTroubleOf(printing.printer);
      const printer = { kind: "printing", notBeforeMs: atMs, ...(again && { again }) } as const;
      return { ...printing, printer };
    }
    case "prints_dropped":
      return { ...printing, jobs: [], printer: { kind: "idle" } };
    case "print_ended":
      return printEnded(printing, event.number, event.answer, atMs);
    default:
      return assertNever(event);
  }
};
