/** A pinhole camera that looks at a plane. */
import type { View } from "./view.ts";

const radians = Math.PI / 180;
/** Of the frame's width: an ordinary webcam. */
const focalLength = 1.2;

/** Nine numbers, row by row. */
type Matrix = readonly [number, number, number, number, number, number, number, number, number];

/** Where each point of the page is in the frame, and back. */
interface Projection {
  /** From modules (the symbol's middle is 0, 0) to pixels. */
  readonly toPixel: (u: number, v: number) => readonly [number, number];
  /** From pixels to modules, before the division by the third row. */
  readonly inverse: Matrix;
}

const inverseOf = ([a, b, c, d, e, f, g, h, i]: Matrix): Matrix => [
  e * i - f * h,
  c * h - b * i,
  b * f - c * e,
  f * g - d * i,
  a * i - c * g,
  c * d - a * f,
  d * h - e * g,
  b * g - a * h,
  a * e - b * d,
];

/** The projection of a view's rotation, tilt and size. */
export const projectionOf = (view: View): Projection => {
  const focal = focalLength * view.width;
  const m = view.modulePx;
  const sinA = Math.sin(view.rotationDegrees * radians);
  const cosA = Math.cos(view.rotationDegrees * radians);
  const sinT = Math.sin(view.tiltDegrees * radians);
  const cosT = Math.cos(view.tiltDegrees * radians);
  const axisX = Math.cos(view.tiltAxisDegrees * radians);
  const axisY = Math.sin(view.tiltAxisDegrees * radians);
  // Rodrigues' rotation about the axis, applied to the plane's two directions after the rotation in the plane.
  const tilt = [
    [cosT + axisX * axisX * (1 - cosT), axisX * axisY * (1 - cosT)],
    [axisX * axisY * (1 - cosT), cosT + axisY * axisY * (1 - cosT)],
    [-axisY * sinT, axisX * sinT],
  ] as const;
  const right = tilt.map(([x, y]) => x * cosA + y * sinA) as [number, number, number];
  const down = tilt.map(([x, y]) => -x * sinA + y * cosA) as [number, number, number];
  const { centerX, centerY } = view;
  const matrix: Matrix = [
    (focal * right[0] + centerX * right[2]) * m,
    (focal * down[0] + centerX * down[2]) * m,
    centerX * focal,
    (focal * right[1] + centerY * right[2]) * m,
    (focal * down[1] + centerY * down[2]) * m,
    centerY * focal,
    right[2] * m,
    down[2] * m,
    focal,
  ];
  const toPixel = (u: number, v: number): readonly [number, number] => {
    const depth = matrix[6] * u + matrix[7] * v + matrix[8];
    return [(matrix[0] * u + matrix[1] * v + matrix[2]) / depth, (matrix[3] * u + matrix[4] * v + matrix[5]) / depth];
  };
  return { toPixel, inverse: inverseOf(matrix) };
};
