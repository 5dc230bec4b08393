import type { Symbology } from "../../../../preload/contract.ts";
import { type BarPass, furtherBarPasses, readBars } from "../bars/read-bars.ts";
import { regionsOf } from "../bars/regions-of.ts";
import { stripOf } from "../bars/strip.ts";
import { busiest } from "../busiest.ts";
import { isLinear, type Read } from "../decoder.ts";
import { flatten } from "../flatten.ts";
import {
  crop,
  double,
  half,
  invert,
  type Luma,
  sharpen,
  soften,
  type Window,
  windowAround,
  withMargin,
} from "../luma.ts";
import type { WasmOptions, WasmReader } from "../zxing-wasm/wasm-reader.ts";

/** One piece of the thorough pass over a picture: small enough for one frame. */
export interface Turn {
  readonly name: string;
  readonly serves: (symbology: Symbology) => boolean;
  /** `round` counts how often the turn has come, for a turn that looks elsewhere each time. */
  readonly read: (luma: Luma, symbologies: readonly Symbology[], wasm: WasmReader, round: number) => readonly Read[];
}

const matrices: readonly Symbology[] = ["qr", "aztec", "datamatrix", "pdf417"];
const pairs: readonly (readonly Symbology[])[] = [
  ["qr", "aztec"],
  ["datamatrix", "pdf417"],
];

const windowShare = { width: 0.35, height: 0.5 };

/** The part with the most edges in one round, the middle of the frame in the next. */
const windowOf = (luma: Luma, round: number, share = windowShare): Window => {
  const { x, y } = round % 2 === 0 ? busiest(luma) : { x: luma.width / 2, y: luma.height / 2 };
  return windowAround(luma, x, y, share.width, share.height);
};

/** The pair of symbologies that this round is for, less those that are off; all that are on where neither of the pair is. */
const pairOf = (symbologies: readonly Symbology[], round: number): readonly Symbology[] => {
  const on = symbologies.filter((symbology) => matrices.includes(symbology));
  const pair = on.filter((symbology) => pairs[round % pairs.length]?.includes(symbology));
  return pair.length > 0 ? pair : on;
};

/** A part of the frame, enlarged twice after `prepare`: what has too few pixels a module is read there. */
const enlarged = (name: string, prepare: (luma: Luma) => Luma, options: WasmOptions): Turn => ({
  name,
  serves: (symbology) => matrices.includes(symbology),
  read: (luma, symbologies, wasm, round) => {
    const window = windowOf(luma, round >> 1);
    const toFrame = (x: number, y: number) => ({ x: window.left + x / 2, y: window.top + y / 2 });
    return wasm.read(double(prepare(crop(luma, window))), pairOf(symbologies, round), options, toFrame);
  },
});

/** The slower search over the whole frame; each second round for white on black. */
const whole = (symbology: Symbology): Turn => ({
  name: `${symbology}, whole frame`,
  serves: (wanted) => wanted === symbology,
  read: (luma, _symbologies, wasm, round) =>
    wasm.read(round % 2 === 0 ? luma : invert(luma), [symbology], { tryHarder: true }),
});

/** What the first pass does, for white on black: a turn of its own, for both at once would take too long. */
const whiteOnBlack: Turn = {
  name: "white on black",
  serves: () => true,
  read: (luma, symbologies, wasm) => wasm.read(invert(luma), symbologies, {}),
};

const regionsRead = 2;
const cropSpread = 1.25;
const cropPxMax = 1100;

/** PDF417 has rows of bars: turned so that they stand upright, it is read whichever way it lies. */
const turnedPdf417: Turn = {
  name: "PDF417 turned upright",
  serves: (symbology) => symbology === "pdf417",
  read: (luma, _symbologies, wasm) =>
    regionsOf(luma)
      .slice(0, regionsRead)
      .flatMap((region) => {
        const lines = Math.round(region.height * cropSpread);
        if (Math.max(lines, region.length) > cropPxMax) return [];
        const strip = stripOf(luma, region, { lines, thicknessPx: 1, scale: 1, spread: cropSpread });
        return wasm.read(strip.luma, ["pdf417"], { tryHarder: true }, strip.toFrame);
      }),
};

