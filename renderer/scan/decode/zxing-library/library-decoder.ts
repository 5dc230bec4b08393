import { HybridBinarizer } from "@zxing/library";
import type { Symbology } from "../../../../preload/contract.ts";
import { barTilt } from "../bar-tilt.ts";
import { type Decoder, isLinear, type Read } from "../decoder.ts";
import { averageRows, averageTiltedRows, center, double, half, type Luma, rotateQuarter, tiltAt } from "../luma.ts";
import { EdgeBinarizer } from "./edge-binarizer.ts";
import { HybridRowBinarizer, LumaSource } from "./luma-source.ts";
import { readWith } from "./readers.ts";

/** Rows that are averaged into one before bars are looked for: more of them in a taller picture. */
const rowsAveraged = (luma: Luma): number => (luma.height >= 600 ? 8 : 6);
/** The middle of the frame that is doubled for QR codes: wide enough for the target frame, small enough for the budget. */
const doubledShare = { width: 0.45, height: 0.6 };

/** One way to look at a frame. */
type Attempt = (luma: Luma, symbologies: readonly Symbology[]) => Read | null;

const firstOf = (symbologies: readonly Symbology[], read: (symbology: Symbology) => Read | null): Read | null => {
  for (const symbology of symbologies) {
    const found = read(symbology);
    if (found) return found;
  }
  return null;
};

/** Bars found by their edges, in averaged rows that may run downhill. */
const edges =
  (degrees: number): Attempt =>
  (luma, symbologies) => {
    const rows = rowsAveraged(luma);
    const averaged = degrees === 0 ? averageRows(luma, rows) : averageTiltedRows(luma, rows, degrees);
    const binarizer = new EdgeBinarizer(averaged);
    const scale = binarizer.getWidth() / luma.width;
    return firstOf(symbologies.filter(isLinear), (symbology) =>
      readWith(symbology, binarizer, (x, y) => ({
        x: x / scale,
        y: (y + 0.5) * rows + tiltAt(x / scale, luma.width, degrees),
      })),
    );
  };

/** Bars found by local thresholds, for light that changes along the code. */
const hybridRows: Attempt = (luma, symbologies) => {
  const rows = 4;
  const binarizer = new HybridRowBinarizer(new LumaSource(averageRows(luma, rows)));
  return firstOf(symbologies.filter(isLinear), (symbology) =>
    readWith(symbology, binarizer, (x, y) => ({ x, y: (y + 0.5) * rows })),
  );
};

/** Bars of a code that was turned on its side, and may be tilted there by `degrees`. */
const lying =
  (degrees: number): Attempt =>
  (luma, symbologies) => {
    const found = edges(degrees)(rotateQuarter(luma), symbologies);
    return found && { ...found, outline: found.outline.map(({ x, y }) => ({ x: y, y: luma.height - 1 - x })) };
  };

/** Below this, upright rows read a code as well. */
const tiltMinDegrees = 5;

/** The attempt at bars that stand as most edges of the frame do; null where upright rows, which are tried anyway, will do. */
const asTilted = (luma: Luma, symbologies: readonly Symbology[]): Attempt | null => {
  const degrees = symbologies.some(isLinear) ? barTilt(luma) : null;
  if (degrees === null || Math.abs(degrees) < tiltMinDegrees) return null;
  if (Math.abs(degrees) <= 45) return edges(degrees);
  return lying(degrees > 0 ? degrees - 90 : degrees + 90);
};

const matrix = (of: Symbology, symbologies: readonly Symbology[], picture: Luma, scale: number, frame: Luma) => {
  if (!symbologies.includes(of)) return null;
  const left = (frame.width - picture.width / scale) / 2;
  const top = (frame.height - picture.height / scale) / 2;
  return readWith(of, new HybridBinarizer(new LumaSource(picture)), (x, y) => ({
    x: left + x / scale,
    y: top + y / scale,
  }));
};

const doubledQr: Attempt = (luma, symbologies) =>
  matrix("qr", symbologies, double(center(luma, doubledShare.width, doubledShare.height)), 2, luma);

const halved =
  (of: Symbology): Attempt =>
  (luma, symbologies) =>
    matrix(of, symbologies, half(luma), 0.5, luma);

const middle =
  (of: Symbology): Attempt =>
  (luma, symbologies) =>
    matrix(of, symbologies, center(luma, 0.6, 0.8), 1, luma);

/** Made in each frame. */
const always: readonly Attempt[] = [edges(0), doubledQr];

/** One of them a frame, in turn, and only those whose symbologies are on; the tilt that was measured takes every other turn. */
const inTurn: readonly { readonly serves: (symbology: Symbology) => boolean; readonly attempt: Attempt }[] = [
  { serves: isLinear, attempt: hybridRows },
  { serves: (symbology) => symbology === "qr", attempt: halved("qr") },
  { serves: isLinear, attempt: edges(13) },
  { serves: (symbology) => symbology === "aztec", attempt: middle("aztec") },
  { serves: isLinear, attempt: edges(-13) },
  { serves: (symbology) => symbology === "datamatrix", attempt: middle("datamatrix") },
  { serves: isLinear, attempt: lying(0) },
  { serves: (symbology) => symbology === "pdf417", attempt: middle("pdf417") },
];

/** How many turns it takes until everything was tried once. */
export const turnsMax = 2 * inTurn.length;

const alternative = (luma: Luma, symbologies: readonly Symbology[], turn: number): Attempt | undefined => {
  const tilted = asTilted(luma, symbologies);
  if (tilted && turn % 2 === 1) return tilted;
  const served = inTurn.filter(({ serves }) => symbologies.some(serves));
  return served[(tilted ? turn >> 1 : turn) % served.length]?.attempt;
};

/** @zxing/library at its best within the budget of one camera frame. */
export const libraryDecoder = (): Decoder => ({
  engine: "zxing-library",
  decode: (luma, symbologies, turn) => {
    for (const attempt of always) {
      const found = attempt(luma, symbologies);
      if (found) return [found];
    }
    const found = alternative(luma, symbologies, turn)?.(luma, symbologies);
    return found ? [found] : [];
  },
});
