import { gradientCells } from "./gradient-cells.ts";
import type { Luma, Window } from "./luma.ts";

/** A cell counts as noise below this multiple of the median plus a few grey levels. */
const noiseTimes = 1.6;
const strengthMin = 3;
/** A region grows over cells with at least this share of its strongest cell's strength. */
const growShare = 0.3;
const cellsInRegionMin = 3;
const regionsMax = 6;

/**
 * Strength of each cell's edges in their weakest direction (the smaller eigenvalue): matrix codes have edges both ways, bars and
 * outlines one way only.
 */
const bothWays = (luma: Luma): Float32Array => {
  const { xx, yy, xy } = gradientCells(luma);
  return xx.map((x, at) => {
    const y = yy[at] ?? 0;
    const cross = 2 * (xy[at] ?? 0);
    return (x + y - Math.sqrt((x - y) ** 2 + cross * cross)) / 2;
  });
};

const found = new WeakMap<Luma, readonly Window[]>();

/** Regions that may hold a matrix code, the strongest first, six at most, each with a margin of one cell. Found once a picture. */
export const matrixRegions = (luma: Luma): readonly Window[] => {
  const regions = found.get(luma) ?? search(luma);
  found.set(luma, regions);
  return regions;
};

/** Order of the regions: the strongest first, or the nearest to the middle, where people hold a code. */
export type Order = "strongest" | "middle";

/** The regions of `matrixRegions` in an order. */
export const matrixRegionsBy = (luma: Luma, order: Order): readonly Window[] => {
  const away = ({ left, top, width, height }: Window): number =>
    Math.hypot(left + (width - luma.width) / 2, top + (height - luma.height) / 2);
  return order === "strongest" ? matrixRegions(luma) : matrixRegions(luma).toSorted((a, b) => away(a) - away(b));
};

const search = (luma: Luma): readonly Window[] => {
  const { columns, rows, cellPx } = gradientCells(luma);
  const strength = bothWays(luma);
  const usual = strength.toSorted()[strength.length >> 1] ?? 0;
  const floor = noiseTimes * usual + strengthMin;
  const isOpen = Uint8Array.from(strength, (value) => (value > floor ? 1 : 0));
  const order = Array.from(strength.keys())
    .filter((at) => isOpen[at] === 1)
    .toSorted((a, b) => (strength[b] ?? 0) - (strength[a] ?? 0));
  const regions: { readonly window: Window; readonly weight: number }[] = [];
  for (const seed of order) {
    if (isOpen[seed] !== 1) continue;
    const least = growShare * (strength[seed] ?? 0);
    const members = [seed];
    isOpen[seed] = 0;
    let weight = 0;
    let [left, right, top, bottom] = [columns, 0, rows, 0];
    for (let next = 0; next < members.length; next += 1) {
      const cell = members[next] ?? 0;
      const row = Math.floor(cell / columns);
      const column = cell - row * columns;
      weight += (strength[cell] ?? 0) - floor;
      left = Math.min(left, column);
      right = Math.max(right, column);
      top = Math.min(top, row);
      bottom = Math.max(bottom, row);
      for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y += 1) {
        for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x += 1) {
          const at = y * columns + x;
          if (isOpen[at] !== 1 || (strength[at] ?? 0) < least) continue;
          isOpen[at] = 0;
          members.push(at);
        }
      }
    }
    if (members.length < cellsInRegionMin) continue;
    const [x, y] = [Math.max(0, left - 1) * cellPx, Math.max(0, top - 1) * cellPx];
    const width = Math.min(luma.width, (right + 2) * cellPx) - x;
    const height = Math.min(luma.height, (bottom + 2) * cellPx) - y;
    regions.push({ window: { left: x, top: y, width, height }, weight });
  }
  return regions
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, regionsMax)
    .map(({ window }) => window);
};
