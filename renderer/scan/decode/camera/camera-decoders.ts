import type { Symbology } from "../../../../preload/contract.ts";
import { readCode128 } from "../bars/code128/read-code128.ts";
import { type BarPass, readBars } from "../bars/read-bars.ts";
import { regionsOf } from "../bars/regions-of.ts";
import { type Decoder, isLinear, type Read } from "../decoder.ts";
import type { Luma } from "../luma.ts";
import { WeakQr } from "../weak-qr/weak-qr.ts";
import { libraryDecoder } from "../zxing-library/library-decoder.ts";
import type { WasmReader } from "../zxing-wasm/wasm-reader.ts";
import { turns } from "./turns.ts";

/** Rare symbologies, expensive in a frame full of edges: they are decoded in turn. */
const [oddTurns, evenTurns]: readonly Symbology[][] = [["pdf417"], ["aztec", "datamatrix"]];

/** zxing-wasm's fast mode over the whole frame; in every second frame also at reduced size, for large codes. */
const fastDecoder = (wasm: WasmReader): Decoder => ({
  engine: "zxing-wasm",
  decode: (luma, symbologies, turn) => {
    const isOdd = turn % 2 === 1;
    const wanted = symbologies.filter((symbology) => !(isOdd ? evenTurns : oddTurns)?.includes(symbology));
    return wasm.read(luma, wanted.length > 0 ? wanted : symbologies, { tryDownscale: !isOdd });
  },
});

/** Averaged levels help against noise, edges against glare. */
const levels: BarPass = { by: "levels", lines: 8, thickness: 0.14 };
const thinLevels: BarPass = { by: "levels", lines: 12, thickness: 0.04 };
const edges: BarPass = { by: "faint edges", lines: 6, thickness: 0.14 };
const thinEdges: BarPass = { by: "edges", lines: 8, thickness: 0.04 };
const passesOf = (turn: number): readonly BarPass[] => (turn % 2 === 1 ? [levels, edges] : [thinLevels, thinEdges]);
/** Every third frame tries white bars on black. */
const invertedEvery = 3;
/** Every fourth frame reads the second strongest region. */
const secondEvery = 4;

/** Reads linear codes anywhere in the frame, in any direction. @param wasm null: WebAssembly is not available. */
const barsDecoder = (wasm: WasmReader | null): Decoder => ({
  engine: wasm ? "zxing-wasm" : "zxing-library",
  decode: (luma, symbologies, turn) => {
    if (!symbologies.some(isLinear)) return [];
    const [first, second] = regionsOf(luma);
    const region = turn % secondEvery === 0 ? (second ?? first) : first;
    if (!region) return [];
    for (const pass of passesOf(turn)) {
      const reads = readBars(luma, region, symbologies, pass, wasm);
      if (reads.length > 0) return reads;
    }
    return symbologies.includes("code128") ? readCode128({ luma, region, isInverted: turn % invertedEvery === 0 }) : [];
  },
});

/** One turn of the thorough pass, among those for the symbologies in use. */
const readTurn = (luma: Luma, symbologies: readonly Symbology[], wasm: WasmReader, count: number): readonly Read[] => {
  const served = turns.filter(({ serves }) => symbologies.some(serves));
  const [at, round] = [count % served.length, Math.floor(count / served.length)];
  return served[at]?.read(luma, symbologies, wasm, round) ?? [];
};

/** Uses the rest of a frame's time for weak QR codes and the thorough pass, in turn. */
const thoroughDecoder = (wasm: WasmReader): Decoder => {
  const weakQr = new WeakQr(wasm);
  return {
    engine: "zxing-wasm",
    forget: () => weakQr.forget(),
    decode: (luma, symbologies, turn) => {
      // Frames are counted from 1.
      if (!symbologies.includes("qr")) return readTurn(luma, symbologies, wasm, turn - 1);
      return turn % 2 === 0 ? weakQr.read(luma) : readTurn(luma, symbologies, wasm, turn >> 1);
    },
  };
};

/**
 * The camera's decoders in the order in which they get a frame, until one gives a valid text; together within the time of a frame.
 * @param wasm null: WebAssembly is not available, and @zxing/library decodes alone.
 */
export const cameraDecoders = (wasm: WasmReader | null): readonly Decoder[] =>
  wasm ? [fastDecoder(wasm), barsDecoder(wasm), thoroughDecoder(wasm)] : [barsDecoder(null), libraryDecoder()];
