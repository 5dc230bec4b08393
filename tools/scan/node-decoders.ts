import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cameraDecoders } from "../../renderer/scan/decode/camera-decoders.ts";
import type { Decoder } from "../../renderer/scan/decode/frame-reader.ts";
import { startWasm, type WasmReader } from "../../renderer/scan/decode/zxing-wasm.ts";

const wasmBytes = (): ArrayBuffer => {
  const file = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");
  return new Uint8Array(readFileSync(file)).buffer;
};

/** zxing-wasm on Node. Also turns off stack traces, as the worker does: they cost @zxing/library more time than decoding. */
export const nodeWasm = (): Promise<WasmReader> => {
  Error.stackTraceLimit = 0;
  return startWasm({ bytes: wasmBytes() });
};

/** The camera's decoders in the camera's order, on Node: for the tests and the bench. */
export const nodeDecoders = async (): Promise<readonly Decoder[]> => cameraDecoders(await nodeWasm());

/** The camera's decoders without WebAssembly. Turns off stack traces too. */
export const nodeDecodersWithoutWasm = (): readonly Decoder[] => {
  Error.stackTraceLimit = 0;
  return cameraDecoders(null);
};
