import type { Luma } from "../../luma.ts";
import type { BarRegion } from "../bar-regions.ts";
import { type Strip, stripOf } from "../strip.ts";

/** The greys across the bars of a region as one line, kept as prefix sums, so that the mean of any range is cheap. */
export interface Profile {
  readonly sums: Float64Array;
  /** Samples a pixel. */
  readonly scale: number;
  readonly toFrame: Strip["toFrame"];
}

const bands = 7;
const bandShare = 0.11;
const bandPxMax = 40;
/** Most samples by which each half of a band is shifted against the band beside it: in perspective bars fan out. */
const shiftMax = 3;
/** Bands below this correlation lie beside the bars, such as on the text under them. */
const correlationMin = 0.35;
const doubledBelowPx = 700;

const sumsOf = (line: Float32Array): Float64Array => {
  const sums = new Float64Array(line.length + 1);
  for (let at = 0; at < line.length; at += 1) sums[at + 1] = (sums[at] ?? 0) + (line[at] ?? 0);
  return sums;
};

/** Correlation of a part of a band, moved by `shift`, with the sum of those before. */
const correlation = (sum: Float32Array, band: Uint8ClampedArray, [from, to]: Part, shift: number): number => {
  let [n, a, b, aa, bb, ab] = [0, 0, 0, 0, 0, 0];
  for (let at = Math.max(from, -shift); at < to && at + shift < band.length; at += 2) {
    const x = sum[at] ?? 0;
    const y = band[at + shift] ?? 0;
    n += 1;
    a += x;
    b += y;
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  const spread = (n * aa - a * a) * (n * bb - b * b);
  return spread > 0 ? (n * ab - a * b) / Math.sqrt(spread) : 0;
};

type Part = readonly [number, number];

/** The shift near `around` at which a part fits best, and how well it does. */
const bestShift = (sum: Float32Array, band: Uint8ClampedArray, part: Part, around: number) => {
  let [shift, fit] = [around, -1];
  for (let by = around - shiftMax; by <= around + shiftMax; by += 1) {
    const fitHere = correlation(sum, band, part, by);
    if (fitHere > fit) [shift, fit] = [by, fitHere];
  }
  return { shift, fit };
};

/** Averages the whole height of the bars, band by band, each aligned first: reduces noise without blurring narrow bars. */
export const profileOf = (luma: Luma, region: BarRegion): Profile => {
  const scale = region.length < doubledBelowPx ? 2 : 1;
  const thicknessPx = Math.max(1, Math.min(bandPxMax, region.height * bandShare));
  const strip = stripOf(luma, region, { lines: bands, thicknessPx, scale });
  const { width } = strip.luma;
  const middle = bands >> 1;
  const bandAt = (at: number): Uint8ClampedArray => strip.luma.data.subarray(at * width, (at + 1) * width);
  const sum = Float32Array.from(bandAt(middle));
  const [left, right]: readonly Part[] = [
    [0, width >> 1],
    [width >> 1, width],
  ];
  for (const side of [-1, 1]) {
    let [shiftLeft, shiftRight] = [0, 0];
    for (let away = 1; away <= middle; away += 1) {
      const band = bandAt(middle + side * away);
      const a = bestShift(sum, band, left ?? [0, 0], shiftLeft);
      const b = bestShift(sum, band, right ?? [0, 0], shiftRight);
      if (Math.max(a.fit, b.fit) < correlationMin) break;
      [shiftLeft, shiftRight] = [a.shift, b.shift];
      const growth = (2 * (shiftRight - shiftLeft)) / width;
      for (let x = 0; x < width; x += 1) {
        const from = Math.max(0, Math.min(width - 1.001, x + shiftLeft + growth * (x - width / 4)));
        const here = band[from | 0] ?? 0;
        sum[x] = (sum[x] ?? 0) + here + ((band[(from | 0) + 1] ?? here) - here) * (from - (from | 0));
      }
    }
  }
  return { sums: sumsOf(sum), scale, toFrame: strip.toFrame };
};

/** The profile read from the other end. */
export const reversed = (profile: Profile): Profile => {
  const { sums } = profile;
  const last = sums.length - 1;
  const whole = sums[last] ?? 0;
  const backwards = sums.map((_, at) => whole - (sums[last - at] ?? 0));
  return { ...profile, sums: backwards, toFrame: (x, y) => profile.toFrame(last - x, y) };
};

/** The mean grey between two positions in samples, which may be fractions. */
export const meanOf = (sums: Float64Array, from: number, to: number): number => {
  const last = sums.length - 1;
  const at = (x: number): number => {
    const inside = x < 0 ? 0 : x > last ? last : x;
    const left = inside | 0;
    const here = sums[left] ?? 0;
    return here + ((sums[left + 1] ?? here) - here) * (inside - left);
  };
  const a = Math.max(0, Math.min(last - 1, from));
  const b = Math.max(1, Math.min(last, to));
  return b > a ? (at(b) - at(a)) / (b - a) : at(b) - at(b - 1);
};
