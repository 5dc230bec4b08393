/** Names for the people's codes in journal and reports, which hold no names. */
import { counterCode } from "./choices.ts";
import type { DayReport } from "./drawer-money.ts";

/** Turns a code into a name, with the code where two have the same; somebody who has gone stays a code. */
export const namesOf =
  (people: readonly Readonly<{ code: string; name: string }>[]) =>
  (code: string): string => {
    const name = people.find((person) => person.code === code)?.name;
    if (name === undefined) return code;
    return people.filter((person) => person.name === name).length > 1 ? `${name} (${code})` : name;
  };

/** The report with names in place of codes; `counterCode`, where nobody signs in, stays. */
export const withNames = (report: DayReport, nameOf: (code: string) => string): DayReport => {
  const named = (code: string): string => (code === counterCode ? code : nameOf(code));
  const people = <T extends { readonly by: string; readonly approvedBy?: string | null }>(all: readonly T[]) =>
    all.map((one) => ({
      ...one,
      by: named(one.by),
      ...(one.approvedBy && { approvedBy: named(one.approvedBy) }),
    }));
  return {
    ...report,
    openedBy: named(report.openedBy),
    closedBy: named(report.closedBy),
    approvedBy: report.approvedBy && named(report.approvedBy),
    moves: people(report.moves),
    noSales: people(report.noSales ?? []),
    drawerTests: people(report.drawerTests),
    everyCount: people(report.everyCount),
    everyFloat: people(report.everyFloat),
    shownTo: people(report.shownTo),
    clearedUp: people(report.clearedUp),
  };
};
