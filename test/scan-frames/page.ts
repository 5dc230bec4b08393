/** What a point of the page with the code looks like, before the light falls on it. */
import { hashOf } from "./random.ts";
import type { CodeSymbol } from "./symbol.ts";
import type { View } from "./view.ts";

const bezel = 7;
const phoneMargin = 14;
const margin = 10;
const fingerGrey = 0.35;
/** Red, green and blue stripes of a phone's pixel, as a grey sensor sees them. */
const stripes = [0.9, 1.77, 0.33] as const;

/** The page in light that is even. */
export interface Page {
  /** Half sizes in modules, bezel included. */
  readonly halfWidth: number;
  readonly halfHeight: number;
  /** Grey at a point in modules, the symbol's middle being 0, 0; negative beside the page. Always a number: it is asked millions of times. */
  readonly greyAt: (u: number, v: number) => number;
}

/** The line of text under a barcode. */
const isTextInk = (u: number, v: number, seed: number): boolean => {
  const column = Math.floor(u / 1.2);
  return column % 6 !== 0 && hashOf(column, Math.floor(v) + 1000 * (seed & 1023)) > 0.5;
};

const isCovered = (u: number, v: number, symbol: CodeSymbol, covered: number): boolean => {
  if (covered === 0) return false;
  const edge = symbol.width / 2 - covered * symbol.width;
  return symbol.linear ? u > edge : u > edge && v > symbol.height / 2 - covered * symbol.height;
};

/** A symbol on paper, or on a phone with its bezel and its screen. */
export const pageOf = (view: View, symbol: CodeSymbol): Page => {
  const { phone, seed } = view;
  const halfW = symbol.width / 2;
  const halfH = symbol.height / 2;
  const paperW = halfW + symbol.quiet;
  const paperH = halfH + Math.max(symbol.quiet, 6) + margin + (phone ? phoneMargin : 0);
  const edge = phone ? bezel : 0;
  const ink = phone ? 0.03 : 0.1;
  const white = phone ? 1 : 0.88;
  const gridDepth = phone ? view.gridDepth : 0;

  const waves = view.bend ? (view.bend.waves * 2 * Math.PI) / symbol.width : 0;
  const depth = view.bend?.depth ?? 0;
  const phase = view.bend?.phase ?? 0;

  const printed = (u: number, v: number): number => {
    if (u >= -halfW && u < halfW && v >= -halfH && v < halfH) {
      if (isCovered(u, v, symbol, view.covered)) return fingerGrey;
      const row = symbol.linear ? 0 : Math.floor(v + halfH);
      return symbol.modules[row * symbol.width + Math.floor(u + halfW)] === 1 ? ink : white;
    }
    const inText = v > halfH + 5 && v < halfH + 12 && u > -halfW && u < halfW;
    return inText && isTextInk(u, v - halfH - 5, seed) ? ink + 0.1 : white;
  };

  const screen = (u: number, v: number): number => {
    const across = u * view.gridPerModule;
    const down = v * view.gridPerModule;
    const stripe = stripes[Math.floor((across - Math.floor(across)) * 3)] ?? 1;
    const gap = down - Math.floor(down) > 0.82 ? 0.25 : 1;
    return 1 + gridDepth * ((stripe * gap) / 0.87 - 1);
  };

  const halfWidth = paperW + edge;
  const halfHeight = paperH + edge;
  return {
    halfWidth,
    halfHeight,
    greyAt: (u, v) => {
      if (u < -halfWidth || u > halfWidth || v < -halfHeight || v > halfHeight) return -1;
      if (u < -paperW || u > paperW || v < -paperH || v > paperH) return view.inverted ? 0.9 : 0.04;
      const angle = u * waves + phase;
      // A wave towards the camera moves points up, and squeezes them where it falls away.
      const ink =
        depth === 0 ? printed(u, v) : printed(u + 0.35 * depth * Math.cos(2 * angle), v + depth * Math.sin(angle));
      const grey = view.inverted ? Math.max(0.03, 1 - ink) : ink;
      return gridDepth > 0 ? grey * screen(u, v) : grey;
    },
  };
};
