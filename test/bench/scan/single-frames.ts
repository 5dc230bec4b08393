/** How many single frames each contender reads, condition by condition. */
import { type Condition, conditions } from "../../scan-frames/conditions.ts";
import { frameOf } from "../../scan-frames/frame.ts";
import { neighbourTexts } from "../../scan-frames/neighbours.ts";
import { emptyFrames } from "../../scan-frames/sessions.ts";
import { viewOf } from "../../scan-frames/view-of.ts";
import { contenders, counts, type Engines, symbologies } from "./engines.ts";
import { type Line, type Times, zeros } from "./tally.ts";

/** Width and height in pixels of the frames, in turn. */
export const sizes = [
  [640, 480],
  [1280, 720],
] as const;

/** Which frames a line is made of; the severity runs through its whole range, and both sizes take turns. */
export interface LineWish {
  readonly condition: Condition;
  readonly symbology: (typeof symbologies)[number];
  readonly frames: number;
}

/** A line for each condition and symbology. */
export const lineWishes = (frames: number): readonly LineWish[] =>
  conditions.flatMap((condition) => symbologies.map((symbology) => ({ condition, symbology, frames })));

const seedOf = (condition: Condition, index: number): number => conditions.indexOf(condition) * 100_000 + index;

/** Reads all frames of a line by each contender; `times` gets what each attempt took. */
export const frameLine = async (engines: Engines, wish: LineWish, times: Times): Promise<Line> => {
  const { condition, symbology, frames } = wish;
  const [read, wrong, wrongAccepted] = [zeros(), zeros(), zeros()];
  for (let index = 0; index < frames; index += 1) {
    const [width, height] = sizes[index % 2] ?? sizes[0];
    const severity = (index + 0.5) / frames;
    const view = viewOf({ condition, severity, symbology, width, height, seed: seedOf(condition, index) });
    const frame = frameOf(view);
    // Every line begins with another of the camera's turns: a few frames a line show what all of them take.
    const turn = 1 + conditions.indexOf(condition) + index;
    const known = new Set([view.text, ...neighbourTexts(view)]);
    engines.forget();
    for (const name of contenders) {
      const { reads, cpuMs } = await engines.attempt(name, frame, turn);
      times.add("with a code", name, width, cpuMs);
      if (reads.some(({ text }) => text === view.text)) read[name] += 1;
      const others = reads.filter(({ text }) => !known.has(text));
      if (others.length > 0) wrong[name] += 1;
      if (others.some(counts)) wrongAccepted[name] += 1;
    }
  }
  return { name: condition, symbology, count: frames, read, wrong, wrongAccepted };
};

const framesPerCounter = 4;

/** Frames `from` to `to` (without it) of those that show no code, at 1280×720: nothing may be read. */
export const withoutCode = async (engines: Engines, from: number, to: number, times: Times): Promise<Line> => {
  const [read, wrong, wrongAccepted] = [zeros(), zeros(), zeros()];
  let index = from;
  while (index < to) {
    const left = Math.min(framesPerCounter, to - index);
    for (const frame of emptyFrames(1280, 720, 9_000_000 + Math.floor(index / framesPerCounter), left)) {
      engines.forget();
      for (const name of contenders) {
        const { reads, cpuMs } = await engines.attempt(name, frame, index + 1);
        times.add("without a code", name, 1280, cpuMs);
        if (reads.length > 0) wrong[name] += 1;
        if (reads.some(counts)) wrongAccepted[name] += 1;
      }
      index += 1;
    }
  }
  return { name: "without a code", symbology: "–", count: to - from, read, wrong, wrongAccepted };
};
