import { HybridBinarizer } from "@zxing/library";
import type { Symbology } from "../../../../preload/contract.ts";
import { barTilt } from "../bar-tilt.ts";
import { busiestPoint } from "../busiest-point.ts";
import { type Decoder, isLinear, isRareTurn, type Read } from "../decoder.ts";
import { crop, double, half, type Luma, soften, type Window, windowAround } from "../luma.ts";
import { averageTiltedRows, rotateQuarter, tiltAt } from "../luma-rotation.ts";
import { noiseOf } from "../noise.ts";
import { tiltMaxDegrees } from "../row-band.ts";
import { type Attempt, barsInRows, closePasses, firstOf, rowShares } from "./bars-in-rows.ts";
import { HybridRowBinarizer, LumaSource } from "./luma-source.ts";
import { readWith } from "./readers.ts";

/** The part of the frame that is doubled for QR codes: wide enough for a phone in the target frame, small enough for the budget. */
const doubledShare = { width: 0.4, height: 0.56 };
const smallShare = { width: 0.3, height: 0.48 };
const wideShare = { width: 0.6, height: 0.8 };

/** From this noise on, softening brings more QR codes out than it blurs. */
const noisyFrom = 6;
/** The columns in which bars that lie are looked for: as many as the frame has rows, and a few. */
const lyingShare = 0.6;

/** Bars found by local thresholds, for light that changes along the code. */
const hybridRows =
  (degrees: number): Attempt =>
  (luma, symbologies) => {
    const rows = Math.round(rowShares.some * luma.height);
    const binarizer = new HybridRowBinarizer(new LumaSource(averageTiltedRows(luma, rows, degrees)));
    return firstOf(symbologies.filter(isLinear), (symbology) =>
      readWith(symbology, binarizer, (x, y) => ({ x, y: (y + 0.5) * rows + tiltAt(x, luma.width, degrees) })),
    );
  };

/** Bars of a code that was turned on its side, and may be tilted there by `degrees`. */
const lying =
  (degrees: number): Attempt =>
  (luma, symbologies, turn) => {
    const window = windowAround(luma, luma.width / 2, luma.height / 2, lyingShare, 1);
    const found = barsInRows(degrees)(rotateQuarter(crop(luma, window)), symbologies, turn);
    return (
      found && { ...found, outline: found.outline.map(({ x, y }) => ({ x: window.left + y, y: luma.height - 1 - x })) }
    );
  };

/** Below this, averaging upright rows does not smear bars of two pixels. */
const tiltMinDegrees = 2;

const isTilted = (degrees: number | null): degrees is number => degrees !== null && Math.abs(degrees) >= tiltMinDegrees;

/** The tilt along which rows are averaged: as most edges of the frame stand, where they stand nearly upright. */
const rowTilt = (tilt: number | null): number => (isTilted(tilt) && Math.abs(tilt) <= tiltMaxDegrees ? tilt : 0);

/** What else the measured tilt is worth a look for; null where nothing is. */
const besidesTilt = (tilt: number | null): Attempt | null => {
  if (!isTilted(tilt)) return null;
  if (Math.abs(tilt) <= tiltMaxDegrees) return barsInRows(0);
  return lying(tilt > 0 ? tilt - 90 : tilt + 90);
};

const matrix = (symbology: Symbology, picture: Luma, window: Window, scale: number): Read | null =>
  readWith(symbology, new HybridBinarizer(new LumaSource(picture)), (x, y) => ({
    x: window.left + x / scale,
    y: window.top + y / scale,
  }));

/** The middle of the frame in one turn, the part with the most edges in the next. */
const windowOf = (luma: Luma, turn: number, share: { readonly width: number; readonly height: number }): Window => {
  const { x, y } = turn % 2 === 0 ? { x: luma.width / 2, y: luma.height / 2 } : busiestPoint(luma);
  return windowAround(luma, x, y, share.width, share.height);
};

const doubledQr: Attempt = (luma, symbologies, turn) => {
  if (!symbologies.includes("qr")) return null;
  const window = windowOf(luma, turn, doubledShare);
  const part = crop(luma, window);
  return matrix("qr", double(noiseOf(part) >= noisyFrom ? soften(part) : part), window, 2);
};

const halvedQr: Attempt = (luma) =>
  matrix("qr", half(luma), { left: 0, top: 0, width: luma.width, height: luma.height }, 0.5);

/** These readers start at the middle of what they get, so the code has to be there. They find twice as much in a doubled picture. */
const doubled =
  (symbology: Symbology): Attempt =>
  (luma) => {
    const { x, y } = busiestPoint(luma);
    const window = windowAround(luma, x, y, smallShare.width, smallShare.height);
    return matrix(symbology, double(crop(luma, window)), window, 2);
  };

const pdf417: Attempt = (luma, _symbologies, turn) => {
  const window = windowOf(luma, turn, wideShare);
  return matrix("pdf417", crop(luma, window), window, 1);
};

interface Turn {
  readonly serves: (symbology: Symbology) => boolean;
  readonly attempt: Attempt;
}

/** One of them a frame, in turn, and only those whose symbologies are on. */
const inTurn = (tilt: number | null): readonly Turn[] => [
  { serves: isLinear, attempt: barsInRows(rowTilt(tilt), closePasses) },
  { serves: isLinear, attempt: hybridRows(rowTilt(tilt)) },
  { serves: (symbology) => symbology === "qr", attempt: halvedQr },
  // Where the tilt is known, there is no need to guess it.
  ...(tilt === null ? [13, -13].map((degrees) => ({ serves: isLinear, attempt: barsInRows(degrees) })) : []),
  { serves: isLinear, attempt: lying(0) },
];

const inRareTurns: readonly Turn[] = [
  { serves: (symbology) => symbology === "aztec", attempt: doubled("aztec") },
  { serves: (symbology) => symbology === "datamatrix", attempt: doubled("datamatrix") },
  { serves: (symbology) => symbology === "pdf417", attempt: pdf417 },
];

const alternative = (symbologies: readonly Symbology[], turn: number, tilt: number | null): Attempt | undefined => {
  const rare = isRareTurn(turn);
  const tilted = rare ? null : besidesTilt(tilt);
  if (tilted && turn % 2 === 1) return tilted;
  const served = (rare ? inRareTurns : inTurn(tilt)).filter(({ serves }) => symbologies.some(serves));
  // Counts rare turns, or all of them, without leaving a remainder of the list out.
  const at = rare ? Math.floor(turn / 3) : turn - Math.floor(turn / 3);
  return served[at % served.length]?.attempt;
};

/** @zxing/library at its best within the budget of one camera frame: what is likely first, then one alternative a frame in turn. */
export const libraryDecoder = (): Decoder => ({
  engine: "zxing-library",
  decode: (luma, symbologies, turn) => {
    const tilt = symbologies.some(isLinear) ? barTilt(luma) : null;
    for (const attempt of [barsInRows(rowTilt(tilt)), doubledQr, alternative(symbologies, turn, tilt)]) {
      const found = attempt?.(luma, symbologies, turn);
      if (found) return [found];
    }
    return [];
  },
});
