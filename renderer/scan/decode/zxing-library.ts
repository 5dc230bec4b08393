/** @zxing/library's single readers. Its multi-format reader is not used: it logs five warnings for each frame without a code. */
import {
  AztecCodeReader,
  BinaryBitmap,
  Code39Reader,
  Code128Reader,
  DataMatrixReader,
  DecodeHintType,
  EAN13Reader,
  HybridBinarizer,
  ITFReader,
  PDF417Reader,
  QRCodeReader,
  type Reader,
  RGBLuminanceSource,
} from "@zxing/library";
import type { Symbology } from "../../../preload/contract.ts";
import type { Point, Read } from "./frame-reader.ts";
import type { Luma } from "./luma.ts";

const readers: Readonly<Record<Symbology, Reader>> = {
  code128: new Code128Reader(),
  qr: new QRCodeReader(),
  aztec: new AztecCodeReader(),
  datamatrix: new DataMatrixReader(),
  pdf417: new PDF417Reader(),
  ean13: new EAN13Reader(),
  itf: new ITFReader(),
  code39: new Code39Reader(),
};

/** Maps a point of the prepared picture back to the frame. */
type ToFrame = (x: number, y: number) => Point;

/** Keeps GS1's separators in Code 128. TRY_HARDER is left out: it costs time, reads cut-off texts, and counts as on even when it is given as false. */
const hints = new Map<DecodeHintType, unknown>([[DecodeHintType.ASSUME_GS1, true]]);
/**
 * The reader puts `]C1` before a Code 128 that is GS1, which zxing-wasm does not, and takes a check character of FNC1's value for a
 * separator after the last field.
 */
const code128Text = (text: string): string => {
  const from = text.startsWith("]C1") ? 3 : 0;
  return text.slice(from, text.endsWith("\u001d") ? -1 : undefined);
};

/** The text of one symbol in a picture, or null. Never throws. */
export const readWith = (symbology: Symbology, { data, width, height }: Luma, toFrame: ToFrame): Read | null => {
  const reader = readers[symbology];
  try {
    const result = reader.decode(
      new BinaryBitmap(new HybridBinarizer(new RGBLuminanceSource(data, width, height))),
      symbology === "code128" ? hints : undefined,
    );
    // Some of the points of a matrix are missing where its reader did not find them.
    const outline = (result.getResultPoints() ?? []).flatMap((point) =>
      point ? [toFrame(point.getX(), point.getY())] : [],
    );
    const text = symbology === "code128" ? code128Text(result.getText()) : result.getText();
    return { text, symbology, engine: "zxing-library", outline };
  } catch {
    return null;
  } finally {
    reader.reset();
  }
};
