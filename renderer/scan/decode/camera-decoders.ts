import type { Symbology } from "../../../preload/contract.ts";
import { type BarPass, furtherBarPasses, readBars, stripOf } from "./bars.ts";
import { readCode128 } from "./code128.ts";
import { type Decoder, isLinear, type Read } from "./frame-reader.ts";
import { crop, double, half, invert, type Luma, sharpen, soften, type Window, withMargin } from "./luma.ts";
import { barRegions, matrixRegionsBy, type Order } from "./regions.ts";
import { WeakQr } from "./weak-qr.ts";
import { readWith } from "./zxing-library.ts";
import type { WasmOptions, WasmReader } from "./zxing-wasm.ts";

/** One part of the thorough pass, small enough for one frame. */
interface Turn {
  readonly serves: (symbology: Symbology) => boolean;
  /** @param round how often the turn has come, for a turn that varies. */
  readonly read: (luma: Luma, symbologies: readonly Symbology[], wasm: WasmReader, round: number) => readonly Read[];
}

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

interface MatrixTurn {
  readonly prepare?: (luma: Luma) => Luma;
  readonly options?: WasmOptions;
  /** All symbologies at once, at their own size. Default: a pair a round, in turn, and small regions doubled after `prepare`. */
  readonly isForAll?: boolean;
  readonly first?: Order;
}

const matrixTurn = ({
  prepare = (luma) => luma,
  options,
  isForAll = false,
  first = "strongest",
}: MatrixTurn): Turn => ({
  serves: (symbology) => matrices.includes(symbology),
  read: (luma, symbologies, wasm, round) => {
    const wanted = isForAll ? symbologies.filter((one) => matrices.includes(one)) : pairOf(symbologies, round);
    return windowsOf(luma, first, isForAll ? round : round >> 1).flatMap((window) => {
      const scale = !isForAll && areaOf(window) <= doubledAreaMax ? 2 : 1;
      const part = prepare(crop(luma, window));
      const toFrame = (x: number, y: number) => ({ x: window.left + x / scale, y: window.top + y / scale });
      return wasm.read(scale === 2 ? double(part) : part, wanted, { tryHarder: true, ...options }, toFrame);
    });
  },
});

/** For small modules. */
const enlarged = matrixTurn({ first: "middle" });
/** For codes out of focus. */
const sharpened = matrixTurn({ prepare: (luma) => sharpen(soften(luma), 3) });
/** Rotated and inverted too: a Data Matrix is found by its two solid sides, in some directions only. */
const everyWay = matrixTurn({
  isForAll: true,
  options: { tryRotate: true, tryInvert: true },
});
/** zxing-wasm's slower mode over the whole frame; inverted in every second round. */
const whole = (symbology: Symbology): Turn => ({
  serves: (wanted) => wanted === symbology,
  read: (luma, _symbologies, wasm, round) =>
    wasm.read(round % 2 === 0 ? luma : invert(luma), [symbology], { tryHarder: true }),
});

/** The first pass on the inverted frame: a turn of its own, since both in one frame would take too long. */
const whiteOnBlack: Turn = {
  serves: () => true,
  read: (luma, symbologies, wasm) => wasm.read(invert(luma), symbologies, {}),
};

const regionsRead = 2;
const cropSpread = 1.25;
const cropPxMax = 1100;

/** PDF417 has rows of bars, so it is rotated until they are upright. */
const turnedPdf417: Turn = {
  serves: (symbology) => symbology === "pdf417",
  read: (luma, _symbologies, wasm) =>
    barRegions(luma)
      .slice(0, regionsRead)
      .flatMap((region) => {
        const lines = Math.round(region.height * cropSpread);
        if (Math.max(lines, region.length) > cropPxMax) return [];
        const strip = stripOf(luma, region, { lines, thicknessPx: 1, scale: 1, spread: cropSpread });
        return wasm.read(strip.luma, ["pdf417"], { tryHarder: true }, strip.toFrame);
      }),
};

const readWithPasses = (passes: readonly BarPass[], luma: Luma, symbologies: readonly Symbology[], wasm: WasmReader) =>
  passes.flatMap((pass) =>
    barRegions(luma)
      .slice(0, regionsRead)
      .flatMap((region) => readBars(luma, region, symbologies, pass, wasm)),
  );

const darkPasses = furtherBarPasses.filter(({ isInverted }) => isInverted);
const brightPasses = furtherBarPasses.filter(({ isInverted }) => !isInverted);
const passesPerTurn = 2;
const furtherBars: Turn = {
  serves: isLinear,
  read: (luma, symbologies, wasm, round) => {
    const from = (passesPerTurn * round) % brightPasses.length;
    const passes = [...brightPasses, ...brightPasses].slice(from, from + passesPerTurn);
    return readWithPasses(passes, luma, symbologies, wasm);
  },
};
const whiteBars: Turn = {
  serves: isLinear,
  read: (luma, symbologies, wasm) => readWithPasses(darkPasses, luma, symbologies, wasm),
};

