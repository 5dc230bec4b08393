/** Whole sessions: frame after frame through the real acceptance, until each engine has its text or the frames end. */
import type { Decoder, Read } from "../../../renderer/scan/decode/decoder.ts";
import { FrameReader } from "../../../renderer/scan/decode/frame-reader.ts";
import type { Condition } from "../../scan-frames/conditions.ts";
import { type Motion, sessionOf } from "../../scan-frames/sessions.ts";
import { type Attempt, type Contender, contenders, type Engines, pairOf, type Single, singles } from "./engines.ts";
import { counts, rules, sizes } from "./single-frames.ts";
import type { Times } from "./tally.ts";

export interface SessionKind {
  readonly name: string;
  readonly condition: Condition;
  readonly severity: readonly [number, number];
  readonly motion: Motion;
  readonly framesMax: number;
}

/** From here on, @zxing/library with its usual settings accepts three in ten: as hard as those the recipe was first measured on. */
const hardFrom = 0.4;

export const sessionKinds: readonly SessionKind[] = [
  { name: "ordinary, held", condition: "ordinary", severity: [0, 1], motion: "held", framesMax: 10 },
  { name: "hard, held", condition: "mixed", severity: [hardFrom, 1], motion: "held", framesMax: 40 },
  { name: "ordinary, passing by", condition: "ordinary", severity: [0, 1], motion: "passing", framesMax: 40 },
  { name: "hard, passing by", condition: "mixed", severity: [hardFrom, 1], motion: "passing", framesMax: 40 },
];

export const isHard = ({ condition }: SessionKind): boolean => condition === "mixed";

/** The engines that a session is read by: the usual settings only say how hard the hard ones are. */
type Reader = Contender | "usual";
const readersOf = (kind: SessionKind): readonly Reader[] => (isHard(kind) ? [...contenders, "usual"] : contenders);

/** What came of one session: the frame that was accepted, for each engine that accepted one. */
export interface SessionEnd {
  readonly severity: number;
  readonly accepted: Readonly<Partial<Record<Reader, { readonly frame: number; readonly isRight: boolean }>>>;
}

/** A reader whose decoders answer with what they already said about the frame. */
const replaying = (name: Reader, said: (engine: Single) => readonly Read[]): FrameReader => {
  const replay = (engine: Single): Decoder => ({ engine: "zxing-library", decode: () => said(engine) });
  return new FrameReader(name === "pair" ? [replay("zxing-wasm"), replay("zxing-library")] : [replay(name)], rules);
};

const needs = (name: Reader, engine: Single): boolean =>
  name === engine || (name === "pair" && (engine === "zxing-wasm" || engine === "zxing-library"));

/** Session number `index` of `count`: the severity runs through the kind's range. */
export const runSession = async (
  engines: Engines,
  kind: SessionKind,
  index: number,
  count: number,
  times: Times,
): Promise<SessionEnd> => {
  const [low, high] = kind.severity;
  const severity = low + ((high - low) * (index + 0.5)) / count;
  const [width, height] = sizes[index % 2] ?? sizes[0];
  const symbology = index % 4 < 2 ? "code128" : "qr";
  const wish = { condition: kind.condition, severity, symbology, width, height, seed: 500_000 + index } as const;
  const session = sessionOf(wish, kind.motion, kind.framesMax);
  const none: Attempt = { reads: [], cpuMs: 0 };
  const attempts: Record<Single, Attempt> = { "zxing-wasm": none, "zxing-library": none, zbar: none, usual: none };
  const readers = new Map(
    readersOf(kind).map((name) => [name, replaying(name, (engine) => attempts[engine].reads)] as const),
  );
  const accepted: { -readonly [K in Reader]?: { frame: number; isRight: boolean } } = {};
  let frame = 0;
  for (const luma of session.frames) {
    if (readers.size === 0) break;
    frame += 1;
    for (const engine of singles) {
      const isNeeded = [...readers.keys()].some((name) => needs(name, engine));
      attempts[engine] = isNeeded ? await engines.attemptBy(engine, luma, frame) : none;
    }
    if (isHard(kind) && readers.has("pair")) {
      times.add(
        "hard sessions",
        "pair",
        width,
        pairOf(attempts["zxing-wasm"], attempts["zxing-library"], counts).cpuMs,
      );
    }
    for (const [name, reader] of readers) {
      const outcome = await reader.read(luma);
      if (outcome.kind !== "accepted") continue;
      readers.delete(name);
      accepted[name] = { frame, isRight: outcome.read.text === session.text };
    }
  }
  return { severity, accepted };
};
