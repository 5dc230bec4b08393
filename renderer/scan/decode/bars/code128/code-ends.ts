import { modulesOf, stopModules, stopWidths, symbolWidths } from "./symbols.ts";

const hitsMax = 6;
const fitMin = 0.45;
/** A first bar makes the grey fall by at least this share of the profile's standard deviation. */
const fallShareMin = 0.2;
/** Quiet zone that belongs to an end's template, in modules. */
const endQuiet = 3;

/** The mean grey between two positions, rounded to whole samples: faster than `meanOf`, and exact enough for a search. */
export const roughMean = (sums: Float64Array, from: number, to: number): number => {
  const last = sums.length - 1;
  const a = from < 0 ? 0 : from >= last ? last - 1 : Math.round(from);
  const b = to > last ? last : Math.max(a + 1, Math.round(to));
  return ((sums[b] ?? 0) - (sums[a] ?? 0)) / (b - a);
};

/** Where an end of a code may lie, in samples. */
export interface Hit {
  readonly at: number;
  /** Samples a module, as far as this end tells. */
  readonly module: number;
  /** Correlation with the end's template, 0 to 1. */
  readonly fit: number;
}

/** A template of modules with zero mean and unit norm; light is high, as grey is. */
const templateOf = (modules: readonly (0 | 1)[]): Float64Array => {
  const mean = modules.reduce<number>((sum, module) => sum + module, 0) / modules.length;
  const centred = modules.map((module) => mean - module);
  const norm = Math.hypot(...centred);
  return Float64Array.from(centred, (value) => value / norm);
};

const quiet = Array<0 | 1>(endQuiet).fill(0);
/** All three start symbols begin 2 1 1; set B's stands for them in what follows. The next symbol begins with a bar. */
const starts = [104, 105].map((value) => templateOf([...quiet, ...modulesOf(symbolWidths[value] ?? ""), 1]));
const stop = templateOf([0, ...modulesOf(stopWidths), ...quiet]);

const greys = new Float64Array(24);
const fitOf = (sums: Float64Array, templates: readonly Float64Array[], from: number, module: number): number => {
  const length = templates[0]?.length ?? 0;
  let [sum, squares, best] = [0, 0, 0];
  for (let at = 0; at < length; at += 1) {
    const grey = roughMean(sums, from + at * module, from + (at + 1) * module);
    greys[at] = grey;
    sum += grey;
    squares += grey * grey;
  }
  const spread = squares - (sum * sum) / length;
  if (spread <= 0) return 0;
  for (const template of templates) {
    let product = 0;
    for (let at = 0; at < length; at += 1) product += (greys[at] ?? 0) * (template[at] ?? 0);
    if (product > best) best = product;
  }
  return best / Math.sqrt(spread);
};

/** The standard deviation of the greys of a stretch. */
export const spreadOf = (sums: Float64Array, from: number, to: number): number => {
  const [first, last] = [Math.max(0, Math.floor(from)), Math.min(sums.length - 1, Math.ceil(to))];
  let squares = 0;
  for (let at = first; at < last; at += 1) squares += ((sums[at + 1] ?? 0) - (sums[at] ?? 0)) ** 2;
  const mean = ((sums[last] ?? 0) - (sums[first] ?? 0)) / Math.max(1, last - first);
  return Math.sqrt(Math.max(0, squares / Math.max(1, last - first) - mean * mean));
};

/** An end of a code: its templates, the modules from a template's start to the end, and the sign of the grey's fall there. */
export interface End {
  readonly templates: readonly Float64Array[];
  readonly offset: number;
  readonly falls: 1 | -1;
}
/** The start symbol of set B or C, after a quiet zone. */
export const begin: End = { templates: starts, offset: endQuiet, falls: 1 };
/** The stop symbol, before a quiet zone. */
export const finish: End = { templates: [stop], offset: stopModules + 1, falls: -1 };

/** The best positions of one end, at least two modules apart. */
export const hitsOf = (
  sums: Float64Array,
  { templates, offset, falls }: End,
  range: { readonly from: number; readonly to: number; readonly modules: readonly number[] },
): readonly Hit[] => {
  const hits: Hit[] = [];
  const fallMin = fallShareMin * spreadOf(sums, 0, sums.length - 1);
  for (const module of range.modules) {
    for (let x = range.from; x < range.to; x += module / 2.5) {
      // The step from the quiet zone to the first bar, which most positions do not have.
      if (falls * (roughMean(sums, x - 2 * module, x) - roughMean(sums, x, x + 2 * module)) < fallMin) continue;
      const fit = fitOf(sums, templates, x - offset * module, module);
      if (fit < fitMin) continue;
      const near = hits.findIndex(({ at }) => Math.abs(at - x) < 2 * module);
      if (near < 0) hits.push({ at: x, module, fit });
      else if (fit > (hits[near]?.fit ?? 0)) hits[near] = { at: x, module, fit };
    }
  }
  return hits.toSorted((a, b) => b.fit - a.fit).slice(0, hitsMax);
};
