import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Decoder } from "../../renderer/scan/decode/decoder.ts";
import { wasmDecoder } from "../../renderer/scan/decode/wasm-decoder.ts";
import { libraryDecoder } from "../../renderer/scan/decode/zxing-library/library-decoder.ts";

/** The camera's decoders in the camera's order, on Node: for the command line, the tests and the bench. */
export const nodeDecoders = async (): Promise<readonly [Decoder, Decoder]> => {
  // As in the worker: stack traces cost @zxing/library more than the decoding.
  Error.stackTraceLimit = 0;
  const file = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");
  return [await wasmDecoder({ bytes: new Uint8Array(readFileSync(file)).buffer }), libraryDecoder()];
};
