import type { Read } from "../decoder.ts";
import { crop, type Luma, soften, type Window } from "../luma.ts";
import { matrixRegionsBy } from "../matrix-regions.ts";
import type { WasmReader } from "../zxing-wasm/wasm-reader.ts";
import { deskew } from "./deskew.ts";
import { findersIn } from "./finders.ts";
import { findGrid } from "./grid.ts";
import { ModuleEvidence, sharpened } from "./module-evidence.ts";
import { knownPattern } from "./pattern.ts";
import { type Grid, sampleGrid } from "./sample-grid.ts";

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
