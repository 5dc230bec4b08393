/** The loss that test frames get as a camera's JPEG has it. */
import { expect, it } from "vitest";
import type { Luma } from "../../../renderer/scan/decode/luma.ts";
import { seededRandom } from "../../random.ts";
import { jpeg } from "../../scan-frames/jpeg.ts";

const [width, height] = [44, 28];
const random = seededRandom(5);
const picture: Luma = {
  data: Uint8ClampedArray.from({ length: width * height }, (_, at) => 40 + (at % width) * 3 + 60 * random()),
  width,
  height,
};
const worst = (quality: number): number => {
  const { data } = jpeg(picture, quality);
  return Math.max(...data.map((value, at) => Math.abs(value - (picture.data[at] ?? 0))));
};

it("is a level or two at the best quality, and grows as quality falls", () => {
  expect(worst(100)).toBeLessThanOrEqual(2);
  expect(worst(90)).toBeGreaterThan(worst(100));
  expect(worst(40)).toBeGreaterThan(worst(90));
});

it("leaves the strips alone that fill no block", () => {
  const { data } = jpeg(picture, 10);
  const strip = (pixels: Uint8ClampedArray): readonly number[] => [...pixels.subarray(24 * width)];
  expect(strip(data)).toEqual(strip(picture.data));
});
