import type { Symbology } from "../../../preload/contract.ts";
import type { Luma } from "./luma.ts";

/** `likelihood` is our own reader of weak Code 128: see `bars/code128/`. */
export const engines = ["zxing-wasm", "zxing-library", "likelihood"] as const;
/** One of `engines`. */
export type Engine = (typeof engines)[number];

/** In pixels of the frame that was read. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A text that a decoder found in one frame. Nothing is proven by it: see `frame-reader.ts`. */
export interface Read {
  readonly text: string;
  readonly symbology: Symbology;
  readonly engine: Engine;
  /** Two points for bars, three or four for a matrix; empty where the decoder does not say. */
  readonly outline: readonly Point[];
}

/**
 * Each third frame is for what is seldom shown (Aztec, Data Matrix, PDF417): the time for it is saved on other attempts, so that no
 * frame takes longer than the rest.
 */
export const isRareTurn = (turn: number): boolean => turn % 3 === 0;

/** The port behind which the decoders stand. */
export interface Decoder {
  readonly engine: Engine;
  /** All reads of one frame, of the given symbologies only. `turn` counts the frames, for decoders that try things in turn. Never throws. */
  decode(luma: Luma, symbologies: readonly Symbology[], turn: number): readonly Read[] | Promise<readonly Read[]>;
  /** Lets go of what earlier frames said, where anything is kept of them: a text was taken, and the next code is another one. */
  forget?(): void;
}

/** Bars can be cut off and still pass their own check; a matrix cannot. */
export const isLinear = (symbology: Symbology): boolean =>
  symbology === "code128" || symbology === "ean13" || symbology === "itf" || symbology === "code39";
