import type { FrameOutcome } from "./frame-reader.ts";
import { averageRows, crop, type Luma } from "./luma.ts";

type PictureFault = "dark" | "glaring" | "blurred";

const sampleStep = 4;
const darkBelow = 40;
const burntAbove = 250;
const burntShareMax = 0.45;
/** Differences over this distance are large where anything in the picture is sharp. */
const nearPx = 2;
/** Differences over this distance are large where there is something that could be sharp. */
const farPx = 16;
/** A picture is blurred when its far differences exceed `reliefMin` while its near ones stay below `blurredBelow`. */
const blurredBelow = 14;
const reliefMin = 35;

/** The 99th percentile. */
const topHundredth = (histogram: Uint32Array, samples: number): number => {
  let left = samples / 100;
  let value = 255;
  while (value > 0) {
    left -= histogram[value] ?? 0;
    if (left <= 0) break;
    value -= 1;
  }
  return value;
};

/** The worst fault of a picture, by each fourth pixel of each fourth row in its middle; null: none. About 0.3 ms at 1280×720. */
const pictureFault = ({ data, width, height }: Luma): PictureFault | null => {
  const [near, far] = [new Uint32Array(256), new Uint32Array(256)];
  let [samples, sum, burnt] = [0, 0, 0];
  for (let y = height >> 3; y < height - (height >> 3); y += sampleStep) {
    for (let x = width >> 3; x < width - (width >> 3); x += sampleStep) {
      const at = y * width + x;
      const value = data[at] ?? 0;
      const step = Math.abs(value - (data[at + nearPx] ?? value));
      const change = Math.abs(value - (data[at + farPx] ?? value));
      near[step] = (near[step] ?? 0) + 1;
      far[change] = (far[change] ?? 0) + 1;
      sum += value;
      if (value > burntAbove) burnt += 1;
      samples += 1;
    }
  }
  const some = Math.max(1, samples);
  if (sum / some < darkBelow) return "dark";
  if (burnt / some > burntShareMax) return "glaring";
  return topHundredth(near, samples) < blurredBelow && topHundredth(far, samples) > reliefMin ? "blurred" : null;
};

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

/** The longest run of edges in one row, in pixels. */
const longest = (row: Uint8ClampedArray, gapMax: number) => {
  let best = { from: 0, to: 0, edges: 0 };
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
const barDistance = (luma: Luma): "near" | "far" | null => {
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

/** Hint about a picture in which no code is read. */
export type PictureHint = PictureFault | "near" | "far";

/** Frames in a row with the same fault before a hint is shown, so that it does not flicker. */
const framesNeeded = 12;

/** Gives a hint once the picture has had the same fault for several frames without a read. */
export class Hints {
  #fault: PictureHint | null = null;
  #frames = 0;

  next(luma: Luma, outcome: FrameOutcome): PictureHint | null {
    const isUnread = outcome.kind === "nothing";
    const fault = isUnread ? (pictureFault(luma) ?? barDistance(luma)) : null;
    this.#frames = fault !== null && fault === this.#fault ? this.#frames + 1 : 1;
    this.#fault = fault;
    return fault !== null && this.#frames >= framesNeeded ? fault : null;
  }
}
