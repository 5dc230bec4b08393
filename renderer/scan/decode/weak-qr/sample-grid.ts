import type { Luma } from "../luma.ts";
import { inset } from "./pattern.ts";

/** The position of a QR code's modules, given by the middles of its three finder patterns and the fourth corner, in samples. */
export interface Grid {
  /** Modules each way. */
  readonly side: number;
  /** x and y of the middles, top left, top right, bottom left, bottom right. */
  readonly corners: Float64Array;
  /** Correlation with the function patterns, -1 to 1. */
  readonly fit: number;
}

/** Writes the grey of each module into `into`. @param isThorough averages five samples a module. Default: its middle alone. */
export const sampleGrid = (
  { data, width, height }: Luma,
  { side, corners }: Pick<Grid, "side" | "corners">,
  into: Float32Array,
  isThorough = false,
): void => {
  const x0 = corners[0] ?? 0;
  const y0 = corners[1] ?? 0;
  const x1 = corners[2] ?? 0;
  const y1 = corners[3] ?? 0;
  const x2 = corners[4] ?? 0;
  const y2 = corners[5] ?? 0;
  const x3 = corners[6] ?? 0;
  const y3 = corners[7] ?? 0;
  // The projective transform of the unit square onto the four corners.
  const [dx1, dx2, dx3] = [x1 - x3, x2 - x3, x0 - x1 + x3 - x2];
  const [dy1, dy2, dy3] = [y1 - y3, y2 - y3, y0 - y1 + y3 - y2];
  const below = dx1 * dy2 - dx2 * dy1 || 1e-9;
  const g = (dx3 * dy2 - dx2 * dy3) / below;
  const h = (dx1 * dy3 - dx3 * dy1) / below;
  const a = x1 - x0 + g * x1;
  const b = x2 - x0 + h * x2;
  const d = y1 - y0 + g * y1;
  const e = y2 - y0 + h * y2;
  const span = side - 2 * inset;
  const quarterX = (0.22 * (x1 - x0)) / span;
  const quarterY = (0.22 * (y2 - y0)) / span;
  const [xMax, yMax] = [width - 1.001, height - 1.001];
  const grey = (x: number, y: number): number => {
    const px = x < 0 ? 0 : x > xMax ? xMax : x;
    const py = y < 0 ? 0 : y > yMax ? yMax : y;
    const left = px | 0;
    const top = py | 0;
    const here = top * width + left;
    const dx = px - left;
    const p = data[here] ?? 0;
    const q = data[here + width] ?? 0;
    const upper = p + ((data[here + 1] ?? 0) - p) * dx;
    const lower = q + ((data[here + width + 1] ?? 0) - q) * dx;
    return upper + (lower - upper) * (py - top);
  };
  for (let row = 0; row < side; row += 1) {
    const v = (row + 0.5 - inset) / span;
    for (let column = 0; column < side; column += 1) {
      const u = (column + 0.5 - inset) / span;
      const depth = g * u + h * v + 1;
      // Samples lie in the middles of pixels.
      const x = (a * u + b * v + x0) / depth - 0.5;
      const y = (d * u + e * v + y0) / depth - 0.5;
      const middle = grey(x, y);
      into[row * side + column] = isThorough
        ? (2 * middle + grey(x - quarterX, y) + grey(x + quarterX, y) + grey(x, y - quarterY) + grey(x, y + quarterY)) /
          6
        : middle;
    }
  }
};
