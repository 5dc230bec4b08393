import type { Point } from "./frame-reader.ts";
import type { Luma, Window } from "./luma.ts";

/** Cells along the longer side of the picture. */
const cellsMax = 80;
const cellPxMin = 6;

/** The structure tensor of a picture, cell by cell. */
interface Cells {
  readonly columns: number;
  readonly rows: number;
  readonly cellPx: number;
  /** Mean products of the gradient: x², y² and xy. */
  readonly xx: Float32Array;
  readonly yy: Float32Array;
  readonly xy: Float32Array;
}

const measure = ({ data, width, height }: Luma): Cells => {
  const cellPx = Math.max(cellPxMin, Math.round(Math.max(width, height) / cellsMax));
  const columns = Math.ceil(width / cellPx);
  const rows = Math.ceil(height / cellPx);
  const xx = new Float32Array(columns * rows);
  const yy = new Float32Array(columns * rows);
  const xy = new Float32Array(columns * rows);
  const step = Math.max(1, Math.min(3, Math.floor(cellPx / 4)));
  for (let y = 1; y < height - 1; y += step) {
    let cell = Math.floor(y / cellPx) * columns;
    for (let x = 1; x < width - 1; cell += 1) {
      let [sumX, sumY, sumCross] = [0, 0, 0];
      const end = Math.min(width - 1, x - (x % cellPx) + cellPx);
      for (; x < end; x += step) {
        const here = y * width + x;
        const above = here - width;
        const below = here + width;
        const a = data[above - 1] ?? 0;
        const b = data[above + 1] ?? 0;
        const c = data[below - 1] ?? 0;
        const d = data[below + 1] ?? 0;
        const across = b + d - a - c + 2 * ((data[here + 1] ?? 0) - (data[here - 1] ?? 0));
        const down = c + d - a - b + 2 * ((data[below] ?? 0) - (data[above] ?? 0));
        sumX += across * across;
        sumY += down * down;
        sumCross += across * down;
      }
      xx[cell] = (xx[cell] ?? 0) + sumX;
      yy[cell] = (yy[cell] ?? 0) + sumY;
      xy[cell] = (xy[cell] ?? 0) + sumCross;
    }
  }
  const samples = 16 * Math.ceil(cellPx / step) ** 2;
  for (const sums of [xx, yy, xy]) for (let at = 0; at < sums.length; at += 1) sums[at] = (sums[at] ?? 0) / samples;
  return { columns, rows, cellPx, xx, yy, xy };
};

/** The neighbours of a cell, itself included. */
const aroundCell = (cell: number, columns: number, rows: number): number[] => {
  const row = Math.floor(cell / columns);
  const column = cell - row * columns;
  const around: number[] = [];
  for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y += 1) {
    for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x += 1) around.push(y * columns + x);
  }
  return around;
};

/** Averages each cell with its neighbours: a wide bar fills a cell, and noise has no direction on average. */
const smoothed = (values: Float32Array, columns: number, rows: number): Float32Array =>
  values.map((_, cell) => aroundCell(cell, columns, rows).reduce((sum, at) => sum + (values[at] ?? 0), 0) / 9);

/** Finds something once a picture, however many decoders ask. */
const oncePerPicture = <T>(find: (luma: Luma) => T): ((luma: Luma) => T) => {
  const memo = new WeakMap<Luma, { readonly value: T }>();
  return (luma) => {
    const known = memo.get(luma) ?? { value: find(luma) };
    memo.set(luma, known);
    return known.value;
  };
};

/** The smoothed cells of a picture: about 2 ms at 1280×720. */
export const gradientCells = oncePerPicture((luma): Cells => {
  const { xx, yy, xy, ...size } = measure(luma);
  const smooth = (values: Float32Array): Float32Array => smoothed(values, size.columns, size.rows);
  return { ...size, xx: smooth(xx), yy: smooth(yy), xy: smooth(xy) };
});

