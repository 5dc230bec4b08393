/** Modules each way of versions 1 to 3; an id fits into these. */
export const sides = [21, 25, 29] as const;
/** Modules from a code's edge to a finder's middle. */
export const inset = 3.5;

/** The function patterns of a size: 1 dark, 0 light, 2 for a module that differs between codes. */
const patternOf = (side: number): Uint8Array => {
  const pattern = new Uint8Array(side * side).fill(2);
  const set = (x: number, y: number, dark: boolean): void => {
    if (x >= 0 && y >= 0 && x < side && y < side) pattern[y * side + x] = dark ? 1 : 0;
  };
  for (let at = 8; at < side - 8; at += 1) {
    set(at, 6, at % 2 === 0);
    set(6, at, at % 2 === 0);
  }
  for (const [left, top] of [
    [0, 0],
    [side - 7, 0],
    [0, side - 7],
  ] as const) {
    for (let y = -1; y <= 7; y += 1) {
      for (let x = -1; x <= 7; x += 1) {
        const ring = Math.max(Math.abs(x - 3), Math.abs(y - 3));
        set(left + x, top + y, ring !== 2 && ring !== 4);
      }
    }
  }
  if (side > 21) {
    for (let y = -2; y <= 2; y += 1) {
      for (let x = -2; x <= 2; x += 1) set(side - 7 + x, side - 7 + y, Math.max(Math.abs(x), Math.abs(y)) !== 1);
    }
  }
  return pattern;
};

const patterns = new Map(sides.map((side) => [side as number, patternOf(side)]));
/** The function patterns of one of `sides`, row by row: 1 dark, 0 light, 2 for data. */
export const knownPattern = (side: number): Uint8Array => patterns.get(side) ?? new Uint8Array(0);
