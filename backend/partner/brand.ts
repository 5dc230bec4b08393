/** A bank's look on the customer's pages: its statements, colours, and the check of its logo. */
import { crc32 } from "node:zlib";
import { columnsOf, type RowOf } from "../store/schema.ts";
import { insertRow, statement } from "../store/store.ts";

const columns = columnsOf("partner_brands");

/** A bank's look; no row where nothing was set. */
export const brandOf = statement("partner_brand", (db, p: { partner: string }) =>
  db.selectFrom("partner_brands").select(columns).where("partner_id", "=", p.partner),
);

/** What a bank's pages need at each request, without the logo itself. */
export const brandTheme = statement("partner_brand_theme", (db, p: { partner: string }) =>
  db.selectFrom("partner_brands").select(["name", "color", "logo_type", "digest"]).where("partner_id", "=", p.partner),
);

/** A bank's look by the digest in its files' names. */
export const brandByDigest = statement("partner_brand_by_digest", (db, p: { digest: string }) =>
  db.selectFrom("partner_brands").select(["color", "logo", "logo_type"]).where("digest", "=", p.digest),
);

/** Replaces a bank's look. */
export const replaceBrand = statement("partner_brand_replace", (db, p: RowOf<"partner_brands">) => {
  const { name, color, logo, logo_type, digest, changed_at } = p;
  return insertRow(db, "partner_brands", p).onConflict((conflict) =>
    conflict.column("partner_id").doUpdateSet({ name, color, logo, logo_type, digest, changed_at }),
  );
});

/** Minimum contrast of text to its background. */
export const textContrastMin = 4.5;

/** Normalizes `#rgb` or `#rrggbb` to `#rrggbb`; null for anything else. */
export const parseColor = (text: string): string | null => {
  const [, short, long] = /^#(?:([\da-f]{3})|([\da-f]{6}))$/i.exec(text.trim()) ?? [];
  const digits = long ?? short?.replace(/./g, "$&$&");
  return digits === undefined ? null : `#${digits.toLowerCase()}`;
};

/** Red, green and blue from 0 to 255. */
const rgbOf = (hex: string): readonly number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
const hexOf = (rgb: readonly number[]): string =>
  `#${rgb.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("")}`;

/** Mixes two colours; `share` is the second one's part. */
const mix = (one: string, other: string, share: number): string => {
  const towards = rgbOf(other);
  return hexOf(rgbOf(one).map((channel, at) => channel * (1 - share) + (towards[at] ?? 0) * share));
};

