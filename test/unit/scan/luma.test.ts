import { describe, expect, it } from "vitest";
import { type Luma, soften } from "../../../renderer/scan/decode/luma.ts";
import { flatten } from "../../../tools/scan/read-picture.ts";

const [width, height] = [60, 40];
/** Dark squares of 4 pixels on light, with a bright stripe over some of them in which dark is as bright as light elsewhere. */
const isDark = (x: number, y: number): boolean => x % 10 < 4 && y % 10 < 4;
const isBright = (x: number): boolean => x >= 28 && x < 36;
const picture: Luma = {
  width,
  height,
  data: Uint8ClampedArray.from({ length: width * height }, (_, at) => {
    const [x, y] = [at % width, Math.floor(at / width)];
    return (isDark(x, y) ? 40 : 130) + (isBright(x) ? 90 : 0);
  }),
};

it("tells dark from light under a bright stripe as well as beside it", () => {
  const flat = flatten(picture, 5);
  for (let y = 12; y < height - 12; y += 1) {
    for (let x = 12; x < width - 12; x += 1) {
      const grey = flat.data[y * width + x] ?? 0;
      expect(grey < 190, `${x}, ${y}: ${grey}`).toBe(isDark(x, y));
    }
  }
});

it("leaves a picture in which nothing is dark white, whatever its noise", () => {
  const data = Uint8ClampedArray.from({ length: width * height }, (_, at) => 150 + ((at * 7) % 5));
  expect(Math.min(...flatten({ data, width, height }, 5).data)).toBeGreaterThan(128);
});

describe("softening", () => {
  it("keeps a plain surface as it is, up to its edges", () => {
    const plain: Luma = { data: new Uint8ClampedArray(64).fill(77), width: 8, height: 8 };
    expect([...soften(plain).data]).toEqual(Array(64).fill(77));
  });

  it("spreads one point over its neighbours: a quarter stays", () => {
    const data = new Uint8ClampedArray(25);
    data[12] = 160;
    const soft = soften({ data, width: 5, height: 5 }).data;
    expect([soft[12], soft[11], soft[7], soft[6], soft[10]]).toEqual([40, 20, 20, 10, 0]);
  });
});
