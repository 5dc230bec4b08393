import type { Symbology } from "../../../../preload/contract.ts";
import type { Engine, Read } from "../decoder.ts";
import { half, type Luma } from "../luma.ts";
import type { WasmReader } from "../zxing-wasm/wasm-reader.ts";
import { Evidence } from "./evidence.ts";
import { firstPasses, furtherPasses, type StillPass } from "./passes.ts";

/** What one picture says. */
export interface PictureRead {
  readonly text: string | null;
  readonly symbology: Symbology | null;
  readonly engine: Engine | null;
  /** Bars whose text one way of reading alone gives, or where another text is as likely. */
  readonly doubtful: boolean;
  /** Time until the text was certain, or until everything was tried. */
  readonly ms: number;
}

/** What is looked for in a picture, and with what. */
export interface PictureOptions {
  /** Null where WebAssembly is not to be had. */
  readonly wasm: WasmReader | null;
  readonly symbologies: readonly Symbology[];
  /** Tells the texts that are looked for, which are preferred to all others in the picture. */
  readonly isRight: (read: Read) => boolean;
}

/** Photos are larger than what bars and modules need; the whole picture was looked at before. */
const widthMax = 1600;

/**
 * Reads a still picture: everything that both decoders can do, in every direction, from edge to edge, until a text is certain. Never
 * reads less than zxing-wasm with its thorough settings, which is the first pass.
 */
export const readPicture = (picture: Luma, wish: PictureOptions): PictureRead => {
  const startedMs = performance.now();
  const evidence = new Evidence(wish.isRight);
  let reduced = picture;
  while (Math.max(reduced.width, reduced.height) > widthMax) reduced = half(reduced);
  const take = (pass: StillPass, luma: Luma): void =>
    evidence.add(pass.way, pass.read(luma, wish), pass.isUnaltered === true);
  for (const pass of firstPasses) take(pass, pass === firstPasses[0] ? picture : reduced);
  for (const pass of furtherPasses) {
    if (evidence.finding()?.isDoubtful === false) break;
    take(pass, reduced);
  }
  const finding = evidence.finding();
  const ms = performance.now() - startedMs;
  if (!finding) return { text: null, symbology: null, engine: null, doubtful: false, ms };
  const { text, symbology, engine } = finding.read;
  return { text, symbology, engine, doubtful: finding.isDoubtful, ms };
};
