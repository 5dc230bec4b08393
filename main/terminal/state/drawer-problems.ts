/** What a manager has to clear up about the drawer itself, until it is acknowledged with a note: it outlives restarts and checkpoints. */
import type { Problem } from "../../../preload/contract.ts";
import type { DrawerMoney } from "../day/drawer-money.ts";
import { drawerHandledMs, drawerOpeningsMax } from "./bounds.ts";
import type { DrawerProblem } from "./drawer-problem.ts";
import type { DurableEvent, Recorded } from "./events.ts";
import type { State } from "./state.ts";

/** The act of an opening that this terminal did not order; it is about who was signed in. */
export const foundOpenAct = "drawer_found_open";

/** The difference of a day that a problem's id names; null for another problem. */
export const dayOfProblem = (id: string): { readonly about: "night" | "count"; readonly day: number } | null => {
  const [, about, day] = /^(night|count):(\d+)$/.exec(id) ?? [];
  return about === undefined ? null : { about: about === "night" ? "night" : "count", day: Number(day) };
};

/** Whether so many openings wait for a manager that another one says nothing new. */
export const hasManyOpenings = (problems: readonly DrawerProblem[]): boolean =>
  problems.filter(({ about }) => about === "drawer_opened").length >= drawerOpeningsMax;

const add = (problems: readonly DrawerProblem[], one: DrawerProblem): readonly DrawerProblem[] =>
  problems.some(({ id }) => id === one.id) ? problems : [...problems, one];

/** When somebody had the day's drawer open to count it, or to put cash in or out; null while no day is open. */
const handledAtMs = (money: DrawerMoney): number | null =>
  money.kind === "closed"
    ? null
    : Math.max(money.day.openedAtMs, ...[...money.day.moves, ...money.day.everyCount].map(({ atMs }) => atMs));

const withoutHandled = (problems: readonly DrawerProblem[], atMs: number): readonly DrawerProblem[] =>
  problems.filter(
    ({ about, sinceWallMs }) => about !== "drawer_opened" || Math.abs(atMs - sinceWallMs) > drawerHandledMs,
  );

/** What an event adds to them, or takes away. @param state as it was before the event. */
export const drawerProblemsAfter = (
  { drawerProblems: problems, drawerMoney }: Pick<State, "drawerProblems" | "drawerMoney">,
  event: DurableEvent & Recorded,
  sinceWallMs: number,
): readonly DrawerProblem[] => {
  switch (event.type) {
    case "day_opened": {
      const { night, number: day, currency, by: who } = event;
      const rest = withoutHandled(problems, sinceWallMs);
      if (!night?.toExplain) return rest;
      const { differenceMinor } = night;
      return add(rest, {
        id: `night:${day}`,
        about: "night_differs",
        sinceWallMs,
        day,
        differenceMinor,
        currency,
        who,
      });
    }
    case "day_closed": {
      const { number: day, differenceMinor, currency, closedBy: who, toExplain } = event.report;
      if (!toExplain) return problems;
      return add(problems, {
        id: `count:${day}`,
        about: "count_differs",
        sinceWallMs,
        day,
        differenceMinor,
        currency,
        who,
      });
    }
    case "act": {
      if (event.act !== foundOpenAct || hasManyOpenings(problems)) return problems;
      const handledMs = handledAtMs(drawerMoney);
      if (handledMs !== null && Math.abs(sinceWallMs - handledMs) <= drawerHandledMs) return problems;
      const nothing = { day: null, differenceMinor: 0, currency: null };
      return add(problems, {
        id: `drawer:${sinceWallMs}`,
        about: "drawer_opened",
        sinceWallMs,
        ...nothing,
        who: event.about,
      });
    }
    case "cash_moved":
    case "day_counted":
      return withoutHandled(problems, sinceWallMs);
    case "acknowledged":
      return problems.filter(({ id }) => id !== event.withdrawalId);
    default:
      return problems;
  }
};

/** Them for the manager's list. */
export const listDrawerProblems = (problems: readonly DrawerProblem[]): readonly Problem[] =>
  problems.map(({ id, sinceWallMs, ...one }) => ({
    kind: "drawer",
    withdrawalId: id,
    since: new Date(sinceWallMs).toISOString(),
    ...one,
  }));
