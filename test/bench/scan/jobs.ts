/** The bench in pieces that any thread can do. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { Engines, SessionContender } from "./engines.ts";
import { runSession, type SessionEnd, sessionKinds } from "./sessions.ts";
import { frameLine, type LineWish, lineWishes, withoutCode } from "./single-frames.ts";
import { type Line, Times } from "./tally.ts";

/** A piece of work that needs nothing of another one: plain data, so that a thread can be sent it. */
export type Job =
  | { readonly kind: "line"; readonly wish: LineWish }
  | { readonly kind: "empty"; readonly from: number; readonly to: number }
  | {
      readonly kind: "session";
      readonly of: number;
      readonly index: number;
      readonly count: number;
      readonly by: readonly SessionContender[];
    };

/** A job's result with the times it took, as plain data. */
export type Done = { readonly times: ReturnType<Times["entries"]> } & (
  | { readonly kind: "line"; readonly line: Line }
  | { readonly kind: "empty"; readonly line: Line }
  | { readonly kind: "session"; readonly of: number; readonly index: number; readonly end: SessionEnd }
);

/** How much is played; each number is per line or per kind of session. */
export interface Sizes {
  readonly frames: number;
  readonly sessions: number;
  readonly empty: number;
  /** Who reads the sessions. */
  readonly by: readonly SessionContender[];
}

const emptyPerJob = 40;

/** All jobs of a run, in the order of the report. */
export const jobsOf = ({ frames, sessions, empty, by }: Sizes): readonly Job[] => [
  ...lineWishes(frames).map((wish) => ({ kind: "line", wish }) as const),
  ...Array.from({ length: Math.ceil(empty / emptyPerJob) }, (_, part) => {
    const from = part * emptyPerJob;
    return { kind: "empty", from, to: Math.min(empty, from + emptyPerJob) } as const;
  }),
  ...sessionKinds.flatMap((_, of) =>
    Array.from({ length: sessions }, (_, index) => ({ kind: "session", of, index, count: sessions, by }) as const),
  ),
];

/** Does one job on the thread that calls it. */
export const doJob = async (engines: Engines, job: Job): Promise<Done> => {
  const times = new Times();
  switch (job.kind) {
    case "line": {
      const line = await frameLine(engines, job.wish, times);
      return { kind: "line", line, times: times.entries() };
    }
    case "empty": {
      const line = await withoutCode(engines, job.from, job.to, times);
      return { kind: "empty", line, times: times.entries() };
    }
    case "session": {
      const kind = sessionKinds[job.of];
      if (!kind) throw new RangeError(`no kind of session has the number ${job.of}`);
      const end = await runSession(engines, kind, job, times);
      return { kind: "session", of: job.of, index: job.index, end, times: times.entries() };
    }
    default:
      return assertNever(job);
  }
};
