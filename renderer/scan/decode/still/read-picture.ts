import type { Symbology } from "../../../../preload/contract.ts";
import type { Engine, Read } from "../decoder.ts";
import { half, type Luma } from "../luma.ts";
import type { WasmReader } from "../zxing-wasm/wasm-reader.ts";
import { Evidence } from "./evidence.ts";
import { firstPasses, furtherPasses, type StillPass } from "./passes.ts";

/** Result of one picture. */
export interface PictureRead {
  readonly text: string | null;
  readonly symbology: Symbology | null;
  readonly engine: Engine | null;
  /** A linear code whose text only one way of reading gave, or beside which another text is as likely. */
  readonly doubtful: boolean;
  /** Milliseconds until the text was certain, or everything was tried. */
  readonly ms: number;
}

/** What to read, and with what. */
export interface PictureOptions {
  /** Null where WebAssembly is not available. */
  readonly wasm: WasmReader | null;
  readonly symbologies: readonly Symbology[];
  /** Whether a text is looked for; such a text is preferred to all others in the picture. */
  readonly isRight: (read: Read) => boolean;
}

/** All passes but the first read the picture at this size: photos are larger than bars and modules need. */
const widthMax = 1600;

/**
 * Reads a still picture by one pass after the other until a text is certain. The first pass is zxing-wasm with its thorough
 * settings, so that it never reads less than that.
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
