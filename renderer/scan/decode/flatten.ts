import type { Luma } from "./luma.ts";

/** Replaces each value by the larger of itself and the one `step` further on, in place. */
const keepLarger = (data: Uint8ClampedArray, step: number): void => {
  for (let at = 0, end = data.length - step; at < end; at += 1) {
    const further = data[at + step] ?? 0;
    if (further > (data[at] ?? 0)) data[at] = further;
  }
};

const keepSmaller = (data: Uint8ClampedArray, step: number): void => {
  for (let at = 0, end = data.length - step; at < end; at += 1) {
    const further = data[at + step] ?? 0;
    if (further < (data[at] ?? 0)) data[at] = further;
  }
};

/**
 * The extreme of each pixel's surroundings, `reach` pixels each way, by windows that double. Wrong near the edges of the picture,
 * where no module of a code lies.
 */
const extremes = ({ data, width, height }: Luma, reach: number, keep: typeof keepLarger): Luma => {
  const out = data.slice();
  for (const pixel of [1, width]) {
    let covered = 1;
    while (covered < 2 * reach + 1) {
      const step = Math.min(covered, 2 * reach + 1 - covered);
      keep(out, step * pixel);
      covered += step;
    }
  }
  // The windows reach forward only: their middle is `reach` further on.
  out.copyWithin(reach * (width + 1), 0);
  return { data: out, width, height };
};

/** Smallest contrast, in grey levels, that is stretched to black and white. */
const stepMin = 20;

/**
 * Removes slow changes of light and bright stripes (a black top-hat transform), and stretches the contrast.
 * @param reach half the width of the widest dark part that is kept, in pixels.
 */
export const flatten = (luma: Luma, reach: number): Luma => {
  const below = extremes(extremes(luma, reach, keepLarger), reach, keepSmaller).data;
  for (let at = 0; at < below.length; at += 1) below[at] = (below[at] ?? 0) - (luma.data[at] ?? 0);
  const { data } = extremes({ ...luma, data: below }, 2 * reach, keepLarger);
  for (let at = 0; at < data.length; at += 1) {
    data[at] = 255 - (255 * (below[at] ?? 0)) / Math.max(stepMin, data[at] ?? 0);
  }
  return { data, width: luma.width, height: luma.height };
};
