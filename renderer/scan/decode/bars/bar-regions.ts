import type { Point } from "../decoder.ts";
import { type Cells, gradientCells } from "../gradient-cells.ts";
import type { Luma } from "../luma.ts";

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
const strengthMin = 40;
const angleStepMax = (22 * Math.PI) / 180;
const angleSpreadMax = (28 * Math.PI) / 180;
const cellsInRegionMin = 4;
const slopeMax = 0.6;

/** The angle between two undirected lines, in radians, 0 to π/2. */
const angleBetween = (a: number, b: number): number => {
  const turn = Math.abs(a - b) % Math.PI;
  return Math.min(turn, Math.PI - turn);
};

/** The regions of bars in a picture, the strongest first. */
export const barRegions = (luma: Luma, regionsMax: number): readonly BarRegion[] => {
  const cells = gradientCells(luma);
  const { columns, rows, xx: sxx, yy: syy, xy: sxy } = cells;
  const strength = sxx.map((value, at) => value + (syy[at] ?? 0));
  const strongest = strength.toSorted()[Math.floor(strength.length * 0.98)] ?? 0;
  const least = Math.max(strengthMin, strongest * strengthShareMin);
  const angle = new Float32Array(strength.length);
  const isOpen = new Uint8Array(strength.length);
  for (let at = 0; at < strength.length; at += 1) {
    const difference = (sxx[at] ?? 0) - (syy[at] ?? 0);
    const cross = 2 * (sxy[at] ?? 0);
    const total = strength[at] ?? 0;
    if (total < least || difference * difference + cross * cross < (coherenceMin * total) ** 2) continue;
    isOpen[at] = 1;
    angle[at] = Math.atan2(cross, difference) / 2;
  }
  const order = Array.from(strength.keys())
    .filter((at) => isOpen[at] === 1)
    .toSorted((a, b) => (strength[b] ?? 0) - (strength[a] ?? 0));
  const regions: BarRegion[] = [];
  for (const seed of order) {
    if (isOpen[seed] !== 1) continue;
    const seedAngle = angle[seed] ?? 0;
    const members = [seed];
    isOpen[seed] = 0;
    for (let next = 0; next < members.length; next += 1) {
      const cell = members[next] ?? 0;
      const row = Math.floor(cell / columns);
      const column = cell - row * columns;
      for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y += 1) {
        for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x += 1) {
          const at = y * columns + x;
          if (isOpen[at] !== 1) continue;
          if (angleBetween(angle[at] ?? 0, angle[cell] ?? 0) > angleStepMax) continue;
          if (angleBetween(angle[at] ?? 0, seedAngle) > angleSpreadMax) continue;
          isOpen[at] = 0;
          members.push(at);
        }
      }
    }
    if (members.length >= cellsInRegionMin) regions.push(regionOf(members, cells));
  }
  return regions.toSorted((a, b) => b.weight - a.weight).slice(0, regionsMax);
};

const regionOf = (members: readonly number[], { columns, cellPx, xx, yy, xy }: Cells): BarRegion => {
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
