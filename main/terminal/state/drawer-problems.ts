/** What a manager has to clear up about the drawer itself, until it is acknowledged with a note: it outlives restarts and checkpoints. */
import type { Problem } from "../../../preload/contract.ts";
import { drawerOpeningsMax } from "./bounds.ts";
import type { DrawerProblem } from "./drawer-problem.ts";
import type { DurableEvent, Recorded } from "./events.ts";

/** The act of an opening that this terminal did not order; it is about who was signed in. */
export const foundOpenAct = "drawer_found_open";

/** Whether so many openings wait for a manager that another one says nothing new. */
export const hasManyOpenings = (problems: readonly DrawerProblem[]): boolean =>
  problems.filter(({ about }) => about === "drawer_opened").length >= drawerOpeningsMax;

const add = (problems: readonly DrawerProblem[], one: DrawerProblem): readonly DrawerProblem[] =>
  problems.some(({ id }) => id === one.id) ? problems : [...problems, one];

/** What an event adds to them, or takes away. */
export const drawerProblemsAfter = (
  problems: readonly DrawerProblem[],
  event: DurableEvent & Recorded,
  sinceWallMs: number,
): readonly DrawerProblem[] => {
  switch (event.type) {
    case "day_opened": {
      const { night, number: day, currency, by: who } = event;
      if (!night?.toExplain) return problems;
      const { differenceMinor } = night;
      return add(problems, {
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
      const nothing = { day: null, differenceMinor: 0, currency: null };
      return add(problems, {
        id: `drawer:${sinceWallMs}`,
        about: "drawer_opened",
        sinceWallMs,
        ...nothing,
        who: event.about,
      });
    }
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
