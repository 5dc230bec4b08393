import type { Symbology } from "../../../../preload/contract.ts";
import type { Read } from "../decoder.ts";
import type { Luma } from "../luma.ts";
import type { WasmReader } from "../zxing-wasm/wasm-reader.ts";

/** One part of the thorough pass, small enough for one frame. */
export interface Turn {
  readonly name: string;
  readonly serves: (symbology: Symbology) => boolean;
  /** @param round how often the turn has come, for a turn that varies. */
  readonly read: (luma: Luma, symbologies: readonly Symbology[], wasm: WasmReader, round: number) => readonly Read[];
}
