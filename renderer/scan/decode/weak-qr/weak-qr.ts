import type { Read } from "../decoder.ts";
import { crop, type Luma, soften, type Window } from "../luma.ts";
import { matrixRegionsBy } from "../matrix-regions.ts";
import type { WasmReader } from "../zxing-wasm/wasm-reader.ts";
import { drawn } from "./drawn.ts";
import { findersIn } from "./finders.ts";
import { gridOf } from "./grid.ts";
import { ModuleEvidence, sharpened } from "./module-evidence.ts";
import { type Grid, sampleGrid } from "./sample-grid.ts";
import { uprightOf } from "./upright.ts";

/** A larger part of the frame has a code that decoders read. */
const areaMax = 60_000;
/** Parts near the middle that take turns. */
const middleMax = 3;

/** The one part of the frame that this look is for: the strongest in one, in the next one of those near the middle. */
const regionAt = (luma: Luma, look: number): Window | undefined => {
  const regions = matrixRegionsBy(luma, look % 2 === 0 ? "strongest" : "middle");
  const small = regions.filter(({ width, height }) => width * height <= areaMax).slice(0, middleMax);
  return look % 2 === 0 ? small[0] : small[(look >> 1) % small.length];
};

/** The middles of the finder patterns of a code whose grid lies in a part of the frame, and of its fourth corner. */
const outlineOf = ({ corners }: Grid, { left, top }: Window): Read["outline"] =>
  [0, 2, 6, 4].map((at) => ({ x: left + (corners[at] ?? 0), y: top + (corners[at + 1] ?? 0) }));

/**
 * Reads QR codes too weak for a decoder: it lays a grid on what looks like three finder patterns, and asks each module over several
 * frames. Noise averages out, and a reflection moves. A text still has to pass the code's own error correction in a decoder.
 */
export class WeakQr {
  readonly #wasm: WasmReader;
  readonly #evidence = new ModuleEvidence();
  #look = 0;

  constructor(wasm: WasmReader) {
    this.#wasm = wasm;
  }

  /** Looks at one part of the next frame. */
  read(luma: Luma): readonly Read[] {
    this.#evidence.age();
    const region = regionAt(luma, this.#look);
    this.#look += 1;
    if (!region) return [];
    const part = crop(luma, region);
    const grid = this.#gridIn(luma, part, region);
    if (!grid) return [];
    const greys = new Float32Array(grid.side * grid.side);
    sampleGrid(part, grid, greys, true);
    const sums = this.#evidence.add(grid, greys);
    if (!sums) return [];
    for (const dark of [sums, sharpened(sums, grid.side)]) {
      const [read] = this.#wasm.read(drawn(dark, grid.side), ["qr"], {});
      if (!read) continue;
      this.#evidence.clear();
      return [{ ...read, engine: "likelihood", outline: outlineOf(grid, region) }];
    }
    return [];
  }

  /** Lets go of all that earlier frames said. */
  forget(): void {
    this.#evidence.clear();
  }

  #gridIn(luma: Luma, part: Luma, region: Window): Grid | null {
    const { luma: upright, scale, toFrame } = uprightOf(luma, region);
    const finders = findersIn(soften(upright), scale).map(({ x, y, module, fit }) => {
      const at = toFrame(x, y);
      return { x: at.x - region.left, y: at.y - region.top, module: module / scale, fit };
    });
    return finders.length < 2 ? null : gridOf(soften(part), finders);
  }
}
