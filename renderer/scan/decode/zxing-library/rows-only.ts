import { LuminanceSource, NotFoundException } from "@zxing/library";

/** A source of which only the size is asked: the rows come from a binarizer of ours. */
export class RowsOnly extends LuminanceSource {
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
