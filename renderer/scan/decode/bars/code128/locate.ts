import { begin, finish, hitsOf, roughMean, spreadOf } from "./code-ends.ts";
import { stopModules, symbolModules } from "./symbols.ts";

/** Where in a profile the bars of one code may lie: its first bar's start, its last bar's end, its symbols without the stop. */
export interface Place {
  readonly from: number;
  readonly to: number;
  /** How unevenly the modules are spread, as in a code that is seen from the side: 0 is evenly. */
  readonly chirp: number;
  readonly symbols: number;
}

/** Symbols that an id takes, start and check included: 16 characters, digits in pairs, and a few more or less. */
const [symbolsMin, symbolsMax] = [15, 19];
const [lengthShareMin, lengthShareMax] = [0.62, 1.08];
const moduleStep = 1.05;
/** Below this share of it the places are not where symbols begin: 1.5 to 3 where they are, 0 to 0.6 elsewhere. */
const boundaryShareMin = 0.9;
const reachShare = 0.45;
/** Modules by which a whole number of symbols may be missed: the ends' own scale is only roughly known. */
const missMax = 5;
const scaleRatioMax = 1.4;

/** Where module number `at` of a code begins, in samples. */
export const placeAt = ({ from, to, chirp, symbols }: Place, at: number): number => {
  const share = at / (symbols * symbolModules + stopModules);
  return from + (to - from) * (share + chirp * share * (1 - share));
};

/** How strongly the grey falls where symbols begin: each begins with a bar after a space. */
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

/** The best of the places that `moves` lead to. */
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

/** A place, moved by parts of a module at its ends and its middle to where symbols begin. */
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

/** A place and how well symbols begin where they would: the mean fall of grey there. */
export interface Candidate {
  readonly place: Place;
  readonly fit: number;
}

const refinedMax = 3;

/** Places where a code may lie whose bars are about `length` samples long, the likeliest first. */
export const placesOf = (sums: Float64Array, length: number): readonly Candidate[] => {
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
