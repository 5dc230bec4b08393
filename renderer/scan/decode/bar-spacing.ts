import { crop, type Luma } from "./luma.ts";
import { averageRows } from "./luma-turns.ts";

/** A row of bars, as far as edges tell. In pixels. */
interface Bars {
  readonly from: number;
  readonly to: number;
  readonly edges: number;
}

const rowsAveraged = 8;
/** Heights at which the picture is looked at. */
const heights = [0.3, 0.4, 0.5, 0.6, 0.7] as const;
const swingMin = 22;
/** Edges further apart than this, as a share of the width, do not belong to one code. */
const gapShareMax = 0.045;
const edgesMin = 24;
/** Mean width of a bar or space: below this many pixels no decoder tells them apart; above this share of the width a code does not fit. */
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

/** Whether there are bars that are too near or too far to be read; null where there are none, or they have a good size. */
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
