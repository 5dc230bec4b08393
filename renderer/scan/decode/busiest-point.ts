import type { Point } from "./decoder.ts";
import type { Luma } from "./luma.ts";

const cellPx = 32;
const sampleStep = 4;
/** Smaller steps of grey count as noise. */
const stepMin = 24;
/** Cells each way that are summed: about the size of a matrix code at an arm's length. */
const reachCells = 3;

/** The point with the most edges around it, where a matrix code is likely; the picture's middle where there are none. */
export const busiestPoint = ({ data, width, height }: Luma): Point => {
  const columns = Math.ceil(width / cellPx);
  const rows = Math.ceil(height / cellPx);
  const edges = new Float64Array(columns * rows);
  for (let y = 0; y < height - 2; y += sampleStep) {
    for (let x = 0; x < width - 2; x += sampleStep) {
      const at = y * width + x;
      const here = data[at] ?? 0;
      const across = Math.abs(here - (data[at + 2] ?? here));
      const down = Math.abs(here - (data[at + 2 * width] ?? here));
      // Both ways: stripes and bars, which go one way, are no matrix.
      const both = Math.min(across, down) * 2 + Math.max(across, down);
      const cell = Math.floor(y / cellPx) * columns + Math.floor(x / cellPx);
      if (both > stepMin) edges[cell] = (edges[cell] ?? 0) + both;
    }
  }
  let best = 0;
  let middle = { x: width / 2, y: height / 2 };
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      let [sum, sumX, sumY] = [0, 0, 0];
      for (let y = Math.max(0, row - reachCells); y <= Math.min(rows - 1, row + reachCells); y += 1) {
        for (let x = Math.max(0, column - reachCells); x <= Math.min(columns - 1, column + reachCells); x += 1) {
          const weight = edges[y * columns + x] ?? 0;
          sum += weight;
          sumX += weight * x;
          sumY += weight * y;
        }
      }
      if (sum <= best) continue;
      best = sum;
      middle = { x: (sumX / sum + 0.5) * cellPx, y: (sumY / sum + 0.5) * cellPx };
    }
  }
  return middle;
};
