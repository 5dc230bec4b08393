import { greyAt, type Luma, type Window } from "./luma.ts";
import { gradientCells } from "./regions.ts";

/** Modules each way of versions 1 to 3; an id fits into these. */
const sides = [21, 25, 29] as const;
/** Modules from a code's edge to a finder's middle. */
const inset = 3.5;

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

/** The position of a QR code's modules, given by the middles of its three finder patterns and the fourth corner, in samples. */
export interface Grid {
  /** Modules each way. */
  readonly side: number;
  /** x and y of the middles, top left, top right, bottom left, bottom right. */
  readonly corners: Float64Array;
  /** Correlation with the function patterns, -1 to 1. */
  readonly fit: number;
}

/** Writes the grey of each module into `into`. @param isThorough averages five samples a module. Default: its middle alone. */
export const sampleGrid = (
  luma: Luma,
  { side, corners }: Pick<Grid, "side" | "corners">,
  into: Float32Array,
  isThorough = false,
): void => {
  const x0 = corners[0] ?? 0;
  const y0 = corners[1] ?? 0;
  const x1 = corners[2] ?? 0;
  const y1 = corners[3] ?? 0;
  const x2 = corners[4] ?? 0;
  const y2 = corners[5] ?? 0;
  const x3 = corners[6] ?? 0;
  const y3 = corners[7] ?? 0;
  // The projective transform of the unit square onto the four corners.
  const [dx1, dx2, dx3] = [x1 - x3, x2 - x3, x0 - x1 + x3 - x2];
  const [dy1, dy2, dy3] = [y1 - y3, y2 - y3, y0 - y1 + y3 - y2];
  const below = dx1 * dy2 - dx2 * dy1 || 1e-9;
  const g = (dx3 * dy2 - dx2 * dy3) / below;
  const h = (dx1 * dy3 - dx3 * dy1) / below;
  const a = x1 - x0 + g * x1;
  const b = x2 - x0 + h * x2;
  const d = y1 - y0 + g * y1;
  const e = y2 - y0 + h * y2;
  const span = side - 2 * inset;
  const quarterX = (0.22 * (x1 - x0)) / span;
  const quarterY = (0.22 * (y2 - y0)) / span;
  const grey = (x: number, y: number): number => greyAt(luma, x, y);
  for (let row = 0; row < side; row += 1) {
    const v = (row + 0.5 - inset) / span;
    for (let column = 0; column < side; column += 1) {
      const u = (column + 0.5 - inset) / span;
      const depth = g * u + h * v + 1;
      // Samples lie in the middles of pixels.
      const x = (a * u + b * v + x0) / depth - 0.5;
      const y = (d * u + e * v + y0) / depth - 0.5;
      const middle = grey(x, y);
      into[row * side + column] = isThorough
        ? (2 * middle + grey(x - quarterX, y) + grey(x + quarterX, y) + grey(x, y - quarterY) + grey(x, y + quarterY)) /
          6
        : middle;
    }
  }
};

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

/**
 * Rotates a window of a frame upright, so that the sides of a matrix code run along rows and columns, with bilinear samples.
 * `scale`: samples a pixel of the frame. `toFrame`: where a point of the new `luma` lies in the frame.
 */
export const deskew = (luma: Luma, window: Window) => {
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
  for (let row = 0; row < rows; row += 1) {
    let { x, y } = toFrame(0.5, row + 0.5);
    x -= 0.5;
    y -= 0.5;
    for (let column = 0; column < columns; column += 1, x += cos / scale, y += sin / scale) {
      out[row * columns + column] = greyAt(luma, x, y);
    }
  }
  return { luma: { data: out, width: columns, height: rows }, scale, toFrame };
};

/** A candidate for a finder pattern: its middle and module size in samples, and its correlation, 0 to 1. */
interface Finder {
  readonly x: number;
  readonly y: number;
  readonly module: number;
  readonly fit: number;
}

const modulePxMin = 1.2;
const moduleStep = 1.18;
/** The smallest QR code's modules each way. */
const sideMin = 21;
const fitMin = 0.42;
const findersMax = 7;

/** Integral images of the greys and of their squares, with a row and a column of zeros before. */
const sumsOf = ({ data, width, height }: Luma) => {
  const stride = width + 1;
  const sums = new Int32Array(stride * (height + 1));
  const squares = new Float64Array(stride * (height + 1));
  for (let y = 0; y < height; y += 1) {
    let sum = 0;
    let square = 0;
    for (let x = 0, at = (y + 1) * stride + 1; x < width; x += 1, at += 1) {
      const grey = data[y * width + x] ?? 0;
      sum += grey;
      square += grey * grey;
      sums[at] = (sums[at - stride] ?? 0) + sum;
      squares[at] = (squares[at - stride] ?? 0) + square;
    }
  }
  return { sums, squares, stride };
};

