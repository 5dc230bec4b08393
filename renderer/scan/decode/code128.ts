/** Our own reader of weak Code 128 (ISO/IEC 15417), for what the decoders cannot read. */

import { type Strip, stripOf } from "./bars.ts";
import type { Read } from "./frame-reader.ts";
import type { Luma } from "./luma.ts";
import type { BarRegion } from "./regions.ts";

/** Widths in modules, bar first, of the values 0 to 105; 103 to 105 start code sets A, B and C. */
const symbolWidths: readonly string[] = (
  "212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 " +
  "123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 " +
  "232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 " +
  "313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 " +
  "111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 " +
  "111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 " +
  "114311 411113 411311 113141 114131 311141 411131 211412 211214 211232"
).split(" ");
const stopWidths = "2331112";

/** Modules of a symbol, and of the stop symbol, whose last bar is two wider. */
const [symbolModules, stopModules] = [11, 13];

/** 1 for each dark module of the given widths. */
const modulesOf = (widths: string): readonly (0 | 1)[] =>
  [...widths].flatMap((width, at) => Array<0 | 1>(Number(width)).fill(at % 2 === 0 ? 1 : 0));

const [startB, startC] = [104, 105];
const [toC, toB] = [99, 100];
const checkModulus = 103;
/** Values below this are printable characters of set B; the rest are controls and switches. */
const printableMax = 94;
const firstPrintable = 32;

const isCheckRight = (values: readonly number[]): boolean => {
  const sum = values.slice(0, -1).reduce((total, value, at) => total + value * Math.max(1, at), 0);
  return sum % checkModulus === values.at(-1);
};

/**
 * The text of a start symbol, its data and its check symbol, without the stop; null where the check is wrong, or where it holds
 * anything but printable characters of sets B and C, which ids consist of.
 */
export const textOf = (values: readonly number[]): string | null => {
  const [start] = values;
  if ((start !== startB && start !== startC) || !isCheckRight(values)) return null;
  let isPairs = start === startC;
  let text = "";
  for (const value of values.slice(1, -1)) {
    if (isPairs ? value < 100 : value <= printableMax) {
      text += isPairs ? String(value).padStart(2, "0") : String.fromCharCode(firstPrintable + value);
    } else if (isPairs && value === toB) isPairs = false;
    else if (!isPairs && value === toC) isPairs = true;
    else return null;
  }
  return text;
};

/** The greys across the bars of a region as one line, kept as prefix sums, so that the mean of any range is cheap. */
interface Profile {
  readonly sums: Float64Array;
  /** Samples a pixel. */
  readonly scale: number;
  readonly toFrame: Strip["toFrame"];
}

const bands = 7;
const bandShare = 0.11;
const bandPxMax = 40;
/** Most samples by which each half of a band is shifted against the band beside it: in perspective bars fan out. */
const shiftMax = 3;
/** Bands below this correlation lie beside the bars, such as on the text under them. */
const correlationMin = 0.35;
const doubledBelowPx = 700;

/** A stretch of a band, in samples. */
type Part = readonly [from: number, to: number];

