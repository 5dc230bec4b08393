import type { Luma } from "./luma.ts";

/** Averages each `rows` rows into one: noise is reduced, upright bars stay. */
export const averageRows = ({ data, width, height: high }: Luma, rows: number): Luma => {
  const height = Math.floor(high / rows);
  const out = new Uint8ClampedArray(width * height);
  const sums = new Uint16Array(width);
  for (let y = 0; y < height; y += 1) {
    sums.fill(rows >> 1);
    for (let row = 0; row < rows; row += 1) {
      const start = (y * rows + row) * width;
      for (let x = 0; x < width; x += 1) sums[x] = (sums[x] ?? 0) + (data[start + x] ?? 0);
    }
    for (let x = 0; x < width; x += 1) out[y * width + x] = (sums[x] ?? 0) / rows;
  }
  return { data: out, width, height };
};

/** Vertical offset of column `x` in a picture that is tilted by `degrees` around its middle, in whole pixels. */
export const tiltAt = (x: number, width: number, degrees: number): number =>
  Math.round((x - width / 2) * Math.tan((degrees * Math.PI) / 180));

/**
 * Averages along rows that are tilted by `degrees`, so that a tilted linear code comes out straight: much cheaper than a
 * rotation.
 */
export const averageTiltedRows = ({ data, width, height: high }: Luma, rows: number, degrees: number): Luma => {
  const height = Math.floor(high / rows);
  const out = new Uint8ClampedArray(width * height);
  const down = Int32Array.from({ length: width }, (_, x) => tiltAt(x, width, degrees));
  const lean = Int32Array.from({ length: rows }, (_, row) => -tiltAt(row + 0.5, rows, degrees));
  const reach = Math.abs(tiltAt(0, width, degrees)) + rows;
  const side = Math.abs(lean[0] ?? 0) + 1;
  const last = high - 1;
  for (let y = 0; y < height; y += 1) {
    // Only rows near an edge of the picture can leave it.
    const inside = y * rows >= reach && y * rows + reach <= last;
    for (let x = 0; x < width; x += 1) {
      const top = y * rows + (down[x] ?? 0);
      let sum = rows >> 1;
      if (inside && x >= side && x < width - side) {
        for (let row = 0; row < rows; row += 1) sum += data[(top + row) * width + x + (lean[row] ?? 0)] ?? 0;
      } else {
        for (let row = 0; row < rows; row += 1) {
          const sourceY = Math.max(0, Math.min(last, top + row));
          const sourceX = Math.max(0, Math.min(width - 1, x + (lean[row] ?? 0)));
          sum += data[sourceY * width + sourceX] ?? 0;
        }
      }
      out[y * width + x] = sum / rows;
    }
  }
  return { data: out, width, height };
};

/** Rotates by 90° clockwise, for bars that run across. */
export const rotateQuarter = ({ data, width: wide, height: high }: Luma): Luma => {
  const out = new Uint8ClampedArray(wide * high);
  for (let y = 0; y < high; y += 1) {
    for (let x = 0; x < wide; x += 1) out[x * high + (high - 1 - y)] = data[y * wide + x] ?? 0;
  }
  return { data: out, width: high, height: wide };
};

/** The grey around a rotated picture. */
const surroundGrey = 128;

/** Rotates the whole picture by any angle, with bilinear samples; grey around it. */
export const rotated = ({ data, width: wide, height: high }: Luma, degrees: number): Luma => {
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const width = Math.ceil(Math.abs(wide * cos) + Math.abs(high * sin));
  const height = Math.ceil(Math.abs(wide * sin) + Math.abs(high * cos));
  const out = new Uint8ClampedArray(width * height).fill(surroundGrey);
  for (let y = 0; y < height; y += 1) {
    let sourceX = (-width / 2) * cos + (y - height / 2) * sin + wide / 2;
    let sourceY = (width / 2) * sin + (y - height / 2) * cos + high / 2;
    for (let x = 0; x < width; x += 1, sourceX += cos, sourceY -= sin) {
      if (sourceX < 0 || sourceY < 0 || sourceX >= wide - 1 || sourceY >= high - 1) continue;
      const left = sourceX | 0;
      const top = sourceY | 0;
      const dx = sourceX - left;
      const dy = sourceY - top;
      const at = top * wide + left;
      const a = data[at] ?? 0;
      const c = data[at + wide] ?? 0;
      const upper = a + ((data[at + 1] ?? 0) - a) * dx;
      const lower = c + ((data[at + wide + 1] ?? 0) - c) * dx;
      out[y * width + x] = upper + (lower - upper) * dy;
    }
  }
  return { data: out, width, height };
};
