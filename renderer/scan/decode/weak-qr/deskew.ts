import { gradientCells } from "../gradient-cells.ts";
import type { Luma, Window } from "../luma.ts";

/** A part of a frame, rotated so that the sides of a matrix code run along rows and columns. */
export interface Deskewed {
  readonly luma: Luma;
  /** Samples a pixel of the frame. */
  readonly scale: number;
  /** Where a point of `luma` lies in the frame. */
  readonly toFrame: (x: number, y: number) => { readonly x: number; readonly y: number };
}

/** Most samples each way: searching them takes a few milliseconds. */
const samplesMax = 130;
const scaleMax = 1.5;

/** The direction of a code's sides in a window, -45° to 45° in radians: the dominant gradient direction modulo 90°. */
const directionIn = ({ data, width }: Luma, { left, top, width: wide, height: high }: Window): number => {
  let along = 0;
  let across = 0;
  for (let y = top + 1; y < top + high - 1; y += 1) {
    for (let x = left + 1, at = y * width + x; x < left + wide - 1; x += 1, at += 1) {
      const a = data[at - width - 1] ?? 0;
      const b = data[at - width + 1] ?? 0;
      const c = data[at + width - 1] ?? 0;
      const d = data[at + width + 1] ?? 0;
      const gx = b + d - a - c + 2 * ((data[at + 1] ?? 0) - (data[at - 1] ?? 0));
      const gy = c + d - a - b + 2 * ((data[at + width] ?? 0) - (data[at - width] ?? 0));
      const size = gx * gx + gy * gy;
      if (size === 0) continue;
      const twice = gx * gx - gy * gy;
      const cross = 2 * gx * gy;
      along += (twice * twice - cross * cross) / size;
      across += (2 * twice * cross) / size;
    }
  }
  return Math.atan2(across, along) / 4;
};

/** Rotates a window of a frame upright, with bilinear samples. */
export const deskew = (luma: Luma, window: Window): Deskewed => {
  const { data, width, height } = luma;
  const angle = directionIn(luma, window);
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const { cellPx } = gradientCells(luma);
  const wide = window.width * Math.abs(cos) + window.height * Math.abs(sin) - cellPx;
  const high = window.width * Math.abs(sin) + window.height * Math.abs(cos) - cellPx;
  const scale = Math.min(scaleMax, samplesMax / Math.max(wide, high));
  const [columns, rows] = [Math.ceil(wide * scale), Math.ceil(high * scale)];
  const [middleX, middleY] = [window.left + window.width / 2, window.top + window.height / 2];
  const toFrame = (x: number, y: number) => {
    const u = (x - columns / 2) / scale;
    const v = (y - rows / 2) / scale;
    return { x: middleX + u * cos - v * sin, y: middleY + u * sin + v * cos };
  };
  const out = new Uint8ClampedArray(columns * rows);
  const [xMax, yMax] = [width - 1.001, height - 1.001];
  for (let row = 0; row < rows; row += 1) {
    let { x, y } = toFrame(0.5, row + 0.5);
    x -= 0.5;
    y -= 0.5;
    for (let column = 0; column < columns; column += 1, x += cos / scale, y += sin / scale) {
      const px = x < 0 ? 0 : x > xMax ? xMax : x;
      const py = y < 0 ? 0 : y > yMax ? yMax : y;
      const left = px | 0;
      const top = py | 0;
      const dx = px - left;
      const here = top * width + left;
      const a = data[here] ?? 0;
      const c = data[here + width] ?? 0;
      const upper = a + ((data[here + 1] ?? 0) - a) * dx;
      const lower = c + ((data[here + width + 1] ?? 0) - c) * dx;
      out[row * columns + column] = upper + (lower - upper) * (py - top);
    }
  }
  return { luma: { data: out, width: columns, height: rows }, scale, toFrame };
};