/** Groups of neighbouring cells among the open ones, each grown from the strongest cell that is left. */
const grow = (
  { columns, rows }: Cells,
  strength: Float32Array,
  isOpen: Uint8Array,
  joins: (cell: number, from: number, seed: number) => boolean,
): readonly (readonly number[])[] => {
  const order = Array.from(strength.keys())
    .filter((at) => isOpen[at] === 1)
    .toSorted((a, b) => (strength[b] ?? 0) - (strength[a] ?? 0));
  return order.flatMap((seed) => {
    if (isOpen[seed] !== 1) return [];
    const members = [seed];
    isOpen[seed] = 0;
    // It grows while it is walked through.
    for (const from of members) {
      for (const cell of aroundCell(from, columns, rows)) {
        if (isOpen[cell] !== 1 || !joins(cell, from, seed)) continue;
        isOpen[cell] = 0;
        members.push(cell);
      }
    }
    return [members];
  });
};

/** A region of a picture in which most edges have one direction, as the bars of a code have. In pixels. */
export interface BarRegion {
  readonly center: Point;
  /** Direction across the bars, -90 to 90: 0 along the rows, 90 down the columns. */
  readonly degrees: number;
  /** Shift along the bars for each pixel across them: not 0 in perspective. */
  readonly slope: number;
  /** Size across the bars, without a quiet zone. */
  readonly length: number;
  /** Size along the bars. */
  readonly height: number;
  /** Strength of its edges: the stronger of two regions is read first. */
  readonly weight: number;
}

/** Share of a cell's edges that must agree on a direction. */
const coherenceMin = 0.45;
/** Cells below this share of the strongest cells' strength are ignored. */
const strengthShareMin = 0.04;
const barStrengthMin = 40;
const angleStepMax = (22 * Math.PI) / 180;
const angleSpreadMax = (28 * Math.PI) / 180;
const barCellsMin = 4;
const barRegionsMax = 5;
const slopeMax = 0.6;

/** The angle between two undirected lines, in radians, 0 to π/2. */
const angleBetween = (a: number, b: number): number => {
  const turn = Math.abs(a - b) % Math.PI;
  return Math.min(turn, Math.PI - turn);
};

/** The regions of bars in a picture, the strongest first, five at most. */
export const barRegions = oncePerPicture((luma): readonly BarRegion[] => {
  const cells = gradientCells(luma);
  const { xx, yy, xy } = cells;
  const strength = xx.map((value, at) => value + (yy[at] ?? 0));
  const strongest = strength.toSorted()[Math.floor(strength.length * 0.98)] ?? 0;
  const least = Math.max(barStrengthMin, strongest * strengthShareMin);
  const angle = new Float32Array(strength.length);
  const isOpen = new Uint8Array(strength.length);
  for (let at = 0; at < strength.length; at += 1) {
    const difference = (xx[at] ?? 0) - (yy[at] ?? 0);
    const cross = 2 * (xy[at] ?? 0);
    const total = strength[at] ?? 0;
    if (total < least || difference * difference + cross * cross < (coherenceMin * total) ** 2) continue;
    isOpen[at] = 1;
    angle[at] = Math.atan2(cross, difference) / 2;
  }
  const joins = (cell: number, from: number, seed: number): boolean =>
    angleBetween(angle[cell] ?? 0, angle[from] ?? 0) <= angleStepMax &&
    angleBetween(angle[cell] ?? 0, angle[seed] ?? 0) <= angleSpreadMax;
  return grow(cells, strength, isOpen, joins)
    .filter((members) => members.length >= barCellsMin)
    .map((members) => barRegionOf(members, cells))
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, barRegionsMax);
});

