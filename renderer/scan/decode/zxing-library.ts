/** @zxing/library's single readers. The multi-format reader is left alone: it warns five times a frame without a code. */
import {
  AztecCodeReader,
  Binarizer,
  BinaryBitmap,
  BitArray,
  type BitMatrix,
  Code39Reader,
  Code128Reader,
  DataMatrixReader,
  DecodeHintType,
  EAN13Reader,
  InvertedLuminanceSource,
  ITFReader,
  LuminanceSource,
  NotFoundException,
  PDF417Reader,
  QRCodeReader,
  type Reader,
} from "@zxing/library";
import type { Symbology } from "../../../preload/contract.ts";
import type { Point, Read } from "./frame-reader.ts";
import type { Luma } from "./luma.ts";

/** A luma as @zxing/library wants to see it. Rotation is ours to do, on the luma. */
export class LumaSource extends LuminanceSource {
  readonly #luma: Luma;

  constructor(luma: Luma) {
    super(luma.width, luma.height);
    this.#luma = luma;
  }

  override getRow(y: number, row?: Uint8ClampedArray): Uint8ClampedArray {
    const { data, width } = this.#luma;
    const into = row && row.length >= width ? row : new Uint8ClampedArray(width);
    into.set(data.subarray(y * width, (y + 1) * width));
    return into;
  }

  override getMatrix(): Uint8ClampedArray {
    return this.#luma.data;
  }

  override invert(): LuminanceSource {
    return new InvertedLuminanceSource(this);
  }
}

/** A source of which only the size is asked: the rows come from a binarizer of ours. */
class RowsOnly extends LuminanceSource {
  constructor(width: number, height: number) {
    super(width, height);
  }
  override getRow(): never {
    throw new NotFoundException();
  }
  override getMatrix(): never {
    throw new NotFoundException();
  }
  override invert(): never {
    throw new NotFoundException();
  }
}

/** Bits for each pixel: edges are placed between pixels, so narrow bars keep their ratio. */
const bitsPerPixel = 3;
/** Grey levels that a swing needs to count as an edge: absolute, and as a multiple of the row's noise. */
const swingMin = 5;
const swingNoise = 3.5;
/** And as a share of the row's whole range; less for faint edges, as of blurred bars beside a reflection. */
const [swingShare, faintSwingShare] = [0.18, 0.08];
/** The shortest code has more edges than this; a row with fewer is not worth a reader's time. */
const edgesMin = 24;

/** Where the grey between two extremes crosses their middle, in bits from the row's start. */
const crossing = (row: Float32Array, from: number, to: number): number => {
  const start = row[from] ?? 0;
  const end = row[to] ?? 0;
  const middle = (start + end) / 2;
  let x = from;
  if (end < start) while (x < to && (row[x + 1] ?? 0) > middle) x += 1;
  else while (x < to && (row[x + 1] ?? 0) < middle) x += 1;
  const here = row[x] ?? 0;
  const step = (row[x + 1] ?? here) - here;
  return Math.round((x + 0.5 + (step === 0 ? 0.5 : (middle - here) / step)) * bitsPerPixel);
};

/** Light smoothing: a quarter, a half, a quarter. */
const smooth = ({ data, width }: Luma, y: number, into: Float32Array): void => {
  const start = y * width;
  into[0] = data[start] ?? 0;
  into[width - 1] = data[start + width - 1] ?? 0;
  for (let x = 1; x < width - 1; x += 1) {
    const at = start + x;
    into[x] = 0.25 * (data[at - 1] ?? 0) + 0.5 * (data[at] ?? 0) + 0.25 * (data[at + 1] ?? 0);
  }
};

const bendsPerLevel = 4;
const bendMax = 16;

