import { knownPattern } from "./pattern.ts";
import type { Grid } from "./sample-grid.ts";

/** Below this fit a grid is likelier to lie anywhere than on a code. */
const fitMin = 0.45;
/** What a frame said counts this much less with each look after it. */
const kept = 0.95;
/** Modules each way around a module whose mean tells dark from light. */
const reach = 4;
/** What is brighter than light modules by this share of their contrast, and by more than noise, lies under a reflection. */
const glareShare = 0.3;
const glareDeviations = 3.5;
const contrastMin = 6;

/** The greys of light and dark modules, as those that every code has tell, and from where on a grey is a reflection. */
const levelsOf = (greys: Float32Array, side: number) => {
  const pattern = knownPattern(side);
  const sorted = (what: number): Float32Array => greys.filter((_, at) => pattern[at] === what).sort();
  const [lights, darks] = [sorted(0), sorted(1)];
  const light = lights[lights.length >> 1] ?? 0;
  const contrast = light - (darks[darks.length >> 1] ?? 0);
  const deviation = light - (lights[Math.floor(lights.length * 0.16)] ?? 0);
  return { contrast, glare: light + Math.max(glareShare * contrast, glareDeviations * deviation) };
};

/** What the greys of a grid's modules say: below 0 is light, above 0 dark, -1 to 1; 0 under a reflection and beside it. */
const opinionsOf = (greys: Float32Array, side: number): Float32Array | null => {
  const { contrast, glare } = levelsOf(greys, side);
  if (contrast < contrastMin) return null;
  const out = new Float32Array(side * side);
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1) {
      let sum = 0;
      let n = 0;
      let isGlaring = false;
      for (let y = Math.max(0, row - reach); y <= Math.min(side - 1, row + reach); y += 1) {
        for (let x = Math.max(0, column - reach); x <= Math.min(side - 1, column + reach); x += 1) {
          const there = greys[y * side + x] ?? 0;
          if (there <= glare) {
            sum += there;
            n += 1;
          } else if (Math.abs(x - column) <= 1 && Math.abs(y - row) <= 1) isGlaring = true;
        }
      }
      if (isGlaring || n === 0) continue;
      const opinion = (2 * (sum / n - (greys[row * side + column] ?? 0))) / contrast;
      out[row * side + column] = Math.max(-1, Math.min(1, opinion));
    }
  }
  return out;
};

/** One way in which a code may lie in the frames, and what they say about its modules then. */
interface Suspect {
  readonly side: number;
  /** Direction of the top row, in radians. */
  angle: number;
  readonly sums: Float32Array;
  weight: number;
  /** Looks since it was seen last. */
  unseen: number;
}

const suspectsMax = 6;
/** Looks after which a code that is not seen any more is forgotten: the next customer's is another one. */
const looksRemembered = 20;
/** A hand turns a phone by less than this from one frame to the next. */
const turnMax = 0.35;

const angleOf = ({ corners }: Grid): number =>
  Math.atan2((corners[3] ?? 0) - (corners[1] ?? 0), (corners[2] ?? 0) - (corners[0] ?? 0));

/**
 * What several frames say together about the modules of a code. A grid that was laid on it the wrong way round says nothing about the
 * right one: each way is counted for itself.
 */
export class ModuleEvidence {
  #suspects: Suspect[] = [];

  /** Counts all that was said before for less: call it once a look. */
  age(): void {
    this.#suspects = this.#suspects.filter(({ unseen }) => unseen < looksRemembered);
    for (const suspect of this.#suspects) {
      suspect.unseen += 1;
      suspect.weight *= kept;
      for (let at = 0; at < suspect.sums.length; at += 1) suspect.sums[at] = kept * (suspect.sums[at] ?? 0);
    }
  }

  /** Adds a frame's opinion. The result is what all frames say, above 0 dark; null where this frame says nothing. */
  add(grid: Grid, greys: Float32Array): Float32Array | null {
    if (grid.fit < fitMin) return null;
    const opinions = opinionsOf(greys, grid.side);
    if (!opinions) return null;
    const angle = angleOf(grid);
    const isSame = (one: Suspect): boolean => one.side === grid.side && Math.cos(one.angle - angle) > Math.cos(turnMax);
    const known = this.#suspects.find(isSame);
    const suspect = known ?? { side: grid.side, angle, sums: new Float32Array(opinions.length), weight: 0, unseen: 0 };
    if (!known) this.#suspects.push(suspect);
    const weight = (grid.fit - fitMin + 0.05) ** 2;
    suspect.angle = angle;
    suspect.unseen = 0;
    suspect.weight += weight;
    for (let at = 0; at < opinions.length; at += 1) {
      suspect.sums[at] = (suspect.sums[at] ?? 0) + weight * (opinions[at] ?? 0);
    }
    this.#suspects = this.#suspects.toSorted((a, b) => b.weight - a.weight).slice(0, suspectsMax);
    return suspect.sums;
  }

  clear(): void {
    this.#suspects = [];
  }
}

const sharpness = 0.6;

/** Opinions, each less those of the modules beside it, which blur lets into it. */
export const sharpened = (opinions: Float32Array, side: number): Float32Array =>
  opinions.map((opinion, at) => {
    const column = at % side;
    const left = column > 0 ? (opinions[at - 1] ?? 0) : 0;
    const right = column < side - 1 ? (opinions[at + 1] ?? 0) : 0;
    return opinion - (sharpness / 4) * (left + right + (opinions[at - side] ?? 0) + (opinions[at + side] ?? 0));
  });
