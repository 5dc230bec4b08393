import type { Luma } from "./luma.ts";

/** Cells along the longer side of the picture. */
const cellsMax = 80;
const cellPxMin = 6;

/** The structure tensor of a picture, cell by cell. */
export interface Cells {
  readonly columns: number;
  readonly rows: number;
  readonly cellPx: number;
  /** Mean products of the gradient: x², y² and xy. */
  readonly xx: Float32Array;
  readonly yy: Float32Array;
  readonly xy: Float32Array;
}

const measure = ({ data, width, height }: Luma): Cells => {
  const cellPx = Math.max(cellPxMin, Math.round(Math.max(width, height) / cellsMax));
  const columns = Math.ceil(width / cellPx);
  const rows = Math.ceil(height / cellPx);
  const xx = new Float32Array(columns * rows);
  const yy = new Float32Array(columns * rows);
  const xy = new Float32Array(columns * rows);
  const step = Math.max(1, Math.min(3, Math.floor(cellPx / 4)));
  for (let y = 1; y < height - 1; y += step) {
    let cell = Math.floor(y / cellPx) * columns;
    for (let x = 1; x < width - 1; cell += 1) {
      let [sumX, sumY, sumCross] = [0, 0, 0];
      const end = Math.min(width - 1, x - (x % cellPx) + cellPx);
      for (; x < end; x += step) {
        const here = y * width + x;
        const above = here - width;
        const below = here + width;
        const a = data[above - 1] ?? 0;
        const b = data[above + 1] ?? 0;
        const c = data[below - 1] ?? 0;
        const d = data[below + 1] ?? 0;
        const across = b + d - a - c + 2 * ((data[here + 1] ?? 0) - (data[here - 1] ?? 0));
        const down = c + d - a - b + 2 * ((data[below] ?? 0) - (data[above] ?? 0));
        sumX += across * across;
        sumY += down * down;
        sumCross += across * down;
      }
      xx[cell] = (xx[cell] ?? 0) + sumX;
      yy[cell] = (yy[cell] ?? 0) + sumY;
      xy[cell] = (xy[cell] ?? 0) + sumCross;
    }
  }
  const samples = 16 * Math.ceil(cellPx / step) ** 2;
  for (const sums of [xx, yy, xy]) for (let at = 0; at < sums.length; at += 1) sums[at] = (sums[at] ?? 0) / samples;
  return { columns, rows, cellPx, xx, yy, xy };
};

/** Averages each cell with its neighbours: a wide bar fills a cell, and noise has no direction on average. */
const smoothed = (values: Float32Array, columns: number, rows: number): Float32Array => {
  const out = new Float32Array(values.length);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      let sum = 0;
      for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y += 1) {
        for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x += 1) {
          sum += values[y * columns + x] ?? 0;
        }
      }
      out[row * columns + column] = sum / 9;
    }
  }
  return out;
};

const measured = new WeakMap<Luma, Cells>();

/** The smoothed cells of a picture, measured once a picture: about 2 ms at 1280×720. */
export const gradientCells = (luma: Luma): Cells => {
  const before = measured.get(luma);
  if (before) return before;
  const { xx, yy, xy, ...size } = measure(luma);
  const [columns, rows] = [size.columns, size.rows];
  const cells = {
    ...size,
    xx: smoothed(xx, columns, rows),
    yy: smoothed(yy, columns, rows),
    xy: smoothed(xy, columns, rows),
  };
  measured.set(luma, cells);
  return cells;
};