const readWithPasses =
  (passes: readonly (BarPass | undefined)[]): Turn["read"] =>
  (luma, symbologies, wasm) =>
    passes.flatMap((pass) =>
      pass
        ? regionsOf(luma)
            .slice(0, regionsRead)
            .flatMap((region) => readBars(luma, region, symbologies, pass, wasm))
        : [],
    );

const darkPasses = furtherBarPasses.filter(({ isInverted }) => isInverted);
const brightPasses = furtherBarPasses.filter(({ isInverted }) => !isInverted);
const passesPerTurn = 2;
const furtherBars: Turn = {
  name: "further bars",
  serves: isLinear,
  read: (luma, symbologies, wasm, round) => {
    const passes = Array.from(
      { length: passesPerTurn },
      (_, at) => brightPasses[(passesPerTurn * round + at) % brightPasses.length],
    );
    return readWithPasses(passes)(luma, symbologies, wasm, round);
  },
};
const whiteBars: Turn = { name: "white bars on black", serves: isLinear, read: readWithPasses(darkPasses) };

const marginShare = 0.08;
/** Codes that fill the frame have lost their quiet zone, and have modules to spare. */
const filling: Turn = {
  name: "frame filled",
  serves: () => true,
  read: (luma, symbologies, wasm, round) => {
    const small = round % 2 === 0 ? half(luma) : half(half(luma));
    const scale = luma.width / small.width;
    const margin = Math.ceil(marginShare * small.width);
    const toFrame = (x: number, y: number) => ({ x: (x - margin) * scale, y: (y - margin) * scale });
    const isInverted = (round >> 1) % 2 === 1;
    return wasm.read(withMargin(isInverted ? invert(small) : small, margin), symbologies, { tryHarder: true }, toFrame);
  },
};

/** Data Matrix is found by its two solid sides, in some directions only: in turn, a part of the frame turned by 90° as well. */
const turnedDataMatrix: Turn = {
  name: "Data Matrix turned",
  serves: (symbology) => symbology === "datamatrix",
  read: (luma, _symbologies, wasm, round) => {
    const window = windowOf(luma, round);
    const toFrame = (x: number, y: number) => ({ x: window.left + x, y: window.top + y });
    return wasm.read(crop(luma, window), ["datamatrix"], { tryHarder: true, tryRotate: true }, toFrame);
  },
};

type Place = "busiest" | "middle";

/** A part of the frame for QR alone, enlarged twice after `prepare`: at `first` in one round, at the other place in the next. */
const preparedQr =
  (name: string, prepare: (luma: Luma) => Luma, share = windowShare) =>
  (first: Place): Turn => ({
    name: `${name}, ${first} first`,
    serves: (symbology) => symbology === "qr",
    read: (luma, _symbologies, wasm, round) => {
      const window = windowOf(luma, first === "busiest" ? round : round + 1, share);
      const toFrame = (x: number, y: number) => ({ x: window.left + x / 2, y: window.top + y / 2 });
      return wasm.read(double(prepare(crop(luma, window))), ["qr"], { tryHarder: true }, toFrame);
    },
  });

/** Half the width of the widest dark part that is kept where glare is taken off. */
const flatReachPx = 6;
const flatShare = { width: 0.25, height: 0.4 };
const blurredQr = preparedQr("QR in blur and noise", (luma) => sharpen(soften(soften(luma)), 5));
const glaringQr = preparedQr("QR in glare", (luma) => flatten(luma, flatReachPx), flatShare);
const glaringBlurredQr = preparedQr(
  "QR in glare and blur",
  (luma) => flatten(sharpen(soften(luma), 2), flatReachPx),
  flatShare,
);

/** The thorough pass, one turn a frame; each symbology has several, and none comes twice before all others were there. */
export const turns: readonly Turn[] = [
  whole("datamatrix"),
  blurredQr("busiest"),
  furtherBars,
  whole("aztec"),
  glaringBlurredQr("middle"),
  turnedPdf417,
  whiteOnBlack,
  enlarged("enlarged", (luma) => luma, { tryHarder: true }),
  blurredQr("middle"),
  whiteBars,
  whole("qr"),
  glaringQr("busiest"),
  filling,
  enlarged("sharpened and enlarged", (luma) => sharpen(soften(luma), 3), { tryHarder: true }),
  turnedDataMatrix,
  whiteOnBlack,
  glaringBlurredQr("busiest"),
  whole("pdf417"),
  blurredQr("busiest"),
];
