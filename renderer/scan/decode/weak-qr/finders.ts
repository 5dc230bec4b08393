import type { Luma } from "../luma.ts";

/** A candidate for a finder pattern: its middle and module size in samples, and its correlation, 0 to 1. */
export interface Finder {
  readonly x: number;
  readonly y: number;
  readonly module: number;
  readonly fit: number;
}

const modulePxMin = 1.2;
const moduleStep = 1.18;
/** The smallest QR code's modules each way. */
const sideMin = 21;
const fitMin = 0.42;
const findersMax = 7;

/** Integral images of the greys and of their squares, with a row and a column of zeros before. */
const sumsOf = ({ data, width, height }: Luma) => {
  const stride = width + 1;
  const sums = new Int32Array(stride * (height + 1));
  const squares = new Float64Array(stride * (height + 1));
  for (let y = 0; y < height; y += 1) {
    let sum = 0;
    let square = 0;
    for (let x = 0, at = (y + 1) * stride + 1; x < width; x += 1, at += 1) {
      const grey = data[y * width + x] ?? 0;
      sum += grey;
      square += grey * grey;
      sums[at] = (sums[at - stride] ?? 0) + sum;
      squares[at] = (squares[at - stride] ?? 0) + square;
    }
  }
  return { sums, squares, stride };
};

/**
 * Finds finder patterns by correlation at every position and size: a dark square of 3 modules, a light ring, a dark ring, and
 * the light around, each by its sum alone, so that noise averages out. @param scale samples a pixel. @returns seven at most.
 */
export const findersIn = (luma: Luma, scale: number): readonly Finder[] => {
  const { width, height } = luma;
  const { sums, squares, stride } = sumsOf(luma);
  /** The sum of the square that reaches `reach` pixels each way from the pixel whose upper left sum is `at`. */
  const box = (of: Int32Array | Float64Array, at: number, reach: number): number => {
    const bottom = at + (reach + 1) * stride;
    const top = at - reach * stride;
    const right = reach + 1;
    return (of[bottom + right] ?? 0) - (of[bottom - reach] ?? 0) - (of[top + right] ?? 0) + (of[top - reach] ?? 0);
  };
  const hits: Finder[] = [];
  const moduleMax = Math.max(width, height) / sideMin;
  for (let module = modulePxMin * scale; module <= moduleMax; module *= moduleStep) {
    // A box of r pixels each way is 2r + 1 wide.
    const reaches = [1.5, 2.5, 3.5, 4.5].map((modules) => Math.max(0, Math.round(modules * module - 0.5)));
    const [r1, r2, r3, r4] = reaches as [number, number, number, number];
    const [n1, n2, n3, n4] = reaches.map((reach) => (2 * reach + 1) ** 2) as [number, number, number, number];
    const light = n4 - n3 + n2 - n1;
    const share = light / n4;
    const spread = share * (1 - share) * n4;
    const step = Math.max(1, Math.round(0.5 * module));
    for (let y = r4; y < height - r4; y += step) {
      for (let x = r4, at = y * stride + x; x < width - r4; x += step, at += step) {
        const s1 = box(sums, at, r1);
        const s2 = box(sums, at, r2);
        // The middle must be darker than the ring around it, and that lighter than the next: most positions fail here.
        const ring = (s2 - s1) / (n2 - n1);
        if (s1 > n1 * ring) continue;
        const s3 = box(sums, at, r3);
        if (s3 - s2 > (n3 - n2) * ring) continue;
        const s4 = box(sums, at, r4);
        const product = s4 - s3 + s2 - s1 - share * s4;
        const variance = box(squares, at, r4) - (s4 * s4) / n4;
        if (product <= 0 || variance <= 0) continue;
        const fit = product / Math.sqrt(variance * spread);
        if (fit >= fitMin) hits.push({ x: x + 0.5, y: y + 0.5, module, fit });
      }
    }
  }
  hits.sort((a, b) => b.fit - a.fit);
  const best: Finder[] = [];
  for (const hit of hits) {
    if (best.length >= findersMax) break;
    if (best.some(({ x, y, module }) => Math.max(Math.abs(x - hit.x), Math.abs(y - hit.y)) < 3.5 * module)) continue;
    best.push(hit);
  }
  return best;
};
