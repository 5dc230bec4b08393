import type { Luma } from "../luma.ts";
import type { Finder } from "./finders.ts";
import { inset, knownPattern, sides } from "./pattern.ts";
import { measureFit, refineGrid } from "./refine-grid.ts";
import { type Grid, sampleGrid } from "./sample-grid.ts";

const sideMax = 29;
const moduleMissMax = 1.25;
const moduleRatioMax = 1.4;
const sideRatioMax = 1.35;
const cosineMax = 0.3;

/** x and y of a finder's middle. */
type Corner = readonly [number, number];

/** Whether three finders can be those of one code: a right angle in perspective, clockwise, of similar size. */
const isAngle = (a: Finder, b: Finder, c: Finder): boolean => {
  const [ux, uy, vx, vy] = [b.x - a.x, b.y - a.y, c.x - a.x, c.y - a.y];
  const [u, v] = [Math.hypot(ux, uy), Math.hypot(vx, vy)];
  if (ux * vy - uy * vx <= 0 || Math.abs(ux * vx + uy * vy) > cosineMax * u * v) return false;
  return u <= sideRatioMax * v && v <= sideRatioMax * u && hasSimilarSize(b, c);
};

const hasSimilarSize = (a: Finder, b: Finder): boolean =>
  a.module <= b.module * moduleRatioMax && b.module <= a.module * moduleRatioMax;

/** The positions of a hidden third finder, given two: these are the upper two, the left two, or the diagonal ones. */
const thirdFinders = (a: Finder, b: Finder): readonly (readonly [Corner, Corner, Corner])[] => {
  const [x, y] = [b.x - a.x, b.y - a.y];
  const [from, to]: readonly Corner[] = [
    [a.x, a.y],
    [b.x, b.y],
  ];
  if (!from || !to) return [];
  return [
    [from, to, [a.x - y, a.y + x]],
    [from, [a.x + y, a.y - x], to],
    [[(a.x + b.x + y) / 2, (a.y + b.y - x) / 2], from, to],
  ];
};

/** The middles of three finders (top left, top right, bottom left), and the module size that they suggest. */
interface Guess {
  readonly middles: readonly [Corner, Corner, Corner];
  readonly module: number;
}

const guessesOf = (finders: readonly Finder[]): readonly Guess[] =>
  finders.flatMap((a) =>
    finders.flatMap((b): readonly Guess[] => {
      if (a === b || !hasSimilarSize(a, b)) return [];
      const seen = finders.filter((c) => c !== a && c !== b && hasSimilarSize(a, c) && isAngle(a, b, c));
      const whole = seen.map((c): readonly [Corner, Corner, Corner] => [
        [a.x, a.y],
        [b.x, b.y],
        [c.x, c.y],
      ]);
      return [...whole, ...thirdFinders(a, b)].map((middles) => ({ middles, module: (a.module + b.module) / 2 }));
    }),
  );

const triedMax = 2;
const guessMin = 0.25;

/** The grid that fits best among all that the finders span; null where none fits. */
export const findGrid = (luma: Luma, finders: readonly Finder[]): Grid | null => {
  const guesses: { readonly grid: Grid; readonly module: number }[] = [];
  const greys = new Float32Array(sideMax * sideMax);
  for (const guess of guessesOf(finders)) {
    const [a, b, c] = guess.middles;
    const long = (Math.hypot(b[0] - a[0], b[1] - a[1]) + Math.hypot(c[0] - a[0], c[1] - a[1])) / 2;
    const corners = Float64Array.of(...a, ...b, ...c, b[0] + c[0] - a[0], b[1] + c[1] - a[1]);
    for (const side of sides) {
      const module = long / (side - 2 * inset);
      if (module > guess.module * moduleMissMax || guess.module > module * moduleMissMax) continue;
      const view = greys.subarray(0, side * side);
      sampleGrid(luma, { side, corners }, view);
      const { fit } = measureFit(view, knownPattern(side));
      if (fit > guessMin) guesses.push({ grid: { side, corners, fit }, module });
    }
  }
  guesses.sort((a, b) => b.grid.fit - a.grid.fit);
  let best: Grid | null = null;
  for (const { grid, module } of guesses.slice(0, triedMax)) {
    const better = refineGrid(luma, grid, module);
    if (!best || better.fit > best.fit) best = better;
  }
  return best;
};