/** Correlation of a part of a band, moved by `shift`, with the sum of those before. */
const correlation = (sum: Float32Array, band: Uint8ClampedArray, [from, to]: Part, shift: number): number => {
  let [n, a, b, aa, bb, ab] = [0, 0, 0, 0, 0, 0];
  for (let at = Math.max(from, -shift); at < to && at + shift < band.length; at += 2) {
    const x = sum[at] ?? 0;
    const y = band[at + shift] ?? 0;
    n += 1;
    a += x;
    b += y;
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  const spread = (n * aa - a * a) * (n * bb - b * b);
  return spread > 0 ? (n * ab - a * b) / Math.sqrt(spread) : 0;
};

/** The shift near `around` at which a part fits best, and how well it does. */
const bestShift = (sum: Float32Array, band: Uint8ClampedArray, part: Part, around: number) => {
  let [shift, fit] = [around, -1];
  for (let by = around - shiftMax; by <= around + shiftMax; by += 1) {
    const fitHere = correlation(sum, band, part, by);
    if (fitHere > fit) [shift, fit] = [by, fitHere];
  }
  return { shift, fit };
};

/** Averages the whole height of the bars, band by band, each aligned first: reduces noise without blurring narrow bars. */
const profileOf = (luma: Luma, region: BarRegion): Profile => {
  const scale = region.length < doubledBelowPx ? 2 : 1;
  const thicknessPx = Math.max(1, Math.min(bandPxMax, region.height * bandShare));
  const strip = stripOf(luma, region, { lines: bands, thicknessPx, scale });
  const { width } = strip.luma;
  const middle = bands >> 1;
  const bandAt = (at: number): Uint8ClampedArray => strip.luma.data.subarray(at * width, (at + 1) * width);
  const sum = Float32Array.from(bandAt(middle));
  for (const side of [-1, 1]) {
    let [shiftLeft, shiftRight] = [0, 0];
    for (let away = 1; away <= middle; away += 1) {
      const band = bandAt(middle + side * away);
      const a = bestShift(sum, band, [0, width >> 1], shiftLeft);
      const b = bestShift(sum, band, [width >> 1, width], shiftRight);
      if (Math.max(a.fit, b.fit) < correlationMin) break;
      [shiftLeft, shiftRight] = [a.shift, b.shift];
      const growth = (2 * (shiftRight - shiftLeft)) / width;
      for (let x = 0; x < width; x += 1) {
        const from = Math.max(0, Math.min(width - 1.001, x + shiftLeft + growth * (x - width / 4)));
        const here = band[from | 0] ?? 0;
        sum[x] = (sum[x] ?? 0) + here + ((band[(from | 0) + 1] ?? here) - here) * (from - (from | 0));
      }
    }
  }
  const sums = new Float64Array(width + 1);
  for (let at = 0; at < width; at += 1) sums[at + 1] = (sums[at] ?? 0) + (sum[at] ?? 0);
  return { sums, scale, toFrame: strip.toFrame };
};

const reversed = (profile: Profile): Profile => {
  const { sums } = profile;
  const last = sums.length - 1;
  const whole = sums[last] ?? 0;
  const backwards = sums.map((_, at) => whole - (sums[last - at] ?? 0));
  return { ...profile, sums: backwards, toFrame: (x, y) => profile.toFrame(last - x, y) };
};

/** The mean grey between two positions in samples, which may be fractions. */
const meanOf = (sums: Float64Array, from: number, to: number): number => {
  const last = sums.length - 1;
  const at = (x: number): number => {
    const inside = x < 0 ? 0 : x > last ? last : x;
    const left = inside | 0;
    const here = sums[left] ?? 0;
    return here + ((sums[left + 1] ?? here) - here) * (inside - left);
  };
  const a = Math.max(0, Math.min(last - 1, from));
  const b = Math.max(1, Math.min(last, to));
  return b > a ? (at(b) - at(a)) / (b - a) : at(b) - at(b - 1);
};

const hitsMax = 6;
const endFitMin = 0.45;
/** A first bar makes the grey fall by at least this share of the profile's standard deviation. */
const fallShareMin = 0.2;
/** Quiet zone that belongs to an end's template, in modules. */
const endQuiet = 3;

/** The mean grey between two positions, rounded to whole samples: faster than `meanOf`, and exact enough for a search. */
const roughMean = (sums: Float64Array, from: number, to: number): number => {
  const last = sums.length - 1;
  const a = from < 0 ? 0 : from >= last ? last - 1 : Math.round(from);
  const b = to > last ? last : Math.max(a + 1, Math.round(to));
  return ((sums[b] ?? 0) - (sums[a] ?? 0)) / (b - a);
};

/** Where an end of a code may lie, in samples. */
interface Hit {
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
const starts = [startB, startC].map((value) => templateOf([...quiet, ...modulesOf(symbolWidths[value] ?? ""), 1]));
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
const spreadOf = (sums: Float64Array, from: number, to: number): number => {
  const [first, last] = [Math.max(0, Math.floor(from)), Math.min(sums.length - 1, Math.ceil(to))];
  let squares = 0;
  for (let at = first; at < last; at += 1) squares += ((sums[at + 1] ?? 0) - (sums[at] ?? 0)) ** 2;
  const mean = ((sums[last] ?? 0) - (sums[first] ?? 0)) / Math.max(1, last - first);
  return Math.sqrt(Math.max(0, squares / Math.max(1, last - first) - mean * mean));
};

/** An end of a code: its templates, the modules from a template's start to the end, and the sign of the grey's fall there. */
interface End {
  readonly templates: readonly Float64Array[];
  readonly offset: number;
  readonly falls: 1 | -1;
}
/** The start symbol of set B or C, after a quiet zone. */
const begin: End = { templates: starts, offset: endQuiet, falls: 1 };
/** The stop symbol, before a quiet zone. */
const finish: End = { templates: [stop], offset: stopModules + 1, falls: -1 };

/** The best positions of one end, at least two modules apart. */
const hitsOf = (
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
      if (fit < endFitMin) continue;
      const near = hits.findIndex(({ at }) => Math.abs(at - x) < 2 * module);
      if (near < 0) hits.push({ at: x, module, fit });
      else if (fit > (hits[near]?.fit ?? 0)) hits[near] = { at: x, module, fit };
    }
  }
  return hits.toSorted((a, b) => b.fit - a.fit).slice(0, hitsMax);
};

