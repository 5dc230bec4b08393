import type { Symbology } from "../../../preload/contract.ts";
import { type Decoder, type Engine, isLinear, type Read } from "./decoder.ts";
import { half, type Luma } from "./luma.ts";
import { turnsMax } from "./zxing-library/library-decoder.ts";

/** What one picture says. `ms` is the time until it was read, or until everything was tried. */
export interface PictureRead {
  readonly text: string | null;
  readonly symbology: Symbology | null;
  readonly engine: Engine | null;
  readonly ms: number;
}

/** Photos are larger than camera frames; the pipeline is made for frames. */
const widthMax = 1600;

/**
 * Reads a still picture through the camera's decoders: what the camera would try over many frames is tried on this one. Bars need two
 * attempts that agree, as they need two frames before the camera; `isRight` says which text ends the search at once.
 */
export const readPicture = async (
  picture: Luma,
  decoders: readonly Decoder[],
  symbologies: readonly Symbology[],
  isRight: (read: Read) => boolean,
): Promise<PictureRead> => {
  let luma = picture;
  while (luma.width > widthMax) luma = half(luma);
  const startedMs = performance.now();
  const agreed = new Map<string, number>();
  let best: Read | null = null;
  for (let turn = 1; turn <= turnsMax; turn += 1) {
    for (const decoder of decoders) {
      for (const read of await decoder.decode(luma, symbologies, turn)) {
        const key = `${read.symbology} ${read.text}`;
        const times = (agreed.get(key) ?? 0) + 1;
        agreed.set(key, times);
        if (!isLinear(read.symbology) || times > 1) best ??= read;
        if (best && isRight(best)) return { ...named(best), ms: performance.now() - startedMs };
      }
    }
    // A code that is no id of ours: no more turns will make it one.
    if (best) break;
  }
  return { ...(best ? named(best) : { text: null, symbology: null, engine: null }), ms: performance.now() - startedMs };
};

const named = ({ text, symbology, engine }: Read) => ({ text, symbology, engine });
