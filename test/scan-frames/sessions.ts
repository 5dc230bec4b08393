/** Frames that belong together: a hand that shakes, a phone that comes and goes. */
import type { Luma } from "../../renderer/scan/decode/luma.ts";
import { seededRandom } from "../random.ts";
import { counter, type Picture } from "./background.ts";
import { frameOf } from "./frame.ts";
import { between } from "./random.ts";
import type { View } from "./view.ts";
import { emptyView, type FrameWish, viewOf } from "./view-of.ts";

/** `held`: before the camera all the time. `passing`: comes from below, stays, goes. */
const motions = ["held", "passing"] as const;
/** One of `motions`. */
export type Motion = (typeof motions)[number];

/** Shares of a passing session in which the phone comes, and in which it is gone again. */
const comesUntil = 0.25;
const goesFrom = 0.8;

/** How far out of the picture a passing phone is: 1 outside, 0 in its place. */
const awayAt = (motion: Motion, share: number): number => {
  if (motion === "held") return 0;
  if (share < comesUntil) return 1 - share / comesUntil;
  return share > goesFrom ? (share - goesFrom) / (1 - goesFrom) : 0;
};

/** Frame number `index` of `frames`: the wish's view, with the shake of a hand. */
const moved = (view: View, motion: Motion, index: number, frames: number): View => {
  const random = seededRandom(view.seed * 1000 + index);
  const away = awayAt(motion, index / frames);
  // A hand sways a few centimetres, tilts, and rests now and then; the camera's focus hunts.
  const sway = Math.sin(index * 0.45 + view.bandPhase);
  const distance = Math.sin(index * 0.21 + view.motionDegrees);
  const focus = Math.sin(index * 0.3 + view.seed);
  const moving = away > 0 ? between(random, 3, 10) : 0;
  return {
    ...view,
    seed: view.seed * 1000 + index,
    centerX: view.centerX + 8 * sway + between(random, -2, 2),
    centerY: view.centerY + between(random, -3, 3) + away * view.height * 0.9,
    rotationDegrees: view.rotationDegrees + 3 * sway + between(random, -0.7, 0.7),
    tiltDegrees: Math.max(0, view.tiltDegrees + 4 * distance + between(random, -2, 2)),
    modulePx: view.modulePx * (1 + 0.08 * distance + between(random, -0.02, 0.02)),
    blurPx: view.blurPx * (1 + 0.3 * focus + between(random, -0.1, 0.1)),
    motionPx: Math.max(moving, view.motionPx * between(random, 0, 1.5)),
    motionDegrees: moving > 0 ? 90 : view.motionDegrees + between(random, -40, 40),
    glare: view.glare && { ...view.glare, at: view.glare.at + 0.35 * sway },
    bandPhase: view.bandPhase + index * 1.1,
  };
};

/** Frames in their order, drawn one at a time as they are read. */
export interface Session {
  readonly text: string;
  readonly frames: Iterable<Luma>;
}

/** A session of `frames` frames. Drawn one by one, as they are asked for. */
export const sessionOf = (wish: FrameWish, motion: Motion, frames: number): Session => {
  const view = viewOf(wish);
  const background: Picture = counter(wish.width, wish.height, seededRandom(wish.seed));
  return {
    text: view.text,
    frames: (function* () {
      for (let index = 0; index < frames; index += 1) yield frameOf(moved(view, motion, index, frames), background);
    })(),
  };
};

/** Frames of a counter without a code, seen by one camera. */
export function* emptyFrames(width: number, height: number, seed: number, frames: number): Iterable<Luma> {
  const background = counter(width, height, seededRandom(seed));
  const view = emptyView(width, height, seed);
  for (let index = 0; index < frames; index += 1) yield frameOf({ ...view, seed: seed * 1000 + index }, background);
}
