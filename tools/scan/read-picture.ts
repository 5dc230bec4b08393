import type { Symbology } from "../../preload/contract.ts";
import { type BarPass, furtherBarPasses, readBars, stripOf } from "../../renderer/scan/decode/bars.ts";
import { readCode128 } from "../../renderer/scan/decode/code128.ts";
import { type Engine, isLinear, type Point, type Read } from "../../renderer/scan/decode/frame-reader.ts";
import {
  crop,
  double,
  greyAt,
  half,
  invert,
  type Luma,
  sharpen,
  soften,
  withMargin,
} from "../../renderer/scan/decode/luma.ts";
import { type BarRegion, barRegions } from "../../renderer/scan/decode/regions.ts";
import type { WasmOptions, WasmReader } from "../../renderer/scan/decode/zxing-wasm.ts";

/** zxing-wasm's most thorough settings. */
export const thoroughOptions = {
  tryHarder: true,
  tryRotate: true,
  tryInvert: true,
  tryDownscale: true,
} as const satisfies WasmOptions;

/** Cheap passes that are enough for most codes. */
export const usualBarPasses: readonly BarPass[] = [
  { lines: 10, thickness: 0.05 },
  { lines: 10, thickness: 0.12, isSharpened: true },
];

/** The upper and the lower half of a region's bars: a text found in both is not caused by noise or a reflection. */
export const halvesOf = (region: BarRegion): readonly [BarRegion, BarRegion] => {
  const angle = (region.degrees * Math.PI) / 180;
  const half = (way: 1 | -1): BarRegion => {
    const along = (way * region.height) / 4;
    const center = {
      x: region.center.x - along * Math.sin(angle),
      y: region.center.y + along * Math.cos(angle),
    };
    return { ...region, center, height: region.height / 2 };
  };
  return [half(-1), half(1)];
};

/** The grey around a rotated picture. */
const surroundGrey = 128;

/** Rotates the whole picture by any angle, with bilinear samples; grey around it. */
const rotated = (luma: Luma, degrees: number): Luma => {
  const { width: wide, height: high } = luma;
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const width = Math.ceil(Math.abs(wide * cos) + Math.abs(high * sin));
  const height = Math.ceil(Math.abs(wide * sin) + Math.abs(high * cos));
  const out = new Uint8ClampedArray(width * height).fill(surroundGrey);
  for (let y = 0; y < height; y += 1) {
    let sourceX = (-width / 2) * cos + (y - height / 2) * sin + wide / 2;
    let sourceY = (width / 2) * sin + (y - height / 2) * cos + high / 2;
    for (let x = 0; x < width; x += 1, sourceX += cos, sourceY -= sin) {
      if (sourceX < 0 || sourceY < 0 || sourceX >= wide - 1 || sourceY >= high - 1) continue;
      out[y * width + x] = greyAt(luma, sourceX, sourceY);
    }
  }
  return { data: out, width, height };
};

const cellPx = 32;
const sampleStep = 4;
/** Smaller steps of grey count as noise. */
const stepMin = 24;
/** Cells each way that are summed: about the size of a matrix code at an arm's length. */
const reachCells = 3;

/** The point with the most edges around it, where a matrix code is likely; the middle of the picture if there are none. */
const busiestPoint = ({ data, width, height }: Luma): Point => {
  const columns = Math.ceil(width / cellPx);
  const rows = Math.ceil(height / cellPx);
  const edges = new Float64Array(columns * rows);
  for (let y = 0; y < height - 2; y += sampleStep) {
    for (let x = 0; x < width - 2; x += sampleStep) {
      const at = y * width + x;
      const here = data[at] ?? 0;
      const across = Math.abs(here - (data[at + 2] ?? here));
      const down = Math.abs(here - (data[at + 2 * width] ?? here));
      // Edges in both directions: stripes and bars have only one.
      const both = Math.min(across, down) * 2 + Math.max(across, down);
      const cell = Math.floor(y / cellPx) * columns + Math.floor(x / cellPx);
      if (both > stepMin) edges[cell] = (edges[cell] ?? 0) + both;
    }
  }
  let best = 0;
  let middle = { x: width / 2, y: height / 2 };
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      let [sum, sumX, sumY] = [0, 0, 0];
      for (let y = Math.max(0, row - reachCells); y <= Math.min(rows - 1, row + reachCells); y += 1) {
        for (let x = Math.max(0, column - reachCells); x <= Math.min(columns - 1, column + reachCells); x += 1) {
          const weight = edges[y * columns + x] ?? 0;
          sum += weight;
          sumX += weight * x;
          sumY += weight * y;
        }
      }
      if (sum <= best) continue;
      best = sum;
      middle = { x: (sumX / sum + 0.5) * cellPx, y: (sumY / sum + 0.5) * cellPx };
    }
  }
  return middle;
};

