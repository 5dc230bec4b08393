/** Whole sessions: frame after frame through the real acceptance, until each contender has its text or the frames end. */
import type { Symbology } from "../../../preload/contract.ts";
import { type Decoder, FrameReader, type Read } from "../../../renderer/scan/decode/frame-reader.ts";
import type { Condition } from "../../scan-frames/conditions.ts";
import { type Motion, sessionOf } from "../../scan-frames/sessions.ts";
import { type Engines, rules, type SessionContender } from "./engines.ts";
import { sizes } from "./single-frames.ts";
import type { Times } from "./tally.ts";

/** What the sessions of one line have in common; `severity` is drawn from its two bounds, 0 easy to 1 hopeless. */
export interface SessionKind {
  readonly name: string;
  readonly condition: Condition;
  readonly severity: readonly [number, number];
  readonly motion: Motion;
  readonly framesMax: number;
  /** They take turns. */
  readonly symbologies: readonly Symbology[];
}

/** From here on, @zxing/library with its usual settings accepts three in ten: as hard as those the recipe was first measured on. */
const hardFrom = 0.4;
const shown: readonly Symbology[] = ["code128", "qr"];
const other: readonly Symbology[] = ["aztec", "datamatrix", "pdf417"];
const [whole, hard] = [
  [0, 1],
  [hardFrom, 1],
] as const;

/** All lines of the sessions' table, in its order. */
export const sessionKinds: readonly SessionKind[] = [
  { name: "ordinary, held", condition: "ordinary", severity: whole, motion: "held", framesMax: 10, symbologies: shown },
  {
    name: "ordinary, passing by",
    condition: "ordinary",
    severity: whole,
    motion: "passing",
    framesMax: 40,
    symbologies: shown,
  },
  {
    name: "ordinary, Aztec, Data Matrix, PDF417",
    condition: "ordinary",
    severity: whole,
    motion: "held",
    framesMax: 15,
    symbologies: other,
  },
  { name: "hard, held", condition: "mixed", severity: hard, motion: "held", framesMax: 40, symbologies: shown },
  {
    name: "hard, passing by",
    condition: "mixed",
    severity: hard,
    motion: "passing",
    framesMax: 40,
    symbologies: shown,
  },
  {
    name: "hard, held, all directions",
    condition: "mixed_turned",
    severity: hard,
    motion: "held",
    framesMax: 40,
    symbologies: shown,
  },
];

/** Whether its severity begins where ordinary readers give up. */
export const isHard = ({ severity }: SessionKind): boolean => severity[0] >= hardFrom;

/** What came of one session: the frame that was accepted, for each contender that accepted one. */
export interface SessionEnd {
  readonly severity: number;
  readonly accepted: Readonly<Partial<Record<SessionContender, { readonly frame: number; readonly isRight: boolean }>>>;
}

/** The acceptance, fed with what a contender already said about the frame. */
const replaying = (reads: () => readonly Read[]): FrameReader => {
  const decoder: Decoder = { decode: reads };
  return new FrameReader([decoder], rules);
};

/** Which session of a kind is run, and who reads it. */
interface SessionWish {
  readonly index: number;
  readonly count: number;
  readonly by: readonly SessionContender[];
}

/** Session number `index` of `count`: the severity runs through the kind's range. */
export const runSession = async (
  engines: Engines,
  kind: SessionKind,
  { index, count, by }: SessionWish,
  times: Times,
): Promise<SessionEnd> => {
  const [low, high] = kind.severity;
  const severity = low + ((high - low) * (index + 0.5)) / count;
  const [width, height] = sizes[index % 2] ?? sizes[0];
  const symbology = kind.symbologies[Math.floor(index / 2) % kind.symbologies.length] ?? "qr";
  const wish = { condition: kind.condition, severity, symbology, width, height, seed: 500_000 + index } as const;
  const session = sessionOf(wish, kind.motion, kind.framesMax);
  let reads: readonly Read[] = [];
  const readers = new Map(by.map((name) => [name, replaying(() => reads)] as const));
  const accepted: { -readonly [K in SessionContender]?: { frame: number; isRight: boolean } } = {};
  let frame = 0;
  engines.forget();
  for (const luma of session.frames) {
    if (readers.size === 0) break;
    frame += 1;
    for (const [name, reader] of readers) {
      const attempt = await engines.attempt(name, luma, frame);
      if (isHard(kind)) times.add("hard sessions", name, width, attempt.cpuMs);
      reads = attempt.reads;
      const outcome = await reader.read(luma);
      if (outcome.kind !== "accepted") continue;
      readers.delete(name);
      accepted[name] = { frame, isRight: outcome.read.text === session.text };
    }
  }
  return { severity, accepted };
};
