/** Random numbers that a seed reproduces, for pictures. */
import { seededRandom } from "../random.ts";

/** Numbers in [0, 1). */
export type Random = () => number;

/** A number from `low` up to `high`, the latter excluded. */
export const between = (random: Random, low: number, high: number): number => low + (high - low) * random();

/** A fixed pseudo-random number in [0, 1) for a point of a grid. */
export const hashOf = (x: number, y: number): number => {
  let hash = Math.imul(x | 0, 374761393) + Math.imul(y | 0, 668265263);
  hash = Math.imul(hash ^ (hash >>> 13), 1274126177);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
};

/** Standard normal numbers to draw from at random places: drawing each anew would cost more than the picture. */
export const normals = ((): Float32Array => {
  const random = seededRandom(99);
  return Float32Array.from(
    { length: 1 << 16 },
    () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random()),
  );
})();
