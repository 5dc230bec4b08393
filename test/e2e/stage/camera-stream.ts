/** What Chromium's fake camera plays: a desk without a phone for a second, then a phone with a barcode, held by a hand. */
import { closeSync, openSync, writeSync } from "node:fs";
import bwipjs from "bwip-js/node";
import { seededRandom } from "../../random.ts";
import { type StreamWish, writeCodeStream } from "../../scan-frames/y4m.ts";

/** A picture in grey levels, one byte a pixel, row by row. */
export interface Luma {
  readonly width: number;
  readonly height: number;
  readonly levels: Uint8Array;
}

/** How the film looks; the defaults are an ordinary phone in front of an ordinary webcam. */
interface StreamOptions {
  readonly width?: number;
  readonly height?: number;
  readonly tiltDegrees?: number;
  /** Standard deviation of the sensor's noise in grey levels. */
  readonly noise?: number;
  /** Share of the picture's width (1D) or height (2D) that the symbol takes. */
  readonly size?: number;
  readonly seed?: number;
  /** 10 keeps the file small; a real camera has 30. */
  readonly framesPerSecond?: number;
}

/** A picture as it is, held before the camera; or a code under one of the conditions that the scanning bench has. */
export type Film =
  | { readonly picture: Luma; readonly options?: StreamOptions }
  | { readonly hard: Omit<StreamWish, "file"> };

/** Writes what the camera shall see to a file that Chromium plays in a loop. */
export const writeFilm = (file: string, film: Film): void => {
  if ("hard" in film) writeCodeStream({ ...film.hard, file });
  else writeCameraStream(file, film.picture, film.options);
};

const emptySeconds = 1;
const heldSeconds = 4;
/** Different pictures of the held phone; the stream repeats them, as drawing is what takes time. */
const differentFrames = 5;

/** Draws a symbol, one pixel a module in each direction, with its quiet zone. */
export const drawSymbol = (symbology: "code128" | "qr", text: string): Luma => {
  const quiet = symbology === "qr" ? 4 : 10;
  const [symbol] = bwipjs.raw({ bcid: symbology === "qr" ? "qrcode" : "code128", text });
  if (!symbol) throw new Error(`cannot draw ${symbology} of ${text}`);
  const dark: readonly (readonly boolean[])[] =
    "pixs" in symbol
      ? Array.from({ length: symbol.pixy }, (_, y) =>
          Array.from({ length: symbol.pixx }, (_, x) => symbol.pixs[y * symbol.pixx + x] === 1),
        )
      : barRows(symbol.sbs);
  const width = (dark[0]?.length ?? 0) + 2 * quiet;
  const height = dark.length + 2 * quiet;
  const levels = new Uint8Array(width * height).fill(245);
  for (const [y, row] of dark.entries())
    for (const [x, isDark] of row.entries()) if (isDark) levels[(y + quiet) * width + x + quiet] = 20;
  return { width, height, levels };
};

/** Bar widths, bar first, to equal rows a third as high as the symbol is wide. */
const barRows = (widths: readonly number[]): boolean[][] => {
  const row = widths.flatMap((width, index) => Array<boolean>(width).fill(index % 2 === 0));
  return Array.from({ length: Math.round(row.length / 3) }, () => row);
};

/** Writes a YUV4MPEG2 file that Chromium plays in a loop. */
export const writeCameraStream = (file: string, symbol: Luma, options: StreamOptions = {}): void => {
  const { width = 1280, height = 720, seed = 1, framesPerSecond = 10 } = options;
  const emptyFrames = emptySeconds * framesPerSecond;
  const heldFrames = heldSeconds * framesPerSecond;
  const random = seededRandom(seed);
  const desk = drawDesk(width, height, random);
  const noise = options.noise ?? 7;
  const empty = withNoise(desk, noise, random);
  const held = Array.from({ length: differentFrames }, (_, index) =>
    withNoise(drawHeld(desk, width, height, symbol, options, index), noise, random),
  );
  const grey = Buffer.alloc((width * height) / 2, 128);
  const handle = openSync(file, "w");
  try {
    writeSync(handle, `YUV4MPEG2 W${width} H${height} F${framesPerSecond}:1 Ip A1:1 C420jpeg\n`);
    for (let index = 0; index < emptyFrames + heldFrames; index++) {
      const frame = index < emptyFrames ? empty : held[index % held.length];
      if (!frame) continue;
      writeSync(handle, "FRAME\n");
      writeSync(handle, frame);
      writeSync(handle, grey);
    }
  } finally {
    closeSync(handle);
  }
};

