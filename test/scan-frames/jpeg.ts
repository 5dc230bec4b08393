/** What JPEG does to a grey picture, without writing one: each 8×8 block through a cosine transform, rounded, and back. */
import type { Luma } from "../../renderer/scan/decode/luma.ts";

const side = 8;

/** Annex K of the standard, luminance. */
const steps = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
  87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
];

const cosines = Float32Array.from({ length: side * side }, (_, at) => {
  const frequency = Math.floor(at / side);
  const scale = frequency === 0 ? Math.sqrt(1 / side) : Math.sqrt(2 / side);
  return scale * Math.cos(((2 * (at % side) + 1) * frequency * Math.PI) / (2 * side));
});

/** One pass of the transform over the block's rows, written as columns: two passes make the whole. */
const pass = (from: Float32Array, to: Float32Array, back: boolean): void => {
  for (let row = 0; row < side; row += 1) {
    for (let out = 0; out < side; out += 1) {
      let sum = 0;
      for (let at = 0; at < side; at += 1) {
        sum += (from[row * side + at] ?? 0) * (cosines[back ? at * side + out : out * side + at] ?? 0);
      }
      to[out * side + row] = sum;
    }
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
      pass(block, other, false);
      pass(other, block, false);
      for (let at = 0; at < block.length; at += 1) {
        const step = table[at] ?? 1;
        block[at] = Math.round((block[at] ?? 0) / step) * step;
      }
      pass(block, other, true);
      pass(other, block, true);
      for (let at = 0; at < block.length; at += 1) {
        out[(top + (at >> 3)) * width + left + (at & 7)] = (block[at] ?? 0) + 128;
      }
    }
  }
  return { data: out, width, height };
};