/** How far the calmer pixels of a row stick out between their neighbours: noise, for a quarter of any row is no bars. */
const noiseOf = (row: Float32Array): number => {
  const bends = new Uint32Array(bendMax * bendsPerLevel);
  let samples = 0;
  for (let x = 1; x < row.length - 1; x += 2) {
    const bend = Math.abs(2 * (row[x] ?? 0) - (row[x - 1] ?? 0) - (row[x + 1] ?? 0)) * bendsPerLevel;
    const at = Math.min(bends.length - 1, Math.floor(bend));
    bends[at] = (bends[at] ?? 0) + 1;
    samples += 1;
  }
  let at = 0;
  for (let left = samples / 4; at < bends.length - 1; at += 1) {
    left -= bends[at] ?? 0;
    if (left <= 0) break;
  }
  return at / bendsPerLevel;
};

/**
 * Turns a row into bars by looking for edges instead of levels: it walks from one local extreme to the next and puts the edge where
 * the grey crosses their middle, to a third of a pixel. Blur, noise and glare move levels more than they move edges.
 */
export class EdgeBinarizer extends Binarizer {
  readonly #luma: Luma;
  readonly #swingShare: number;
  readonly #row: Float32Array;

  /** @param isFaint looks for faint edges as well. */
  constructor(luma: Luma, isFaint: boolean) {
    super(new RowsOnly(luma.width * bitsPerPixel, luma.height));
    this.#luma = luma;
    this.#swingShare = isFaint ? faintSwingShare : swingShare;
    this.#row = new Float32Array(luma.width);
  }

  override getBlackRow(y: number, reusable: BitArray | null): BitArray {
    const width = this.#luma.width;
    const bits = reusable && reusable.getSize() >= width * bitsPerPixel ? reusable : new BitArray(width * bitsPerPixel);
    bits.clear();
    smooth(this.#luma, y, this.#row);
    this.#mark(this.#row, bits);
    return bits;
  }

  #mark(row: Float32Array, bits: BitArray): void {
    let low = 255;
    let high = 0;
    for (const value of row) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    const floor = Math.max(swingMin, swingNoise * noiseOf(row));
    if (high - low < 2 * floor) throw new NotFoundException();
    const swing = Math.max(floor, (high - low) * this.#swingShare);
    let rising = false;
    let known = false;
    let from = 0;
    let extreme = 0;
    /** Where the bar that is open began; a row may begin inside one. */
    let barStart = 0;
    let open = false;
    let edges = 0;
    const edge = (to: number): void => {
      edges += 1;
      const at = crossing(row, from, to);
      if ((row[to] ?? 0) < (row[from] ?? 0)) {
        barStart = at;
        open = true;
      } else {
        if (open || from === 0) bits.setRange(open ? barStart : 0, Math.max(open ? barStart : 0, at));
        open = false;
      }
      from = to;
    };
    for (let x = 1; x < row.length; x += 1) {
      const value = row[x] ?? 0;
      const best = row[extreme] ?? 0;
      if (!known) {
        if (Math.abs(value - (row[0] ?? 0)) > swing) {
          known = true;
          rising = value > (row[0] ?? 0);
          extreme = x;
        }
      } else if (rising ? value > best : value < best) {
        extreme = x;
      } else if (Math.abs(value - best) > swing) {
        edge(extreme);
        rising = !rising;
        extreme = x;
      }
    }
    if (known) edge(extreme);
    if (edges < edgesMin) throw new NotFoundException();
    if (open) bits.setRange(barStart, bits.getSize());
  }

  override getBlackMatrix(): BitMatrix {
    throw new NotFoundException();
  }

  override createBinarizer(): EdgeBinarizer {
    return this;
  }
}

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

/** The text of one symbol that `binarizer` shows, or null. Never throws. */
export const readWith = (symbology: Symbology, binarizer: Binarizer, toFrame: ToFrame): Read | null => {
  const reader = readers[symbology];
  try {
    const result = reader.decode(new BinaryBitmap(binarizer), symbology === "code128" ? hints : undefined);
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
