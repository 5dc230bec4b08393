import type { Read } from "../../decoder.ts";
import type { Luma } from "../../luma.ts";
import type { BarRegion } from "../bar-regions.ts";
import { likelihoodOf, valuesOf } from "./likelihood.ts";
import { type Candidate, findCandidates, placeAt } from "./locate.ts";
import { type Profile, profileOf, reversed } from "./profile.ts";
import { stopModules, symbolModules, textOf } from "./symbols.ts";

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

/** What to read. */
export interface Code128Options {
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
    const { probabilities, fit } = likelihoodOf(profile.sums, place);
    const text = fit < fitMin ? null : textOf(valuesOf(probabilities));
    if (text === null) continue;
    const end = place.symbols * symbolModules + stopModules;
    const outline = [0, end].map((module) => profile.toFrame(placeAt(place, module), outlineLine));
    return [{ text, symbology: "code128", engine: "likelihood", outline }];
  }
  return [];
};

/** The line of the profile's strip that runs through the middle of the bars. */
const outlineLine = 3.5;

/** The upper and the lower half of a region's bars: a text that both give is not an effect of noise or a reflection. */
export const halvesOf = (region: BarRegion): readonly [BarRegion, BarRegion] => {
  const angle = (region.degrees * Math.PI) / 180;
  const half = (way: 1 | -1): BarRegion => {
    const along = (way * region.height) / 4;
    const center = {
      x: region.center.x - along * Math.sin(angle),
      y: region.center.y + along * Math.cos(angle),
    };
    return { ...region, center, height: region.height / 2 };
  };
  return [half(-1), half(1)];
};
