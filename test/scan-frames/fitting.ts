/** How large a symbol may be in a frame, and where it lies there. */
import type { View } from "./view.ts";

/** Pixels a module at which a symbol just fits into the frame, and 4 at most. */
export const modulePxMaxOf = ({ width, height, symbol }: Pick<View, "width" | "height" | "symbol">): number =>
  symbol ? Math.min((0.9 * width) / (symbol.width + 8), (0.9 * height) / (symbol.height + 20), 4) : 4;

/** Share of the frame that a turned symbol may take up, as above. */
const turnedShareMax = 0.9;

/** How wide and how high a turned symbol is, in modules. */
export const turnedSize = ({ symbol, rotationDegrees }: Pick<View, "symbol" | "rotationDegrees">) => {
  const { width, height } = symbol ?? { width: 0, height: 0 };
  const angle = (rotationDegrees * Math.PI) / 180;
  const [cos, sin] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
  return { wide: width * cos + height * sin, high: width * sin + height * cos };
};

/** Pixels a module at which a symbol still lies in the frame when it is turned: bars that leave it are in no picture. */
export const fittingModulePx = (view: View): number => {
  const { wide, high } = turnedSize(view);
  return Math.min(view.modulePx, (turnedShareMax * view.width) / wide, (turnedShareMax * view.height) / high);
};

/** Pixels a module at which the symbol itself, without its quiet zone, reaches from edge to edge. */
export const fillingModulePx = ({ width, height, symbol }: View): number =>
  symbol ? 0.97 * Math.min(width / symbol.width, height / symbol.height) : 4;

/** Where the middle of a symbol must be for the frame's left edge to cut so many modules off its quiet zone, whichever way it is turned. */
export const atEdge = (view: View): Pick<View, "centerX"> | null => {
  if (view.cutModules === null || !view.symbol) return null;
  const lies = Math.abs(Math.round(view.rotationDegrees / 90)) % 2 === 1;
  const reach = (lies ? view.symbol.height : view.symbol.width) / 2 + view.symbol.quiet;
  return { centerX: (reach - view.cutModules) * view.modulePx };
};
