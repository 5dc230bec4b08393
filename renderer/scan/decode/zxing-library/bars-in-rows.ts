import { type Binarizer, GlobalHistogramBinarizer } from "@zxing/library";
import type { Symbology } from "../../../../preload/contract.ts";
import { isLinear, type Read } from "../decoder.ts";
import type { Luma } from "../luma.ts";
import { rowBand } from "../row-band.ts";
import { EdgeBinarizer, swingShares } from "./edge-binarizer.ts";
import { LumaSource } from "./luma-source.ts";
import { readWith } from "./readers.ts";

/** Rows that are averaged into one line before bars are looked for, as shares of the height: fewer where bars may not stand straight. */
export const rowShares = { few: 1 / 200, some: 1 / 60, many: 1 / 36 };

/** One way to look at a frame. */
export type Attempt = (luma: Luma, symbologies: readonly Symbology[], turn: number) => Read | null;

/** The first read of any of the symbologies, in their order. */
export const firstOf = (
  symbologies: readonly Symbology[],
  read: (symbology: Symbology) => Read | null,
): Read | null => {
  for (const symbology of symbologies) {
    const found = read(symbology);
    if (found) return found;
  }
  return null;
};

/** How lines across the bars are averaged and made black and white. */
export interface RowPass {
  readonly rowShare: number;
  readonly binarizer: (band: Luma) => Binarizer;
}

const byEdges = (rowShare: number, swingShare: number): RowPass => ({
  rowShare,
  binarizer: (band) => new EdgeBinarizer(band, swingShare),
});
const byLevels = (rowShare: number): RowPass => ({
  rowShare,
  binarizer: (band) => new GlobalHistogramBinarizer(new LumaSource(band)),
});

/**
 * Bars in averaged rows that may run downhill, by their edges and then by their levels: blur, noise and glare leave the edges, a screen's
 * pixels and very narrow bars leave the levels.
 */
const usualPasses = [
  byEdges(rowShares.some, swingShares[0]),
  byEdges(rowShares.many, swingShares[1]),
  byLevels(rowShares.many),
];
/** Fewer rows are noisier but blur less where the tilt is not quite right, or the bars are bent. */
export const closePasses = [
  byEdges(rowShares.few, swingShares[0]),
  byEdges(rowShares.few, swingShares[1]),
  byLevels(rowShares.some),
];

/** Bars in averaged rows across the middle of the frame that run downhill by `degrees`. */
export const barsInRows =
  (degrees: number, passes: readonly RowPass[] = usualPasses): Attempt =>
  (luma, symbologies) => {
    const linear = symbologies.filter(isLinear);
    for (const { rowShare, binarizer } of passes) {
      const rows = Math.max(2, Math.round(rowShare * luma.height));
      const band = rowBand(luma, { middleY: luma.height / 2, rows, degrees });
      const bits = binarizer(band.luma);
      const scale = bits.getWidth() / luma.width;
      const found = firstOf(linear, (symbology) => readWith(symbology, bits, (x, y) => band.toFrame(x / scale, y)));
      if (found) return found;
    }
    return null;
  };
