/**
 * The kinds of hard pictures. Each makes one thing hard and leaves the rest ordinary; `mixed` makes everything a little hard. The ranges
 * are those of the frames that the recipe was first measured on, so that figures can be set beside each other.
 */
import type { Symbology } from "../../preload/contract.ts";
import { between, type Random, seeded } from "./random.ts";
import { seededId, symbolOf } from "./symbol.ts";
import type { View } from "./view.ts";

export const conditions = [
  "ordinary",
  "small",
  "blur",
  "motion",
  "noise",
  "low_contrast",
  "tilt",
  "perspective",
  "glare",
  "moire",
  "covered",
  "dark",
  "turned",
  "inverted",
  "sized",
  "at_edge",
  "curved",
  "rolling_shutter",
  "jpeg",
  "torch",
  "dim_screen",
  "several",
  "mixed",
  "mixed_turned",
] as const;
export type Condition = (typeof conditions)[number];

type Changes = Partial<{ -readonly [K in keyof View]: View[K] }>;

/** Pixels a module at which a symbol just fits into the frame, and 4 at most. */
const modulePxMaxOf = ({ width, height, symbol }: Pick<View, "width" | "height" | "symbol">): number =>
  symbol ? Math.min((0.9 * width) / (symbol.width + 8), (0.9 * height) / (symbol.height + 20), 4) : 4;

/** Share of the frame that a turned symbol may take up, as above. */
const turnedShareMax = 0.9;

/** How wide and how high a turned symbol is, in modules. */
const turnedSize = ({ symbol, rotationDegrees }: Pick<View, "symbol" | "rotationDegrees">) => {
  const { width, height } = symbol ?? { width: 0, height: 0 };
  const angle = (rotationDegrees * Math.PI) / 180;
  const [cos, sin] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
  return { wide: width * cos + height * sin, high: width * sin + height * cos };
};

/** Pixels a module at which a symbol still lies in the frame when it is turned: bars that leave it are in no picture. */
const fittingModulePx = (view: View): number => {
  const { wide, high } = turnedSize(view);
  return Math.min(view.modulePx, (turnedShareMax * view.width) / wide, (turnedShareMax * view.height) / high);
};

/** Phones have pixels of about one camera pixel, however far away: so many make a module. */
const gridOf = (modulePx: number, random: Random): number =>
  Math.max(2, Math.min(6, Math.round(modulePx / between(random, 0.6, 1.4))));

const everythingWorse = (view: View, severity: number, random: Random): Changes => {
  const some = (): number => random() * severity;
  const modulePxMax = modulePxMaxOf(view);
  const modulePx = Math.max(1.2, modulePxMax - (modulePxMax - 1.3) * some());
  const phone = view.phone ? { gridDepth: 0.7 * some(), bandDepth: 0.3 * some() } : {};
  return {
    modulePx,
    gridPerModule: gridOf(modulePx, random),
    rotationDegrees: between(random, -25, 25) * severity + (random() < 0.1 ? 90 : 0),
    tiltDegrees: 25 * some(),
    blurPx: Math.max(0.4, modulePx * (0.15 + 0.45 * some())),
    motionPx: random() < 0.4 ? modulePx * 2 * some() : 0,
    noise: 3 + 25 * some(),
    contrast: 0.8 - 0.6 * some(),
    ...phone,
    glare:
      random() < 0.4
        ? {
            at: between(random, -1, 1),
            degrees: between(random, -60, 60),
            width: 0.03 + 0.25 * some(),
            strength: between(random, 0.3, 1.2),
          }
        : null,
  };
};

