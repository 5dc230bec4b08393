import type { Luma } from "./luma.ts";

const sampleStep = 4;
const binDegrees = 3;
const bins = 180 / binDegrees;
/** Weighted grey levels across two pixels that count as an edge: four times the step itself. */
const edgeMin = 60;
/** Share of all edges that must have one direction: bars have, other things on a counter have not. */
const shareMin = 0.2;

const measured = new WeakMap<Luma, number | null>();

/**
 * The dominant direction of edges in the middle of a picture, in degrees from upright bars, -90 to 90; null where there is none.
 * It saves trying all tilts. Measured once a picture, since both decoders use it.
 */
export const barTilt = (luma: Luma): number | null => {
  const before = measured.get(luma);
  if (before !== undefined) return before;
  const tilt = measure(luma);
  measured.set(luma, tilt);
  return tilt;
};

const measure = ({ data, width, height }: Luma): number | null => {
  const weights = new Float64Array(bins);
  let total = 0;
  const marginX = Math.floor(width / 10);
  const marginY = Math.floor(height / 10);
  for (let y = marginY; y < height - marginY; y += sampleStep) {
    for (let x = marginX; x < width - marginX; x += sampleStep) {
      const here = y * width + x;
      const above = here - width;
      const below = here + width;
      // Sobel: over one pixel to each side, for bars may be two pixels wide.
      const left = (data[above - 1] ?? 0) + 2 * (data[here - 1] ?? 0) + (data[below - 1] ?? 0);
      const right = (data[above + 1] ?? 0) + 2 * (data[here + 1] ?? 0) + (data[below + 1] ?? 0);
      const top = (data[above - 1] ?? 0) + 2 * (data[above] ?? 0) + (data[above + 1] ?? 0);
      const bottom = (data[below - 1] ?? 0) + 2 * (data[below] ?? 0) + (data[below + 1] ?? 0);
      const across = right - left;
      const down = bottom - top;
      const strength = across * across + down * down;
      if (strength < edgeMin * edgeMin) continue;
      const degrees = (Math.atan2(down, across) * 180) / Math.PI + 180;
      const bin = Math.round(degrees / binDegrees) % bins;
      const weight = Math.sqrt(strength);
      weights[bin] = (weights[bin] ?? 0) + weight;
      total += weight;
    }
  }
  // Five bins together: bars seen from the side do not all face the same way.
  const around = (bin: number): number =>
    [-2, -1, 0, 1, 2].reduce((sum, by) => sum + (weights[(bin + by + bins) % bins] ?? 0), 0);
  let best = 0;
  for (let bin = 1; bin < bins; bin += 1) if (around(bin) > around(best)) best = bin;
  if (total === 0 || around(best) < shareMin * total) return null;
  // Their mean is finer than a bin.
  const pull = [-2, -1, 1, 2].reduce((sum, by) => sum + by * (weights[(best + by + bins) % bins] ?? 0), 0);
  const degrees = (best + pull / around(best)) * binDegrees;
  return degrees > 90 ? degrees - 180 : degrees;
};
