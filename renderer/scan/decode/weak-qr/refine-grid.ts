import type { Luma } from "../luma.ts";
import { knownPattern } from "./pattern.ts";
import { type Grid, sampleGrid } from "./sample-grid.ts";

/** `fit`: correlation of the greys with the function patterns. `relief`: contrast of the other modules relative to these. */
export const measureFit = (
  greys: Float32Array,
  pattern: Uint8Array,
): { readonly fit: number; readonly relief: number } => {
  let n = 0;
  let sum = 0;
  let squares = 0;
  let dark = 0;
  let darkSum = 0;
  let otherSum = 0;
  let otherSquares = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const what = pattern[at];
    const grey = greys[at] ?? 0;
    if (what === 2) {
      otherSum += grey;
      otherSquares += grey * grey;
      continue;
    }
    n += 1;
    sum += grey;
    squares += grey * grey;
    if (what === 1) {
      dark += 1;
      darkSum += grey;
    }
  }
  const variance = squares / n - (sum / n) ** 2;
  if (variance <= 0) return { fit: 0, relief: 0 };
  const fit = ((dark * sum) / n - darkSum) / Math.sqrt(variance * n * dark * (1 - dark / n));
  const others = pattern.length - n;
  const otherVariance = otherSquares / others - (otherSum / others) ** 2;
  return { fit, relief: Math.min(reliefMax, Math.sqrt(Math.max(0, otherVariance) / variance)) };
};

/** Bound on the relief: a grid between modules lowers it, and a reflection raises it beyond what modules can. */
const reliefMax = 1.2;
const reliefWeight = 0.2;

const steps = [0.7, 0.35, 0.18] as const;
const roundsMax = 3;

/** Improves a grid by hill climbing: moves each corner by parts of a module. @param module its size in pixels. */
export const refineGrid = (luma: Luma, start: Grid, module: number): Grid => {
  const { side } = start;
  const pattern = knownPattern(side);
  const greys = new Float32Array(side * side);
  const corners = start.corners.slice();
  const score = (): number => {
    sampleGrid(luma, { side, corners }, greys);
    const { fit, relief } = measureFit(greys, pattern);
    return fit + reliefWeight * relief;
  };
  let best = score();
  for (const step of steps) {
    for (let round = 0; round < roundsMax; round += 1) {
      let isBetter = false;
      for (let at = 0; at < 8; at += 1) {
        const before = corners[at] ?? 0;
        // The fourth corner is extrapolated, so perspective may move it further.
        const move = step * module * (at >= 6 ? 2 : 1);
        let chosen = before;
        for (const to of [before - move, before + move]) {
          corners[at] = to;
          const here = score();
          if (here > best) {
            best = here;
            chosen = to;
            isBetter = true;
          }
        }
        corners[at] = chosen;
      }
      if (!isBetter) break;
    }
  }
  sampleGrid(luma, { side, corners }, greys);
  return { side, corners, fit: measureFit(greys, pattern).fit };
};
