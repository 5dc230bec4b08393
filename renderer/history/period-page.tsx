import { type ReactNode, useState } from "react";
import type { Command } from "../../preload/contract.ts";
import { Query } from "../ui/query.tsx";
import { useQuery } from "../ui/use-query.ts";
import { type DayRange, dayOf, type Period, rangeOf } from "./period.ts";
import { PickPeriod } from "./pick-period.tsx";

interface PeriodPageProps<T> {
  readonly className: string | undefined;
  readonly offered: readonly Period[];
  readonly queryOf: (range: DayRange) => Command;
  readonly children: (answer: T, period: Period) => ReactNode;
}

/** Asks about the days that are picked, today first, and shows the answer. */
export const PeriodPage = <T,>({ className, offered, queryOf, children }: PeriodPageProps<T>) => {
  const [[period, day], pick] = useState<readonly [Period, string]>(() => ["day", dayOf(new Date())]);
  return (
    <div className={className}>
      <PickPeriod
        offered={offered}
        period={period}
        day={day}
        pick={(nextPeriod, nextDay) => pick([nextPeriod, nextDay])}
      />
      <Answer<T> key={`${period} ${day}`} command={queryOf(rangeOf(period, day))}>
        {(answer) => children(answer, period)}
      </Answer>
    </div>
  );
};

interface AnswerProps<T> {
  readonly command: Command;
  readonly children: (answer: T) => ReactNode;
}

const Answer = <T,>({ command, children }: AnswerProps<T>) => {
  const { state, refetch } = useQuery<T>(command);
  return (
    <Query state={state} again={refetch}>
      {children}
    </Query>
  );
};
