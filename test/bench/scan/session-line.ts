import { type SessionContender, sessionContenders } from "./engines.ts";
import type { SessionEnd, SessionKind } from "./sessions.ts";
import { quantile } from "./tally.ts";

/** A number for each who reads sessions. */
type SessionCounts = Record<SessionContender, number>;

/** A part of the severity, from mild to severe. */
interface Quarter {
  readonly severity: readonly [number, number];
  readonly count: number;
  readonly accepted: SessionCounts;
  readonly byAny: number;
}

/** A line of the sessions' table, counted over all sessions of one kind. */
export interface SessionLine {
  readonly kind: SessionKind;
  readonly count: number;
  readonly accepted: SessionCounts;
  readonly wrongAccepted: SessionCounts;
  /** Frames to the first accepted text, of those accepted. */
  readonly framesMedian: SessionCounts;
  readonly framesP95: SessionCounts;
  readonly quarters: readonly Quarter[];
}

const each = (of: (name: SessionContender) => number): SessionCounts =>
  Object.fromEntries(sessionContenders.map((name) => [name, of(name)])) as SessionCounts;

const isRight = (end: SessionEnd, name: SessionContender): boolean => end.accepted[name]?.isRight === true;

const quartersOf = ({ severity: [low, high] }: SessionKind, ends: readonly SessionEnd[]): readonly Quarter[] =>
  [0, 1, 2, 3].map((quarter) => {
    const part = ends.filter((_, index) => Math.floor((4 * index) / ends.length) === quarter);
    const at = (share: number): number => low + (high - low) * share;
    return {
      severity: [at(quarter / 4), at((quarter + 1) / 4)],
      count: part.length,
      accepted: each((name) => part.filter((end) => isRight(end, name)).length),
      byAny: part.filter((end) => sessionContenders.some((name) => isRight(end, name))).length,
    };
  });

/** One line of the sessions' table; `ends` in the order of their severity. */
export const sessionLine = (kind: SessionKind, ends: readonly SessionEnd[]): SessionLine => {
  const frames = (name: SessionContender): readonly number[] =>
    ends.flatMap((end) => (isRight(end, name) ? (end.accepted[name]?.frame ?? []) : []));
  return {
    kind,
    count: ends.length,
    accepted: each((name) => frames(name).length),
    wrongAccepted: each((name) => ends.filter(({ accepted }) => accepted[name]?.isRight === false).length),
    framesMedian: each((name) => quantile(frames(name), 0.5)),
    framesP95: each((name) => quantile(frames(name), 0.95)),
    quarters: quartersOf(kind, ends),
  };
};
