import type { Read } from "./frame-reader.ts";
import { crop, type Luma, soften, type Window } from "./luma.ts";
import { deskew, findersIn, findGrid, type Grid, knownPattern, sampleGrid } from "./qr-grid.ts";
import { matrixRegionsBy } from "./regions.ts";
import type { WasmReader } from "./zxing-wasm.ts";

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

/** Accumulates soft values of modules over frames; orientations apart, since a wrong one says nothing about another. */
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
const sharpened = (softValues: Float32Array, side: number): Float32Array =>
  softValues.map((value, at) => {
    const column = at % side;
    const left = column > 0 ? (softValues[at - 1] ?? 0) : 0;
    const right = column < side - 1 ? (softValues[at + 1] ?? 0) : 0;
    return value - (sharpness / 4) * (left + right + (softValues[at - side] ?? 0) + (softValues[at + side] ?? 0));
  });

const modulePx = 3;
const quiet = 4;

/**
 * Renders modules as a clean QR code, with the function patterns as ISO/IEC 18004 has them, for a decoder to correct the rest.
 * @param dark per module, above 0 dark. @param side modules each way.
 */
const drawQr = (dark: Float32Array, side: number): Luma => {
  const size = (side + 2 * quiet) * modulePx;
  const data = new Uint8ClampedArray(size * size).fill(255);
  const pattern = knownPattern(side);
  for (let at = 0; at < side * side; at += 1) {
    const known = pattern[at];
    if (known === 2 ? (dark[at] ?? 0) <= 0 : known === 0) continue;
    const left = (quiet + (at % side)) * modulePx;
    const top = (quiet + Math.floor(at / side)) * modulePx;
    for (let y = top; y < top + modulePx; y += 1) data.fill(0, y * size + left, y * size + left + modulePx);
  }
  return { data, width: size, height: size };
};

/** Larger regions are left to the decoders, which read them. In pixels. */
const areaMax = 60_000;
/** Regions near the middle that are read in turn. */
const middleMax = 3;

/** The region of a look, by its number: alternately the strongest one, and one of those near the middle. */
const regionAt = (luma: Luma, count: number): Window | undefined => {
  const regions = matrixRegionsBy(luma, count % 2 === 0 ? "strongest" : "middle");
  const small = regions.filter(({ width, height }) => width * height <= areaMax).slice(0, middleMax);
  return count % 2 === 0 ? small[0] : small[(count >> 1) % small.length];
};

/** The corners of a grid in pixels of the frame. */
const outlineOf = ({ corners }: Grid, { left, top }: Window): Read["outline"] =>
  [0, 2, 6, 4].map((at) => ({ x: left + (corners[at] ?? 0), y: top + (corners[at + 1] ?? 0) }));

/**
 * Reads QR codes that are too weak for a decoder: finds the grid from its finder patterns and accumulates each module over several
 * frames, where noise averages out and reflections move. The text still has to pass the code's error correction in a decoder.
 */
export class WeakQr {
  readonly #wasm: WasmReader;
  readonly #evidence = new ModuleEvidence();
  #count = 0;

  constructor(wasm: WasmReader) {
    this.#wasm = wasm;
  }

  /** Reads one region of the next frame. */
  read(luma: Luma): readonly Read[] {
    this.#evidence.decayAll();
    const region = regionAt(luma, this.#count);
    this.#count += 1;
    if (!region) return [];
    const part = crop(luma, region);
    const grid = this.#gridIn(luma, part, region);
    if (!grid) return [];
    const greys = new Float32Array(grid.side * grid.side);
    sampleGrid(part, grid, greys, true);
    const sums = this.#evidence.add(grid, greys);
    if (!sums) return [];
    for (const dark of [sums, sharpened(sums, grid.side)]) {
      const [read] = this.#wasm.read(drawQr(dark, grid.side), ["qr"], {});
      if (!read) continue;
      this.#evidence.clear();
      return [{ ...read, engine: "likelihood", outline: outlineOf(grid, region) }];
    }
    return [];
  }

  /** Drops the evidence of earlier frames. */
  forget(): void {
    this.#evidence.clear();
  }

  #gridIn(luma: Luma, part: Luma, region: Window): Grid | null {
    const { luma: upright, scale, toFrame } = deskew(luma, region);
    const finders = findersIn(soften(upright), scale).map(({ x, y, module, fit }) => {
      const at = toFrame(x, y);
      return { x: at.x - region.left, y: at.y - region.top, module: module / scale, fit };
    });
    return finders.length < 2 ? null : findGrid(soften(part), finders);
  }
}