/** Different ways of reading that must give the same text of a linear code. */
const waysNeeded = 2;

/** The separator of GS1's fields: a decoder may leave it out. */
const separator = "\u001d";

/** The best text of a picture. */
interface Finding {
  readonly read: Read;
  /** Only one way of reading gave this text, or another text is as likely. */
  readonly isDoubtful: boolean;
}

interface Text {
  readonly read: Read;
  readonly ways: Set<string>;
  /** Whether a way that does not alter the greys found it. */
  readonly isUnaltered: boolean;
}

/**
 * Collects the texts that the ways of reading one picture gave. A matrix code is proven by its error correction; a
 * linear code needs two ways that agree, because a row through glare or past its end also gives a text.
 */
export class Evidence {
  readonly #texts = new Map<string, Text>();
  readonly #isRight: (read: Read) => boolean;

  /** @param isRight whether a text is one that is looked for. */
  constructor(isRight: (read: Read) => boolean) {
    this.#isRight = isRight;
  }

  /** @param isUnaltered the greys were as in the picture: at most rotated or enlarged. */
  add(way: string, reads: readonly Read[], isUnaltered: boolean): void {
    for (const read of reads) {
      const key = `${read.symbology} ${read.text.replaceAll(separator, "")}`;
      const known = this.#texts.get(key);
      const isFuller = known === undefined || read.text.length > known.read.text.length;
      const ways = (known?.ways ?? new Set<string>()).add(way);
      this.#texts.set(key, {
        read: isFuller ? read : known.read,
        ways,
        isUnaltered: isUnaltered || known?.isUnaltered === true,
      });
    }
  }

  /** The best text so far, or null where there is none. */
  finding(): Finding | null {
    const [best, next] = [...this.#texts.values()].toSorted((a, b) => this.#rank(b) - this.#rank(a));
    if (!best) return null;
    return { read: best.read, isDoubtful: !this.#isProven(best) || this.#isContested(best, next) };
  }

  #isProven({ read, ways, isUnaltered }: Text): boolean {
    // PDF417's error correction is weak in small symbols: in a picture that was softened or shrunk it gives wrong texts.
    const isSafe = !isLinear(read.symbology) && (isUnaltered || read.symbology !== "pdf417");
    return isSafe || ways.size >= waysNeeded;
  }

  /** Whether two texts of linear codes were found equally often and neither is looked for: one is wrong, or there are two codes. */
  #isContested(best: Text, next: Text | undefined): boolean {
    if (!next || !isLinear(best.read.symbology) || this.#isRight(best.read)) return false;
    return isLinear(next.read.symbology) && next.ways.size === best.ways.size && !isPart(next, best);
  }

  /** Ranks texts that are looked for first, then proven ones, then by the number of ways; a truncated text after the whole one. */
  #rank(text: Text): number {
    const isCutOff = [...this.#texts.values()].some((other) => isPart(text, other) && this.#isProven(other));
    const proven = this.#isProven(text) ? 1000 : 0;
    return (this.#isRight(text.read) ? 10_000 : 0) + proven - (isCutOff ? 500 : 0) + text.ways.size;
  }
}

/** Whether a text is part of another of the same symbology: truncated by glare, a finger or the frame. */
const isPart = (text: Text, whole: Text): boolean =>
  text !== whole &&
  text.read.symbology === whole.read.symbology &&
  text.read.text.length < whole.read.text.length &&
  whole.read.text.includes(text.read.text);

/** What a pass may use. */
interface StillContext {
  readonly wasm: WasmReader | null;
  readonly symbologies: readonly Symbology[];
}

/** One way to read a picture. Passes with the same `way` do not confirm each other. */
interface StillPass {
  readonly way: string;
  /** Whether the greys are as in the picture: at most rotated or enlarged. */
  readonly isUnaltered?: boolean;
  readonly read: (luma: Luma, context: StillContext) => readonly Read[];
}

/** zxing-wasm with its thorough settings, on the picture after `prepare`. */
const thorough = (way: string, prepare: (luma: Luma) => Luma, options: WasmOptions = {}): StillPass => ({
  way,
  read: (luma, { wasm, symbologies }) =>
    wasm?.read(prepare(luma), symbologies, { ...thoroughOptions, ...options }, () => ({ x: 0, y: 0 })) ?? [],
});

const unaltered = (way: string, prepare: (luma: Luma) => Luma): StillPass => ({
  ...thorough(way, prepare),
  isUnaltered: true,
});

const bars = (pass: BarPass, at: number, prepare: (luma: Luma) => Luma = (luma) => luma): StillPass => ({
  way: `bars ${at}`,
  read: (luma, { wasm, symbologies }) => {
    const picture = prepare(luma);
    return barRegions(picture).flatMap((region) => readBars(picture, region, symbologies, pass, wasm));
  },
});

/** Half of each region's bars, by maximum likelihood. */
const likelihood = (half: 0 | 1, isInverted: boolean): StillPass => ({
  way: `likelihood ${half}`,
  read: (luma, { symbologies }) =>
    symbologies.includes("code128")
      ? barRegions(luma).flatMap((region) => readCode128({ luma, region: halvesOf(region)[half], isInverted }))
      : [],
});

const regionPxMax = 2000;

/** Regions of bars rotated upright, for PDF417, which has rows of bars. */
const turnedRegions = (scale: number): StillPass => ({
  way: `regions ${scale}`,
  isUnaltered: true,
  read: (luma, { wasm, symbologies }) =>
    barRegions(luma).flatMap((region) => {
      const lines = Math.round(region.height * 1.3 * scale);
      if (Math.max(lines, region.length * scale) > regionPxMax) return [];
      const strip = stripOf(luma, region, { lines, thicknessPx: 1, scale, spread: 1.3 });
      return wasm?.read(strip.luma, symbologies, thoroughOptions, strip.toFrame) ?? [];
    }),
});

/**
 * The extreme of each pixel's surroundings, `reach` pixels each way, by windows that double. Wrong near the edges of the picture,
 * where no module of a code lies.
 */
const extremes = ({ data, width, height }: Luma, reach: number, keepLarger: boolean): Luma => {
  const out = data.slice();
  for (const pixel of [1, width]) {
    let covered = 1;
    while (covered < 2 * reach + 1) {
      const step = Math.min(covered, 2 * reach + 1 - covered);
      const [shift, end] = [step * pixel, out.length - step * pixel];
      for (let at = 0; at < end; at += 1) {
        const [here, further] = [out[at] ?? 0, out[at + shift] ?? 0];
        if (keepLarger ? further > here : further < here) out[at] = further;
      }
      covered += step;
    }
  }
  // The windows extend forward only, so shift the result by `reach`.
  out.copyWithin(reach * (width + 1), 0);
  return { data: out, width, height };
};

/** Smallest contrast, in grey levels, that is stretched to black and white. */
const flatStepMin = 20;

/**
 * Removes slow changes of light and bright stripes (a black top-hat transform), and stretches the contrast.
 * @param reach half the width of the widest dark part that is kept, in pixels.
 */
export const flatten = (luma: Luma, reach: number): Luma => {
  const below = extremes(extremes(luma, reach, true), reach, false).data;
  for (let at = 0; at < below.length; at += 1) below[at] = (below[at] ?? 0) - (luma.data[at] ?? 0);
  const { data } = extremes({ ...luma, data: below }, 2 * reach, true);
  for (let at = 0; at < data.length; at += 1) {
    data[at] = 255 - (255 * (below[at] ?? 0)) / Math.max(flatStepMin, data[at] ?? 0);
  }
  return { data, width: luma.width, height: luma.height };
};

const busiestShare = { width: 0.45, height: 0.6 };
const doubledMaxPx = 1000;
const busiestDoubled = (luma: Luma): Luma => {
  if (Math.max(luma.width, luma.height) <= doubledMaxPx) return double(luma);
  const { x, y } = busiestPoint(luma);
  const width = Math.round(luma.width * busiestShare.width);
  const height = Math.round(luma.height * busiestShare.height);
  // Moved inside where the point is near an edge.
  const left = Math.max(0, Math.min(luma.width - width, Math.round(x - width / 2)));
  const top = Math.max(0, Math.min(luma.height - height, Math.round(y - height / 2)));
  return double(crop(luma, { left, top, width, height }));
};

/** Half the width of the widest dark part that is kept when glare is removed. */
const flatReachPx = 6;
const marginShare = 0.08;
const margined = (luma: Luma): Luma => withMargin(luma, Math.ceil(marginShare * Math.max(luma.width, luma.height)));

/** The cheap passes, run on every picture. */
const firstPasses: readonly StillPass[] = [
  unaltered("whole picture", (luma) => luma),
  ...usualBarPasses.map((pass, at) => bars(pass, at)),
];

/** Further passes until a text is certain, the most effective for their time first. */
const furtherPasses: readonly StillPass[] = [
  likelihood(0, false),
  likelihood(1, false),
  ...furtherBarPasses.map((pass, at) => bars(pass, at + usualBarPasses.length)),
  turnedRegions(1),
  unaltered("busiest part doubled", busiestDoubled),
  thorough("sharpened after softening", (luma) => sharpen(soften(luma), 3)),
  likelihood(0, true),
  likelihood(1, true),
  thorough("busiest part softened twice, sharpened and doubled", (luma) =>
    busiestDoubled(sharpen(soften(soften(luma)), 5)),
  ),
  thorough("glare taken off the busiest part", (luma) => busiestDoubled(flatten(luma, flatReachPx))),
  thorough("glare taken off the busiest part, sharpened", (luma) =>
    busiestDoubled(flatten(sharpen(soften(luma), 2), flatReachPx)),
  ),
  thorough("half size, with a margin", (luma) => margined(half(luma))),
  thorough("an eighth of the size, with a margin", (luma) => margined(half(half(half(luma))))),
  ...[...usualBarPasses, ...furtherBarPasses].map((pass, at) => bars(pass, at, half)),
  thorough("softened", soften),
  thorough("sharpened", (luma) => sharpen(luma, 1.5)),
  unaltered("turned by 45°", (luma) => rotated(luma, 45)),
  thorough("busiest part softened and doubled", (luma) => busiestDoubled(soften(luma))),
  unaltered("doubled", (luma) => (Math.max(luma.width, luma.height) <= doubledMaxPx ? luma : double(luma))),
  unaltered("white for black", invert),
  turnedRegions(2),
  unaltered("turned by 20°", (luma) => rotated(luma, 20)),
  unaltered("turned by -20°", (luma) => rotated(luma, -20)),
  thorough("global levels", (luma) => luma, { binarizer: "GlobalHistogram" }),
];

/** Result of one picture. */
export interface PictureRead {
  readonly text: string | null;
  readonly symbology: Symbology | null;
  readonly engine: Engine | null;
  /** A linear code whose text only one way of reading gave, or beside which another text is as likely. */
  readonly doubtful: boolean;
  /** Milliseconds until the text was certain, or everything was tried. */
  readonly ms: number;
}

/** What to read, and with what. */
interface PictureOptions {
  /** Null where WebAssembly is not available. */
  readonly wasm: WasmReader | null;
  readonly symbologies: readonly Symbology[];
  /** Whether a text is looked for; such a text is preferred to all others in the picture. */
  readonly isRight: (read: Read) => boolean;
}

/** All passes but the first read the picture at this size: photos are larger than bars and modules need. */
const widthMax = 1600;

/**
 * Reads a still picture by one pass after the other until a text is certain. The first pass is zxing-wasm with its thorough
 * settings, so that it never reads less than that.
 */
export const readPicture = (picture: Luma, wish: PictureOptions): PictureRead => {
  const startedMs = performance.now();
  const evidence = new Evidence(wish.isRight);
  let reduced = picture;
  while (Math.max(reduced.width, reduced.height) > widthMax) reduced = half(reduced);
  const take = (pass: StillPass, luma: Luma): void =>
    evidence.add(pass.way, pass.read(luma, wish), pass.isUnaltered === true);
  for (const pass of firstPasses) take(pass, pass === firstPasses[0] ? picture : reduced);
  for (const pass of furtherPasses) {
    if (evidence.finding()?.isDoubtful === false) break;
    take(pass, reduced);
  }
  const finding = evidence.finding();
  const ms = performance.now() - startedMs;
  if (!finding) return { text: null, symbology: null, engine: null, doubtful: false, ms };
  const { text, symbology, engine } = finding.read;
  return { text, symbology, engine, doubtful: finding.isDoubtful, ms };
};
