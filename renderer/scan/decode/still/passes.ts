import { HybridBinarizer } from "@zxing/library";
import type { Symbology } from "../../../../preload/contract.ts";
import { halvesOf, readCode128 } from "../bars/code128/read-code128.ts";
import { type BarPass, furtherBarPasses, readBars, usualBarPasses } from "../bars/read-bars.ts";
import { regionsOf } from "../bars/regions-of.ts";
import { stripOf } from "../bars/strip.ts";
import { busiestPoint } from "../busiest-point.ts";
import type { Read } from "../decoder.ts";
import { flatten } from "../flatten.ts";
import { crop, double, half, invert, type Luma, sharpen, soften, windowAround, withMargin } from "../luma.ts";
import { rotated } from "../luma-rotation.ts";
import { LumaSource } from "../zxing-library/luma-source.ts";
import { readWith } from "../zxing-library/readers.ts";
import { thoroughOptions, type WasmOptions, type WasmReader } from "../zxing-wasm/wasm-reader.ts";

/** What a pass may use. */
export interface StillContext {
  readonly wasm: WasmReader | null;
  readonly symbologies: readonly Symbology[];
}

/** One way to read a picture. Passes with the same `way` do not confirm each other. */
export interface StillPass {
  readonly way: string;
  /** Whether the greys are as in the picture: at most rotated or enlarged. */
  readonly isUnaltered?: boolean;
  readonly read: (luma: Luma, context: StillContext) => readonly Read[];
}

/** zxing-wasm with its thorough settings, on the picture after `prepare`. */
const thorough = (way: string, prepare: (luma: Luma) => Luma, options: WasmOptions = {}): StillPass => ({
  way,
  read: (luma, { wasm, symbologies }) =>
    wasm?.read(prepare(luma), symbologies, { ...thoroughOptions, ...options }, () => ({ x: 0, y: 0 })) ?? [],
});

const unaltered = (way: string, prepare: (luma: Luma) => Luma): StillPass => ({
  ...thorough(way, prepare),
  isUnaltered: true,
});

const bars = (pass: BarPass, at: number, prepare: (luma: Luma) => Luma = (luma) => luma): StillPass => ({
  way: `bars ${at} ${pass.by}`,
  read: (luma, { wasm, symbologies }) => {
    const picture = prepare(luma);
    return regionsOf(picture).flatMap((region) => readBars(picture, region, symbologies, pass, wasm));
  },
});

/** Half of each region's bars, by maximum likelihood. */
const likelihood = (half: 0 | 1, isInverted: boolean): StillPass => ({
  way: `likelihood ${half}`,
  read: (luma, { symbologies }) =>
    symbologies.includes("code128")
      ? regionsOf(luma).flatMap((region) => readCode128({ luma, region: halvesOf(region)[half], isInverted }))
      : [],
});

const regionPxMax = 2000;

/** Regions of bars rotated upright, for PDF417, which has rows of bars. */
const turnedRegions = (scale: number): StillPass => ({
  way: `regions ${scale}`,
  isUnaltered: true,
  read: (luma, { wasm, symbologies }) =>
    regionsOf(luma).flatMap((region) => {
      const lines = Math.round(region.height * 1.3 * scale);
      if (Math.max(lines, region.length * scale) > regionPxMax) return [];
      const strip = stripOf(luma, region, { lines, thicknessPx: 1, scale, spread: 1.3 });
      return wasm?.read(strip.luma, symbologies, thoroughOptions, strip.toFrame) ?? [];
    }),
});

const busiestShare = { width: 0.45, height: 0.6 };
const doubledMaxPx = 1000;
const busiestDoubled = (luma: Luma): Luma => {
  if (Math.max(luma.width, luma.height) <= doubledMaxPx) return double(luma);
  const { x, y } = busiestPoint(luma);
  return double(crop(luma, windowAround(luma, x, y, busiestShare.width, busiestShare.height)));
};

/** Half the width of the widest dark part that is kept when glare is removed. */
const flatReachPx = 6;
const marginShare = 0.08;
const margined = (luma: Luma): Luma => withMargin(luma, Math.ceil(marginShare * Math.max(luma.width, luma.height)));

const byLibrary = (symbology: Symbology, way: string, prepare: (luma: Luma) => Luma): StillPass => ({
  way,
  read: (luma, { symbologies }) => {
    if (!symbologies.includes(symbology)) return [];
    const read = readWith(symbology, new HybridBinarizer(new LumaSource(prepare(luma))), () => ({ x: 0, y: 0 }));
    return read ? [read] : [];
  },
});

/** The cheap passes, run on every picture. */
export const firstPasses: readonly StillPass[] = [
  unaltered("whole picture", (luma) => luma),
  ...usualBarPasses.map((pass, at) => bars(pass, at)),
];

/** Further passes until a text is certain, the most effective for their time first. */
export const furtherPasses: readonly StillPass[] = [
  likelihood(0, false),
  likelihood(1, false),
  ...furtherBarPasses.map((pass, at) => bars(pass, at + usualBarPasses.length)),
  turnedRegions(1),
  unaltered("busiest part doubled", busiestDoubled),
  thorough("sharpened after softening", (luma) => sharpen(soften(luma), 3)),
  likelihood(0, true),
  likelihood(1, true),
  thorough("busiest part softened twice, sharpened and doubled", (luma) =>
    busiestDoubled(sharpen(soften(soften(luma)), 5)),
  ),
  thorough("glare taken off the busiest part", (luma) => busiestDoubled(flatten(luma, flatReachPx))),
  thorough("glare taken off the busiest part, sharpened", (luma) =>
    busiestDoubled(flatten(sharpen(soften(luma), 2), flatReachPx)),
  ),
  thorough("half size, with a margin", (luma) => margined(half(luma))),
  thorough("an eighth of the size, with a margin", (luma) => margined(half(half(half(luma))))),
  ...[...usualBarPasses, ...furtherBarPasses].map((pass, at) => bars(pass, at, half)),
  thorough("softened", soften),
  thorough("sharpened", (luma) => sharpen(luma, 1.5)),
  unaltered("turned by 45°", (luma) => rotated(luma, 45)),
  thorough("busiest part softened and doubled", (luma) => busiestDoubled(soften(luma))),
  byLibrary("qr", "library, busiest part doubled", (luma) => busiestDoubled(soften(luma))),
  byLibrary("qr", "library, whole picture", (luma) => luma),
  byLibrary("qr", "library, softened", soften),
  unaltered("doubled", (luma) => (Math.max(luma.width, luma.height) <= doubledMaxPx ? luma : double(luma))),
  unaltered("white for black", invert),
  turnedRegions(2),
  unaltered("turned by 20°", (luma) => rotated(luma, 20)),
  unaltered("turned by -20°", (luma) => rotated(luma, -20)),
  thorough("global levels", (luma) => luma, { binarizer: "GlobalHistogram" }),
];
