/** How many single frames each engine reads, condition by condition. */
import type { Read } from "../../../renderer/scan/decode/decoder.ts";
import { readFault } from "../../../renderer/scan/decode/rules.ts";
import { type Condition, conditions, viewOf } from "../../scan-frames/conditions.ts";
import { frameOf } from "../../scan-frames/frame.ts";
import { emptyFrames } from "../../scan-frames/sessions.ts";
import { type Attempts, allOf, contenders, type Engines } from "./engines.ts";
import { type Line, type Times, zeros } from "./tally.ts";

export const rules = {
  symbologies: ["code128", "qr", "aztec", "datamatrix", "pdf417"],
  fixedLength: null,
  foreignIds: null,
} satisfies Parameters<typeof readFault>[2];

export const counts = ({ text, symbology }: Read): boolean => readFault(text, symbology, rules) === null;

export const sizes = [
  [640, 480],
  [1280, 720],
] as const;

/** Which frames a line is made of; the severity runs through its whole range. */
export interface LineWish {
  readonly condition: Condition;
  readonly symbology: "code128" | "qr";
  readonly size: (typeof sizes)[number];
  readonly frames: number;
}

export const lineWishes = (frames: number): readonly LineWish[] =>
  conditions.flatMap((condition) =>
    (["code128", "qr"] as const).flatMap((symbology) => sizes.map((size) => ({ condition, symbology, size, frames }))),
  );

const seedOf = (condition: Condition, index: number): number => conditions.indexOf(condition) * 100_000 + index;

export const frameLine = async (engines: Engines, wish: LineWish, times: Times): Promise<Line> => {
  const { condition, symbology, frames } = wish;
  const [width, height] = wish.size;
  const [read, wrong, wrongAccepted] = [zeros(), zeros(), zeros()];
  for (let index = 0; index < frames; index += 1) {
    const severity = (index + 0.5) / frames;
    const view = viewOf({ condition, severity, symbology, width, height, seed: seedOf(condition, index) });
    const attempts: Attempts = allOf(await engines.attempt(frameOf(view), index), counts);
    for (const name of contenders) {
      const { reads, cpuMs } = attempts[name];
      times.add("with a code", name, width, cpuMs);
      if (reads.some(({ text }) => text === view.text)) read[name] += 1;
      const others = reads.filter(({ text }) => text !== view.text);
      if (others.length > 0) wrong[name] += 1;
      if (others.some(counts)) wrongAccepted[name] += 1;
    }
  }
  return { name: condition, symbology, width, count: frames, read, wrong, wrongAccepted };
};

const framesPerCounter = 4;

/** Frames `from` to `to` (without it) of those that show no code, at 1280×720: nothing may be read. */
export const withoutCode = async (engines: Engines, from: number, to: number, times: Times): Promise<Line> => {
  const [read, wrong, wrongAccepted] = [zeros(), zeros(), zeros()];
  let index = from;
  while (index < to) {
    const left = Math.min(framesPerCounter, to - index);
    for (const frame of emptyFrames(1280, 720, 9_000_000 + Math.floor(index / framesPerCounter), left)) {
      const attempts: Attempts = allOf(await engines.attempt(frame, index), counts);
      index += 1;
      for (const name of contenders) {
        times.add("without a code", name, 1280, attempts[name].cpuMs);
        if (attempts[name].reads.length > 0) wrong[name] += 1;
        if (attempts[name].reads.some(counts)) wrongAccepted[name] += 1;
      }
    }
  }
  return { name: "without a code", symbology: "–", width: 1280, count: to - from, read, wrong, wrongAccepted };
};
