import type { Symbology } from "../../../preload/contract.ts";
import type { Luma } from "./luma.ts";

/** `likelihood` is our own reader of weak Code 128: see `bars/code128/`. */
export const engines = ["zxing-wasm", "zxing-library", "likelihood"] as const;
/** One of `engines`. */
export type Engine = (typeof engines)[number];

/** A point in pixels of the frame. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A text that a decoder found in one frame; it may be wrong: see `frame-reader.ts`. */
export interface Read {
  readonly text: string;
  readonly symbology: Symbology;
  readonly engine: Engine;
  /** Two points for bars, three or four for a matrix; empty where the decoder does not say. */
  readonly outline: readonly Point[];
}

/**
 * Each third frame is for rare symbologies (Aztec, Data Matrix, PDF417) and skips other attempts, so that no frame takes longer
 * than the rest.
 */
export const isRareTurn = (turn: number): boolean => turn % 3 === 0;

/** The port to a decoder. */
export interface Decoder {
  readonly engine: Engine;
  /** All reads of one frame, of the given symbologies only. @param turn number of the frame, for attempts in turn. Never throws. */
  decode(luma: Luma, symbologies: readonly Symbology[], turn: number): readonly Read[] | Promise<readonly Read[]>;
  /** Drops what is kept of earlier frames: a text was accepted, and the next code is another one. */
  forget?(): void;
}

/** Whether a symbology is linear: such a code can be cut off and still pass its own check; a matrix code cannot. */
export const isLinear = (symbology: Symbology): boolean =>
  symbology === "code128" || symbology === "ean13" || symbology === "itf" || symbology === "code39";
