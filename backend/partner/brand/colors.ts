/** A bank's colour made legible: whatever it is, text in it and on it keeps the contrast of WCAG 2.2 AA (1.4.3), 4.5:1. */

/** Least contrast of text to what lies behind it. */
export const textContrastMin = 4.5;

/** Channels from 0 to 255. */
type Rgb = readonly [number, number, number];

/** `#rgb` or `#rrggbb`, in either case, as `#rrggbb`; null for anything else. */
export const parseColor = (text: string): string | null => {
  const [, short, long] = /^#(?:([\da-f]{3})|([\da-f]{6}))$/i.exec(text.trim()) ?? [];
  const digits = long ?? short?.replace(/./g, "$&$&");
  return digits === undefined ? null : `#${digits.toLowerCase()}`;
};

const rgbOf = (hex: string): Rgb => [
  Number.parseInt(hex.slice(1, 3), 16),
  Number.parseInt(hex.slice(3, 5), 16),
  Number.parseInt(hex.slice(5, 7), 16),
];
const hexOf = (rgb: Rgb): string =>
  `#${rgb.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("")}`;

/** `share` of the second colour in the first. */
const mix = (one: string, other: string, share: number): string => {
  const [a, b] = [rgbOf(one), rgbOf(other)];
  const at = (index: 0 | 1 | 2): number => a[index] * (1 - share) + b[index] * share;
  return hexOf([at(0), at(1), at(2)]);
};

const luminance = (hex: string): number => {
  const [red, green, blue] = rgbOf(hex).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
};

/** The contrast ratio of two colours, from 1 to 21. */
export const contrast = (one: string, other: string): number => {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
};

/** The colours of a scheme that a bank's own takes the place of; `#rrggbb` each. */
export interface BrandColors {
  readonly accent: string;
  readonly accentStrong: string;
  readonly onAccent: string;
  readonly accentSoft: string;
}

interface Scheme {
  /** What accents are drawn on. */
  readonly grounds: readonly string[];
  /** Where a colour goes that cannot be read. */
  readonly towards: string;
  readonly softShare: number;
}

const schemes = {
  light: { grounds: ["#eef2f1", "#ffffff"], towards: "#000000", softShare: 0.88 },
  dark: { grounds: ["#0c1412", "#15201d"], towards: "#ffffff", softShare: 0.82 },
} as const satisfies Record<string, Scheme>;

const steps = 40;

/** The nearest colour on the way to black or white that can be read on every ground. */
const legibleOn = (hex: string, grounds: readonly string[], towards: string): string => {
  for (let step = 0; step <= steps; step += 1) {
    const tried = mix(hex, towards, step / steps);
    if (grounds.every((ground) => contrast(tried, ground) >= textContrastMin)) return tried;
  }
  return towards;
};

const colorsIn = (hex: string, { grounds, towards, softShare }: Scheme): BrandColors => {
  const accentSoft = mix(hex, grounds[0] ?? towards, softShare);
  const accent = legibleOn(hex, [...grounds, accentSoft], towards);
  // Black or white: one of them always has more than 4.5:1 on any colour.
  const onAccent = contrast("#ffffff", accent) >= contrast("#000000", accent) ? "#ffffff" : "#000000";
  return { accent, accentStrong: mix(accent, towards, 0.2), onAccent, accentSoft };
};

/** What is drawn for a bank's colour, on light and on dark pages. */
export const brandColors = (hex: string): { readonly light: BrandColors; readonly dark: BrandColors } => ({
  light: colorsIn(hex, schemes.light),
  dark: colorsIn(hex, schemes.dark),
});

const variables = ({ accent, accentStrong, onAccent, accentSoft }: BrandColors): string =>
  `:root{--accent:${accent};--accent-strong:${accentStrong};--on-accent:${onAccent};--accent-soft:${accentSoft}}`;

/** A sheet that sets them over the pages' own. What says yes, no and wait keeps its colour. */
export const brandSheet = (hex: string): string => {
  const { light, dark } = brandColors(hex);
  return `${variables(light)}\n@media (prefers-color-scheme:dark){${variables(dark)}}\n`;
};
