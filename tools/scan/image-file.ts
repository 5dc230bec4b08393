import { readFileSync } from "node:fs";
import jpeg from "jpeg-js";
import { PNG } from "pngjs";
import { fromRgba, type Luma } from "../../renderer/scan/decode/luma.ts";

const jpegMegabytesMax = 512;

/** Reads a PNG or JPEG file as grey levels. @throws Error when the file is neither, or is damaged. */
export const readImage = (file: string): Luma => {
  const bytes = readFileSync(file);
  if (bytes.subarray(0, 2).equals(Buffer.from([0xff, 0xd8]))) {
    const { data, width, height } = jpeg.decode(bytes, { useTArray: true, maxMemoryUsageInMB: jpegMegabytesMax });
    return fromRgba(data, width, height);
  }
  if (bytes.subarray(1, 4).toString("latin1") !== "PNG") throw new Error("not a PNG or JPEG file");
  const { data, width, height } = PNG.sync.read(bytes);
  return fromRgba(data, width, height);
};
