import type { Point } from "../decoder.ts";
import type { Luma } from "../luma.ts";
import type { BarRegion } from "./bar-regions.ts";

/** How a region is sampled. */
export interface StripOptions {
  /** Lines across the bars. */
  readonly lines: number;
  /** Pixels along the bars that one line averages: more reduces noise, but blurs bars that are bent or not parallel. */
  readonly thicknessPx: number;
  /** Samples a pixel across the bars. */
  readonly scale: number;
  /** Share of the region's height that the lines are spread over; 0.8 by default. */
  readonly spread?: number;
}

/** Lines across the bars of a region, as a picture of their own. */
export interface Strip {
  readonly luma: Luma;
  /** Where a point of `luma` lies in the picture. */
  readonly toFrame: (x: number, y: number) => Point;
}

/** Quiet zone that is sampled on each side: a share of the length plus a few pixels. */
const quietShare = 0.12;
const quietPx = 14;
const linesSpread = 0.8;
/** Most rows of samples in one line: more take longer and reduce little more noise. */
const rowsAveragedMax = 8;

/** Lines across the bars of a region, straightened: bilinear samples, averaged along the bars. */
export const stripOf = ({ data, width, height }: Luma, region: BarRegion, wish: StripOptions): Strip => {
  const { lines, thicknessPx, scale, spread = linesSpread } = wish;
  const angle = (region.degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const half = region.length / 2 + region.length * quietShare + quietPx;
  const samples = Math.ceil(2 * half * scale);
  const pitch = (region.height * spread) / lines;
  const rows = Math.max(1, Math.min(rowsAveragedMax, Math.round(thicknessPx)));
  const rowPitch = thicknessPx / rows;
  const out = new Uint8ClampedArray(samples * lines);
  const sums = new Float32Array(samples);
  const vOf = (line: number): number => (line + 0.5 - lines / 2) * pitch;
  const slope = region.slope;
  const [stepX, stepY] = [(cos - slope * sin) / scale, (sin + slope * cos) / scale];
  const [xMax, yMax] = [width - 1.001, height - 1.001];
  for (let line = 0; line < lines; line += 1) {
    sums.fill(0);
    for (let row = 0; row < rows; row += 1) {
      const v = vOf(line) + (row - (rows - 1) / 2) * rowPitch;
      let x = region.center.x - half * (cos - slope * sin) - v * sin;
      let y = region.center.y - half * (sin + slope * cos) + v * cos;
      for (let at = 0; at < samples; at += 1, x += stepX, y += stepY) {
        const px = x < 0 ? 0 : x > xMax ? xMax : x;
        const py = y < 0 ? 0 : y > yMax ? yMax : y;
        const left = px | 0;
        const top = py | 0;
        const dx = px - left;
        const dy = py - top;
        const here = top * width + left;
        const a = data[here] ?? 0;
        const c = data[here + width] ?? 0;
        const upper = a + ((data[here + 1] ?? 0) - a) * dx;
        const lower = c + ((data[here + width + 1] ?? 0) - c) * dx;
        sums[at] = (sums[at] ?? 0) + upper + (lower - upper) * dy;
      }
    }
    for (let at = 0; at < samples; at += 1) out[line * samples + at] = (sums[at] ?? 0) / rows;
  }
  return {
    luma: { data: out, width: samples, height: lines },
    toFrame: (x, y) => {
      const u = x / scale - half;
      const v = vOf(y - 0.5) + slope * u;
      return { x: region.center.x + u * cos - v * sin, y: region.center.y + u * sin + v * cos };
    },
  };
};
