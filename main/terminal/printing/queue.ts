/** What can be printed, and what waits for the printer. */
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

/** One job; `tries` counts the failed ones, `failures` those in a row that no refill mends. */
interface PrintJob {
  /** Grows with each job of this run. */
  readonly number: number;
  readonly task: PrintTask;
  readonly tries: number;
  readonly failures: number;
}

/** What the printer is doing with the first job. Times are monotonic milliseconds. */
type PrinterState =
  | { readonly kind: "idle" }
  /** Under way, or about to be. `again`: why the try before printed nothing. */
  | { readonly kind: "printing"; readonly notBeforeMs: number; readonly again?: PrintTrouble }
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
  const job = { number: nextNumber, task, tries: 0, failures: 0 };
  const added = { ...printing, jobs: [...kept, job], nextNumber: nextNumber + 1 };
  return printing.printer.kind === "idle" ? startNext(added, atMs) : added;
};

/** What the printer says, and what is done about it. `number` names the job. */
export type PrintEvent =
  | { readonly type: "print_ended"; readonly number: number; readonly answer: PrintAnswer }
  /** Somebody refilled or repaired the printer, or the pause is over: tries at once. */
  | { readonly type: "print_retried" }
  | { readonly type: "prints_dropped" };

/** Marks it as a reprint, since it may have been printed already. */
const asReprint = (task: PrintTask): PrintTask =>
  task.kind === "receipt" ? { ...task, receipt: { ...task.receipt, isReprint: true } } : { ...task, isReprint: true };

/** Why nothing was printed, also while it is tried again; null where nothing went wrong. */
export const printTroubleOf = (printer: PrinterState): PrintTrouble | null => {
  if (printer.kind === "printing") return printer.again ?? null;
  return printer.kind === "idle" ? null : printer.why;
};

/** What did not reach the printer is tried again after a pause a few times, then only by hand; without paper again and again. */
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

/** The queue after an event of the printer. */
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
