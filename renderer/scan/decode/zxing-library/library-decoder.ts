import { HybridBinarizer } from "@zxing/library";
import type { Symbology } from "../../../../preload/contract.ts";
import { type Decoder, isLinear, type Read } from "../decoder.ts";
import { averageRows, center, double, half, type Luma, rotateQuarter } from "../luma.ts";
import { EdgeBinarizer } from "./edge-binarizer.ts";
import { HybridRowBinarizer, LumaSource } from "./luma-source.ts";
import { readWith } from "./readers.ts";

/** Rows that are averaged into one before bars are looked for: more of them in a taller picture. */
const rowsAveraged = (luma: Luma): number => (luma.height >= 600 ? 8 : 6);
/** How far the sheared attempts lean. */
const leanDegrees = 14;
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

/** Bars found by their edges, in averaged rows that may lean. */
const edges =
  (degrees: number): Attempt =>
  (luma, symbologies) => {
    const rows = rowsAveraged(luma);
    const binarizer = new EdgeBinarizer(averageRows(luma, rows, degrees));
    const scale = binarizer.getWidth() / luma.width;
    return firstOf(symbologies.filter(isLinear), (symbology) =>
      readWith(symbology, binarizer, (x, y) => ({ x: x / scale, y: (y + 0.5) * rows })),
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

/** Bars of a code that was turned on its side. */
const lying: Attempt = (luma, symbologies) => {
  const found = edges(0)(rotateQuarter(luma), symbologies);
  return found && { ...found, outline: found.outline.map(({ x, y }) => ({ x: y, y: luma.height - 1 - x })) };
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
/** One of them a frame, in turn, and only those whose symbologies are on. */
const inTurn: readonly { readonly serves: (symbology: Symbology) => boolean; readonly attempt: Attempt }[] = [
  { serves: isLinear, attempt: edges(leanDegrees) },
  { serves: (symbology) => symbology === "qr", attempt: halved("qr") },
  { serves: isLinear, attempt: edges(-leanDegrees) },
  { serves: (symbology) => symbology === "aztec", attempt: middle("aztec") },
  { serves: isLinear, attempt: hybridRows },
  { serves: (symbology) => symbology === "datamatrix", attempt: middle("datamatrix") },
  { serves: isLinear, attempt: lying },
  { serves: (symbology) => symbology === "pdf417", attempt: middle("pdf417") },
];

/** How many turns it takes until everything was tried once. */
export const turnsMax = inTurn.length;

/** @zxing/library at its best within the budget of one camera frame. */
export const libraryDecoder = (): Decoder => ({
  engine: "zxing-library",
  decode: (luma, symbologies, turn) => {
    const served = inTurn.filter(({ serves }) => symbologies.some(serves));
    const attempts = [
      ...always,
      ...served
        .slice(turn % served.length)
        .slice(0, 1)
        .map(({ attempt }) => attempt),
    ];
    for (const attempt of attempts) {
      const found = attempt(luma, symbologies);
      if (found) return [found];
    }
    return [];
  },
});
