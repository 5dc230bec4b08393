import { knownPattern } from "./pattern.ts";
import type { Grid } from "./sample-grid.ts";

/** Grids below this fit are ignored. */
const fitMin = 0.45;
/** Factor on the sums for each further look: newer frames count more. */
const decay = 0.95;
/** Modules each way around a module whose mean is its threshold. */
const reach = 4;
/** Modules that are brighter than light ones by this share of the contrast, and by more than noise, are under a reflection. */
const glareShare = 0.3;
const glareDeviations = 3.5;
const contrastMin = 6;

/** Contrast of the function patterns' modules, and the grey above which a module is under a reflection. */
const levelsOf = (greys: Float32Array, side: number) => {
  const pattern = knownPattern(side);
  const sorted = (what: number): Float32Array => greys.filter((_, at) => pattern[at] === what).sort();
  const [lights, darks] = [sorted(0), sorted(1)];
  const light = lights[lights.length >> 1] ?? 0;
  const contrast = light - (darks[darks.length >> 1] ?? 0);
  const deviation = light - (lights[Math.floor(lights.length * 0.16)] ?? 0);
  return { contrast, glare: light + Math.max(glareShare * contrast, glareDeviations * deviation) };
};

/** Soft values of a grid's modules, from -1 (light) to 1 (dark); 0 at a reflection. Null where the contrast is too low. */
const softValuesOf = (greys: Float32Array, side: number): Float32Array | null => {
  const { contrast, glare } = levelsOf(greys, side);
  if (contrast < contrastMin) return null;
  const out = new Float32Array(side * side);
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1) {
      let sum = 0;
      let n = 0;
      let isGlaring = false;
      for (let y = Math.max(0, row - reach); y <= Math.min(side - 1, row + reach); y += 1) {
        for (let x = Math.max(0, column - reach); x <= Math.min(side - 1, column + reach); x += 1) {
          const there = greys[y * side + x] ?? 0;
          if (there <= glare) {
            sum += there;
            n += 1;
          } else if (Math.abs(x - column) <= 1 && Math.abs(y - row) <= 1) isGlaring = true;
        }
      }
      if (isGlaring || n === 0) continue;
      const value = (2 * (sum / n - (greys[row * side + column] ?? 0))) / contrast;
      out[row * side + column] = Math.max(-1, Math.min(1, value));
    }
  }
  return out;
};

/** A code in one orientation, with the sums of its soft values. */
interface Candidate {
  readonly side: number;
  /** Direction of the top row, in radians. */
  angle: number;
  readonly sums: Float32Array;
  weight: number;
  /** Looks since its last frame. */
  unseen: number;
}

const candidatesMax = 6;
/** Looks after which a code that is no longer seen is dropped: the next customer shows another one. */
const looksRemembered = 20;
/** A hand rotates a phone by less than this between two frames, in radians. */
const turnMax = 0.35;

const angleOf = ({ corners }: Grid): number =>
  Math.atan2((corners[3] ?? 0) - (corners[1] ?? 0), (corners[2] ?? 0) - (corners[0] ?? 0));

/**
 * Accumulates soft values of a code's modules over several frames. Orientations are kept apart, since a grid in a wrong one
 * says nothing about the right one.
 */
export class ModuleEvidence {
  #candidates: Candidate[] = [];

  /** Lowers the weight of all earlier frames; call it once a look. */
  decayAll(): void {
    this.#candidates = this.#candidates.filter(({ unseen }) => unseen < looksRemembered);
    for (const candidate of this.#candidates) {
      candidate.unseen += 1;
      candidate.weight *= decay;
      for (let at = 0; at < candidate.sums.length; at += 1) candidate.sums[at] = decay * (candidate.sums[at] ?? 0);
    }
  }

  /** Adds a frame. @returns the sums over all frames, above 0 dark; null where this frame is unusable. */
  add(grid: Grid, greys: Float32Array): Float32Array | null {
    if (grid.fit < fitMin) return null;
    const softValues = softValuesOf(greys, grid.side);
    if (!softValues) return null;
    const angle = angleOf(grid);
    const isSame = (one: Candidate): boolean =>
      one.side === grid.side && Math.cos(one.angle - angle) > Math.cos(turnMax);
    const known = this.#candidates.find(isSame);
    const candidate = known ?? {
      side: grid.side,
      angle,
      sums: new Float32Array(softValues.length),
      weight: 0,
      unseen: 0,
    };
    if (!known) this.#candidates.push(candidate);
    const weight = (grid.fit - fitMin + 0.05) ** 2;
    candidate.angle = angle;
    candidate.unseen = 0;
    candidate.weight += weight;
    for (let at = 0; at < softValues.length; at += 1) {
      candidate.sums[at] = (candidate.sums[at] ?? 0) + weight * (softValues[at] ?? 0);
    }
    this.#candidates = this.#candidates.toSorted((a, b) => b.weight - a.weight).slice(0, candidatesMax);
    return candidate.sums;
  }

  clear(): void {
    this.#candidates = [];
  }
}

const sharpness = 0.6;

/** Soft values with the blur of the four neighbouring modules subtracted. */
export const sharpened = (softValues: Float32Array, side: number): Float32Array =>
  softValues.map((value, at) => {
    const column = at % side;
    const left = column > 0 ? (softValues[at - 1] ?? 0) : 0;
    const right = column < side - 1 ? (softValues[at + 1] ?? 0) : 0;
    return value - (sharpness / 4) * (left + right + (softValues[at - side] ?? 0) + (softValues[at + side] ?? 0));
  });