const luminance = (hex: string): number => {
  const [red = 0, green = 0, blue = 0] = rgbOf(hex).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** The contrast ratio of two colours, from 1 to 21. */
export const contrast = (one: string, other: string): number => {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
};

/** Colours that a bank's own colour replaces, as `#rrggbb`. */
interface BrandColors {
  readonly accent: string;
  readonly accentStrong: string;
  readonly onAccent: string;
  readonly accentSoft: string;
}

interface Scheme {
  /** Backgrounds of accents. */
  readonly grounds: readonly string[];
  /** Black or white: illegible colours are moved towards it. */
  readonly towards: string;
  readonly softShare: number;
}

const schemes = {
  light: { grounds: ["#eef2f1", "#ffffff"], towards: "#000000", softShare: 0.88 },
  dark: { grounds: ["#0c1412", "#15201d"], towards: "#ffffff", softShare: 0.82 },
} as const satisfies Record<string, Scheme>;

const steps = 40;

/** The nearest colour on the way to black or white that is legible on all backgrounds. */
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

/** The colours drawn for a bank's colour, on light and on dark pages. */
export const brandColors = (hex: string): { readonly light: BrandColors; readonly dark: BrandColors } => ({
  light: colorsIn(hex, schemes.light),
  dark: colorsIn(hex, schemes.dark),
});

const variables = ({ accent, accentStrong, onAccent, accentSoft }: BrandColors): string =>
  `:root{--accent:${accent};--accent-strong:${accentStrong};--on-accent:${onAccent};--accent-soft:${accentSoft}}`;

/** A stylesheet that overrides the pages' accent colours; colours for yes, no and wait stay. */
export const brandSheet = (hex: string): string => {
  const { light, dark } = brandColors(hex);
  return `${variables(light)}\n@media (prefers-color-scheme:dark){${variables(dark)}}\n`;
};

/** Maximum size of a logo's file in bytes. */
export const logoBytesMax = 64 * 1024;

/** A logo that may be served, or what is wrong with it. */
type CheckedLogo =
  | { readonly ok: true; readonly type: "image/png" | "image/svg+xml"; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly problem: string };

const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Detects a logo's type and checks its whole content. */
export const checkLogo = (file: Uint8Array): CheckedLogo => {
  if (file.length > logoBytesMax) return { ok: false, problem: `is larger than ${logoBytesMax / 1024} KiB` };
  if (pngSignature.every((byte, index) => file[index] === byte)) {
    const png = checkPng(file);
    return typeof png === "string" ? { ok: false, problem: png } : { ok: true, type: "image/png", bytes: png };
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(file);
  } catch {
    return { ok: false, problem: "is neither a PNG nor an SVG in UTF-8" };
  }
  const svg = checkSvg(text);
  return svg.ok
    ? { ok: true, type: "image/svg+xml", bytes: new TextEncoder().encode(svg.text) }
    : { ok: false, problem: svg.problem };
};

const sidePx = { min: 16, max: 1024 } as const;
const kept: ReadonlySet<string> = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]);
const signatureLength = 8;
/** Length, type and checksum around the data. */
const frameLength = 12;

/** The PNG reduced to its picture, or what is wrong with it. @param file begins with PNG's signature. */
const checkPng = (file: Uint8Array): Uint8Array | string => {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const parts: Uint8Array[] = [file.subarray(0, signatureLength)];
  const names: string[] = [];
  let at = signatureLength;
  while (names.at(-1) !== "IEND") {
    if (at + frameLength > file.length) return "is a PNG that is cut off";
    const length = view.getUint32(at);
    const end = at + frameLength + length;
    if (end > file.length) return "is a PNG that is cut off";
    const name = String.fromCharCode(...file.subarray(at + 4, at + 8));
    if (crc32(file.subarray(at + 4, end - 4)) !== view.getUint32(end - 4)) return "is a PNG that is damaged";
    if (names.length === 0) {
      if (name !== "IHDR" || length !== 13) return "is a PNG without its header";
      const sides = [view.getUint32(at + 8), view.getUint32(at + 12)];
      if (sides.some((side) => side < sidePx.min || side > sidePx.max))
        return `is ${sides.join(" × ")} px; each side may have ${sidePx.min} to ${sidePx.max}`;
    }
    names.push(name);
    if (kept.has(name)) parts.push(file.subarray(at, end));
    at = end;
  }
  if (at !== file.length) return "is a PNG with something behind it";
  if (!names.includes("IDAT")) return "is a PNG without a picture";
  return Uint8Array.from(Buffer.concat(parts));
};

