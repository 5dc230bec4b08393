import type { Luma } from "./luma.ts";

/** Of each value and the one `step` further on, the larger: in place, for the last ones stay as they are. */
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
 * The extreme of each pixel's surroundings, `reach` pixels each way: windows double until they are wide enough. Near the edges of the
 * picture it is that of other pixels, which no code's modules lie on.
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

/** Grey levels that a dark part must differ from the light around it, for its surroundings to be stretched to black and white. */
const stepMin = 20;

/**
 * The picture without what changes slowly or lies over it as a bright stripe (a black top-hat): each pixel against the light around it,
 * as a share of the strongest difference nearby. `reach` is half the width of the widest dark part that is kept.
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
