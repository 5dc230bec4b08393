/** What the till program answers about the past in the gallery: a story, figures of a week, books with each kind of line. */
import type {
  BooksView,
  Cleared,
  Command,
  FiguresView,
  HistoryLine,
  Reply,
  Slot,
  Story,
} from "../../../preload/contract.ts";
import { bookExplanations, storySteps } from "../../../preload/enums.ts";
import { transactionId } from "./snapshots.ts";

const money = { amount: "150.00", currency: "EUR" };
/** A manager's word about one of them. */
export const cleared: Cleared = {
  at: "2026-11-20T17:02:11.000Z",
  by: "M1",
  note: "Support has booked the hand-out by hand, their number 4711.",
};
const beganMs = Date.UTC(2026, 10, 20, 16, 44, 2);

const storyOf = (line: HistoryLine): Story => ({
  line,
  service: "available",
  clockOffMs: 95_000,
  steps: storySteps.map((what, index) => ({
    side: what.startsWith("there_") ? "there" : "here",
    atMs: beganMs + index * 1_700,
    what,
    about:
      what === "decided"
        ? "Asked the customer on the telephone: the cash is there."
        : what === "closed"
          ? "rejected"
          : null,
    by: what.startsWith("there_") ? "partner" : index % 3 === 0 ? "C2" : "terminal",
    byName: what.startsWith("there_") ? "demo-bank" : what === "drawer_reopened" ? "M1" : null,
  })),
});

const slot = (count: number): Slot => ({ count, sumMinor: count * 8_350 });
const nothing: Slot = { count: 0, sumMinor: 0 };

/** Figures of the range that was asked for, the same on each of its days. */
const figuresOf = ({ from, to }: { readonly from: string; readonly to: string }): FiguresView => {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;
  const perDay = [3, 5, 8, 12, 9, 7, 4, 6, 11, 6, 2];
  const count = perDay.reduce((sum, one) => sum + one, 0);
  const byDay = Array.from({ length: days }, (_, at) => ({
    day: new Date(Date.parse(from) + at * 86_400_000).toISOString().slice(0, 10),
    ...slot(at % 7 === 6 ? 0 : count),
  }));
  const all = byDay.reduce((sum, one) => sum + one.count, 0);
  const share = all / count;
  const byHour = Array.from({ length: 24 }, (_, hour) => {
    const here = perDay[hour - 8];
    return here === undefined ? nothing : slot(here * share);
  });
  return {
    from,
    to,
    timeZone: "Europe/Berlin",
    withdrawals: all + 9,
    paid: [{ currency: "EUR", ...slot(all), byHour, byDay }],
    ends: [
      { outcome: "handed_out", count: all },
      { outcome: "sca_timeout", count: 4 },
      { outcome: "not_handed_out", count: 2 },
      { outcome: "user_canceled", count: 2 },
      { outcome: null, count: 1 },
    ],
  };
};

const booksOf = ({ from, to }: { readonly from: string; readonly to: string }): BooksView => ({
  from,
  to,
  service: "available",
  totals: [{ currency: "EUR", here: { count: 61, sumMinor: 509_350 }, there: { count: 60, sumMinor: 494_350 } }],
  agreeing: 64,
  lines: bookExplanations.map((explanation, index) => ({
    transactionId,
    terminalReference: `till-1.7k3f9q.01JD${index}`,
    at: new Date(beganMs + index * 60_000).toISOString(),
    explanation,
    noted: explanation === "noted_here" || explanation === "link_refused" ? "link_refused" : null,
    cleared: explanation === "noted_here" ? cleared : null,
    here: explanation === "known_there_only" ? null : { withdrawalId: `w-${index}`, outcome: "handed_out", money },
    there: explanation === "known_here_only" ? null : { finding: "not_linked", status: "settled", money },
  })),
  leftOut: 3,
  elsewhere: { lines: 41, unresolved: 2 },
});

/** The answer to a question about the past; null for every other command. */
export const answerPast = (command: Command, line: HistoryLine): Reply | null => {
  switch (command.type) {
    case "list_cashiers":
      return { ok: true, data: ["C2", "C3"] };
    case "get_story":
      return { ok: true, data: storyOf(line) };
    case "get_figures":
      return { ok: true, data: figuresOf(command) };
    case "get_books":
      return { ok: true, data: booksOf(command) };
    default:
      return null;
  }
};
