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

/** Rotates by 90° clockwise, for bars that run across. */
export const rotateQuarter = ({ data, width: wide, height: high }: Luma): Luma => {
  const out = new Uint8ClampedArray(wide * high);
  for (let y = 0; y < high; y += 1) {
    for (let x = 0; x < wide; x += 1) out[x * high + (high - 1 - y)] = data[y * wide + x] ?? 0;
  }
  return { data: out, width: high, height: wide };
};
