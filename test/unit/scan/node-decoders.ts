import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Decoder } from "../../../renderer/scan/decode/decoder.ts";
import { wasmDecoder } from "../../../renderer/scan/decode/wasm-decoder.ts";
import { libraryDecoder } from "../../../renderer/scan/decode/zxing-library/library-decoder.ts";

const wasmFile = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");

/** The camera's decoders in the camera's order, on Node. */
export const nodeDecoders = async (): Promise<readonly [Decoder, Decoder]> => {
  Error.stackTraceLimit = 0;
  return [await wasmDecoder({ bytes: new Uint8Array(readFileSync(wasmFile)).buffer }), libraryDecoder()];
};
