import type { Point } from "./decoder.ts";
import type { Luma } from "./luma.ts";
import { tiltAt } from "./luma-rotation.ts";

/** Lines across the bars: as many as a reader of linear codes uses. */
const linesInBand = 16;
/** Bars that are tilted more than this are read after a rotation by 90°. */
export const tiltMaxDegrees = 45;
/** Distance from the first to the last line, as a share of the picture's height. */
const bandShare = 0.36;

/** Lines across a picture, each averaged from several of its rows. */
export interface RowBand {
  /** One row for each line. */
  readonly luma: Luma;
  /** Where a point of `luma` lies in the picture. */
  readonly toFrame: (x: number, y: number) => Point;
}

/** Where a band of lines lies, and how they are averaged. */
export interface BandOptions {
  /** Height of the band's middle where it crosses the picture's middle column, in pixels. */
  readonly middleY: number;
  /** Rows that are averaged into one line, against noise. */
  readonly rows: number;
  /** Tilt of the lines; the bars have the same. */
  readonly degrees: number;
}

/**
 * Lines across tilted bars, straightened: much cheaper than a rotation, and only where a reader needs them.
 */
export const rowBand = ({ data, width, height }: Luma, { middleY, rows, degrees }: BandOptions): RowBand => {
  const pitch = Math.max(1, Math.round((height * bandShare) / linesInBand));
  const top = Math.round(middleY - (pitch * (linesInBand - 1) + rows) / 2);
  const out = new Uint8ClampedArray(width * linesInBand);
  const down = Int32Array.from({ length: width }, (_, x) => tiltAt(x, width, degrees));
  const sums = new Uint16Array(width);
  const last = height - 1;
  for (let line = 0; line < linesInBand; line += 1) {
    sums.fill(rows >> 1);
    for (let row = 0; row < rows; row += 1) {
      const start = top + line * pitch + row;
      const lean = -tiltAt(row + 0.5, rows, degrees);
      const [low, high] = [
        start + Math.min(down[0] ?? 0, down[width - 1] ?? 0),
        start + Math.max(down[0] ?? 0, down[width - 1] ?? 0),
      ];
      // Only lines near an edge of the picture can leave it.
      const inside = low >= 0 && high <= last;
      const from = Math.max(0, -lean);
      const to = Math.min(width, width - lean);
      for (let x = 0; x < width; x += 1) {
        const y = start + (down[x] ?? 0);
        const sourceY = inside ? y : Math.max(0, Math.min(last, y));
        const sourceX = x < from ? 0 : x >= to ? width - 1 : x + lean;
        sums[x] = (sums[x] ?? 0) + (data[sourceY * width + sourceX] ?? 0);
      }
    }
    for (let x = 0; x < width; x += 1) out[line * width + x] = (sums[x] ?? 0) / rows;
  }
  return {
    luma: { data: out, width, height: linesInBand },
    toFrame: (x, y) => ({ x, y: top + y * pitch + rows / 2 + tiltAt(x, width, degrees) }),
  };
};
