/** Lines across bars that lean: they come out upright, and their points are found again in the picture. */
import { describe, expect, it } from "vitest";
import { type Luma, soften } from "../../../renderer/scan/decode/luma.ts";
import { noiseOf } from "../../../renderer/scan/decode/noise.ts";
import { rowBand } from "../../../renderer/scan/decode/row-band.ts";
import { seededRandom } from "../../random.ts";
import { between } from "../../scan-frames/random.ts";

const [width, height] = [640, 480];
const radians = Math.PI / 180;

const random = seededRandom(1);

/** Stripes of `barPx` across the whole picture, turned by `degrees` about its middle, with some noise. */
const stripes = (degrees: number, barPx: number, noise = 0): Luma => {
  const data = new Uint8ClampedArray(width * height);
  const [across, down] = [Math.cos(degrees * radians), Math.sin(degrees * radians)];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const along = (x - width / 2) * across + (y - height / 2) * down;
      const grain = noise * between(random, -1, 1);
      data[y * width + x] = (Math.floor(along / barPx) % 2 === 0 ? 200 : 60) + grain;
    }
  }
  return { data, width, height };
};

/** The largest difference between the lines of a band, in grey levels, in the columns that no line leaves the picture at. */
const unevenness = ({ data }: Luma): number => {
  let worst = 0;
  for (let x = 100; x < width - 100; x += 1) {
    const column = Array.from({ length: data.length / width }, (_, line) => data[line * width + x] ?? 0);
    worst = Math.max(worst, Math.max(...column) - Math.min(...column));
  }
  return worst;
};

describe("lines across bars", () => {
  it.each([0, 5, -8, 20, -25, 40])("of %d degrees run straight across them", (degrees) => {
    const picture = stripes(degrees, 12);
    const { luma } = rowBand(picture, { middleY: height / 2, rows: 8, degrees });
    const [line = 0] = [luma.height >> 1];
    const row = luma.data.subarray(line * width, (line + 1) * width);
    // A bar that is crossed askew by averaged rows would be grey all over.
    expect(Math.max(...row) - Math.min(...row)).toBeGreaterThan(120);
  });

  it("are the same at every height where the bars are upright", () => {
    expect(unevenness(rowBand(stripes(0, 6), { middleY: height / 2, rows: 8, degrees: 0 }).luma)).toBe(0);
  });

  it("lose noise with the number of rows", () => {
    const noisy = stripes(0, 6, 40);
    const band = (rows: number) => unevenness(rowBand(noisy, { middleY: height / 2, rows, degrees: 0 }).luma);
    expect(band(8)).toBeLessThan(band(1) * 0.75);
  });

  it.each([
    ["far above the picture", -400],
    ["at its upper edge", 0],
    ["far below it", 2000],
  ])("stay inside of it when their middle is %s", (_where, middleY) => {
    const { luma } = rowBand(stripes(0, 6), { middleY, rows: 8, degrees: 30 });
    expect(Math.min(...luma.data)).toBeGreaterThanOrEqual(60);
  });

  it("lead back to the place in the picture that they show", () => {
    const picture: Luma = { data: new Uint8ClampedArray(width * height).fill(200), width, height };
    const [markX, markY] = [420, 260];
    for (let y = -3; y <= 3; y += 1) {
      for (let x = -3; x <= 3; x += 1) picture.data[(markY + y) * width + markX + x] = 0;
    }
    const { luma, toFrame } = rowBand(picture, { middleY: height / 2, rows: 4, degrees: 10 });
    const darkest = luma.data.indexOf(Math.min(...luma.data));
    const { x, y } = toFrame(darkest % width, Math.floor(darkest / width));
    expect(Math.abs(x - markX)).toBeLessThanOrEqual(4);
    expect(Math.abs(y - markY)).toBeLessThanOrEqual(8);
  });
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

describe("the measure of noise", () => {
  it("sees none in bars and plain surfaces, and grows with what there is", () => {
    expect(noiseOf(stripes(20, 8))).toBeLessThan(2);
    expect(noiseOf(stripes(20, 8, 20))).toBeGreaterThan(6);
    expect(noiseOf(stripes(20, 8, 40))).toBeGreaterThan(noiseOf(stripes(20, 8, 20)));
  });
});
