import type { Read } from "../../decoder.ts";
import type { Luma } from "../../luma.ts";
import type { BarRegion } from "../bar-regions.ts";
import { likelihoodOf, valuesOf } from "./likelihood.ts";
import { type Candidate, placeAt, placesOf } from "./locate.ts";
import { type Profile, profileOf, reversed } from "./profile.ts";
import { stopModules, symbolModules, textOf } from "./symbols.ts";

/** Below this the greys are better explained by no code at all: a text that passes its check by chance. */
const fitMin = 0.72;
const placesMax = 3;
/** The shortest id has about as many modules, and none is read at less than a pixel a module. */
const lengthMinPx = 160;

/** The likeliest places, in either direction, of the bars of a region. */
const candidatesIn = (profile: Profile, region: BarRegion): readonly (Candidate & { readonly profile: Profile })[] =>
  [profile, reversed(profile)]
    .flatMap((way) => placesOf(way.sums, region.length * way.scale).map((found) => ({ ...found, profile: way })))
    .toSorted((a, b) => b.fit - a.fit)
    .slice(0, placesMax);

/** What of a picture is read. */
export interface Code128Options {
  readonly luma: Luma;
  readonly region: BarRegion;
  /** White bars on black. */
  readonly isInverted?: boolean;
}

/**
 * Reads a Code 128 of about an id's length by comparing each of its symbols with all that it could be (maximum likelihood), where
 * decoders decide bar by bar: blur, noise and glare that make single bars doubtful leave the whole symbol plain.
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

/** The upper and the lower half of a region's bars: what both say apart was not made up by a reflection, or by noise. */
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
