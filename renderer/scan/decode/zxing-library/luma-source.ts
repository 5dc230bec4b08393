import type { BitArray } from "@zxing/library";
import { HybridBinarizer, InvertedLuminanceSource, LuminanceSource } from "@zxing/library";
import type { Luma } from "../luma.ts";

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

/** 1D rows out of the local-threshold matrix that is meant for 2D: slower than a row histogram, better under uneven light. */
export class HybridRowBinarizer extends HybridBinarizer {
  override getBlackRow(y: number, row: BitArray): BitArray {
    return this.getBlackMatrix().getRow(y, row);
  }

  override createBinarizer(source: LuminanceSource): HybridRowBinarizer {
    return new HybridRowBinarizer(source);
  }
}
