import { begin, finish, hitsOf, roughMean, spreadOf } from "./code-ends.ts";
import { stopModules, symbolModules } from "./symbols.ts";

/** Where a code may lie in a profile: the start of its first bar, the end of its last, its symbols without the stop. */
export interface Place {
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
export const placeAt = ({ from, to, chirp, symbols }: Place, at: number): number => {
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

/** The place with the best fit. */
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
export interface Candidate {
  readonly place: Place;
  readonly fit: number;
}

const refinedMax = 3;

/** Places of a code that is about `length` samples long, the best first, three at most. */
export const findCandidates = (sums: Float64Array, length: number): readonly Candidate[] => {
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
