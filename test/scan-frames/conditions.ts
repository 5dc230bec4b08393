import { fillingModulePx, modulePxMaxOf } from "./fitting.ts";
import { between, type Random } from "./random.ts";
import type { View } from "./view.ts";

/** What makes a frame hard to read; each has a severity from 0 to 1. */
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
/** One of `conditions`. */
export type Condition = (typeof conditions)[number];

type Changes = Partial<{ -readonly [K in keyof View]: View[K] }>;

/** Phones have pixels of about one camera pixel, however far away: so many make a module. */
export const gridOf = (modulePx: number, random: Random): number =>
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
export const changes: Readonly<Record<Condition, (view: View, severity: number, random: Random) => Changes>> = {
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
