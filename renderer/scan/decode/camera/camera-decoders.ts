import { type BarLook, readBars } from "../bars/read-bars.ts";
import { regionsOf } from "../bars/regions-of.ts";
import { type Decoder, isLinear } from "../decoder.ts";
import { barsInRows, libraryDecoder } from "../zxing-library/library-decoder.ts";
import type { WasmReader } from "../zxing-wasm/wasm-reader.ts";
import { turns } from "./turns.ts";

/** All symbologies at once, from edge to edge: their cost is nearly that of one. In turn, white on black and a code of many pixels. */
const fastDecoder = (wasm: WasmReader): Decoder => ({
  engine: "zxing-wasm",
  decode: (luma, symbologies, turn) =>
    wasm.read(luma, symbologies, turn % 2 === 0 ? { tryInvert: true } : { tryDownscale: true }),
});

const regionsRead = 2;
/** Averaged lines read most of what noise hides; edges read most of what glare and blur hide. */
const levels: BarLook = { by: "levels", lines: 8, thickness: 0.14 };
const thinLevels: BarLook = { by: "levels", lines: 12, thickness: 0.04 };
const edges: BarLook = { by: "faint edges", lines: 6, thickness: 0.14 };
const thinEdges: BarLook = { by: "edges", lines: 8, thickness: 0.04 };
/** What every second frame looks at; between them are averaged rows across the middle, for bars that are too weak to be found. */
const looksOf = (turn: number): readonly BarLook[] => (turn % 4 === 1 ? [levels, edges] : [thinLevels, thinEdges]);

/** Bars anywhere in the frame, whichever way they run. `wasm` is null where WebAssembly is not to be had. */
const barsDecoder = (wasm: WasmReader | null): Decoder => ({
  engine: wasm ? "zxing-wasm" : "zxing-library",
  decode: (luma, symbologies, turn) => {
    if (!symbologies.some(isLinear)) return [];
    const isRowTurn = turn % 2 === 0;
    for (const region of regionsOf(luma).slice(0, regionsRead)) {
      for (const look of isRowTurn ? [turn % 4 === 0 ? thinLevels : levels] : looksOf(turn)) {
        const reads = readBars(luma, region, symbologies, look, wasm);
        if (reads.length > 0) return reads;
      }
    }
    const read = isRowTurn ? barsInRows(luma, symbologies, turn >> 1) : null;
    return read ? [read] : [];
  },
});

/** One turn of the thorough pass a frame: of those that serve a symbology that is on. */
const turnsDecoder = (wasm: WasmReader): Decoder => ({
  engine: "zxing-wasm",
  decode: (luma, symbologies, turn) => {
    const served = turns.filter(({ serves }) => symbologies.some(serves));
    const chosen = served[turn % served.length];
    return chosen?.read(luma, symbologies, wasm, Math.floor(turn / served.length)) ?? [];
  },
});

/**
 * The camera's decoders, in the order in which a frame is given to them until one reads what counts: together within the budget of one
 * frame. `wasm` is null where WebAssembly is not to be had; @zxing/library then carries on alone.
 */
export const cameraDecoders = (wasm: WasmReader | null): readonly Decoder[] =>
  wasm ? [fastDecoder(wasm), barsDecoder(wasm), turnsDecoder(wasm)] : [barsDecoder(null), libraryDecoder()];
