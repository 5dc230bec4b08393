import type { Symbology } from "../../preload/contract.ts";
import type { CodeSymbol } from "./symbol.ts";

/** One frame to draw: a symbol on paper or on a phone, seen by a pinhole camera under some light. */
export interface View {
  readonly width: number;
  readonly height: number;
  readonly symbology: Symbology;
  readonly text: string;
  /** Null for a counter without a code. */
  readonly symbol: CodeSymbol | null;
  /** Background and noise come from it. */
  readonly seed: number;
  /** Pixels a module at the middle of the frame. */
  readonly modulePx: number;
  readonly centerX: number;
  readonly centerY: number;
  /** In the picture's plane, then out of it about an axis in that plane. */
  readonly rotationDegrees: number;
  readonly tiltDegrees: number;
  readonly tiltAxisDegrees: number;
  /** On a phone: black bezel, a grid of sub-pixels of this depth (0 to 1) and this many pixels a module, refresh bands. */
  readonly phone: boolean;
  readonly gridDepth: number;
  readonly gridPerModule: number;
  readonly bandDepth: number;
  readonly bands: number;
  readonly bandPhase: number;
  /** White becomes `ambient + contrast`. */
  readonly contrast: number;
  readonly ambient: number;
  readonly blurPx: number;
  readonly motionPx: number;
  readonly motionDegrees: number;
  /** Standard deviation in grey levels. */
  readonly noise: number;
  readonly glare: {
    readonly at: number;
    readonly degrees: number;
    readonly width: number;
    readonly strength: number;
  } | null;
  /** Share of the width that a finger covers at the right end of bars, or at the lower corner of a matrix. */
  readonly covered: number;
  /** 0 leaves the picture as it is; cameras compress at 75 to 95. */
  readonly jpegQuality: number;
  /** White on black, as an app in dark mode may show it. */
  readonly inverted: boolean;
  /** Paper that is not flat: waves along the symbol, `depth` in modules. */
  readonly bend: { readonly depth: number; readonly waves: number; readonly phase: number } | null;
  /** How far a row is from where it would be if all rows were exposed at once. */
  readonly shearPxPerRow: number;
  /** A lamp's reflection, round, in half widths of the symbol. */
  readonly spot: { readonly x: number; readonly y: number; readonly radius: number; readonly strength: number } | null;
  /** Modules, counted from the quiet zone's outer end, that lie outside of the frame; null for a code inside. */
  readonly cutModules: number | null;
  /** Other codes in the picture: advertisements, products. */
  readonly neighbours: number;
}
