/** What the bench sets side by side: the terminal's two pipelines, and each decoder alone in its fast and its thorough mode. */

import { cameraDecoders } from "../../../renderer/scan/decode/camera-decoders.ts";
import type { Read } from "../../../renderer/scan/decode/frame-reader.ts";
import type { Luma } from "../../../renderer/scan/decode/luma.ts";
import { readFault } from "../../../renderer/scan/scan.ts";
import { nodeWasm } from "../../../tools/scan/node-wasm.ts";
import { readPicture, thoroughOptions } from "../../../tools/scan/read-picture.ts";
import { library, zbar } from "./reference-decoders.ts";

/** `still` is `npm run scan`; `camera` is one frame of the camera's budget. */
export const contenders = [
  "still",
  "camera",
  "zxing-wasm fast",
  "zxing-wasm thorough",
  "zxing-library fast",
  "zxing-library thorough",
  "zbar",
] as const;
/** One of `contenders`. */
export type Contender = (typeof contenders)[number];

/** Those that a session is read by, frame after frame. */
export const sessionContenders = [
  "camera",
  "zxing-wasm fast",
  "zxing-wasm thorough",
  "zxing-library fast",
  "zbar",
] as const;
/** One of `sessionContenders`. */
export type SessionContender = (typeof sessionContenders)[number];

/** What one contender made of one frame, and the processor time it took. */
export interface Attempt {
  readonly reads: readonly Read[];
  readonly cpuMs: number;
}

/** What the frames are drawn in: the terminal's defaults. */
export const symbologies = ["code128", "qr", "aztec", "datamatrix", "pdf417"] as const;

/** The settings of a terminal as it is delivered, as far as they decide what counts. */
export const rules = {
  symbologies: [...symbologies],
  fixedLength: null,
  foreignIds: null,
} satisfies Parameters<typeof readFault>[2];

/** Whether the terminal would take the text for an id. */
export const counts = ({ text, symbology }: Read): boolean => readFault(text, symbology, rules) === null;

const moment = new Int32Array(new SharedArrayBuffer(4));

/**
 * Processor time of this thread alone: other programs on the machine do not count. The system brings its count up to date when a
 * thread sleeps, else in steps of 4 ms: so it sleeps for a moment first.
 */
const cpuMs = (): number => {
  Atomics.wait(moment, 0, 0, 0.01);
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** All contenders, ready to read. */
export interface Engines {
  /** One frame by one contender; `turn` counts the frames of a session. */
  attempt(name: Contender, luma: Luma, turn: number): Promise<Attempt>;
  /** Begins another sequence of frames: what was kept of earlier ones does not count. */
  forget(): void;
}

/** Loads zxing-wasm once; silences `console.warn` of this process. */
export const startEngines = async (): Promise<Engines> => {
  const wasm = await nodeWasm();
  const camera = cameraDecoders(wasm);
  // The multi-format reader says five times a frame that it found nothing.
  console.warn = () => {};

  /** The decoders in turn until one reads what counts, as the frame reader does it. */
  const readFrame = async (luma: Luma, turn: number): Promise<readonly Read[]> => {
    const reads: Read[] = [];
    for (const decoder of camera) {
      reads.push(...(await decoder.decode(luma, symbologies, turn)));
      if (reads.some(counts)) break;
    }
    return reads;
  };

  const readStill = (luma: Luma): readonly Read[] => {
    const { text, symbology, engine, doubtful } = readPicture(luma, { wasm, symbologies, isRight: counts });
    return text === null || symbology === null || engine === null || doubtful
      ? []
      : [{ text, symbology, engine, outline: [] }];
  };

  const readers: Readonly<Record<Contender, (luma: Luma, turn: number) => readonly Read[] | Promise<readonly Read[]>>> =
    {
      still: readStill,
      camera: readFrame,
      "zxing-wasm fast": (luma) => wasm.read(luma, symbologies, { tryDownscale: true }),
      "zxing-wasm thorough": (luma) => wasm.read(luma, symbologies, thoroughOptions),
      "zxing-library fast": library(false),
      "zxing-library thorough": library(true),
      zbar: await zbar(),
    };
  return {
    forget: () => {
      for (const decoder of camera) decoder.forget?.();
    },
    attempt: async (name, luma, turn) => {
      // A copy, so that nothing that was found out about the frame is there already.
      const fresh = { ...luma };
      const startMs = cpuMs();
      const reads = await readers[name](fresh, turn);
      return { reads, cpuMs: cpuMs() - startMs };
    },
  };
};
