/** The manager's list of withdrawals: a view over the durable events, bounded; older ones are in the journal's export. */
import type { DayReport, HistoryLine } from "../../../preload/contract.ts";
import type { JournalEntry } from "../ports.ts";
import type { Receipt } from "../receipts/receipt-schema.ts";
import { historyLinesMax } from "./bounds.ts";
import { type AboutWithdrawal, type DurableEvent, durableEventSchema, type RecordedEvent } from "./events.ts";
import { upgradeEntry } from "./upgrade-entry.ts";

const stateAfter = (event: AboutWithdrawal, before: string): string => {
  switch (event.type) {
    case "discrepancy":
      return before;
    case "report_accepted":
      return event.report === "link" ? "linked" : event.report === "undelivered" ? "undelivered" : before;
    case "report_refused":
      return before;
    case "closed":
      return "closed";
    case "decided":
      return event.decision === "leave_to_books" ? "closed" : event.decision;
    default:
      return event.type;
  }
};

const outcomeAfter = (event: AboutWithdrawal, before: HistoryLine["outcome"]): HistoryLine["outcome"] => {
  if (event.type === "closed") return event.outcome;
  if (event.type === "decided") return event.decision === "leave_to_books" ? "unclear" : event.decision;
  return event.type === "handed_out" || event.type === "not_handed_out" ? event.type : before;
};

const discrepancyAfter = (event: AboutWithdrawal, before: string | null): string | null => {
  const found =
    event.type === "discrepancy"
      ? event.about
      : event.type === "report_refused" && event.report !== "reject"
        ? `${event.report}_refused`
        : event.type === "decided" && event.decision === "leave_to_books"
          ? "left_to_books"
          : null;
  if (found === null) return before;
  return before === null ? found : `${before}, ${found}`;
};

const actorOf = (body: unknown): string | undefined => {
  const actor = typeof body === "object" && body !== null && "actor" in body ? body.actor : undefined;
  return typeof actor === "string" ? actor : undefined;
};

/** One entry as an event; `json` or `schema` when it cannot be read, by what is wrong with it. */
export const readEvent = (entry: JournalEntry): RecordedEvent | "json" | "schema" => {
  try {
    const body: unknown = JSON.parse(entry.body);
    const parsed = durableEventSchema.safeParse(upgradeEntry(body));
    if (!parsed.success) return "schema";
    const actor = actorOf(body);
    return actor === undefined ? parsed.data : { ...parsed.data, actor };
  } catch {
    return "json";
  }
};

/** The list, kept up to date by the events that are written. */
/** What a reprint is made of. */
export interface PrintedBefore {
  readonly of: AboutWithdrawal["of"];
  /** When the cash was handed over; null as long as it was not. */
  readonly handedOutAtMs: number | null;
  /** The latest receipt that was asked for; null when none was. */
  readonly receipt: Receipt | null;
}

/** The manager's list, kept up to date by the events that are written. */
export interface History {
  take(event: DurableEvent, at: number): void;
  /** Newest first, those begun before the withdrawal `before`. */
  list(before: string | null, limit: number): readonly HistoryLine[];
  /** The closed days, newest first. */
  days(): readonly DayReport[];
  /** Null when the withdrawal is not in the list. */
  printedBefore(withdrawalId: string): PrintedBefore | null;
}

/** An empty list. */
export const createHistory = (): History => {
  const lines = new Map<string, HistoryLine>();
  const printed = new Map<string, PrintedBefore>();
  const days = new Map<number, DayReport>();
  const takePrinted = (of: AboutWithdrawal["of"], event: DurableEvent, at: number): void => {
    const isHandOut = event.type === "handed_out" || (event.type === "decided" && event.decision === "handed_out");
    const before = printed.get(of.withdrawalId);
    const handedOutAtMs = before?.handedOutAtMs ?? (isHandOut ? at : null);
    printed.set(of.withdrawalId, { of, handedOutAtMs, receipt: before?.receipt ?? null });
  };
  return {
    take(event, at) {
      if (event.type === "day_closed") days.set(event.report.number, event.report);
      if (event.type === "receipt_requested") {
        const before = printed.get(event.withdrawalId);
        if (before !== undefined) printed.set(event.withdrawalId, { ...before, receipt: event.receipt });
      }
      if (!("of" in event)) return;
      const { of } = event;
      takePrinted(of, event, at);
      const line = lines.get(of.withdrawalId);
      lines.set(of.withdrawalId, {
        withdrawalId: of.withdrawalId,
        transactionId: of.transactionId,
        at: line?.at ?? new Date(at).toISOString(),
        money: { amount: of.amount, currency: of.currency },
        state: stateAfter(event, line?.state ?? "begun"),
        outcome: outcomeAfter(event, line?.outcome ?? null),
        discrepancy: discrepancyAfter(event, line?.discrepancy ?? null),
      });
      if (lines.size <= historyLinesMax) return;
      const [oldest] = lines.keys();
      if (oldest === undefined) return;
      lines.delete(oldest);
      printed.delete(oldest);
    },
    days: () => [...days.values()].reverse(),
    printedBefore: (withdrawalId) => printed.get(withdrawalId) ?? null,
    list(before, limit) {
      const newest = [...lines.values()].reverse();
      const from = before === null ? 0 : newest.findIndex((line) => line.withdrawalId === before) + 1;
      return before !== null && from === 0 ? [] : newest.slice(from, from + limit);
    },
  };
};
