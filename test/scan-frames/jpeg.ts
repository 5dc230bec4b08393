/** What JPEG does to a grey picture, without writing one: each 8×8 block through a cosine transform, rounded, and back. */
import type { Luma } from "../../renderer/scan/decode/luma.ts";

const side = 8;

/** Annex K of the standard, luminance. */
const steps = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
  87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
];

/** Half the cosines of multiples of π/16; the fourth is scaled for the constant term as well. */
const [c1, c2, c3, c4, c5, c6, c7] = [1, 2, 3, 4, 5, 6, 7].map((at) => Math.cos((at * Math.PI) / 16) / 2) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];

/** The cosine transform of each row, by its even and odd halves, written as columns: two passes make the whole. */
const forward = (from: Float32Array, to: Float32Array): void => {
  for (let row = 0; row < side; row += 1) {
    const at = row * side;
    const a = from[at] ?? 0;
    const b = from[at + 1] ?? 0;
    const c = from[at + 2] ?? 0;
    const d = from[at + 3] ?? 0;
    const e = from[at + 4] ?? 0;
    const f = from[at + 5] ?? 0;
    const g = from[at + 6] ?? 0;
    const h = from[at + 7] ?? 0;
    const s0 = a + h;
    const s1 = b + g;
    const s2 = c + f;
    const s3 = d + e;
    const d0 = a - h;
    const d1 = b - g;
    const d2 = c - f;
    const d3 = d - e;
    to[row] = (s0 + s1 + s2 + s3) * c4;
    to[side + row] = d0 * c1 + d1 * c3 + d2 * c5 + d3 * c7;
    to[2 * side + row] = (s0 - s3) * c2 + (s1 - s2) * c6;
    to[3 * side + row] = d0 * c3 - d1 * c7 - d2 * c1 - d3 * c5;
    to[4 * side + row] = (s0 - s1 - s2 + s3) * c4;
    to[5 * side + row] = d0 * c5 - d1 * c1 + d2 * c7 + d3 * c3;
    to[6 * side + row] = (s0 - s3) * c6 - (s1 - s2) * c2;
    to[7 * side + row] = d0 * c7 - d1 * c5 + d2 * c3 - d3 * c1;
  }
};

/** The way back of `forward`. */
const inverse = (from: Float32Array, to: Float32Array): void => {
  for (let row = 0; row < side; row += 1) {
    const at = row * side;
    const x0 = from[at] ?? 0;
    const x1 = from[at + 1] ?? 0;
    const x2 = from[at + 2] ?? 0;
    const x3 = from[at + 3] ?? 0;
    const x4 = from[at + 4] ?? 0;
    const x5 = from[at + 5] ?? 0;
    const x6 = from[at + 6] ?? 0;
    const x7 = from[at + 7] ?? 0;
    const e0 = (x0 + x4) * c4;
    const e1 = (x0 - x4) * c4;
    const t2 = x2 * c2 + x6 * c6;
    const t6 = x2 * c6 - x6 * c2;
    const o0 = x1 * c1 + x3 * c3 + x5 * c5 + x7 * c7;
    const o1 = x1 * c3 - x3 * c7 - x5 * c1 - x7 * c5;
    const o2 = x1 * c5 - x3 * c1 + x5 * c7 + x7 * c3;
    const o3 = x1 * c7 - x3 * c5 + x5 * c3 - x7 * c1;
    to[row] = e0 + t2 + o0;
    to[side + row] = e1 + t6 + o1;
    to[2 * side + row] = e1 - t6 + o2;
    to[3 * side + row] = e0 - t2 + o3;
    to[4 * side + row] = e0 - t2 - o3;
    to[5 * side + row] = e1 - t6 - o2;
    to[6 * side + row] = e1 + t6 - o1;
    to[7 * side + row] = e0 + t2 - o0;
  }
};

/** Loses what JPEG at `quality` (1 to 100) would lose. Strips at the right and lower edge that fill no block stay as they are. */
export const jpeg = ({ data, width, height }: Luma, quality: number): Luma => {
  const scale = quality < 50 ? 50 / quality : (200 - 2 * quality) / 100;
  const table = Float32Array.from(steps, (step) => Math.max(1, Math.round(step * scale)));
  const out = new Uint8ClampedArray(data);
  const block = new Float32Array(side * side);
  const other = new Float32Array(side * side);
  for (let top = 0; top + side <= height; top += side) {
    for (let left = 0; left + side <= width; left += side) {
      for (let at = 0; at < block.length; at += 1) {
        block[at] = (data[(top + (at >> 3)) * width + left + (at & 7)] ?? 0) - 128;
      }
      forward(block, other);
      forward(other, block);
      for (let at = 0; at < block.length; at += 1) {
        const step = table[at] ?? 1;
        block[at] = Math.round((block[at] ?? 0) / step) * step;
      }
      inverse(block, other);
      inverse(other, block);
      for (let at = 0; at < block.length; at += 1) {
        out[(top + (at >> 3)) * width + left + (at & 7)] = (block[at] ?? 0) + 128;
      }
    }
  }
  return { data: out, width, height };
};
