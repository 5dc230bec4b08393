import { prepareZXingModule, type ReaderOptions, readBarcodes } from "zxing-wasm/reader";
import type { Symbology } from "../../../preload/contract.ts";
import { barTilt } from "./bar-tilt.ts";
import { type Decoder, isLinear, isRareTurn, type Point, type Read } from "./decoder.ts";
import { crop, type Luma, toRgba, windowAround } from "./luma.ts";
import { rowBand, tiltMaxDegrees } from "./row-band.ts";

const formats = {
  code128: "Code128",
  qr: "QRCode",
  aztec: "Aztec",
  datamatrix: "DataMatrix",
  pdf417: "PDF417",
  ean13: "EAN13",
  itf: "ITF",
  code39: "Code39",
} as const satisfies Record<Symbology, string>;

const symbologyOf = new Map<string, Symbology>(
  Object.entries(formats).map(([symbology, format]) => [format, symbology as Symbology]),
);

/** Codes that may lie in one picture: a phone page shows two, and an advertisement beside it may show more. */
const symbolsMax = 4;

/** Speed before persistence: another frame comes in 33 ms. */
const fastMode = {
  tryHarder: false,
  tryRotate: false,
  tryInvert: false,
  // A code that is large in the picture drowns in its sensor's noise at full size; the small copy takes under 1 ms more.
  tryDownscale: true,
  maxNumberOfSymbols: symbolsMax,
  textMode: "Plain",
} as const satisfies ReaderOptions;

/** Rarely shown, and found only by the slower search; one of them in each rare turn, in the middle of the picture. */
const rare: readonly Symbology[] = ["aztec", "datamatrix", "pdf417"];
const rareMode = { ...fastMode, tryHarder: true } as const satisfies ReaderOptions;
const rareWindow = { width: 0.75, height: 0.9 };
/** Rows averaged into a line for bars, as a share of the height: in noise and glare it reads most of what it misses in single rows. */
const averagedShare = 1 / 45;
const bandMode = { ...fastMode, tryDownscale: false } as const satisfies ReaderOptions;

/** Where the module's bytes come from: never the CDN that it would ask by itself. */
export type WasmSource = { readonly url: string } | { readonly bytes: ArrayBuffer };

/** Starts zxing-wasm. Rejects where WebAssembly is not to be had: @zxing/library then carries on alone. */
export const wasmDecoder = async (source: WasmSource): Promise<Decoder> => {
  const overrides = "url" in source ? { locateFile: () => source.url } : { wasmBinary: source.bytes };
  await prepareZXingModule({ overrides, fireImmediately: true });
  let rgba = new Uint8ClampedArray(0);

  const read = async (
    luma: Luma,
    symbologies: readonly Symbology[],
    options: ReaderOptions,
    toFrame: (x: number, y: number) => Point,
  ) => {
    if (symbologies.length === 0) return [];
    rgba = toRgba(luma, rgba);
    const picture = { data: rgba, width: luma.width, height: luma.height, colorSpace: "srgb" } as ImageData;
    const wanted = symbologies.map((symbology) => formats[symbology]);
    const results = await readBarcodes(picture, { ...options, formats: wanted }).catch(() => []);
    return results.flatMap((result): Read[] => {
      const symbology = symbologyOf.get(result.symbology) ?? symbologyOf.get(result.format);
      if (!result.isValid || symbology === undefined) return [];
      const { topLeft, topRight, bottomRight, bottomLeft } = result.position;
      const outline = [topLeft, topRight, bottomRight, bottomLeft].map(({ x, y }) => toFrame(x, y));
      return [{ text: result.text, symbology, engine: "zxing-wasm", outline }];
    });
  };

  const averaged = async (luma: Luma, symbologies: readonly Symbology[]): Promise<readonly Read[]> => {
    const tilt = barTilt(luma) ?? 0;
    if (Math.abs(tilt) > tiltMaxDegrees) return [];
    const rows = Math.round(luma.height * averagedShare);
    const band = rowBand(luma, { middleY: luma.height / 2, rows, degrees: tilt });
    return read(band.luma, symbologies, bandMode, band.toFrame);
  };

  return {
    engine: "zxing-wasm",
    decode: async (luma, symbologies, turn) => {
      const usual = symbologies.filter((symbology) => !rare.includes(symbology));
      const found = await read(luma, usual, fastMode, (x, y) => ({ x, y }));
      if (found.length > 0) return found;
      const bars = await averaged(luma, symbologies.filter(isLinear));
      if (bars.length > 0) return bars;
      const wanted = symbologies.filter((symbology) => rare.includes(symbology));
      const chosen = wanted[Math.floor(turn / 3) % wanted.length];
      if (chosen === undefined || !isRareTurn(turn)) return [];
      const window = windowAround(luma, luma.width / 2, luma.height / 2, rareWindow.width, rareWindow.height);
      return read(crop(luma, window), [chosen], rareMode, (x, y) => ({ x: x + window.left, y: y + window.top }));
    },
  };
};
