/** What is printed of a run with real processes: each kill as it falls, and the sum at the end. */
import type { Violation } from "../invariants.ts";
import type { Detour } from "./detours.ts";
import type { Kill } from "./kills.ts";

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** One line for a kill. */
export const formatKill = (
  number: number,
  { victim, phase, status, backMs, detour }: Kill,
  customers: number,
): string =>
  `kill ${number}: ${victim} on ${phase}${status === null ? "" : ` (${status})`}${detour === null ? "" : `, then ${detour}`}, back after ${seconds(backMs)}, ${customers} customers`;

const counted = (items: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts]
    .sort(([, left], [, right]) => right - left)
    .map(([item, count]) => `${count} ${item}`)
    .join(", ");
};

const detourText: Readonly<Record<Detour, string>> = {
  training: "in training",
  newer: "on a newer program's journal",
  upgrade: "at an older program's journal",
};

/** The lines at the end, with how to play the run again. */
export const formatRun = (run: {
  readonly seed: number;
  readonly kills: readonly Kill[];
  readonly ends: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
  readonly tookMs: number;
  readonly heldMaxMs: number;
  readonly reads: { readonly books: number; readonly reports: number };
}): string => {
  const ends = Object.entries(run.ends).map(([status, count]) => `${count} ${status}`);
  const all = Object.values(run.ends).reduce((sum, count) => sum + count, 0);
  return [
    `${run.kills.length} kills in ${seconds(run.tookMs)}, seed ${run.seed}`,
    `killed:   ${counted(run.kills.map(({ victim }) => victim))}`,
    `on the way back, killed again:   ${counted(run.kills.flatMap(({ detour }) => (detour === null ? [] : [detourText[detour]])))}`,
    `while the till showed:   ${counted(run.kills.map(({ phase }) => phase))}`,
    `while the service had it as:   ${counted(run.kills.map(({ status }) => status ?? "nothing active"))}`,
    `${all} withdrawals ended:   ${ends.join(", ")}`,
    `longest restart ${seconds(Math.max(0, ...run.kills.map(({ backMs }) => backMs)))}; the till was held for ${seconds(run.heldMaxMs)} at most`,
    `read meanwhile:   the till's books ${run.reads.books} times, the service's report ${run.reads.reports} times`,
    run.violations.length === 0 ? "every promise was kept" : "BROKEN:",
    ...run.violations.map((one) => `promise ${one.invariant}: ${one.transactionId ?? ""} ${one.text}`),
  ].join("\n");
};
