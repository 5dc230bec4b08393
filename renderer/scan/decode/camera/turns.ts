import type { Symbology } from "../../../../preload/contract.ts";
import { type BarPass, furtherBarPasses, readBars } from "../bars/read-bars.ts";
import { regionsOf } from "../bars/regions-of.ts";
import { stripOf } from "../bars/strip.ts";
import { isLinear } from "../decoder.ts";
import { half, invert, withMargin } from "../luma.ts";
import { blurredQr, enlarged, everyWay, glaringBlurredQr, glaringQr, sharpened } from "./matrix-turns.ts";
import type { Turn } from "./turn.ts";

/** zxing-wasm's slower mode over the whole frame; inverted in every second round. */
const whole = (symbology: Symbology): Turn => ({
  name: `${symbology}, whole frame`,
  serves: (wanted) => wanted === symbology,
  read: (luma, _symbologies, wasm, round) =>
    wasm.read(round % 2 === 0 ? luma : invert(luma), [symbology], { tryHarder: true }),
});

/** The first pass on the inverted frame: a turn of its own, since both in one frame would take too long. */
const whiteOnBlack: Turn = {
  name: "white on black",
  serves: () => true,
  read: (luma, symbologies, wasm) => wasm.read(invert(luma), symbologies, {}),
};

const regionsRead = 2;
const cropSpread = 1.25;
const cropPxMax = 1100;

/** PDF417 has rows of bars, so it is rotated until they are upright. */
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
/** For codes that fill the frame: with a margin as quiet zone, at half and a quarter of the size. */
const filling: Turn = {
  name: "frame filled",
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
export const turns: readonly Turn[] = [
  everyWay,
  furtherBars,
  turnedPdf417,
  whole("datamatrix"),
  whiteOnBlack,
  filling,
  blurredQr,
  whiteBars,
  enlarged,
  whole("aztec"),
  glaringBlurredQr,
  furtherBars,
  sharpened,
  everyWay,
  whole("qr"),
  glaringQr,
  whole("pdf417"),
];
