/** How many single frames each engine reads, condition by condition. */
import type { Read } from "../../../renderer/scan/decode/decoder.ts";
import { readFault } from "../../../renderer/scan/decode/rules.ts";
import { type Condition, conditions, viewOf } from "../../scan-frames/conditions.ts";
import { frameOf } from "../../scan-frames/frame.ts";
import { emptyFrames } from "../../scan-frames/sessions.ts";
import { type Attempt, type Contender, contenders, type Engines, pairOf } from "./engines.ts";
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

const seedOf = (condition: Condition, index: number): number => conditions.indexOf(condition) * 100_000 + index;

const all = (attempts: Awaited<ReturnType<Engines["attempt"]>>): Readonly<Record<Contender, Attempt>> => ({
  ...attempts,
  pair: pairOf(attempts["zxing-wasm"], attempts["zxing-library"], counts),
});

/** One line for each condition, symbology and size; the severity runs through its whole range. */
export async function* singleFrames(engines: Engines, frames: number, times: Times): AsyncIterable<Line> {
  for (const condition of conditions) {
    for (const symbology of ["code128", "qr"] as const) {
      for (const [width, height] of sizes) {
        const [read, wrong, wrongAccepted] = [zeros(), zeros(), zeros()];
        for (let index = 0; index < frames; index += 1) {
          const severity = (index + 0.5) / frames;
          const seed = seedOf(condition, index);
          const view = viewOf({ condition, severity, symbology, width, height, seed });
          const attempts = all(await engines.attempt(frameOf(view), index));
          for (const name of contenders) {
            const { reads, cpuMs } = attempts[name];
            times.add(name, width, cpuMs);
            if (reads.some(({ text }) => text === view.text)) read[name] += 1;
            const others = reads.filter(({ text }) => text !== view.text);
            if (others.length > 0) wrong[name] += 1;
            if (others.some(counts)) wrongAccepted[name] += 1;
          }
        }
        yield { name: condition, symbology, width, count: frames, read, wrong, wrongAccepted };
      }
    }
  }
}

/** Frames without a code, at 1280×720: nothing may be read. */
export const withoutCode = async (engines: Engines, frames: number, times: Times): Promise<Line> => {
  const [read, wrong, wrongAccepted] = [zeros(), zeros(), zeros()];
  const perCounter = 4;
  let index = 0;
  for (let counter = 0; counter * perCounter < frames; counter += 1) {
    for (const frame of emptyFrames(1280, 720, 9_000_000 + counter, perCounter)) {
      const attempts = all(await engines.attempt(frame, index));
      index += 1;
      for (const name of contenders) {
        times.add(name, 1280, attempts[name].cpuMs);
        if (attempts[name].reads.length > 0) wrong[name] += 1;
        if (attempts[name].reads.some(counts)) wrongAccepted[name] += 1;
      }
    }
  }
  return { name: "without a code", symbology: "–", width: 1280, count: index, read, wrong, wrongAccepted };
};
