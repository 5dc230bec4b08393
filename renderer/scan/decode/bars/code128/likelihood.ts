import { type Place, placeAt } from "./locate.ts";
import { meanOf } from "./profile.ts";
import { modulesOf, symbolModules, symbolWidths, valueCount } from "./symbols.ts";

/** Samples a module, and the modules around a symbol that blur mixes in: always light before, always dark after. */
const perModule = 2;
const margin = 1;
const windowModules = symbolModules + 2 * margin;
const windowSamples = windowModules * perModule;
/** Standard deviations of blur that templates are made for, in modules. */
const blurs = [0.2, 0.4, 0.6] as const;
const shifts = [-0.35, 0, 0.35] as const;
const fine = 8;

/** Templates of all values after a blur, each with zero mean and unit norm. */
const templatesOf = (blur: number): Float32Array => {
  const all = new Float32Array(valueCount * windowSamples);
  const pad = 4;
  for (let value = 0; value < valueCount; value += 1) {
    const modules = [...Array(pad).fill(0), ...modulesOf(symbolWidths[value] ?? ""), ...Array(pad).fill(1)];
    const light = modules.flatMap((module) => Array<number>(fine).fill(1 - module));
    const sigma = blur * fine;
    const reach = Math.ceil(3 * sigma);
    const weights = Array.from({ length: 2 * reach + 1 }, (_, at) => Math.exp(-((at - reach) ** 2) / (2 * sigma ** 2)));
    const blurred = light.map((_, x) =>
      weights.reduce(
        (sum, weight, at) => sum + weight * (light[Math.max(0, Math.min(light.length - 1, x + at - reach))] ?? 0),
        0,
      ),
    );
    const step = fine / perModule;
    const samples = Array.from({ length: windowSamples }, (_, at) => {
      const from = (pad - margin) * fine + at * step;
      return blurred.slice(from, from + step).reduce((sum, one) => sum + one, 0);
    });
    const mean = samples.reduce((sum, one) => sum + one, 0) / windowSamples;
    const norm = Math.hypot(...samples.map((one) => one - mean));
    for (const [at, one] of samples.entries()) all[value * windowSamples + at] = (one - mean) / norm;
  }
  return all;
};

const templates = blurs.map(templatesOf);

/** The likelihood of the values of a code's symbols. */
export interface Likelihood {
  /** For each symbol, the probability of each value. */
  readonly probabilities: readonly Float64Array[];
  /** How well the best values explain the greys, 0 to 1. */
  readonly fit: number;
}

/** Values from this one on are start symbols; the others are data and the check symbol. */
const firstStart = 103;
const rangeOf = (symbol: number): readonly [number, number] =>
  symbol === 0 ? [firstStart, valueCount] : [0, firstStart];

/** For each symbol the energy of its greys, and for each value how much of it the value explains. */
const explained = (sums: Float64Array, place: Place, of: Float32Array) => {
  const window = new Float64Array(windowSamples);
  return Array.from({ length: place.symbols }, (_, symbol) => {
    const best = new Float64Array(valueCount);
    const [from, to] = rangeOf(symbol);
    let energy = 0;
    for (const shift of shifts) {
      let mean = 0;
      let left = placeAt(place, symbol * symbolModules - margin + shift);
      for (let at = 0; at < windowSamples; at += 1) {
        const right = placeAt(place, symbol * symbolModules - margin + shift + (at + 1) / perModule);
        const grey = meanOf(sums, left, right);
        window[at] = grey;
        mean += grey / windowSamples;
        left = right;
      }
      let size = 0;
      for (let at = 0; at < windowSamples; at += 1) {
        const grey = (window[at] ?? 0) - mean;
        window[at] = grey;
        size += grey * grey;
      }
      energy = Math.max(energy, size);
      for (let value = from, base = from * windowSamples; value < to; value += 1, base += windowSamples) {
        let product = 0;
        for (let at = 0; at < windowSamples; at += 1) product += (window[at] ?? 0) * (of[base + at] ?? 0);
        const part = product > 0 ? product * product : 0;
        if (part > (best[value] ?? 0)) best[value] = part;
      }
    }
    return { best, energy };
  });
};

/** Factor on the exponent, since neighbouring greys are not independent. */
const independence = 0.5;

/** Compares each symbol at a place with all values, for the blur that explains most. */
export const likelihoodOf = (sums: Float64Array, place: Place): Likelihood => {
  const each = templates.map((of) => {
    const symbols = explained(sums, place, of);
    const energy = symbols.reduce((sum, symbol) => sum + symbol.energy, 0);
    const most = symbols.reduce((sum, { best }) => sum + Math.max(...best), 0);
    return { symbols, energy, most };
  });
  const { symbols, energy, most } = each.reduce((a, b) => (b.most > a.most ? b : a));
  const degrees = place.symbols * (windowSamples - 2);
  const variance = Math.max(1e-9, (energy - most) / degrees);
  const probabilities = symbols.map(({ best }, symbol) => {
    const top = Math.max(...best);
    const [from, to] = rangeOf(symbol);
    const odds = best.map((part, value) =>
      value < from || value >= to ? 0 : Math.exp((independence * (part - top)) / (2 * variance)),
    );
    const total = odds.reduce((sum, one) => sum + one, 0);
    return odds.map((one) => one / total);
  });
  return { probabilities, fit: energy > 0 ? most / energy : 0 };
};

/** The likeliest value of each symbol. */
export const valuesOf = (probabilities: readonly Float64Array[]): readonly number[] =>
  probabilities.map((odds) => odds.indexOf(Math.max(...odds)));
