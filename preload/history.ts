/** The history over the bridge: the list, one withdrawal's story, the figures, the books. */
import { z } from "zod";
import type { Finding } from "../backend/contract/reconciliation.ts";
import { command } from "./command.ts";
import { type bookExplanations, historyResults, type storySteps } from "./enums.ts";
import type { Amount, Outcome } from "./screens.ts";

/** A calendar day of the terminal's time zone: `2026-11-22`. */
const day = z.iso.date();

/** The filter of a list; null and an empty text filter nothing. */
const filterSchema = z.object({
  from: day.nullable().default(null),
  /** This day included. */
  to: day.nullable().default(null),
  result: z.enum(historyResults).nullable().default(null),
  /** A person's code. */
  cashier: z.string().max(20).nullable().default(null),
  /** A part of the transaction's id or of the terminal's own one. */
  code: z.string().max(64).default(""),
});

/** The filter of a list of withdrawals. */
export type HistoryFilter = Readonly<z.infer<typeof filterSchema>>;

/** Lines of the list in one answer, at most. */
const historyPageMax = 200;

const withdrawalId = z.string().min(1).max(64);

/** Queries of the history; the end of a range is included. */
export const historyCommands = [
  /** The withdrawals begun before the withdrawal `before`, newest first. Reply data: HistoryLine[]. */
  command("list_history", "counter", "history", {
    before: z.string().max(64).nullable(),
    limit: z.int().min(1).max(historyPageMax),
    filter: filterSchema.optional(),
  }),
  /** The codes of all who ever worked on a withdrawal here. Reply data: string[]. */
  command("list_cashiers", "counter", "history"),
  /** One withdrawal step by step, with the service's history of it; refused as `stale` when it is unknown. Reply data: Story. */
  command("get_story", "counter", "history", { withdrawalId }),
  /** Manager: sums and times of the days; at most 400. Reply data: FiguresView. */
  command("get_figures", "manager", "history", { from: day, to: day }),
  /** Manager: this terminal's withdrawals of the days beside the service's report; at most 31. Reply data: BooksView. */
  command("get_books", "manager", "history", { from: day, to: day }),
] as const;

/** What one withdrawal came to, for its colour. */
export type HistoryResult = (typeof historyResults)[number];

/** A manager's note that cleared up a discrepancy: when (ISO 8601 in UTC), the manager's code, the note. */
export interface Cleared {
  readonly at: string;
  readonly by: string;
  readonly note: string;
}

/** One withdrawal in the list; `at` is when its confirm (or reject) was pressed, ISO 8601 in UTC. */
export interface HistoryLine {
  readonly withdrawalId: string;
  readonly transactionId: string;
  /** The terminal's own id, as the service's report has it. */
  readonly terminalReference: string;
  readonly at: string;
  readonly money: Amount | null;
  readonly outcome: Outcome | null;
  readonly result: HistoryResult;
  /** Its discrepancies as the core's codes, comma-separated (`link_refused`, `amount_changed`, …); null: none. */
  readonly discrepancy: string | null;
  /** Null while no manager has cleared it up, or where there is nothing to clear up. */
  readonly cleared: Cleared | null;
  /** The codes of those who worked on it, in order. */
  readonly people: readonly string[];
}

/** One step of a withdrawal, from the terminal's journal or the service's history. */
export interface StoryStep {
  readonly side: "here" | "there";
  /** Milliseconds since the epoch by this terminal's clock. */
  readonly atMs: number;
  readonly what: (typeof storySteps)[number];
  /** The step's detail: an outcome, a reason, a code, or a note; null: none. */
  readonly about: string | null;
  /** A person's code or `terminal` here; `device`, `partner`, `sweeper` or `operator` there. Null where nobody is named. */
  readonly by: string | null;
  /** The name of that device, partner or operator; the code of the second person who agreed. */
  readonly byName: string | null;
}

/** Whether the service's side is `available`, or why it is missing. */
export type ServiceAvailability = "available" | "offline" | "not_known" | "not_offered";

/** One withdrawal step by step, both sides in the order of their times. */
export interface Story {
  readonly line: HistoryLine;
  readonly steps: readonly StoryStep[];
  readonly service: ServiceAvailability;
  /** Milliseconds added to the service's times to match this terminal's clock. */
  readonly clockOffMs: number;
}

/** Number and sum of the withdrawals of one hour or day. */
export interface Slot {
  readonly count: number;
  readonly sumMinor: number;
}

/** Cash handed out in one currency. */
export interface PaidFigures extends Slot {
  readonly currency: string;
  /** 24 slots, by the local hour of the confirm. */
  readonly byHour: readonly Slot[];
  readonly byDay: readonly (Slot & { readonly day: string })[];
}

/** Figures of the withdrawals that were confirmed or rejected in a range of days. */
export interface FiguresView {
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
  readonly withdrawals: number;
  /** Most withdrawals first; empty when no cash was handed out. */
  readonly paid: readonly PaidFigures[];
  /** Null: not finished. Most first. */
  readonly ends: readonly { readonly outcome: Outcome | null; readonly count: number }[];
}

/** The kind of a line of the books, which decides what to do about it. */
export type BookExplanation = (typeof bookExplanations)[number];

/** One withdrawal as both sides have it. */
export interface BookLine {
  readonly transactionId: string;
  /** The terminal's own id. */
  readonly terminalReference: string | null;
  readonly at: string;
  readonly explanation: BookExplanation;
  /** The terminal's discrepancies, as in `HistoryLine`; null: none. */
  readonly noted: string | null;
  /** The manager's note that cleared up this difference. */
  readonly cleared: Cleared | null;
  readonly here: { readonly withdrawalId: string; readonly outcome: Outcome | null; readonly money: Amount } | null;
  readonly there: { readonly finding: Finding | null; readonly status: string; readonly money: Amount | null } | null;
}

/** Cash handed out in one currency, by the terminal's and the service's count. */
export interface BookTotal {
  readonly currency: string;
  readonly here: Slot;
  /** Null when the service was not reached. */
  readonly there: Slot | null;
}

/** This terminal's withdrawals beside the service's report. */
export interface BooksView {
  readonly from: string;
  readonly to: string;
  readonly service: Exclude<ServiceAvailability, "not_known">;
  readonly totals: readonly BookTotal[];
  /** Lines where both sides agree. */
  readonly agreeing: number;
  /** Lines to clear up, oldest first; then those that a manager has cleared up. */
  readonly lines: readonly BookLine[];
  /** Lines left out because there are too many. */
  readonly leftOut: number;
  /** The report's lines of the shop's other terminals, and how many of them are unresolved. */
  readonly elsewhere: { readonly lines: number; readonly unresolved: number };
}
