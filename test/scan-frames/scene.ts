import { seededRandom } from "../random.ts";
import { counter, type Picture } from "./background.ts";
import { projectionOf } from "./camera-math.ts";
import { pageOf } from "./page.ts";
import type { View } from "./view.ts";

/** Samples each way in one pixel. */
const samplesPerPixel = 3;

/** Light that falls on the page: a strip of glare. */
const glareAt = ({ glare, symbol }: View, u: number, v: number): number => {
  if (!glare || !symbol) return 0;
  const half = symbol.width / 2;
  const angle = (glare.degrees * Math.PI) / 180;
  const away = ((u / half - glare.at) * Math.cos(angle) + (v / half) * Math.sin(angle)) / glare.width;
  return away > -2 && away < 2 ? glare.strength * Math.exp(-(away ** 4)) : 0;
};

/** A lamp's round reflection, burnt out in its middle. */
const spotAt = ({ spot, symbol }: View, u: number, v: number): number => {
  if (!spot || !symbol) return 0;
  const half = Math.max(symbol.width, symbol.height) / 2;
  const away = Math.hypot(u / half - spot.x, v / half - spot.y) / spot.radius;
  return away < 3 ? spot.strength * Math.exp(-away * away) : 0;
};

/** The scene as light, without the camera's own faults. `background` may be shared by the frames of one sequence. */
export const sceneOf = (view: View, background?: Picture): Picture => {
  const { width, height, symbol } = view;
  const behind = background ?? counter(width, height, seededRandom(view.seed));
  const data = new Float32Array(behind.data);
  if (!symbol) return { data, width, height };
  const page = pageOf(view, symbol);
  const { toPixel, inverse } = projectionOf(view);
  const corners = [-1, 1].flatMap((a) => [-1, 1].map((b) => toPixel(a * page.halfWidth, b * page.halfHeight)));
  const sheared = (y: number): number => view.shearPxPerRow * (y - height / 2);
  const [xs, ys] = [corners.flatMap(([x, y]) => [x, x + sheared(y)]), corners.map(([, y]) => y)];
  const left = Math.max(0, Math.floor(Math.min(...xs)));
  const right = Math.min(width - 1, Math.ceil(Math.max(...xs)));
  const top = Math.max(0, Math.floor(Math.min(...ys)));
  const bottom = Math.min(height - 1, Math.ceil(Math.max(...ys)));
  const samples = samplesPerPixel ** 2;
  for (let y = top; y <= bottom; y += 1) {
    const band = view.bandDepth
      ? 1 + view.bandDepth * Math.sin((y / height) * 2 * Math.PI * view.bands + view.bandPhase)
      : 1;
    for (let x = left; x <= right; x += 1) {
      // The projection is exact at the pixel's middle and straight inside of it.
      const column = x + 0.5 - sheared(y);
      const depth = inverse[6] * column + inverse[7] * (y + 0.5) + inverse[8];
      const u = (inverse[0] * column + inverse[1] * (y + 0.5) + inverse[2]) / depth;
      const v = (inverse[3] * column + inverse[4] * (y + 0.5) + inverse[5]) / depth;
      const uRight = (inverse[0] - u * inverse[6]) / depth;
      const uDown = (inverse[1] - u * inverse[7]) / depth;
      const vRight = (inverse[3] - v * inverse[6]) / depth;
      const vDown = (inverse[4] - v * inverse[7]) / depth;
      const glare = glareAt(view, u, v) + spotAt(view, u, v);
      const there = behind.data[y * width + x] ?? 0;
      let light = 0;
      for (let down = 0; down < samplesPerPixel; down += 1) {
        const dy = (down + 0.5) / samplesPerPixel - 0.5;
        for (let across = 0; across < samplesPerPixel; across += 1) {
          const dx = (across + 0.5) / samplesPerPixel - 0.5;
          const grey = page.greyAt(u + uRight * dx + uDown * dy, v + vRight * dx + vDown * dy);
          light += grey < 0 ? there : grey * band + glare;
        }
      }
      data[y * width + x] = light / samples;
    }
  }
  return { data, width, height };
};