/**
 * Finds finder patterns by correlation at every position and size: a dark square of 3 modules, a light ring, a dark ring, and
 * the light around, each by its sum alone, so that noise averages out. @param scale samples a pixel. @returns seven at most.
 */
export const findersIn = (luma: Luma, scale: number): readonly Finder[] => {
  const { width, height } = luma;
  const { sums, squares, stride } = sumsOf(luma);
  /** The sum of the square that reaches `reach` pixels each way from the pixel whose upper left sum is `at`. */
  const box = (of: Int32Array | Float64Array, at: number, reach: number): number => {
    const bottom = at + (reach + 1) * stride;
    const top = at - reach * stride;
    const right = reach + 1;
    return (of[bottom + right] ?? 0) - (of[bottom - reach] ?? 0) - (of[top + right] ?? 0) + (of[top - reach] ?? 0);
  };
  const hits: Finder[] = [];
  const moduleMax = Math.max(width, height) / sideMin;
  for (let module = modulePxMin * scale; module <= moduleMax; module *= moduleStep) {
    // A box of r pixels each way is 2r + 1 wide.
    const reaches = [1.5, 2.5, 3.5, 4.5].map((modules) => Math.max(0, Math.round(modules * module - 0.5)));
    const [r1, r2, r3, r4] = reaches as [number, number, number, number];
    const [n1, n2, n3, n4] = reaches.map((reach) => (2 * reach + 1) ** 2) as [number, number, number, number];
    const light = n4 - n3 + n2 - n1;
    const share = light / n4;
    const spread = share * (1 - share) * n4;
    const step = Math.max(1, Math.round(0.5 * module));
    for (let y = r4; y < height - r4; y += step) {
      for (let x = r4, at = y * stride + x; x < width - r4; x += step, at += step) {
        const s1 = box(sums, at, r1);
        const s2 = box(sums, at, r2);
        // The middle must be darker than the ring around it, and that lighter than the next: most positions fail here.
        const ring = (s2 - s1) / (n2 - n1);
        if (s1 > n1 * ring) continue;
        const s3 = box(sums, at, r3);
        if (s3 - s2 > (n3 - n2) * ring) continue;
        const s4 = box(sums, at, r4);
        const product = s4 - s3 + s2 - s1 - share * s4;
        const variance = box(squares, at, r4) - (s4 * s4) / n4;
        if (product <= 0 || variance <= 0) continue;
        const fit = product / Math.sqrt(variance * spread);
        if (fit >= fitMin) hits.push({ x: x + 0.5, y: y + 0.5, module, fit });
      }
    }
  }
  hits.sort((a, b) => b.fit - a.fit);
  const best: Finder[] = [];
  for (const hit of hits) {
    if (best.length >= findersMax) break;
    if (best.some(({ x, y, module }) => Math.max(Math.abs(x - hit.x), Math.abs(y - hit.y)) < 3.5 * module)) continue;
    best.push(hit);
  }
  return best;
};

/** `fit`: correlation of the greys with the function patterns. `relief`: contrast of the other modules relative to these. */
const measureFit = (greys: Float32Array, pattern: Uint8Array): { readonly fit: number; readonly relief: number } => {
  let n = 0;
  let sum = 0;
  let squares = 0;
  let dark = 0;
  let darkSum = 0;
  let otherSum = 0;
  let otherSquares = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const what = pattern[at];
    const grey = greys[at] ?? 0;
    if (what === 2) {
      otherSum += grey;
      otherSquares += grey * grey;
      continue;
    }
    n += 1;
    sum += grey;
    squares += grey * grey;
    if (what === 1) {
      dark += 1;
      darkSum += grey;
    }
  }
  const variance = squares / n - (sum / n) ** 2;
  if (variance <= 0) return { fit: 0, relief: 0 };
  const fit = ((dark * sum) / n - darkSum) / Math.sqrt(variance * n * dark * (1 - dark / n));
  const others = pattern.length - n;
  const otherVariance = otherSquares / others - (otherSum / others) ** 2;
  return { fit, relief: Math.min(reliefMax, Math.sqrt(Math.max(0, otherVariance) / variance)) };
};

/** Bound on the relief: a grid between modules lowers it, and a reflection raises it beyond what modules can. */
const reliefMax = 1.2;
const reliefWeight = 0.2;

const steps = [0.7, 0.35, 0.18] as const;
const roundsMax = 3;