/** Where a code may lie in a profile: the start of its first bar, the end of its last, its symbols without the stop. */
interface Place {
  readonly from: number;
  readonly to: number;
  /** Perspective: how unevenly the modules are spread; 0 is evenly. */
  readonly chirp: number;
  readonly symbols: number;
}

/** Bounds on the symbols of an id, start and check included: 16 characters, some of them digits in pairs. */
const [symbolsMin, symbolsMax] = [15, 19];
const [lengthShareMin, lengthShareMax] = [0.62, 1.08];
const moduleStep = 1.05;
/** Least fall of grey at the symbols' starts, in standard deviations: 1.5 to 3 at a code, 0 to 0.6 elsewhere. */
const boundaryShareMin = 0.9;
const reachShare = 0.45;
/** Largest deviation from a whole number of symbols, in modules: the scale of the ends is only roughly known. */
const missMax = 5;
const scaleRatioMax = 1.4;

/** Where module number `at` of a code begins, in samples. */
const placeAt = ({ from, to, chirp, symbols }: Place, at: number): number => {
  const share = at / (symbols * symbolModules + stopModules);
  return from + (to - from) * (share + chirp * share * (1 - share));
};

/** How strongly the grey falls at the symbols' starts, since each begins with a bar after a space. */
const boundaryFit = (sums: Float64Array, place: Place): number => {
  let fall = 0;
  for (let symbol = 0; symbol <= place.symbols; symbol += 1) {
    const x = placeAt(place, symbol * symbolModules);
    const module = placeAt(place, symbol * symbolModules + 1) - x;
    fall += roughMean(sums, x - module, x) - roughMean(sums, x, x + module);
  }
  return fall;
};

const [chirpMax, chirpStep, endStep] = [0.16, 0.01, 0.5];

const bestOf = (sums: Float64Array, places: readonly Place[]): Candidate =>
  places.map((place) => ({ place, fit: boundaryFit(sums, place) })).reduce((a, b) => (b.fit > a.fit ? b : a));

const chirped = (sums: Float64Array, place: Place): Candidate =>
  bestOf(
    sums,
    Array.from({ length: 2 * Math.round(chirpMax / chirpStep) + 1 }, (_, at) => ({
      ...place,
      chirp: at * chirpStep - chirpMax,
    })),
  );

/** Improves a place by moving its ends and its perspective in small steps. */
const refined = (sums: Float64Array, place: Place): Candidate => {
  const module = (place.to - place.from) / (place.symbols * symbolModules + stopModules);
  const moves = [-2, -1, 0, 1, 2].map((move) => move * endStep * module);
  return bestOf(
    sums,
    moves.flatMap((from) =>
      moves.flatMap((to) =>
        [-0.01, -0.005, 0, 0.005, 0.01].map((chirp) => ({
          ...place,
          from: place.from + from,
          to: place.to + to,
          chirp: place.chirp + chirp,
        })),
      ),
    ),
  );
};

/** A place and its fit: the fall of grey at the symbols' starts. */
interface Candidate {
  readonly place: Place;
  readonly fit: number;
}

const refinedMax = 3;

/** Places of a code that is about `length` samples long, the best first, three at most. */
const findCandidates = (sums: Float64Array, length: number): readonly Candidate[] => {
  const width = sums.length - 1;
  const least = (length * lengthShareMin) / (symbolsMax * symbolModules + stopModules);
  const most = (length * lengthShareMax) / (symbolsMin * symbolModules + stopModules);
  const modules: number[] = [];
  for (let module = least; module < most; module *= moduleStep) modules.push(module);
  const begins = hitsOf(sums, begin, { from: 0, to: width * reachShare, modules });
  if (begins.length === 0) return [];
  const ends = hitsOf(sums, finish, { from: width * (1 - reachShare), to: width, modules });
  const found = begins.flatMap((first) =>
    ends.flatMap((last): Candidate[] => {
      const ratio = first.module / last.module;
      if (ratio > scaleRatioMax || ratio < 1 / scaleRatioMax) return [];
      const long = (2 * (last.at - first.at)) / (first.module + last.module);
      const symbols = Math.round((long - stopModules) / symbolModules);
      if (symbols < symbolsMin || symbols > symbolsMax) return [];
      if (Math.abs(long - symbols * symbolModules - stopModules) > missMax) return [];
      const { place, fit } = chirped(sums, { from: first.at, to: last.at, chirp: 0, symbols });
      return [{ place, fit: fit * (first.fit + last.fit) }];
    }),
  );
  return found
    .toSorted((a, b) => b.fit - a.fit)
    .slice(0, refinedMax)
    .map(({ place, fit }) => ({ place: refined(sums, place).place, fit }))
    .filter(({ place, fit }) => fit > boundaryShareMin * (place.symbols + 1) * spreadOf(sums, place.from, place.to))
    .toSorted((a, b) => b.fit - a.fit);
};

