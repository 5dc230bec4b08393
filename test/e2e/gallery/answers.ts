/** What the till program answers to the manager's questions in the gallery. */
import type { CheckLine, Command, DayView, HistoryLine, JournalHealth, Reply } from "../../../preload/contract.ts";
import { outcomes } from "../../../preload/enums.ts";
import { answerPast, cleared } from "./past-answers.ts";
import { transactionId } from "./snapshots.ts";

const line = (index: number): HistoryLine => {
  const outcome = outcomes[index % outcomes.length] ?? null;
  return {
    withdrawalId: `w-${index}`,
    transactionId,
    terminalReference: `till-1.7k3f9q.w-${index}`,
    at: new Date(Date.UTC(2026, 10, 20, 16, 45 - index, 12)).toISOString(),
    money: outcome === "unknown_barcode" ? null : { amount: `${(index + 1) * 20}.00`, currency: "EUR" },
    outcome: index === 0 ? null : outcome,
    result:
      index === 0
        ? "open"
        : index === 7
          ? "cleared"
          : index === 3 || outcome === "unclear"
            ? "to_clear"
            : resultOf(outcome),
    discrepancy: index === 3 || index === 7 ? "link_refused" : null,
    cleared: index === 7 ? cleared : null,
    people: index % 5 === 4 ? ["C2", "C3"] : ["C2"],
  };
};

const resultOf = (outcome: HistoryLine["outcome"]): HistoryLine["result"] =>
  outcome === "handed_out" || outcome === "not_handed_out" ? outcome : "ended";

const historyLines = 60;

const damagedJournal: JournalHealth = {
  entries: 18_204,
  damaged: [
    { sequence: 4711, why: "hash" },
    { sequence: 9001, why: "gap" },
  ],
  anchors: { compared: 1_000, missing: [12], different: [18_100] },
};

const checkedMachine: readonly CheckLine[] = [
  { name: "program", is: "yes", says: "Tillcash 0.1.0, linux x64" },
  { name: "runtime", is: "yes", says: "Electron 45.4.1, Chromium 152.0.7977.44, Node 24.21.0" },
  { name: "data folder", is: "yes", says: "~/.local/state/tillcash, 81204 MB free" },
  {
    name: "key store",
    is: "no",
    says: "This computer's key store, in which the terminal keeps its access key, cannot be used.",
  },
  { name: "camera", is: "unknown", says: "no camera is connected" },
];

/** A day in the middle, with its expected sum. */
export const openDay = {
  kind: "open",
  number: 12,
  currency: "EUR",
  openedAtMs: Date.UTC(2026, 10, 20, 7),
  openedBy: "C2",
  floatMinor: 30_000,
  mendable: null,
  moves: [
    {
      moveId: "a",
      direction: "in",
      amountMinor: 20_000,
      reason: "change",
      note: "",
      by: "M1",
      approvedBy: null,
      atMs: Date.UTC(2026, 10, 20, 9),
    },
    {
      moveId: "b",
      direction: "out",
      amountMinor: 4_550,
      reason: "expense",
      note: "light bulbs",
      by: "M1",
      approvedBy: null,
      atMs: Date.UTC(2026, 10, 20, 9),
    },
  ],
  expected: {
    inMinor: 20_000,
    outMinor: 4_550,
    handOuts: 3,
    handedOutMinor: 18_000,
    expectedMinor: 27_450,
    differenceMinor: null,
  },
  counted: null,
  over: [],
} satisfies DayView;

/** Sixty withdrawals, two of them by any part of a code, and a journal with two damaged entries. */
export const answerManager = (command: Command): Reply => {
  if (command.type === "check_machine") return { ok: true, data: checkedMachine };
  if (command.type === "check_journal") return { ok: true, data: damagedJournal };
  if (command.type === "get_day") return { ok: true, data: openDay };
  const past = answerPast(command, line(1));
  if (past !== null) return past;
  if (command.type !== "list_history") return { ok: true };
  if (command.filter?.code) return { ok: true, data: [line(1), line(3)] };
  const start = command.before === null ? 0 : Number(command.before.slice(2)) + 1;
  const count = Math.min(command.limit, historyLines - start);
  return { ok: true, data: Array.from({ length: count }, (_, index) => line(start + index)) };
};
