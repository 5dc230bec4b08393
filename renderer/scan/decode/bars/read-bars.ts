import type { Symbology } from "../../../../preload/contract.ts";
import { isLinear, type Read } from "../decoder.ts";
import { invert, type Luma } from "../luma.ts";
import { EdgeBinarizer, swingShares } from "../zxing-library/edge-binarizer.ts";
import { readWith } from "../zxing-library/readers.ts";
import type { WasmReader } from "../zxing-wasm/wasm-reader.ts";
import type { BarRegion } from "./bar-regions.ts";
import { type Strip, stripOf } from "./strip.ts";

/** One way to read the bars of a region. */
export interface BarPass {
  /** `levels`: zxing-wasm; `edges`: @zxing/library behind the edge binarizer, whose swing share is given. */
  readonly by: "levels" | "edges" | "faint edges";
  readonly lines: number;
  /** Share of the region's height that one line averages. */
  readonly thickness: number;
  /** White bars on black. */
  readonly isInverted?: boolean;
}

/** Cheap passes that are enough for most codes. */
export const usualBarPasses: readonly BarPass[] = [
  { by: "levels", lines: 10, thickness: 0.05 },
  { by: "edges", lines: 6, thickness: 0.12 },
];

/** Passes for when the usual ones read nothing: against noise, glare, blur, bent bars and white bars on black. */
export const furtherBarPasses: readonly BarPass[] = [
  { by: "levels", lines: 8, thickness: 0.14 },
  { by: "faint edges", lines: 6, thickness: 0.22 },
  { by: "levels", lines: 16, thickness: 0 },
  { by: "edges", lines: 10, thickness: 0.03 },
  { by: "levels", lines: 8, thickness: 0.08, isInverted: true },
  { by: "edges", lines: 8, thickness: 0.12, isInverted: true },
  { by: "levels", lines: 6, thickness: 0.3 },
];

/** Below this length a module is about two pixels wide, so it is sampled twice a pixel. */
const doubledBelowPx = 640;
const lineThicknessMaxPx = 40;
/** The shortest code has about as many modules, and a module needs at least a pixel. */
const lengthMinPx = 48;

const stripFor = (luma: Luma, region: BarRegion, { lines, thickness, by, isInverted }: BarPass): Strip => {
  const thicknessPx = Math.max(1, Math.min(lineThicknessMaxPx, Math.round(region.height * thickness)));
  const scale = by === "levels" && region.length < doubledBelowPx ? 2 : 1;
  const strip = stripOf(luma, region, { lines, thicknessPx, scale });
  return isInverted ? { ...strip, luma: invert(strip.luma) } : strip;
};

/** All texts that one pass finds in one region. @param wasm null: WebAssembly is not available, and passes by levels find nothing. */
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
  if (pass.by === "levels") {
    const found = wasm?.read(lines, linear, { tryHarder: true }, toFrame) ?? [];
    return found.map((read) => ({ ...read, outline: [...read.outline.slice(0, 2)] }));
  }
  const bits = new EdgeBinarizer(lines, swingShares[pass.by === "edges" ? 0 : 1]);
  const scale = bits.getWidth() / lines.width;
  return linear.flatMap((symbology) => readWith(symbology, bits, (x, y) => toFrame(x / scale, y)) ?? []);
};
