/** The decoders alone, as others use them: what ours is set beside. */

import { getInstance, scanGrayBuffer, ZBarConfigType, ZBarScanner, ZBarSymbolType } from "@undecaf/zbar-wasm";
import {
  BarcodeFormat,
  BinaryBitmap,
  DecodeHintType,
  HybridBinarizer,
  MultiFormatReader,
  RGBLuminanceSource,
} from "@zxing/library";
import type { Symbology } from "../../../preload/contract.ts";
import type { Read } from "../../../renderer/scan/decode/frame-reader.ts";
import type { Luma } from "../../../renderer/scan/decode/luma.ts";
import { rotateQuarter } from "../../../tools/scan/image-file.ts";

/** All texts of one picture. */
type ReadAll = (luma: Luma) => readonly Read[] | Promise<readonly Read[]>;

const zbarNames: Readonly<Record<string, Symbology>> = { ZBAR_CODE128: "code128", ZBAR_QRCODE: "qr" };

/** zbar with the two symbologies that it shares with the frames: the fewest it can be asked for. */
export const zbar = async (): Promise<ReadAll> => {
  await getInstance();
  const scanner = await ZBarScanner.create();
  scanner.setConfig(ZBarSymbolType.ZBAR_NONE, ZBarConfigType.ZBAR_CFG_ENABLE, 0);
  for (const type of [ZBarSymbolType.ZBAR_CODE128, ZBarSymbolType.ZBAR_QRCODE]) {
    scanner.setConfig(type, ZBarConfigType.ZBAR_CFG_ENABLE, 1);
  }
  return async ({ data, width, height }) => {
    const found = await scanGrayBuffer(new Uint8Array(data).buffer, width, height, scanner);
    return found.flatMap((symbol): Read[] => {
      const symbology = zbarNames[symbol.typeName];
      return symbology ? [{ text: symbol.decode(), symbology, engine: "zxing-library", outline: [] }] : [];
    });
  };
};

const libraryFormats = new Map<BarcodeFormat, Symbology>([
  [BarcodeFormat.CODE_128, "code128"],
  [BarcodeFormat.QR_CODE, "qr"],
  [BarcodeFormat.AZTEC, "aztec"],
  [BarcodeFormat.DATA_MATRIX, "datamatrix"],
  [BarcodeFormat.PDF_417, "pdf417"],
]);

/**
 * @zxing/library's reader for several formats, with local thresholds. Thorough is with TRY_HARDER, and on the picture turned by 90° where
 * it reads nothing.
 */
export const library = (isThorough: boolean): ReadAll => {
  const reader = new MultiFormatReader();
  const hints = new Map<DecodeHintType, unknown>([[DecodeHintType.POSSIBLE_FORMATS, [...libraryFormats.keys()]]]);
  if (isThorough) hints.set(DecodeHintType.TRY_HARDER, true);
  reader.setHints(hints);
  const readOnce = ({ data, width, height }: Luma): readonly Read[] => {
    try {
      const source = new RGBLuminanceSource(data, width, height);
      const result = reader.decodeWithState(new BinaryBitmap(new HybridBinarizer(source)));
      const symbology = libraryFormats.get(result.getBarcodeFormat());
      return symbology ? [{ text: result.getText(), symbology, engine: "zxing-library", outline: [] }] : [];
    } catch {
      return [];
    }
  };
  return (luma) => {
    const reads = readOnce(luma);
    return reads.length > 0 || !isThorough ? reads : readOnce(rotateQuarter(luma));
  };
};
