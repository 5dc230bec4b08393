/** @zxing/library's single readers. The multi-format reader is left alone: it warns five times a frame without a code. */
import {
  AztecCodeReader,
  type Binarizer,
  BinaryBitmap,
  Code39Reader,
  Code128Reader,
  DataMatrixReader,
  EAN13Reader,
  ITFReader,
  PDF417Reader,
  QRCodeReader,
  type Reader,
} from "@zxing/library";
import type { Symbology } from "../../../../preload/contract.ts";
import type { Point, Read } from "../decoder.ts";

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
export type ToFrame = (x: number, y: number) => Point;

/** No hints at all: TRY_HARDER costs time and reads cut-off texts, and counts as on even when it is given as false. */
export const readWith = (symbology: Symbology, binarizer: Binarizer, toFrame: ToFrame): Read | null => {
  const reader = readers[symbology];
  try {
    const result = reader.decode(new BinaryBitmap(binarizer));
    // Some of the points of a matrix are missing where its reader did not find them.
    const outline = (result.getResultPoints() ?? []).flatMap((point) =>
      point ? [toFrame(point.getX(), point.getY())] : [],
    );
    return { text: result.getText(), symbology, engine: "zxing-library", outline };
  } catch {
    return null;
  } finally {
    reader.reset();
  }
};
