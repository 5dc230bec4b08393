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

/** Most pixels that one turn reads, enlarged or not: they take a few milliseconds. */
const areaMax = 60_000;
/** Larger regions are not enlarged: their modules are large enough. In pixels. */
const doubledAreaMax = 40_000;

const areaOf = ({ width, height }: Window): number => width * height;

/** The regions of a turn, as many as it has time for: in the order `first` in even rounds, in the other order in odd ones. */
const windowsOf = (luma: Luma, first: Order, round: number): readonly Window[] => {
  const order = (round % 2 === 0) === (first === "strongest") ? "strongest" : "middle";
  let left = areaMax;
  return matrixRegionsBy(luma, order).filter((region) => {
    if (areaOf(region) > left) return false;
    left -= areaOf(region);
    return true;
  });
};

/** The symbologies of this round's pair that are in use; all in use where neither of the pair is. */
const pairOf = (symbologies: readonly Symbology[], round: number): readonly Symbology[] => {
  const on = symbologies.filter((symbology) => matrices.includes(symbology));
  const pair = on.filter((symbology) => pairs[round % pairs.length]?.includes(symbology));
  return pair.length > 0 ? pair : on;
};

/** How a turn reads the regions that may hold a matrix code. */
interface MatrixTurn {
  readonly name: string;
  readonly prepare?: (luma: Luma) => Luma;
  readonly options?: WasmOptions;
  /** One symbology, or all. Default: a pair a round, in turn. */
  readonly only?: Symbology | "all";
  readonly first?: Order;
  /** Whether small regions are doubled in size after `prepare`. Default: true. */
  readonly isEnlarged?: boolean;
}

/** A turn over the regions that may hold a matrix code. */
const matrixTurn = ({
  name,
  prepare = (luma) => luma,
  options,
  only,
  first = "strongest",
  isEnlarged = true,
}: MatrixTurn): Turn => ({
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

/** Half the width of the widest dark part that is kept when glare is removed. */
const flatReachPx = 6;

/** For small modules. */
export const enlarged = matrixTurn({ name: "enlarged", first: "middle" });
/** For codes out of focus. */
export const sharpened = matrixTurn({ name: "sharpened and enlarged", prepare: (luma) => sharpen(soften(luma), 3) });
/** Rotated and inverted too: a Data Matrix is found by its two solid sides, in some directions only. */
export const everyWay = matrixTurn({
  name: "every way",
  only: "all",
  isEnlarged: false,
  options: { tryRotate: true, tryInvert: true },
});
/** QR is what phones show, so it has turns of its own: this one for blur and noise. */
export const blurredQr = matrixTurn({
  name: "QR in blur and noise",
  only: "qr",
  first: "middle",
  prepare: (luma) => sharpen(soften(soften(luma)), 5),
});
/** For QR codes under a reflection. */
export const glaringQr = matrixTurn({ name: "QR in glare", only: "qr", prepare: (luma) => flatten(luma, flatReachPx) });
/** For QR codes under a reflection and out of focus. */
export const glaringBlurredQr = matrixTurn({
  name: "QR in glare and blur",
  only: "qr",
  prepare: (luma) => flatten(sharpen(soften(luma), 2), flatReachPx),
});
