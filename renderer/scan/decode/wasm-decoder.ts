import { prepareZXingModule, type ReaderOptions, readBarcodes } from "zxing-wasm/reader";
import type { Symbology } from "../../../preload/contract.ts";
import type { Decoder, Read } from "./decoder.ts";
import { toRgba } from "./luma.ts";

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
  tryDownscale: false,
  maxNumberOfSymbols: symbolsMax,
  textMode: "Plain",
} as const satisfies ReaderOptions;

/** Looked for in turn, one a frame: each costs as much as the bars and QR together, and none is what most phones show. */
const inTurn: readonly Symbology[] = ["aztec", "datamatrix", "pdf417"];

const thisTurn = (symbologies: readonly Symbology[], turn: number): readonly Symbology[] => {
  const rare = symbologies.filter((symbology) => inTurn.includes(symbology));
  const chosen = rare[turn % rare.length];
  return symbologies.filter((symbology) => symbology === chosen || !rare.includes(symbology));
};

/** Where the module's bytes come from: never the CDN that it would ask by itself. */
export type WasmSource = { readonly url: string } | { readonly bytes: ArrayBuffer };

/** Starts zxing-wasm. Rejects where WebAssembly is not to be had: @zxing/library then carries on alone. */
export const wasmDecoder = async (source: WasmSource, options: ReaderOptions = fastMode): Promise<Decoder> => {
  const overrides = "url" in source ? { locateFile: () => source.url } : { wasmBinary: source.bytes };
  await prepareZXingModule({ overrides, fireImmediately: true });
  let rgba = new Uint8ClampedArray(0);
  return {
    engine: "zxing-wasm",
    decode: async (luma, symbologies, turn) => {
      rgba = toRgba(luma, rgba);
      const picture = { data: rgba, width: luma.width, height: luma.height, colorSpace: "srgb" } as ImageData;
      const wanted = thisTurn(symbologies, turn).map((symbology) => formats[symbology]);
      const results = await readBarcodes(picture, { ...options, formats: wanted }).catch(() => []);
      return results.flatMap((result): Read[] => {
        const symbology = symbologyOf.get(result.symbology) ?? symbologyOf.get(result.format);
        if (!result.isValid || symbology === undefined) return [];
        const { topLeft, topRight, bottomRight, bottomLeft } = result.position;
        const outline = [topLeft, topRight, bottomRight, bottomLeft];
        return [{ text: result.text, symbology, engine: "zxing-wasm", outline }];
      });
    },
  };
};