const barRegionOf = (members: readonly number[], { columns, cellPx, xx, yy, xy }: Cells): BarRegion => {
  let [sumX, sumY, sumCross] = [0, 0, 0];
  for (const cell of members) {
    sumX += xx[cell] ?? 0;
    sumY += yy[cell] ?? 0;
    sumCross += xy[cell] ?? 0;
  }
  const angle = Math.atan2(2 * sumCross, sumX - sumY) / 2;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const points = members.map((cell) => {
    const x = ((cell % columns) + 0.5) * cellPx;
    const y = (Math.floor(cell / columns) + 0.5) * cellPx;
    return { u: x * cos + y * sin, v: y * cos - x * sin, weight: (xx[cell] ?? 0) + (yy[cell] ?? 0) };
  });
  const total = points.reduce((sum, { weight }) => sum + weight, 0);
  const uMean = points.reduce((sum, { u, weight }) => sum + u * weight, 0) / total;
  const vMean = points.reduce((sum, { v, weight }) => sum + v * weight, 0) / total;
  const spread = points.reduce((sum, { u, weight }) => sum + (u - uMean) ** 2 * weight, 0);
  const together = points.reduce((sum, { u, v, weight }) => sum + (u - uMean) * (v - vMean) * weight, 0);
  const slope = spread > 0 ? Math.max(-slopeMax, Math.min(slopeMax, together / spread)) : 0;
  let [uMin, uMax, vMin, vMax] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const point of points) {
    const v = point.v - slope * (point.u - uMean);
    uMin = Math.min(uMin, point.u);
    uMax = Math.max(uMax, point.u);
    vMin = Math.min(vMin, v);
    vMax = Math.max(vMax, v);
  }
  const u = (uMin + uMax) / 2;
  const v = (vMin + vMax) / 2 + slope * (u - uMean);
  return {
    center: { x: u * cos - v * sin, y: u * sin + v * cos },
    degrees: (angle * 180) / Math.PI,
    slope,
    length: uMax - uMin + cellPx,
    height: vMax - vMin + cellPx,
    weight: Math.hypot(sumX - sumY, 2 * sumCross),
  };
};

/** A cell counts as noise below this multiple of the median plus a few grey levels. */
const noiseTimes = 1.6;
const strengthMin = 3;
/** A region grows over cells with at least this share of its strongest cell's strength. */
const growShare = 0.3;
const cellsInRegionMin = 3;
const regionsMax = 6;

/** Strength of each cell's edges in their weakest direction (smaller eigenvalue): bars have edges one way only. */
const bothWays = (luma: Luma): Float32Array => {
  const { xx, yy, xy } = gradientCells(luma);
  return xx.map((x, at) => {
    const y = yy[at] ?? 0;
    const cross = 2 * (xy[at] ?? 0);
    return (x + y - Math.sqrt((x - y) ** 2 + cross * cross)) / 2;
  });
};

/** Regions that may hold a matrix code, the strongest first, six at most, each with a margin of one cell. */
export const matrixRegions = oncePerPicture((luma): readonly Window[] => {
  const cells = gradientCells(luma);
  const { columns, rows, cellPx } = cells;
  const strength = bothWays(luma);
  const usual = strength.toSorted()[strength.length >> 1] ?? 0;
  const floor = noiseTimes * usual + strengthMin;
  const isOpen = Uint8Array.from(strength, (value) => (value > floor ? 1 : 0));
  const joins = (cell: number, _from: number, seed: number): boolean =>
    (strength[cell] ?? 0) >= growShare * (strength[seed] ?? 0);
  const windowOf = (members: readonly number[]): { readonly window: Window; readonly weight: number } => {
    let weight = 0;
    let [left, right, top, bottom] = [columns, 0, rows, 0];
    for (const cell of members) {
      const row = Math.floor(cell / columns);
      const column = cell - row * columns;
      weight += (strength[cell] ?? 0) - floor;
      left = Math.min(left, column);
      right = Math.max(right, column);
      top = Math.min(top, row);
      bottom = Math.max(bottom, row);
    }
    const [x, y] = [Math.max(0, left - 1) * cellPx, Math.max(0, top - 1) * cellPx];
    const width = Math.min(luma.width, (right + 2) * cellPx) - x;
    const height = Math.min(luma.height, (bottom + 2) * cellPx) - y;
    return { window: { left: x, top: y, width, height }, weight };
  };
  return grow(cells, strength, isOpen, joins)
    .filter((members) => members.length >= cellsInRegionMin)
    .map(windowOf)
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, regionsMax)
    .map(({ window }) => window);
});

/** Order of the regions: the strongest first, or the nearest to the middle, where people hold a code. */
export type Order = "strongest" | "middle";

/** The regions of `matrixRegions` in an order. */
export const matrixRegionsBy = (luma: Luma, order: Order): readonly Window[] => {
  const away = ({ left, top, width, height }: Window): number =>
    Math.hypot(left + (width - luma.width) / 2, top + (height - luma.height) / 2);
  return order === "strongest" ? matrixRegions(luma) : matrixRegions(luma).toSorted((a, b) => away(a) - away(b));
};
