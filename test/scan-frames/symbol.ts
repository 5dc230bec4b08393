/** Symbols as grids of modules, drawn by bwip-js. */
import bwipjs from "bwip-js/node";
import { makeTransactionId } from "../../backend/contract/ids.ts";
import type { Symbology } from "../../preload/contract.ts";
import { seededRandom } from "../random.ts";
import type { Random } from "./random.ts";

/** A symbol without its quiet zone; `quiet` is that zone in modules. */
export interface CodeSymbol {
  /** In modules. */
  readonly width: number;
  readonly height: number;
  /** 1 is dark, row by row; bars have one row for all. */
  readonly modules: Uint8Array;
  readonly linear: boolean;
  readonly quiet: number;
}

const encoders: Readonly<Record<Symbology, { readonly bcid: string; readonly [option: string]: unknown }>> = {
  code128: { bcid: "code128" },
  qr: { bcid: "qrcode", eclevel: "M" },
  aztec: { bcid: "azteccode" },
  datamatrix: { bcid: "datamatrix" },
  pdf417: { bcid: "pdf417", columns: 2, eclevel: 2 },
  ean13: { bcid: "ean13" },
  itf: { bcid: "interleaved2of5" },
  code39: { bcid: "code39" },
};

/** What bwip-js's `raw` gives: widths of bars and spaces, or pixels. */
interface Raw {
  readonly sbs?: readonly number[];
  readonly pixs?: readonly number[];
  readonly pixx?: number;
  readonly pixy?: number;
}

/** The rows of a PDF417 symbol are drawn once and are several modules high. */
const taller = (pixels: readonly number[], width: number, height: number): Uint8Array => {
  const rows = pixels.length / width;
  const times = Math.round(height / rows);
  return Uint8Array.from({ length: width * height }, (_, at) => {
    const row = Math.floor(Math.floor(at / width) / times);
    return pixels[row * width + (at % width)] ?? 0;
  });
};

/** Draws `text`. Throws when the symbology cannot hold it. */
export const symbolOf = (symbology: Symbology, text: string): CodeSymbol => {
  const [raw] = bwipjs.raw({ ...encoders[symbology], text } as Parameters<typeof bwipjs.raw>[0]) as unknown as Raw[];
  if (raw?.pixs && raw.pixx && raw.pixy) {
    const quiet = symbology === "qr" ? 4 : 2;
    const modules = taller(raw.pixs, raw.pixx, raw.pixy);
    return { width: raw.pixx, height: raw.pixy, modules, linear: false, quiet };
  }
  const columns = (raw?.sbs ?? []).flatMap((width, index) =>
    Array<number>(Math.round(width)).fill(index % 2 === 0 ? 1 : 0),
  );
  while (columns.at(-1) === 0) columns.pop();
  const height = Math.max(30, Math.round(columns.length * 0.3));
  return { width: columns.length, height, modules: Uint8Array.from(columns), linear: true, quiet: 10 };
};

/** A right transaction id that a seed reproduces. */
export const seededId = (seed: number): string => {
  const random: Random = seededRandom(seed);
  return makeTransactionId(Uint8Array.from({ length: 15 }, () => random() * 256));
};
