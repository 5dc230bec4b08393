import type { Luma } from "../luma.ts";
import { knownPattern } from "./pattern.ts";

const modulePx = 3;
const quiet = 4;

/**
 * Renders modules as a clean QR code, with the function patterns as ISO/IEC 18004 has them, for a decoder to correct the rest.
 * @param dark per module, above 0 dark. @param side modules each way.
 */
export const drawQr = (dark: Float32Array, side: number): Luma => {
  const size = (side + 2 * quiet) * modulePx;
  const data = new Uint8ClampedArray(size * size).fill(255);
  const pattern = knownPattern(side);
  for (let at = 0; at < side * side; at += 1) {
    const known = pattern[at];
    if (known === 2 ? (dark[at] ?? 0) <= 0 : known === 0) continue;
    const left = (quiet + (at % side)) * modulePx;
    const top = (quiet + Math.floor(at / side)) * modulePx;
    for (let y = top; y < top + modulePx; y += 1) data.fill(0, y * size + left, y * size + left + modulePx);
  }
  return { data, width: size, height: size };
};
