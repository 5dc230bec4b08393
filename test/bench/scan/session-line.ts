import { type Contender, contenders } from "./engines.ts";
import type { SessionEnd, SessionKind } from "./sessions.ts";
import { type Counts, quantile, zeros } from "./tally.ts";

/** A part of the severity, from mild to severe. */
export interface Quarter {
  readonly severity: readonly [number, number];
  readonly count: number;
  readonly accepted: Counts;
  readonly byAny: number;
}

export interface SessionLine {
  readonly kind: SessionKind;
  readonly count: number;
  readonly accepted: Counts;
  readonly wrongAccepted: Counts;
  /** Frames to the first accepted text, of those accepted. */
  readonly framesMedian: Counts;
  readonly framesP95: Counts;
  readonly quarters: readonly Quarter[];
  /** Accepted by @zxing/library with its usual settings; only hard sessions are shown to it. */
  readonly usual: number;
}

const each = (of: (name: Contender) => number): Counts =>
  Object.fromEntries(contenders.map((name) => [name, of(name)])) as Counts;

const isRight = (end: SessionEnd, name: Contender | "usual"): boolean => end.accepted[name]?.isRight === true;

const quartersOf = ({ severity: [low, high] }: SessionKind, ends: readonly SessionEnd[]): readonly Quarter[] =>
  [0, 1, 2, 3].map((quarter) => {
    const part = ends.filter((_, index) => Math.floor((4 * index) / ends.length) === quarter);
    const at = (share: number): number => low + (high - low) * share;
    return {
      severity: [at(quarter / 4), at((quarter + 1) / 4)],
      count: part.length,
      accepted: each((name) => part.filter((end) => isRight(end, name)).length),
      byAny: part.filter((end) => contenders.some((name) => isRight(end, name))).length,
    };
  });

/** One line of the sessions' table; `ends` in the order of their severity. */
export const sessionLine = (kind: SessionKind, ends: readonly SessionEnd[]): SessionLine => {
  const wrongAccepted = zeros();
  for (const { accepted } of ends) {
    for (const name of contenders) if (accepted[name]?.isRight === false) wrongAccepted[name] += 1;
  }
  const frames = (name: Contender): readonly number[] =>
    ends.flatMap((end) => (isRight(end, name) ? (end.accepted[name]?.frame ?? []) : []));
  return {
    kind,
    count: ends.length,
    accepted: each((name) => frames(name).length),
    wrongAccepted,
    framesMedian: each((name) => quantile(frames(name), 0.5)),
    framesP95: each((name) => quantile(frames(name), 0.95)),
    quarters: quartersOf(kind, ends),
    usual: ends.filter((end) => isRight(end, "usual")).length,
  };
};
