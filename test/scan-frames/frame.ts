import type { Luma } from "../../renderer/scan/decode/luma.ts";
import { seededRandom } from "../random.ts";
import type { Picture } from "./background.ts";
import { jpeg } from "./jpeg.ts";
import { blur, expose, shake } from "./lens.ts";
import { withNeighbours } from "./neighbours.ts";
import { sceneOf } from "./scene.ts";
import type { View } from "./view.ts";

const worthBlurringPx = 0.2;
const worthShakingPx = 0.5;

/** One camera frame. The same view gives the same bytes, on every machine. */
export const frameOf = (view: View, background?: Picture): Luma => {
  const scene = sceneOf(view, withNeighbours(view, background));
  const shaken = view.motionPx > worthShakingPx ? shake(scene, view.motionPx, view.motionDegrees) : scene;
  const seen = view.blurPx > worthBlurringPx ? blur(shaken, view.blurPx) : shaken;
  const luma = expose(seen, view, seededRandom(view.seed ^ 0x5eed));
  return view.jpegQuality > 0 ? jpeg(luma, view.jpegQuality) : luma;
};
