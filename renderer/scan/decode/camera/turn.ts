import type { Symbology } from "../../../../preload/contract.ts";
import type { Read } from "../decoder.ts";
import type { Luma } from "../luma.ts";
import type { WasmReader } from "../zxing-wasm/wasm-reader.ts";

/** One piece of the thorough pass over a picture: small enough for one frame. */
export interface Turn {
  readonly name: string;
  readonly serves: (symbology: Symbology) => boolean;
  /** `round` counts how often the turn has come, for a turn that looks elsewhere each time. */
  readonly read: (luma: Luma, symbologies: readonly Symbology[], wasm: WasmReader, round: number) => readonly Read[];
}
