import { readCode128 } from "../bars/code128/read-code128.ts";
import { type BarPass, readBars } from "../bars/read-bars.ts";
import { regionsOf } from "../bars/regions-of.ts";
import { type Decoder, isLinear } from "../decoder.ts";
import { libraryDecoder } from "../zxing-library/library-decoder.ts";
import type { WasmReader } from "../zxing-wasm/wasm-reader.ts";
import { turns } from "./turns.ts";

/** All symbologies at once, from edge to edge: their cost is nearly that of one. In turn, a code of many pixels. */
const fastDecoder = (wasm: WasmReader): Decoder => ({
  engine: "zxing-wasm",
  decode: (luma, symbologies, turn) => wasm.read(luma, symbologies, { tryDownscale: turn % 2 === 1 }),
});

const regionsRead = 2;
/** Averaged lines read most of what noise hides; edges read most of what glare hides. */
const levels: BarPass = { by: "levels", lines: 8, thickness: 0.14 };
const thinLevels: BarPass = { by: "levels", lines: 12, thickness: 0.04 };
const edges: BarPass = { by: "faint edges", lines: 6, thickness: 0.14 };
const thinEdges: BarPass = { by: "edges", lines: 8, thickness: 0.04 };
const passesOf = (turn: number): readonly BarPass[] => (turn % 2 === 1 ? [levels, edges] : [thinLevels, thinEdges]);
/** Every third frame asks for white bars on black. */
const invertedEvery = 3;

/** Bars anywhere in the frame, whichever way they run. `wasm` is null where WebAssembly is not to be had. */
const barsDecoder = (wasm: WasmReader | null): Decoder => ({
  engine: wasm ? "zxing-wasm" : "zxing-library",
  decode: (luma, symbologies, turn) => {
    if (!symbologies.some(isLinear)) return [];
    for (const region of regionsOf(luma).slice(0, regionsRead)) {
      for (const pass of passesOf(turn)) {
        const reads = readBars(luma, region, symbologies, pass, wasm);
        if (reads.length > 0) return reads;
      }
      if (!symbologies.includes("code128")) continue;
      const reads = readCode128({ luma, region, isInverted: turn % invertedEvery === 0 });
      if (reads.length > 0) return reads;
    }
    return [];
  },
});

/** One turn of the thorough pass a frame: of those that serve a symbology that is on. */
const turnsDecoder = (wasm: WasmReader): Decoder => ({
  engine: "zxing-wasm",
  decode: (luma, symbologies, turn) => {
    const served = turns.filter(({ serves }) => symbologies.some(serves));
    // Frames are counted from 1.
    const [at, round] = [(turn - 1) % served.length, Math.floor((turn - 1) / served.length)];
    return served[at]?.read(luma, symbologies, wasm, round) ?? [];
  },
});

/**
 * The camera's decoders, in the order in which a frame is given to them until one reads what counts: together within the budget of one
 * frame. `wasm` is null where WebAssembly is not to be had; @zxing/library then carries on alone.
 */
export const cameraDecoders = (wasm: WasmReader | null): readonly Decoder[] =>
  wasm ? [fastDecoder(wasm), barsDecoder(wasm), turnsDecoder(wasm)] : [barsDecoder(null), libraryDecoder()];