/** Light falling off to one side and some things lying about. */
const drawDesk = (width: number, height: number, random: () => number): Float32Array => {
  const picture = new Float32Array(width * height);
  const things = Array.from({ length: 10 }, () => ({
    x: random() * width,
    y: random() * height,
    half: (0.03 + random() * 0.1) * width,
    tone: (random() - 0.5) * 90,
  }));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      let level = 110 + (40 * x) / width - (30 * y) / height;
      for (const thing of things)
        if (Math.abs(x - thing.x) < thing.half && Math.abs(y - thing.y) < thing.half * 0.6) level += thing.tone;
      picture[y * width + x] = level;
    }
  return picture;
};

const drawHeld = (
  desk: Float32Array,
  width: number,
  height: number,
  symbol: Luma,
  options: StreamOptions,
  index: number,
): Float32Array => {
  const picture = desk.slice();
  const wide = symbol.width >= symbol.height * 1.3;
  const size = options.size ?? (wide ? 0.8 : 0.6);
  const pixelsPerModule = wide ? (size * width) / symbol.width : (size * height) / symbol.height;
  const wobble = index - (differentFrames - 1) / 2;
  const angle = (((options.tiltDegrees ?? 4) + wobble * 0.4) * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [centerX, centerY] = [width / 2 + wobble * 3, height / 2 - wobble * 2];
  const offsets = [-0.33, 0, 0.33];
  const [halfWide, halfHigh] = [(pixelsPerModule * symbol.width) / 2, (pixelsPerModule * symbol.height) / 2];
  const reachX = Math.ceil(Math.abs(cos) * halfWide + Math.abs(sin) * halfHigh) + 1;
  const reachY = Math.ceil(Math.abs(sin) * halfWide + Math.abs(cos) * halfHigh) + 1;
  const [left, top] = [Math.max(0, Math.floor(centerX - reachX)), Math.max(0, Math.floor(centerY - reachY))];
  for (let y = top; y < Math.min(height, centerY + reachY); y++)
    for (let x = left; x < Math.min(width, centerX + reachX); x++) {
      let sum = 0;
      let inside = 0;
      for (const dx of offsets)
        for (const dy of offsets) {
          const [right, down] = [x + dx - centerX, y + dy - centerY];
          const column = Math.floor((cos * right + sin * down) / pixelsPerModule + symbol.width / 2);
          const row = Math.floor((cos * down - sin * right) / pixelsPerModule + symbol.height / 2);
          if (column < 0 || row < 0 || column >= symbol.width || row >= symbol.height) continue;
          sum += symbol.levels[row * symbol.width + column] ?? 0;
          inside += 1;
        }
      const at = y * width + x;
      if (inside > 0) picture[at] = (sum + (picture[at] ?? 0) * (9 - inside)) / 9;
    }
  return picture;
};

/** Each pixel takes one of these: drawing a number for each of five million takes longer than all else. */
const noiseSamples = 1 << 16;

const withNoise = (picture: Float32Array, deviation: number, random: () => number): Uint8Array => {
  const samples = Float32Array.from(
    { length: noiseSamples },
    () => deviation * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
  const frame = new Uint8Array(picture.length);
  for (let index = 0; index < picture.length; index++) {
    const noise = samples[(index * 40_503) % noiseSamples] ?? 0;
    const level = Math.min(255, Math.max(0, (picture[index] ?? 0) + noise));
    frame[index] = 16 + (level * 219) / 255;
  }
  return frame;
};