/** Allowed elements: those that draw. */
const elements: ReadonlySet<string> = new Set([
  ...["svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "title", "desc"],
  ...["defs", "clipPath", "mask", "linearGradient", "radialGradient", "stop"],
]);

const attributes: ReadonlySet<string> = new Set([
  ...["id", "d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "fx", "fy"],
  ...["width", "height", "points"],
  ...["viewBox", "preserveAspectRatio", "transform", "fill", "fill-opacity", "fill-rule", "clip-rule", "clip-path"],
  ...["mask", "opacity", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit"],
  ...["stroke-dasharray", "stroke-dashoffset", "stroke-opacity", "gradientUnits", "gradientTransform"],
  ...["spreadMethod", "offset", "stop-color", "stop-opacity", "clipPathUnits", "maskUnits", "maskContentUnits"],
]);

/** Elements whose text is kept. */
const named: ReadonlySet<string> = new Set(["title", "desc"]);

const namespace = "http://www.w3.org/2000/svg";
const depthMax = 50;
/** Numbers, colours, names, path data and `url(#id)`: no scheme, no escape, no quote. */
const plainValue = /^[\w\s.,+\-#%()]*$/;
const outside = /url\((?!#)/i;
/** Nested ones double the drawing work at each level: a hundred lines could keep a browser busy for days. */
const cutters: ReadonlySet<string> = new Set(["clipPath", "mask"]);
const cuts: ReadonlySet<string> = new Set(["clip-path", "mask"]);

const tag =
  /<(?:(\/)([A-Za-z][\w.-]*)\s*|([A-Za-z][\w.:-]*)((?:\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?))>/y;
const attribute = /([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;
const skipped = /(?:<\?xml\s[^<>]*\?>|<!--(?:(?!--)[\s\S])*-->)/y;
const words = /[^<>&]+/y;

/** The rewritten SVG, or what is wrong with it. */
type CheckedSvg = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

const refuse = (problem: string): CheckedSvg => ({ ok: false, problem });

/** Matches a sticky pattern at one position. */
const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

const writtenAttributes = (name: string, text: string, around: readonly string[]) => {
  const cutter = [...around, name].find((one) => cutters.has(one));
  const kept: string[] = name === "svg" ? [`xmlns="${namespace}"`] : [];
  for (const [, key = "", double, single] of text.matchAll(attribute)) {
    const value = double ?? single ?? "";
    if (/^on/i.test(key)) return { problem: `holds a script in ${key}=` };
    if (/href$/i.test(key)) return { problem: `refers to something else in ${key}=` };
    if (key === "style") return { problem: "holds style=; export it with presentation attributes" };
    if (!attributes.has(key)) continue;
    if (cutter !== undefined && cuts.has(key)) return { problem: `holds ${key}= within <${cutter}>` };
    if (outside.test(value)) return { problem: `refers to something else in ${key}=` };
    if (!plainValue.test(value)) return { problem: `holds what is no drawing in ${key}=` };
    kept.push(`${key}="${value}"`);
  }
  return kept.map((one) => ` ${one}`).join("");
};

/** @param text the whole file, decoded: without a byte order mark */
const checkSvg = (text: string): CheckedSvg => {
  const written: string[] = [];
  const open: string[] = [];
  let at = 0;
  while (at < text.length) {
    const skip = matchAt(skipped, text, at);
    const between = matchAt(words, text, at);
    const passed = skip ?? between;
    if (passed !== null) {
      if (between !== null && open.length === 0 && between[0].trim() !== "") return refuse("is no SVG");
      if (between !== null && named.has(open.at(-1) ?? "")) written.push(between[0]);
      at += passed[0].length;
      continue;
    }
    const found = matchAt(tag, text, at);
    if (found === null)
      return refuse(written.length === 0 ? "is neither a PNG nor an SVG" : `cannot be read at character ${at + 1}`);
    at += found[0].length;
    const [, isEnd, ended, name = "", rest = "", isEmpty] = found;
    if (isEnd) {
      if (open.pop() !== ended) return refuse(`ends <${ended}> where it was not begun`);
      written.push(`</${ended}>`);
      continue;
    }
    if ((name === "svg") !== (open.length === 0) || (open.length === 0 && written.length > 0))
      return refuse(open.length === 0 ? "is no SVG" : `holds <${name}>, which a logo may not`);
    if (!elements.has(name)) return refuse(`holds <${name}>, which a logo may not`);
    if (open.length >= depthMax) return refuse("is nested too deep");
    const own = writtenAttributes(name, rest, open);
    if (typeof own !== "string") return refuse(own.problem);
    written.push(`<${name}${own}${isEmpty ? "/" : ""}>`);
    if (!isEmpty) open.push(name);
  }
  if (open.length > 0 || written.length === 0) return refuse("is an SVG that is cut off");
  return { ok: true, text: written.join("") };
};
