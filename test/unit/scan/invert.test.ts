import { expect, it } from "vitest";
import { invert } from "../../../renderer/scan/decode/luma.ts";

it("makes black of white in every pixel, however many there are, and leaves the picture as it was", () => {
  const sizes = [1, 3, 4, 5, 10, 11];
  for (const width of sizes) {
    const whole = Uint8ClampedArray.from({ length: width + 3 }, (_, at) => (at * 37) % 256);
    const data = whole.subarray(3);
    const before = [...data];
    expect([...invert({ data, width, height: 1 }).data]).toEqual(before.map((grey) => 255 - grey));
    expect([...data]).toEqual(before);
  }
});