/** Samples a module, and the modules around a symbol that blur mixes in: always light before, always dark after. */
const [perModule, margin] = [2, 1];
const windowSamples = (symbolModules + 2 * margin) * perModule;
/** Standard deviations of blur that templates are made for, in modules. */
const blurs = [0.2, 0.4, 0.6] as const;
const shifts = [-0.35, 0, 0.35] as const;
const fine = 8;

/** Templates of all values after a blur, each with zero mean and unit norm. */
const templatesOf = (blur: number): Float32Array => {
  const all = new Float32Array(symbolWidths.length * windowSamples);
  const pad = 4;
  for (const [value, widths] of symbolWidths.entries()) {
    const modules = [...Array(pad).fill(0), ...modulesOf(widths), ...Array(pad).fill(1)];
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

/** Values from this one on are start symbols; the others are data and the check symbol. */
const firstStart = 103;

/** The likeliest value of one symbol, the energy of its greys, and how much of that the value explains. */
const likeliest = (sums: Float64Array, place: Place, symbol: number, of: Float32Array) => {
  const [first, last] = symbol === 0 ? [firstStart, symbolWidths.length] : [0, firstStart];
  const window = new Float64Array(windowSamples);
  let [energy, explained, value] = [0, 0, first];
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
    for (let one = first, base = first * windowSamples; one < last; one += 1, base += windowSamples) {
      let product = 0;
      for (let at = 0; at < windowSamples; at += 1) product += (window[at] ?? 0) * (of[base + at] ?? 0);
      if (product > 0 && product * product > explained) [explained, value] = [product * product, one];
    }
  }
  return { value, energy, explained };
};

/** The likeliest values of the symbols at a place, for the blur that explains most; `fit`: how well, 0 to 1. */
const readSymbols = (
  sums: Float64Array,
  place: Place,
): { readonly values: readonly number[]; readonly fit: number } => {
  const each = templates.map((of) => {
    const symbols = Array.from({ length: place.symbols }, (_, symbol) => likeliest(sums, place, symbol, of));
    const energy = symbols.reduce((sum, symbol) => sum + symbol.energy, 0);
    const explained = symbols.reduce((sum, symbol) => sum + symbol.explained, 0);
    return { values: symbols.map(({ value }) => value), energy, explained };
  });
  const { values, energy, explained } = each.reduce((a, b) => (b.explained > a.explained ? b : a));
  return { values, fit: energy > 0 ? explained / energy : 0 };
};

/** Below this fit a text has passed its check by chance. */
const fitMin = 0.72;
const candidatesMax = 3;
/** The shortest id has about as many modules, and a module needs at least a pixel. */
const lengthMinPx = 160;

/** The best places of a code in a region, in both directions. */
const candidatesIn = (profile: Profile, region: BarRegion): readonly (Candidate & { readonly profile: Profile })[] =>
  [profile, reversed(profile)]
    .flatMap((way) => findCandidates(way.sums, region.length * way.scale).map((found) => ({ ...found, profile: way })))
    .toSorted((a, b) => b.fit - a.fit)
    .slice(0, candidatesMax);

/** The line of the profile's strip that runs through the middle of the bars. */
const outlineLine = bands / 2;

interface Code128Options {
  readonly luma: Luma;
  readonly region: BarRegion;
  /** White bars on black. */
  readonly isInverted?: boolean;
}

/**
 * Reads a Code 128 of about an id's length by maximum likelihood: it compares each symbol with all values, where decoders decide
 * bar by bar, so that single bars may be lost in blur, noise or glare.
 */
export const readCode128 = ({ luma, region, isInverted = false }: Code128Options): readonly Read[] => {
  if (region.length < lengthMinPx) return [];
  const bars = profileOf(luma, region);
  const dark = isInverted ? { ...bars, sums: bars.sums.map((sum) => -sum) } : bars;
  for (const { place, profile } of candidatesIn(dark, region)) {
    const { values, fit } = readSymbols(profile.sums, place);
    const text = fit < fitMin ? null : textOf(values);
    if (text === null) continue;
    const end = place.symbols * symbolModules + stopModules;
    const outline = [0, end].map((module) => profile.toFrame(placeAt(place, module), outlineLine));
    return [{ text, symbology: "code128", engine: "likelihood", outline }];
  }
  return [];
};
