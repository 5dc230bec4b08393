import type { Luma } from "../luma.ts";
import { type BarRegion, barRegions } from "./bar-regions.ts";

const regionsMax = 5;
const found = new WeakMap<Luma, readonly BarRegion[]>();

/** The strongest regions of bars in a picture, five at most; found once a picture. */
export const regionsOf = (luma: Luma): readonly BarRegion[] => {
  const regions = found.get(luma) ?? barRegions(luma, regionsMax);
  found.set(luma, regions);
  return regions;
};
