import {
  BINARIZERS,
  CHARACTER_SETS,
  EAN_ADD_ON_SYMBOLS,
  encodeFormats,
  prepareZXingModule,
  TEXT_MODES,
  type ZXingReaderModule,
  type ZXingReaderOptions,
} from "zxing-wasm/reader";
import type { Symbology } from "../../../preload/contract.ts";
import type { Point, Read } from "./frame-reader.ts";
import type { Luma } from "./luma.ts";

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
const symbolsMax = 8;

/** What zxing-wasm may spend its time on; everything is off by default. */
export interface WasmOptions {
  /** Looks at more rows, and at more places. */
  readonly tryHarder?: boolean;
  /** Looks at the picture turned by 90° as well. */
  readonly tryRotate?: boolean;
  /** Looks for matrix codes that are white on black. */
  readonly tryInvert?: boolean;
  /** Looks at copies of a third and a ninth of the size as well. */
  readonly tryDownscale?: boolean;
  /** How grey becomes black and white; by default against the neighbourhood for matrix codes, and by row for bars. */
  readonly binarizer?: (typeof BINARIZERS)[number];
}

/** zxing-wasm, started. */
export interface WasmReader {
  /** All codes of the given symbologies in a picture; outlines are mapped by `toFrame`. Never throws. */
  read(
    luma: Luma,
    symbologies: readonly Symbology[],
    options: WasmOptions,
    toFrame?: (x: number, y: number) => Point,
  ): readonly Read[];
}

/** Where the module's bytes come from: never the CDN that it would ask by itself. */
type WasmSource = { readonly url: string } | { readonly bytes: ArrayBuffer };

/** The part of the Emscripten module that is used here. */
interface Heap {
  readonly HEAPU8: Uint8Array;
  readonly _malloc: (bytes: number) => number;
  readonly _free: (pointer: number) => void;
}

const defaults: Omit<ZXingReaderOptions, "formats"> = {
  tryHarder: false,
  tryRotate: false,
  tryInvert: false,
  tryDownscale: false,
  tryDenoise: false,
  binarizer: BINARIZERS.indexOf("LocalAverage"),
  isPure: false,
  downscaleFactor: 3,
  downscaleThreshold: 500,
  minLineCount: 2,
  maxNumberOfSymbols: symbolsMax,
  validateOptionalChecksum: false,
  returnErrors: false,
  eanAddOnSymbol: EAN_ADD_ON_SYMBOLS.indexOf("Ignore"),
  textMode: TEXT_MODES.indexOf("Plain"),
  characterSet: CHARACTER_SETS.indexOf("Unknown"),
  tryCode39ExtendedMode: true,
};

const asIs = (x: number, y: number): Point => ({ x, y });

/**
 * Starts zxing-wasm. Rejects where WebAssembly is not available: @zxing/library then decodes alone.
 *
 * The grey picture is given to the module as it is. The package's own `readBarcodes` wants RGBA and makes grey of it again, which takes
 * longer than to read a frame.
 */
export const startWasm = async (source: WasmSource): Promise<WasmReader> => {
  const overrides = "url" in source ? { locateFile: () => source.url } : { wasmBinary: source.bytes };
  const module = (await prepareZXingModule({ overrides, fireImmediately: true })) as ZXingReaderModule & Heap;
  let pointer = 0;
  let size = 0;

  const place = ({ data }: Luma): void => {
    if (data.length > size) {
      if (size > 0) module._free(pointer);
      size = 0;
      pointer = module._malloc(data.length);
      if (pointer === 0) throw new RangeError(`no memory for a picture of ${data.length} bytes`);
      size = data.length;
    }
    module.HEAPU8.set(data, pointer);
  };

  const results = (luma: Luma, symbologies: readonly Symbology[], { binarizer, ...options }: WasmOptions) => {
    place(luma);
    const found = module.readBarcodesFromPixmap(pointer, luma.width, luma.height, {
      ...defaults,
      ...options,
      ...(binarizer ? { binarizer: BINARIZERS.indexOf(binarizer) } : {}),
      formats: encodeFormats(symbologies.map((symbology) => formats[symbology])),
    });
    const all = Array.from({ length: found.size() }, (_, at) => found.get(at));
    // The list lives in the memory of the module, which nobody else clears.
    (found as unknown as { delete(): void }).delete();
    return all;
  };

  return {
    read: (luma, symbologies, options, toFrame = asIs) => {
      if (symbologies.length === 0 || luma.width < 3 || luma.height < 3) return [];
      try {
        return results(luma, symbologies, options).flatMap((result): Read[] => {
          const symbology = symbologyOf.get(result?.symbology ?? "") ?? symbologyOf.get(result?.format ?? "");
          if (!result?.isValid || symbology === undefined) return [];
          const { topLeft, topRight, bottomRight, bottomLeft } = result.position;
          const outline = [topLeft, topRight, bottomRight, bottomLeft].map(({ x, y }) => toFrame(x, y));
          return [{ text: result.text, symbology, engine: "zxing-wasm", outline }];
        });
      } catch {
        return [];
      }
    },
  };
};