/** What a condition changes; `severity` runs from 0 (hardly) to 1 (no engine reads all). */
const changes: Readonly<Record<Condition, (view: View, severity: number, random: Random) => Changes>> = {
  ordinary: (_view, severity, random) => ({
    blurPx: between(random, 0.4, 0.4 + 0.5 * severity),
    noise: between(random, 2, 2 + 6 * severity),
    rotationDegrees: between(random, -6, 6) * severity,
    tiltDegrees: between(random, 0, 10) * severity,
  }),
  small: (view, severity) => ({ modulePx: Math.min(modulePxMaxOf(view), 4 - 3 * severity) }),
  blur: (view, severity) => ({ blurPx: view.modulePx * (0.15 + 0.75 * severity) }),
  motion: (view, severity) => ({ motionPx: view.modulePx * (0.5 + 3 * severity) }),
  noise: (_view, severity) => ({ noise: 4 + 56 * severity }),
  low_contrast: (_view, severity, random) => ({
    contrast: 0.6 - 0.55 * severity,
    ambient: between(random, 0.05, 0.3),
  }),
  tilt: (_view, severity, random) => ({ rotationDegrees: (1 + 29 * severity) * (random() < 0.5 ? 1 : -1) }),
  perspective: (_view, severity) => ({ tiltDegrees: 5 + 40 * severity }),
  glare: (_view, severity, random) => ({
    glare: {
      at: between(random, -0.8, 0.8),
      degrees: between(random, -60, 60),
      width: 0.03 + 0.35 * severity,
      strength: between(random, 0.4, 1.3),
    },
  }),
  moire: (view, severity, random) => ({
    phone: true,
    gridDepth: 0.2 + 0.7 * severity,
    bandDepth: 0.4 * severity * random(),
    gridPerModule: gridOf(view.modulePx, random),
  }),
  covered: (_view, severity) => ({ covered: 0.01 + 0.11 * severity }),
  dark: (_view, severity, random) => ({
    contrast: 0.3 - 0.24 * severity,
    ambient: 0.01,
    noise: between(random, 3, 5),
    phone: false,
  }),
  turned: (_view, severity, random) => ({
    rotationDegrees: 360 * random(),
    tiltDegrees: 25 * severity * random(),
    blurPx: between(random, 0.4, 0.5 + 0.8 * severity),
    noise: 3 + 12 * severity,
  }),
  inverted: (_view, severity, random) => ({
    inverted: true,
    phone: true,
    rotationDegrees: between(random, -180, 180) * severity,
    noise: 3 + 12 * severity,
    contrast: between(random, 0.5, 0.8),
  }),
  // From a code that fills the frame to one that is 15 % of its width, or as small as its modules allow.
  sized: (view, severity, random) => {
    const whole = fillingModulePx(view);
    const least = Math.max(1.25, (0.15 * view.width) / (view.symbol?.width ?? 1));
    return {
      modulePx: whole * (Math.min(whole, least) / whole) ** severity,
      rotationDegrees: between(random, -2, 2) + 180 * Math.round(random()),
      tiltDegrees: between(random, 0, 4),
      phone: false,
    };
  },
  at_edge: (view, severity, random) => ({
    cutModules: between(random, 0.6, 1) * severity * ((view.symbol?.quiet ?? 0) + 1),
    rotationDegrees: 90 * Math.floor(4 * random()) + between(random, -3, 3),
    tiltDegrees: 0,
  }),
  curved: (view, severity, random) => ({
    phone: false,
    bend: {
      depth: (view.symbol?.width ?? 0) * (0.01 + 0.05 * severity),
      waves: between(random, 0.5, 1.5 + 2 * severity),
      phase: between(random, 0, 2 * Math.PI),
    },
    rotationDegrees: between(random, -20, 20) * severity,
  }),
  rolling_shutter: (_view, severity, random) => ({
    shearPxPerRow: (0.05 + 0.4 * severity) * (random() < 0.5 ? 1 : -1),
    motionPx: 2 * severity,
    motionDegrees: 0,
  }),
  jpeg: (_view, severity, random) => ({
    jpegQuality: Math.round(60 - 52 * severity),
    rotationDegrees: between(random, -45, 45) * severity,
  }),
  torch: (_view, severity, random) => ({
    spot: {
      x: between(random, -0.7, 0.7),
      y: between(random, -0.7, 0.7),
      radius: 0.15 + 0.45 * severity,
      strength: 1.2,
    },
    contrast: 0.75 - 0.5 * severity,
    phone: false,
  }),
  dim_screen: (view, severity, random) => ({
    phone: true,
    contrast: 0.25 - 0.2 * severity,
    ambient: between(random, 0.02, 0.15),
    noise: between(random, 3, 5),
    gridDepth: 0.2 + 0.3 * severity,
    gridPerModule: gridOf(view.modulePx, random),
  }),
  several: (view, severity, random) => ({
    modulePx: Math.max(1.4, view.modulePx * 0.6),
    rotationDegrees: between(random, -30, 30) * severity,
    noise: 3 + 8 * severity,
    neighbours: 1 + Math.round(3 * severity),
  }),
  mixed: everythingWorse,
  mixed_turned: (view, severity, random) => ({
    ...everythingWorse(view, severity, random),
    rotationDegrees: 360 * random(),
  }),
};

/** Pixels a module at which the symbol itself, without its quiet zone, reaches from edge to edge. */
const fillingModulePx = ({ width, height, symbol }: View): number =>
  symbol ? 0.97 * Math.min(width / symbol.width, height / symbol.height) : 4;

/** Where the middle of a symbol must be for the frame's left edge to cut so many modules off its quiet zone, whichever way it is turned. */
const atEdge = (view: View): Pick<View, "centerX"> | null => {
  if (view.cutModules === null || !view.symbol) return null;
  const lies = Math.abs(Math.round(view.rotationDegrees / 90)) % 2 === 1;
  const reach = (lies ? view.symbol.height : view.symbol.width) / 2 + view.symbol.quiet;
  return { centerX: (reach - view.cutModules) * view.modulePx };
};

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
  const random = seeded(seed);
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
