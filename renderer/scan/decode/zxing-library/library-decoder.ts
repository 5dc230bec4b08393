import { GlobalHistogramBinarizer, HybridBinarizer } from "@zxing/library";
import type { Symbology } from "../../../../preload/contract.ts";
import { barTilt } from "../bar-tilt.ts";
import { busiest } from "../busiest.ts";
import { type Decoder, isLinear, isRareTurn, type Read } from "../decoder.ts";
import {
  averageRows,
  averageTiltedRows,
  crop,
  double,
  half,
  type Luma,
  rotateQuarter,
  tiltAt,
  type Window,
  windowAround,
} from "../luma.ts";
import { EdgeBinarizer, swingShares } from "./edge-binarizer.ts";
import { HybridRowBinarizer, LumaSource } from "./luma-source.ts";
import { readWith } from "./readers.ts";

/** Rows that are averaged into one before bars are looked for: more of them in a taller picture. */
const rowsAveraged = (luma: Luma): number => (luma.height >= 600 ? 8 : 6);
/** The part of the frame that is doubled for QR codes: wide enough for a phone in the target frame, small enough for the budget. */
const doubledShare = { width: 0.4, height: 0.56 };
const smallShare = { width: 0.3, height: 0.48 };
const wideShare = { width: 0.6, height: 0.8 };

/** One way to look at a frame. */
type Attempt = (luma: Luma, symbologies: readonly Symbology[], turn: number) => Read | null;

const firstOf = (symbologies: readonly Symbology[], read: (symbology: Symbology) => Read | null): Read | null => {
  for (const symbology of symbologies) {
    const found = read(symbology);
    if (found) return found;
  }
  return null;
};

/**
 * Bars in averaged rows that may run downhill, by their edges and then by their levels: blur, noise and glare leave the edges, a screen's
 * pixels and very narrow bars leave the levels. Fewer rows are noisier but blur a slight tilt less.
 */
const bars =
  (degrees: number, shareOfRows = 1): Attempt =>
  (luma, symbologies) => {
    const rows = Math.round(rowsAveraged(luma) * shareOfRows);
    const averaged = degrees === 0 ? averageRows(luma, rows) : averageTiltedRows(luma, rows, degrees);
    const linear = symbologies.filter(isLinear);
    const byEdges = swingShares.map((share) => new EdgeBinarizer(averaged, share));
    for (const binarizer of [...byEdges, new GlobalHistogramBinarizer(new LumaSource(averaged))]) {
      const scale = binarizer.getWidth() / luma.width;
      const found = firstOf(linear, (symbology) =>
        readWith(symbology, binarizer, (x, y) => ({
          x: x / scale,
          y: (y + 0.5) * rows + tiltAt(x / scale, luma.width, degrees),
        })),
      );
      if (found) return found;
    }
    return null;
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
  (luma, symbologies, turn) => {
    const found = bars(degrees)(rotateQuarter(luma), symbologies, turn);
    return found && { ...found, outline: found.outline.map(({ x, y }) => ({ x: y, y: luma.height - 1 - x })) };
  };

/** Below this, averaging upright rows does not smear bars of two pixels. */
const tiltMinDegrees = 2;
/** Above this, a code is read lying. */
const tiltMaxDegrees = 45;

const isTilted = (degrees: number | null): degrees is number => degrees !== null && Math.abs(degrees) >= tiltMinDegrees;

/** The tilt along which rows are averaged: as most edges of the frame stand, where they stand nearly upright. */
const rowTilt = (tilt: number | null): number => (isTilted(tilt) && Math.abs(tilt) <= tiltMaxDegrees ? tilt : 0);

/** What else the measured tilt is worth a look for; null where nothing is. */
const besidesTilt = (tilt: number | null): Attempt | null => {
  if (!isTilted(tilt)) return null;
  if (Math.abs(tilt) <= tiltMaxDegrees) return bars(0);
  return lying(tilt > 0 ? tilt - 90 : tilt + 90);
};

const matrix = (symbology: Symbology, picture: Luma, window: Window, scale: number): Read | null =>
  readWith(symbology, new HybridBinarizer(new LumaSource(picture)), (x, y) => ({
    x: window.left + x / scale,
    y: window.top + y / scale,
  }));

/** The middle of the frame in one turn, the part with the most edges in the next. */
const windowOf = (luma: Luma, turn: number, share: { readonly width: number; readonly height: number }): Window => {
  const { x, y } = turn % 2 === 0 ? { x: luma.width / 2, y: luma.height / 2 } : busiest(luma);
  return windowAround(luma, x, y, share.width, share.height);
};

const doubledQr: Attempt = (luma, symbologies, turn) => {
  if (!symbologies.includes("qr")) return null;
  const window = windowOf(luma, turn, doubledShare);
  return matrix("qr", double(crop(luma, window)), window, 2);
};

const halvedQr: Attempt = (luma) =>
  matrix("qr", half(luma), { left: 0, top: 0, width: luma.width, height: luma.height }, 0.5);

/** These readers start at the middle of what they get, so the code has to be there. They find twice as much in a doubled picture. */
const doubled =
  (symbology: Symbology): Attempt =>
  (luma) => {
    const { x, y } = busiest(luma);
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
  { serves: isLinear, attempt: bars(rowTilt(tilt), 0.4) },
  { serves: isLinear, attempt: hybridRows },
  { serves: (symbology) => symbology === "qr", attempt: halvedQr },
  // Where the tilt is known, there is no need to guess it.
  ...(tilt === null ? [13, -13].map((degrees) => ({ serves: isLinear, attempt: bars(degrees) })) : []),
  { serves: isLinear, attempt: lying(0) },
];

const inRareTurns: readonly Turn[] = [
  { serves: (symbology) => symbology === "aztec", attempt: doubled("aztec") },
  { serves: (symbology) => symbology === "datamatrix", attempt: doubled("datamatrix") },
  { serves: (symbology) => symbology === "pdf417", attempt: pdf417 },
];

/** How many turns it takes until everything was tried, at every place. */
export const turnsMax = 36;

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
    for (const attempt of [bars(rowTilt(tilt)), doubledQr, alternative(symbologies, turn, tilt)]) {
      const found = attempt?.(luma, symbologies, turn);
      if (found) return [found];
    }
    return [];
  },
});
