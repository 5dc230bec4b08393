import { contenders } from "./engines.ts";
import type { SessionLine } from "./session-line.ts";
import { isHard } from "./sessions.ts";
import type { Line, Times } from "./tally.ts";

export interface Goal {
  readonly name: string;
  readonly measured: string;
  readonly met: boolean;
}

export interface Results {
  readonly lines: readonly Line[];
  readonly empty: Line;
  readonly sessions: readonly SessionLine[];
  readonly times: Times;
}

const hardShareMin = 0.75;
const ordinaryShareMin = 0.99;
const frameMsMax = 27;

const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;

/** What the scanner promises, and whether this run kept it. */
export const goalsOf = ({ lines, empty, sessions, times }: Results): readonly Goal[] => {
  const worse = lines.filter(({ read }) =>
    contenders.some((name) => name !== "pair" && name !== "zbar" && read.pair < read[name]),
  );
  const wrong =
    [...lines, empty].reduce((total, line) => total + line.wrongAccepted.pair, 0) +
    sessions.reduce((total, line) => total + line.wrongAccepted.pair, 0);
  const session = (name: string): SessionLine | undefined => sessions.find(({ kind }) => kind.name === name);
  const hard = sessions.filter(({ kind }) => isHard(kind));
  const ordinary = session("ordinary, held");
  const p95 = times.quantile(["with a code", "without a code"], "pair", 1280, 0.95);
  return [
    {
      name: "the pair reads at least as much as each of its decoders alone, on every line",
      measured: worse.length === 0 ? `all ${lines.length} lines` : `not on ${worse.length} of ${lines.length} lines`,
      met: worse.length === 0,
    },
    { name: "no wrong text accepted, in all frames and sessions", measured: `${wrong} accepted`, met: wrong === 0 },
    {
      name: `no text at all accepted on ${empty.count} frames without a code`,
      measured: `${empty.wrongAccepted.pair} accepted, ${empty.wrong.pair} given`,
      met: empty.wrongAccepted.pair === 0,
    },
    {
      name: "hard sessions accepted within 40 frames, held and passing by: 75 % or more each",
      measured: hard.map(({ accepted, count }) => share(accepted.pair, count)).join(", "),
      met: hard.length > 0 && hard.every(({ accepted, count }) => accepted.pair >= hardShareMin * count),
    },
    {
      name: "ordinary sessions accepted within 10 frames: 99 % or more",
      measured: ordinary ? share(ordinary.accepted.pair, ordinary.count) : "not run",
      met: ordinary !== undefined && ordinary.accepted.pair >= ordinaryShareMin * ordinary.count,
    },
    {
      name: `CPU for one frame of 1280×720, frames without a code included: ${frameMsMax} ms or less at p95`,
      measured: `${p95.toFixed(1)} ms`,
      met: p95 <= frameMsMax,
    },
  ];
};
