import { hashOf, type Random } from "./random.ts";

/** A picture in floating point, 0 is black and 1 is white. */
export interface Picture {
  readonly data: Float32Array;
  readonly width: number;
  readonly height: number;
}

const gridWidth = 9;
const gridHeight = 7;
const thingsMax = 30;

/** Light and shade of a shop counter. */
const shade = (width: number, height: number, random: Random): Float32Array => {
  const grid = Float32Array.from({ length: gridWidth * gridHeight }, () => 0.15 + 0.6 * random());
  const data = new Float32Array(width * height);
  for (let y = 0; y < height; y += 1) {
    const gridY = (y / height) * (gridHeight - 1);
    const row = Math.min(gridHeight - 2, Math.floor(gridY));
    const down = gridY - row;
    for (let x = 0; x < width; x += 1) {
      const gridX = (x / width) * (gridWidth - 1);
      const column = Math.min(gridWidth - 2, Math.floor(gridX));
      const right = gridX - column;
      const at = row * gridWidth + column;
      const above = (grid[at] ?? 0) * (1 - right) + (grid[at + 1] ?? 0) * right;
      const below = (grid[at + gridWidth] ?? 0) * (1 - right) + (grid[at + gridWidth + 1] ?? 0) * right;
      data[y * width + x] = above * (1 - down) + below * down;
    }
  }
  return data;
};

/** A counter with things on it: plain, striped and printed patches, which look like codes to a careless decoder. */
export const counter = (width: number, height: number, random: Random): Picture => {
  const data = shade(width, height, random);
  const things = Math.floor(thingsMax * random());
  for (let thing = 0; thing < things; thing += 1) {
    const left = Math.floor(random() * width);
    const top = Math.floor(random() * height);
    const right = Math.min(width, left + 4 + Math.floor(random() * width * 0.15));
    const bottom = Math.min(height, top + 3 + Math.floor(random() * height * 0.15));
    const grey = random();
    const kind = random();
    const period = 3 + Math.floor(random() * 14);
    const upright = random() < 0.5;
    for (let y = top; y < bottom; y += 1) {
      for (let x = left; x < right; x += 1) {
        const at = y * width + x;
        if (kind < 0.4) data[at] = grey;
        else if (kind < 0.7) {
          if (((upright ? x : y) % period) * 2 < period) data[at] = grey * 0.4;
        } else if (hashOf(x >> 2, y >> 2) > 0.55) data[at] = grey * 0.3;
      }
    }
  }
  return { data, width, height };
};
