import { counter, type Picture } from "./background.ts";
import { projectionOf } from "./camera-math.ts";
import { pageOf } from "./page.ts";
import { seeded } from "./random.ts";
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

/** The scene as light, without the camera's own faults. `background` may be shared by the frames of one sequence. */
export const sceneOf = (view: View, background?: Picture): Picture => {
  const { width, height, symbol } = view;
  const behind = background ?? counter(width, height, seeded(view.seed));
  const data = new Float32Array(behind.data);
  if (!symbol) return { data, width, height };
  const page = pageOf(view, symbol);
  const { toPixel, inverse } = projectionOf(view);
  const corners = [-1, 1].flatMap((a) => [-1, 1].map((b) => toPixel(a * page.halfWidth, b * page.halfHeight)));
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
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
      let light = 0;
      for (let sample = 0; sample < samples; sample += 1) {
        const px = x + ((sample % samplesPerPixel) + 0.5) / samplesPerPixel;
        const py = y + (Math.floor(sample / samplesPerPixel) + 0.5) / samplesPerPixel;
        const depth = inverse[6] * px + inverse[7] * py + inverse[8];
        const u = (inverse[0] * px + inverse[1] * py + inverse[2]) / depth;
        const v = (inverse[3] * px + inverse[4] * py + inverse[5]) / depth;
        const outside = u < -page.halfWidth || u > page.halfWidth || v < -page.halfHeight || v > page.halfHeight;
        light += outside ? (behind.data[y * width + x] ?? 0) : page.greyAt(u, v) * band + glareAt(view, u, v);
      }
      data[y * width + x] = light / samples;
    }
  }
  return { data, width, height };
};
