import type { Symbology } from "../../../preload/contract.ts";
import { isLinear, type Point, type Read } from "./frame-reader.ts";
import { greyAt, invert, type Luma, sharpen, soften } from "./luma.ts";
import type { BarRegion } from "./regions.ts";
import { readWith } from "./zxing-library.ts";
import type { WasmReader } from "./zxing-wasm.ts";

interface StripOptions {
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
export const stripOf = (luma: Luma, region: BarRegion, wish: StripOptions): Strip => {
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
  for (let line = 0; line < lines; line += 1) {
    sums.fill(0);
    for (let row = 0; row < rows; row += 1) {
      const v = vOf(line) + (row - (rows - 1) / 2) * rowPitch;
      let x = region.center.x - half * (cos - slope * sin) - v * sin;
      let y = region.center.y - half * (sin + slope * cos) + v * cos;
      for (let at = 0; at < samples; at += 1, x += stepX, y += stepY) {
        sums[at] = (sums[at] ?? 0) + greyAt(luma, x, y);
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

/** One way to read the bars of a region. */
export interface BarPass {
  readonly lines: number;
  /** Share of the region's height that one line averages. */
  readonly thickness: number;
  /** White bars on black. */
  readonly isInverted?: boolean;
  /** For blurred bars: sampled twice a pixel, and sharpened across. */
  readonly isSharpened?: boolean;
}

/** Passes for when the cheap ones read nothing: against noise, glare, blur, bent bars and white bars on black. */
export const furtherBarPasses: readonly BarPass[] = [
  { lines: 8, thickness: 0.14 },
  { lines: 16, thickness: 0.22, isSharpened: true },
  { lines: 16, thickness: 0 },
  { lines: 8, thickness: 0.22, isSharpened: true },
  { lines: 8, thickness: 0.08, isInverted: true },
  { lines: 10, thickness: 0.12, isInverted: true, isSharpened: true },
  { lines: 6, thickness: 0.3 },
];

/** Below this length a module is about two pixels wide, so it is sampled twice a pixel. */
const doubledBelowPx = 640;
const lineThicknessMaxPx = 40;
/** The shortest code has about as many modules, and a module needs at least a pixel. */
const lengthMinPx = 48;

const sharpness = 10;

const stripFor = (luma: Luma, region: BarRegion, { lines, thickness, isInverted, isSharpened }: BarPass): Strip => {
  const thicknessPx = Math.max(1, Math.min(lineThicknessMaxPx, Math.round(region.height * thickness)));
  const scale = isSharpened || region.length < doubledBelowPx ? 2 : 1;
  const strip = stripOf(luma, region, { lines, thicknessPx, scale });
  const sharp = isSharpened ? sharpen(soften(soften(strip.luma)), sharpness) : strip.luma;
  return { ...strip, luma: isInverted ? invert(sharp) : sharp };
};

/** All texts that one pass finds in one region. @param wasm null: WebAssembly is not available, and @zxing/library reads. */
export const readBars = (
  luma: Luma,
  region: BarRegion,
  symbologies: readonly Symbology[],
  pass: BarPass,
  wasm: WasmReader | null,
): readonly Read[] => {
  const linear = symbologies.filter(isLinear);
  if (linear.length === 0 || region.length < lengthMinPx) return [];
  const { luma: lines, toFrame } = stripFor(luma, region, pass);
  if (wasm === null) return linear.flatMap((symbology) => readWith(symbology, lines, toFrame) ?? []);
  const found = wasm.read(lines, linear, { tryHarder: true }, toFrame);
  return found.map((read) => ({ ...read, outline: read.outline.slice(0, 2) }));
};
