/** Whole sessions: frame after frame through the real acceptance, until each engine has its text or the frames end. */
import type { Decoder, Read } from "../../../renderer/scan/decode/decoder.ts";
import { FrameReader } from "../../../renderer/scan/decode/frame-reader.ts";
import type { Condition } from "../../scan-frames/conditions.ts";
import { type Motion, sessionOf } from "../../scan-frames/sessions.ts";
import { type Contender, contenders, type Engines } from "./engines.ts";
import { rules, sizes } from "./single-frames.ts";
import { type Counts, quantile, zeros } from "./tally.ts";

export interface SessionKind {
  readonly name: string;
  readonly condition: Condition;
  readonly severity: readonly [number, number];
  readonly motion: Motion;
  readonly framesMax: number;
}

export const sessionKinds: readonly SessionKind[] = [
  { name: "ordinary, held", condition: "ordinary", severity: [0, 1], motion: "held", framesMax: 10 },
  { name: "hard, held", condition: "mixed", severity: [0, 1], motion: "held", framesMax: 40 },
  { name: "ordinary, passing by", condition: "ordinary", severity: [0, 1], motion: "passing", framesMax: 40 },
  { name: "hard, passing by", condition: "mixed", severity: [0, 1], motion: "passing", framesMax: 40 },
];

export interface SessionLine {
  readonly kind: SessionKind;
  readonly count: number;
  readonly accepted: Counts;
  readonly wrongAccepted: Counts;
  /** Frames to the first accepted text, of those accepted. */
  readonly framesMedian: Counts;
  readonly framesP95: Counts;
  /** Accepted in each quarter of the severity, from mild to severe: the sessions of a quarter, and what each engine accepted. */
  readonly quarters: readonly { readonly count: number; readonly accepted: Counts; readonly byAny: number }[];
}

/** A reader whose decoders answer with what they already said about the frame. */
const replaying = (name: Contender, latest: () => Readonly<Record<string, readonly Read[]>>): FrameReader => {
  const replay = (engine: string): Decoder => ({
    engine: "zxing-library",
    decode: () => latest()[engine] ?? [],
  });
  const decoders = name === "pair" ? [replay("zxing-wasm"), replay("zxing-library")] : [replay(name)];
  return new FrameReader(decoders, rules);
};

export const runSessions = async (engines: Engines, kind: SessionKind, count: number): Promise<SessionLine> => {
  const [accepted, wrongAccepted] = [zeros(), zeros()];
  const frames = Object.fromEntries(contenders.map((name) => [name, [] as number[]])) as Record<Contender, number[]>;
  const quarters = Array.from({ length: 4 }, () => ({ count: 0, accepted: zeros(), byAny: 0 }));
  for (let index = 0; index < count; index += 1) {
    const quarter = quarters[Math.floor((4 * index) / count)];
    if (!quarter) throw new RangeError("a session outside of the quarters");
    const [low, high] = kind.severity;
    const severity = low + ((high - low) * (index + 0.5)) / count;
    const [width, height] = sizes[index % 2] ?? sizes[0];
    const symbology = index % 4 < 2 ? "code128" : "qr";
    const wish = { condition: kind.condition, severity, symbology, width, height, seed: 500_000 + index } as const;
    const session = sessionOf(wish, kind.motion, kind.framesMax);
    let latest: Record<string, readonly Read[]> = {};
    const readers = new Map(contenders.map((name) => [name, replaying(name, () => latest)]));
    let frame = 0;
    for (const luma of session.frames) {
      frame += 1;
      if (readers.size === 0) break;
      const attempts = await engines.attempt(luma, frame);
      latest = Object.fromEntries(Object.entries(attempts).map(([name, { reads }]) => [name, reads]));
      for (const [name, reader] of readers) {
        const outcome = await reader.read(luma);
        if (outcome.kind !== "accepted") continue;
        readers.delete(name);
        if (outcome.read.text === session.text) {
          accepted[name] += 1;
          quarter.accepted[name] += 1;
          frames[name].push(frame);
        } else wrongAccepted[name] += 1;
      }
    }
    quarter.count += 1;
    if (readers.size < contenders.length) quarter.byAny += 1;
  }
  const quantiles = (share: number): Counts =>
    Object.fromEntries(contenders.map((name) => [name, quantile(frames[name], share)])) as Counts;
  return { kind, count, accepted, wrongAccepted, framesMedian: quantiles(0.5), framesP95: quantiles(0.95), quarters };
};
