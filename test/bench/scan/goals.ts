import type { GroupResult } from "../../../tools/scan/picture-set.ts";
import type { SessionLine } from "./session-line.ts";
import { isHard } from "./sessions.ts";
import { type Line, sum, type Times } from "./tally.ts";

/** A claim, what was measured for it, and whether it holds. */
interface Goal {
  readonly name: string;
  readonly measured: string;
  readonly met: boolean;
}

/** All that a run of the bench measured. */
export interface Results {
  readonly lines: readonly Line[];
  readonly empty: Line;
  readonly sessions: readonly SessionLine[];
  readonly times: Times;
  /** Empty where the folder with photos is not there. */
  readonly photos: readonly GroupResult[];
}

const hardShareMin = 0.92;
const ordinaryShareMin = 0.99;
const frameMsMax = 27;
const ratioMin = 1.03;
const wrongPrintedMax = 1 / 1000;
/** What the still pipeline is made of, each alone with all it has. */
const parts = ["zxing-wasm thorough", "zxing-library thorough"] as const;

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;

const lineGoals = (lines: readonly Line[]): readonly Goal[] => {
  const better = lines.filter(({ read }) => parts.some((name) => read[name] > read.still));
  const all = sum(lines, ({ read }) => read);
  const best = Math.max(...parts.map((name) => all[name]));
  const ratio = all.still / best;
  return [
    {
      name: "still pictures: at least as much as each decoder in its thorough mode, on every line",
      measured: better.length === 0 ? `all ${lines.length} lines` : `not on ${better.length} of ${lines.length} lines`,
      met: better.length === 0,
    },
    {
      name: `still pictures: ${ratioMin} × the better decoder over all lines`,
      measured: `${ratio.toFixed(3)} ×`,
      met: ratio >= ratioMin,
    },
  ];
};

const photoGoals = (photos: readonly GroupResult[]): readonly Goal[] => {
  if (photos.length === 0) return [];
  const worse = photos.filter(({ ours, thorough }) => ours.read < thorough.read);
  const wrong = photos.reduce((total, { ours }) => total + ours.wrong, 0);
  const pictures = photos.reduce((total, group) => total + group.pictures, 0);
  return [
    {
      name: "photos: at least as much as zxing-wasm in its thorough mode, in every folder",
      measured: worse.length === 0 ? `all ${photos.length} folders` : `not in ${worse.length} of ${photos.length}`,
      met: worse.length === 0,
    },
    {
      name: "photos: wrong texts printed, 1 in 1,000 at most",
      measured: `${wrong} of ${pictures}`,
      met: wrong <= wrongPrintedMax * pictures,
    },
  ];
};

const sessionGoals = (sessions: readonly SessionLine[]): readonly Goal[] => {
  const hard = sessions.filter(({ kind }) => isHard(kind));
  const ordinary = sessions.filter(({ kind }) => !isHard(kind));
  const shares = (of: readonly SessionLine[]): string =>
    of.length > 0 ? of.map(({ accepted, count }) => percent(accepted.camera, count)).join(", ") : "not run";
  const reach = (of: readonly SessionLine[], least: number): boolean =>
    of.length > 0 && of.every(({ accepted, count }) => accepted.camera >= least * count);
  return [
    {
      name: "hard sessions accepted within 40 frames, held, passing by, in all directions: 92 % or more each",
      measured: shares(hard),
      met: reach(hard, hardShareMin),
    },
    {
      name: "ordinary sessions accepted, within 15 frames where held: 99 % or more each",
      measured: shares(ordinary),
      met: reach(ordinary, ordinaryShareMin),
    },
  ];
};

/** What the scanner promises, and whether this run kept it. */
export const goalsOf = ({ lines, empty, sessions, times, photos }: Results): readonly Goal[] => {
  const wrong =
    [...lines, empty].reduce((total, { wrongAccepted }) => total + wrongAccepted.camera + wrongAccepted.still, 0) +
    sessions.reduce((total, { wrongAccepted }) => total + wrongAccepted.camera, 0);
  const p95 = times.quantile(["with a code", "without a code"], "camera", 1280, 0.95);
  return [
    ...lineGoals(lines),
    ...photoGoals(photos),
    { name: "no wrong text accepted, in all frames and sessions", measured: `${wrong} accepted`, met: wrong === 0 },
    {
      name: `no text at all accepted on ${empty.count} frames without a code`,
      measured: `${empty.wrongAccepted.camera} accepted, ${empty.wrong.camera} given`,
      met: empty.wrongAccepted.camera === 0,
    },
    ...sessionGoals(sessions),
    {
      name: `camera: CPU for one frame of 1280×720, frames without a code included: ${frameMsMax} ms or less at p95`,
      measured: `${p95.toFixed(1)} ms`,
      met: p95 <= frameMsMax,
    },
  ];
};
