/** Camera streams for Chromium's `--use-file-for-fake-video-capture`: YUV4MPEG2 files, grey, played in a loop. */
import { closeSync, openSync, writeSync } from "node:fs";
import type { Luma } from "../../renderer/scan/decode/luma.ts";
import { emptyFrames, sessionOf } from "./sessions.ts";
import type { FrameWish } from "./view-of.ts";

const frameMark = Buffer.from("FRAME\n");
const grey = 128;

/** Writes frames of one size, one after the other. */
const writeY4m = (file: string, frames: Iterable<Luma>, framesPerSecond: number): void => {
  const out = openSync(file, "w");
  try {
    let chroma: Buffer | null = null;
    for (const { data, width, height } of frames) {
      if (chroma === null) {
        writeSync(out, `YUV4MPEG2 W${width} H${height} F${framesPerSecond}:1 Ip A1:1 C420jpeg\n`);
        chroma = Buffer.alloc((width * height) / 2, grey);
      }
      // Video luma runs from 16 to 235.
      const luma = Buffer.alloc(data.length);
      for (let at = 0; at < data.length; at += 1) luma[at] = 16 + ((data[at] ?? 0) * 219) / 255;
      writeSync(out, frameMark);
      writeSync(out, luma);
      writeSync(out, chroma);
    }
  } finally {
    closeSync(out);
  }
};

/** What to film and where to write it. */
export interface StreamWish extends Partial<FrameWish> {
  readonly text: string;
  readonly file: string;
  readonly emptySeconds?: number;
  readonly codeSeconds?: number;
}

const framesPerSecond = 20;
/** Frames that are drawn; the stream repeats them, which no decoder notices and saves most of the time. */
const framesDrawn = 10;

/**
 * A stream for the browser tests: `emptySeconds` (1) of an empty counter, then `codeSeconds` (3) of a phone that shows `text`. By
 * default an ordinary Code 128 at 1280×720 in a shaky hand. Takes one to two seconds.
 */
export const writeCodeStream = (wish: StreamWish): void => {
  const { file, emptySeconds = 1, codeSeconds = 3, ...rest } = wish;
  const full: FrameWish = {
    condition: "ordinary",
    severity: 0.5,
    symbology: "code128",
    width: 1280,
    height: 720,
    seed: 1,
    ...rest,
  };
  const empty = [...emptyFrames(full.width, full.height, full.seed, 2)];
  const code = [...sessionOf(full, "held", framesDrawn).frames];
  const repeated = function* (frames: readonly Luma[], count: number): Iterable<Luma> {
    for (let index = 0; index < count; index += 1) {
      const frame = frames[index % frames.length];
      if (frame) yield frame;
    }
  };
  const all = function* (): Iterable<Luma> {
    yield* repeated(empty, emptySeconds * framesPerSecond);
    yield* repeated(code, codeSeconds * framesPerSecond);
  };
  writeY4m(file, all(), framesPerSecond);
};
