/** Other codes that lie in the picture beside the one that counts: what a product and an advertisement say. */

import { seededRandom } from "../random.ts";
import { counter, type Picture } from "./background.ts";
import { between } from "./random.ts";
import { sceneOf } from "./scene.ts";
import { symbolOf } from "./symbol.ts";
import type { View } from "./view.ts";

const others = [
  ["ean13", "4006381333931"],
  ["qr", "https://example.com/offer"],
  ["code128", "LOT-2026-11"],
  ["qr", "WIFI:S:Shop;T:WPA;P:welcome;;"],
] as const;

/** The middles of the frame's corners, as shares of its size: the code that counts is in the middle. */
const places = [
  [0.14, 0.14],
  [0.86, 0.86],
  [0.86, 0.14],
  [0.14, 0.86],
] as const;

/** What the other codes of a view say. */
export const neighbourTexts = (view: View): readonly string[] =>
  others.slice(0, view.neighbours).map(([, text]) => text);

/** The background with `view.neighbours` other codes on it; undefined where there are none and no background was given. */
export const withNeighbours = (view: View, background?: Picture): Picture | undefined => {
  if (view.neighbours === 0) return background;
  const random = seededRandom(view.seed ^ 0xadded);
  let picture = background ?? counter(view.width, view.height, seededRandom(view.seed));
  for (const [at, [symbology, text]] of others.slice(0, view.neighbours).entries()) {
    const [x, y] = places[at] ?? places[0];
    const symbol = symbolOf(symbology, text);
    const modulePx = Math.max(1, (0.2 * view.width) / (symbol.width + 2 * symbol.quiet));
    const place = { centerX: x * view.width, centerY: y * view.height, rotationDegrees: between(random, -15, 15) };
    picture = sceneOf({ ...view, ...place, symbology, text, symbol, modulePx, phone: false }, picture);
  }
  return picture;
};