/** Improves a grid by hill climbing: moves each corner by parts of a module. @param module its size in pixels. */
const refineGrid = (luma: Luma, start: Grid, module: number): Grid => {
  const { side } = start;
  const pattern = knownPattern(side);
  const greys = new Float32Array(side * side);
  const corners = start.corners.slice();
  const score = (): number => {
    sampleGrid(luma, { side, corners }, greys);
    const { fit, relief } = measureFit(greys, pattern);
    return fit + reliefWeight * relief;
  };
  let best = score();
  for (const step of steps) {
    for (let round = 0; round < roundsMax; round += 1) {
      let isBetter = false;
      for (let at = 0; at < 8; at += 1) {
        const before = corners[at] ?? 0;
        // The fourth corner is extrapolated, so perspective may move it further.
        const move = step * module * (at >= 6 ? 2 : 1);
        let chosen = before;
        for (const to of [before - move, before + move]) {
          corners[at] = to;
          const here = score();
          if (here > best) {
            best = here;
            chosen = to;
            isBetter = true;
          }
        }
        corners[at] = chosen;
      }
      if (!isBetter) break;
    }
  }
  sampleGrid(luma, { side, corners }, greys);
  return { side, corners, fit: measureFit(greys, pattern).fit };
};

const sideMax = 29;
const moduleMissMax = 1.25;
const moduleRatioMax = 1.4;
const sideRatioMax = 1.35;
const cosineMax = 0.3;

/** x and y of a finder's middle. */
type Corner = readonly [number, number];

/** Whether three finders can be those of one code: a right angle in perspective, clockwise, of similar size. */
const isAngle = (a: Finder, b: Finder, c: Finder): boolean => {
  const [ux, uy, vx, vy] = [b.x - a.x, b.y - a.y, c.x - a.x, c.y - a.y];
  const [u, v] = [Math.hypot(ux, uy), Math.hypot(vx, vy)];
  if (ux * vy - uy * vx <= 0 || Math.abs(ux * vx + uy * vy) > cosineMax * u * v) return false;
  return u <= sideRatioMax * v && v <= sideRatioMax * u && hasSimilarSize(b, c);
};

const hasSimilarSize = (a: Finder, b: Finder): boolean =>
  a.module <= b.module * moduleRatioMax && b.module <= a.module * moduleRatioMax;

/** The positions of a hidden third finder, given two: these are the upper two, the left two, or the diagonal ones. */
const thirdFinders = (a: Finder, b: Finder): readonly (readonly [Corner, Corner, Corner])[] => {
  const [x, y] = [b.x - a.x, b.y - a.y];
  const from: Corner = [a.x, a.y];
  const to: Corner = [b.x, b.y];
  return [
    [from, to, [a.x - y, a.y + x]],
    [from, [a.x + y, a.y - x], to],
    [[(a.x + b.x + y) / 2, (a.y + b.y - x) / 2], from, to],
  ];
};

/** The middles of three finders (top left, top right, bottom left), and the module size that they suggest. */
interface Guess {
  readonly middles: readonly [Corner, Corner, Corner];
  readonly module: number;
}

const guessesOf = (finders: readonly Finder[]): readonly Guess[] =>
  finders.flatMap((a) =>
    finders.flatMap((b): readonly Guess[] => {
      if (a === b || !hasSimilarSize(a, b)) return [];
      const seen = finders.filter((c) => c !== a && c !== b && hasSimilarSize(a, c) && isAngle(a, b, c));
      const whole = seen.map((c): readonly [Corner, Corner, Corner] => [
        [a.x, a.y],
        [b.x, b.y],
        [c.x, c.y],
      ]);
      return [...whole, ...thirdFinders(a, b)].map((middles) => ({ middles, module: (a.module + b.module) / 2 }));
    }),
  );

const triedMax = 2;
const guessMin = 0.25;

/** The grid that fits best among all that the finders span; null where none fits. */
export const findGrid = (luma: Luma, finders: readonly Finder[]): Grid | null => {
  const guesses: { readonly grid: Grid; readonly module: number }[] = [];
  const greys = new Float32Array(sideMax * sideMax);
  for (const guess of guessesOf(finders)) {
    const [a, b, c] = guess.middles;
    const long = (Math.hypot(b[0] - a[0], b[1] - a[1]) + Math.hypot(c[0] - a[0], c[1] - a[1])) / 2;
    const corners = Float64Array.of(...a, ...b, ...c, b[0] + c[0] - a[0], b[1] + c[1] - a[1]);
    for (const side of sides) {
      const module = long / (side - 2 * inset);
      if (module > guess.module * moduleMissMax || guess.module > module * moduleMissMax) continue;
      const view = greys.subarray(0, side * side);
      sampleGrid(luma, { side, corners }, view);
      const { fit } = measureFit(view, knownPattern(side));
      if (fit > guessMin) guesses.push({ grid: { side, corners, fit }, module });
    }
  }
  guesses.sort((a, b) => b.grid.fit - a.grid.fit);
  let best: Grid | null = null;
  for (const { grid, module } of guesses.slice(0, triedMax)) {
    const better = refineGrid(luma, grid, module);
    if (!best || better.fit > best.fit) best = better;
  }
  return best;
};