const marginShare = 0.08;
/** For codes that fill the frame: with a margin as quiet zone, at half and a quarter of the size. */
const filling: Turn = {
  serves: () => true,
  read: (luma, symbologies, wasm, round) => {
    const small = half(round % 2 === 0 ? luma : invert(luma));
    return [small, half(small)].flatMap((picture, at) => {
      const scale = luma.width / picture.width;
      const margin = Math.ceil(marginShare * picture.width);
      const toFrame = (x: number, y: number) => ({ x: (x - margin) * scale, y: (y - margin) * scale });
      return wasm.read(withMargin(picture, margin), symbologies, { tryHarder: at === 1 }, toFrame);
    });
  },
};

/** The thorough pass, one turn a frame, over and over in this order. */
const turns: readonly Turn[] = [
  everyWay,
  furtherBars,
  turnedPdf417,
  whole("datamatrix"),
  whiteOnBlack,
  filling,
  whiteBars,
  enlarged,
  whole("aztec"),
  furtherBars,
  sharpened,
  everyWay,
  whole("qr"),
  whole("pdf417"),
];

/** Rare symbologies, expensive in a frame full of edges: they are decoded in turn. */
const [oddTurns, evenTurns]: readonly Symbology[][] = [["pdf417"], ["aztec", "datamatrix"]];

/** zxing-wasm's fast mode over the whole frame; in every second frame also at reduced size, for large codes. */
const fastDecoder = (wasm: WasmReader): Decoder => ({
  decode: (luma, symbologies, turn) => {
    const isOdd = turn % 2 === 1;
    const wanted = symbologies.filter((symbology) => !(isOdd ? evenTurns : oddTurns)?.includes(symbology));
    return wasm.read(luma, wanted.length > 0 ? wanted : symbologies, { tryDownscale: !isOdd });
  },
});

/** In turn: thick lines help against noise, thin ones where the bars are bent. */
const usualPasses: readonly [BarPass, BarPass] = [
  { lines: 12, thickness: 0.04 },
  { lines: 8, thickness: 0.14 },
];
/** Every third frame tries white bars on black. */
const invertedEvery = 3;
/** Every fourth frame reads the second strongest region. */
const secondEvery = 4;

/** Reads linear codes anywhere in the frame, in any direction. @param wasm null: WebAssembly is not available. */
const barsDecoder = (wasm: WasmReader | null): Decoder => ({
  decode: (luma, symbologies, turn) => {
    if (!symbologies.some(isLinear)) return [];
    const [first, second] = barRegions(luma);
    const region = turn % secondEvery === 0 ? (second ?? first) : first;
    if (!region) return [];
    const reads = readBars(luma, region, symbologies, usualPasses[turn % 2 === 0 ? 0 : 1], wasm);
    if (reads.length > 0 || !symbologies.includes("code128")) return reads;
    return readCode128({ luma, region, isInverted: turn % invertedEvery === 0 });
  },
});

/** One turn of the thorough pass, among those for the symbologies in use. */
const readTurn = (luma: Luma, symbologies: readonly Symbology[], wasm: WasmReader, count: number): readonly Read[] => {
  const served = turns.filter(({ serves }) => symbologies.some(serves));
  const [at, round] = [count % served.length, Math.floor(count / served.length)];
  return served[at]?.read(luma, symbologies, wasm, round) ?? [];
};

/** Uses the rest of a frame's time for weak QR codes and the thorough pass, in turn. */
const thoroughDecoder = (wasm: WasmReader): Decoder => {
  const weakQr = new WeakQr(wasm);
  return {
    forget: () => weakQr.forget(),
    decode: (luma, symbologies, turn) => {
      // Frames are counted from 1.
      if (!symbologies.includes("qr")) return readTurn(luma, symbologies, wasm, turn - 1);
      return turn % 2 === 0 ? weakQr.read(luma) : readTurn(luma, symbologies, wasm, turn >> 1);
    },
  };
};

const libraryRegions = 3;

/**
 * Matrix codes without WebAssembly: QR in each frame, one of the others in turn. @zxing/library looks for them in the middle of a
 * picture, so it gets one region after the other.
 */
const libraryMatrices: Decoder = {
  decode: (luma, symbologies, turn) => {
    const others = symbologies.filter((symbology) => matrices.includes(symbology) && symbology !== "qr");
    const other = others[turn % others.length];
    const wanted = symbologies.filter((symbology) => symbology === "qr" || symbology === other);
    const prepare = turn % 3 === 0 ? soften : (part: Luma) => part;
    const windows = matrixRegionsBy(luma, turn % 2 === 0 ? "strongest" : "middle").slice(0, libraryRegions);
    for (const window of windows) {
      const scale = areaOf(window) <= doubledAreaMax ? 2 : 1;
      const part = prepare(crop(luma, window));
      const picture = scale === 2 ? double(part) : part;
      const toFrame = (x: number, y: number) => ({ x: window.left + x / scale, y: window.top + y / scale });
      for (const symbology of wanted) {
        const read = readWith(symbology, picture, toFrame);
        if (read) return [read];
      }
    }
    return [];
  },
};

/**
 * The camera's decoders in the order in which they get a frame, until one gives a valid text; together within the time of a frame.
 * @param wasm null: WebAssembly is not available, and @zxing/library decodes alone.
 */
export const cameraDecoders = (wasm: WasmReader | null): readonly Decoder[] =>
  wasm ? [fastDecoder(wasm), barsDecoder(wasm), thoroughDecoder(wasm)] : [barsDecoder(null), libraryMatrices];
