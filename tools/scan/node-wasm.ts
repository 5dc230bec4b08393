import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
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
