import { crop, type Luma } from "./luma.ts";
import { averageRows } from "./luma-rotation.ts";

/** A run of edges in one row, in pixels. */
interface Bars {
  readonly from: number;
  readonly to: number;
  readonly edges: number;
}

const rowsAveraged = 8;
/** Heights of the measured rows, as shares of the picture's height. */
const heights = [0.3, 0.4, 0.5, 0.6, 0.7] as const;
const swingMin = 22;
/** Largest gap between two edges of one code, as a share of the picture's width. */
const gapShareMax = 0.045;
const edgesMin = 24;
/** Bounds on the mean width of a bar: too narrow for any decoder in pixels, too wide to fit as a share of the picture's width. */
const farBelowPx = 3.3;
const nearAboveShare = 6 / 1280;
const touchesWithin = 0.02;

/** The longest run of edges in one row. */
const longest = (row: Uint8ClampedArray, gapMax: number): Bars => {
  let best: Bars = { from: 0, to: 0, edges: 0 };
  let run = best;
  let extreme = row[0] ?? 0;
  let rising = true;
  for (const [x, value] of row.entries()) {
    if (rising ? value > extreme : value < extreme) extreme = value;
    else if (Math.abs(value - extreme) > swingMin) {
      run = x - run.to <= gapMax ? { from: run.from, to: x, edges: run.edges + 1 } : { from: x, to: x, edges: 1 };
      if (run.edges > best.edges) best = run;
      rising = !rising;
      extreme = value;
    }
  }
  return best;
};

/** Whether a linear code is too near or too far to be read; null where there is none, or its size is right. */
export const barDistance = (luma: Luma): "near" | "far" | null => {
  const { width, height } = luma;
  for (const share of heights) {
    const top = Math.min(height - rowsAveraged, Math.floor(height * share));
    const band = crop(luma, { left: 0, top, width, height: rowsAveraged });
    const { from, to, edges } = longest(averageRows(band, rowsAveraged).data, width * gapShareMax);
    if (edges < edgesMin) continue;
    const mean = (to - from) / edges;
    const cut = from < touchesWithin * width || to > (1 - touchesWithin) * width;
    if (mean < farBelowPx) return "far";
    if (cut && mean > nearAboveShare * width) return "near";
  }
  return null;
};
