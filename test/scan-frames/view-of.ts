/** The view that a frame shows, from what is wished of it. */
import type { Symbology } from "../../preload/contract.ts";
import { seededRandom } from "../random.ts";
import { type Condition, changes, gridOf } from "./conditions.ts";
import { atEdge, fittingModulePx, modulePxMaxOf, turnedSize } from "./fitting.ts";
import { between } from "./random.ts";
import { seededId, symbolOf } from "./symbol.ts";
import type { View } from "./view.ts";

/** What is drawn; the same wish gives the same frame. */
export interface FrameWish {
  readonly condition: Condition;
  readonly severity: number;
  readonly symbology: Symbology;
  readonly width: number;
  readonly height: number;
  readonly seed: number;
  /** A right transaction id made from the seed, where none is given. */
  readonly text?: string;
}

/** The view that a wish describes; the same wish gives the same view. */
export const viewOf = ({
  condition,
  severity,
  symbology,
  width,
  height,
  seed,
  text = seededId(seed),
}: FrameWish): View => {
  const random = seededRandom(seed);
  const symbol = symbolOf(symbology, text);
  const modulePxMax = modulePxMaxOf({ width, height, symbol });
  const modulePx = Math.max(1.6, between(random, Math.min(2, modulePxMax), modulePxMax));
  const view: View = {
    width,
    height,
    symbology,
    text,
    symbol,
    seed,
    modulePx,
    centerX: width / 2,
    centerY: height / 2,
    rotationDegrees: between(random, -5, 5),
    tiltDegrees: between(random, 0, 10),
    tiltAxisDegrees: between(random, 0, 360),
    phone: random() < 0.5,
    gridDepth: between(random, 0, 0.2),
    gridPerModule: gridOf(modulePx, random),
    bandDepth: between(random, 0, 0.05),
    bands: between(random, 2, 12),
    bandPhase: between(random, 0, 2 * Math.PI),
    contrast: between(random, 0.65, 0.85),
    ambient: between(random, 0.03, 0.12),
    blurPx: between(random, 0.4, 0.7),
    motionPx: 0,
    motionDegrees: between(random, 0, 180),
    noise: between(random, 2, 4),
    glare: null,
    covered: 0,
    jpegQuality: 75 + Math.floor(random() * 20),
    inverted: false,
    bend: null,
    shearPxPerRow: 0,
    spot: null,
    cutModules: null,
    neighbours: 0,
  };
  const wished = { ...view, ...changes[condition](view, severity, random) };
  // A code that fills the frame is meant to.
  const changed = condition === "sized" ? wished : { ...wished, modulePx: fittingModulePx(wished) };
  const { wide, high } = turnedSize(changed);
  const room = {
    x: Math.max(0, width / 2 - (wide * changed.modulePx) / 2 - 8),
    y: Math.max(0, height / 2 - (high * changed.modulePx) / 2 - 20),
  };
  return {
    ...changed,
    centerX: width / 2 + between(random, -1, 1) * Math.min(room.x, width * 0.12),
    centerY: height / 2 + between(random, -1, 1) * Math.min(room.y, height * 0.12),
    ...atEdge(changed),
  };
};

/** A counter without a code. */
export const emptyView = (width: number, height: number, seed: number): View => ({
  ...viewOf({ condition: "ordinary", severity: 0.5, symbology: "qr", width, height, seed }),
  symbol: null,
});
