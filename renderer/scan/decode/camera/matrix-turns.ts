import type { Symbology } from "../../../../preload/contract.ts";
import { flatten } from "../flatten.ts";
import { crop, double, type Luma, sharpen, soften, type Window } from "../luma.ts";
import { matrixRegionsBy, type Order } from "../matrix-regions.ts";
import type { WasmOptions } from "../zxing-wasm/wasm-reader.ts";
import type { Turn } from "./turn.ts";

const matrices: readonly Symbology[] = ["qr", "aztec", "datamatrix", "pdf417"];
const pairs: readonly (readonly Symbology[])[] = [
  ["qr", "aztec"],
  ["datamatrix", "pdf417"],
];

/** Pixels that one turn looks at, enlarged or not: what takes a few milliseconds. */
const areaMax = 60_000;
/** A larger part of the frame has modules that are large enough. */
const doubledAreaMax = 40_000;

const areaOf = ({ width, height }: Window): number => width * height;

/** The parts of the frame where a matrix code may be, as many as a turn has time for: `first` in one round, in the other order in the next. */
const windowsOf = (luma: Luma, first: Order, round: number): readonly Window[] => {
  const order = (round % 2 === 0) === (first === "strongest") ? "strongest" : "middle";
  let left = areaMax;
  return matrixRegionsBy(luma, order).filter((region) => {
    if (areaOf(region) > left) return false;
    left -= areaOf(region);
    return true;
  });
};

/** The pair of symbologies that this round is for, less those that are off; all that are on where neither of the pair is. */
const pairOf = (symbologies: readonly Symbology[], round: number): readonly Symbology[] => {
  const on = symbologies.filter((symbology) => matrices.includes(symbology));
  const pair = on.filter((symbology) => pairs[round % pairs.length]?.includes(symbology));
  return pair.length > 0 ? pair : on;
};

/** How a turn looks at the parts of the frame where a matrix code may be. */
interface Look {
  readonly name: string;
  readonly prepare?: (luma: Luma) => Luma;
  readonly options?: WasmOptions;
  /** Two a round, in turn, unless one alone is given, or all. */
  readonly only?: Symbology | "all";
  readonly first?: Order;
  /** Whether modules are few pixels wide: the part is enlarged twice after `prepare`. */
  readonly isEnlarged?: boolean;
}

/** Reads the parts of the frame where a matrix code may be, as `look` says. */
const look = ({
  name,
  prepare = (luma) => luma,
  options,
  only,
  first = "strongest",
  isEnlarged = true,
}: Look): Turn => ({
  name,
  serves: (symbology) => (only && only !== "all" ? symbology === only : matrices.includes(symbology)),
  read: (luma, symbologies, wasm, round) => {
    const wanted =
      only === "all" ? symbologies.filter((one) => matrices.includes(one)) : only ? [only] : pairOf(symbologies, round);
    return windowsOf(luma, first, only ? round : round >> 1).flatMap((window) => {
      const scale = isEnlarged && areaOf(window) <= doubledAreaMax ? 2 : 1;
      const part = prepare(crop(luma, window));
      const toFrame = (x: number, y: number) => ({ x: window.left + x / scale, y: window.top + y / scale });
      return wasm.read(scale === 2 ? double(part) : part, wanted, { tryHarder: true, ...options }, toFrame);
    });
  },
});

/** Half the width of the widest dark part that is kept where glare is taken off. */
const flatReachPx = 6;

/** Too few pixels a module. */
export const enlarged = look({ name: "enlarged", first: "middle" });
/** Out of focus. */
export const sharpened = look({ name: "sharpened and enlarged", prepare: (luma) => sharpen(soften(luma), 3) });
/** In any direction, black on white and white on black: Data Matrix is found by its two solid sides, in some directions only. */
export const everyWay = look({
  name: "every way",
  only: "all",
  isEnlarged: false,
  options: { tryRotate: true, tryInvert: true },
});
/** QR is what phones show: it has turns of its own. */
export const blurredQr = look({
  name: "QR in blur and noise",
  only: "qr",
  first: "middle",
  prepare: (luma) => sharpen(soften(soften(luma)), 5),
});
/** A lamp's reflection over the code. */
export const glaringQr = look({ name: "QR in glare", only: "qr", prepare: (luma) => flatten(luma, flatReachPx) });
/** Both of these. */
export const glaringBlurredQr = look({
  name: "QR in glare and blur",
  only: "qr",
  prepare: (luma) => flatten(sharpen(soften(luma), 2), flatReachPx),
});
