/**
 * An SVG read strictly and rewritten from lists of what a drawing needs. Nothing that runs, moves, loads or is text of
 * another kind is on them; what the lists do not know is refused (elements, handlers) or left out (other attributes).
 */

/** Only what draws. */
const elements: ReadonlySet<string> = new Set([
  ...["svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "title", "desc"],
  ...["defs", "clipPath", "mask", "linearGradient", "radialGradient", "stop"],
]);

const attributes: ReadonlySet<string> = new Set([
  ...[
    "id",
    "d",
    "x",
    "y",
    "x1",
    "y1",
    "x2",
    "y2",
    "cx",
    "cy",
    "r",
    "rx",
    "ry",
    "fx",
    "fy",
    "width",
    "height",
    "points",
  ],
  ...["viewBox", "preserveAspectRatio", "transform", "fill", "fill-opacity", "fill-rule", "clip-rule", "clip-path"],
  ...["mask", "opacity", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit"],
  ...["stroke-dasharray", "stroke-dashoffset", "stroke-opacity", "gradientUnits", "gradientTransform"],
  ...["spreadMethod", "offset", "stop-color", "stop-opacity", "clipPathUnits", "maskUnits", "maskContentUnits"],
]);

/** What is within them is read by people. */
const named: ReadonlySet<string> = new Set(["title", "desc"]);

const namespace = "http://www.w3.org/2000/svg";
const depthMax = 50;
/** Numbers, colours, names, path data and `url(#id)`: no scheme, no escape, no quote. */
const plainValue = /^[\w\s.,+\-#%()]*$/;
const outside = /url\(\s*(?!#)/i;
/** One within another doubles with each level what a browser draws: a hundred lines would keep it busy for days. */
const cutters: ReadonlySet<string> = new Set(["clipPath", "mask"]);
const cuts: ReadonlySet<string> = new Set(["clip-path", "mask"]);

const tag =
  /<(?:(\/)([A-Za-z][\w.-]*)\s*|([A-Za-z][\w.:-]*)((?:\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?))>/y;
const attribute = /([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;
const skipped = /(?:<\?xml\s[^<>]*\?>|<!--(?:(?!--)[\s\S])*-->)/y;
const words = /[^<>&]+/y;

/** The drawing rewritten, or what is wrong with it. */
export type CheckedSvg =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

const refuse = (problem: string): CheckedSvg => ({ ok: false, problem });

/** Reads at one place: what matches there, or null. */
const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

const writtenAttributes = (
  name: string,
  text: string,
  around: readonly string[],
): string | { readonly problem: string } => {
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
export const checkSvg = (text: string): CheckedSvg => {
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
      return refuse(
        open.length === 0 && written.length === 0
          ? "is neither a PNG nor an SVG"
          : `cannot be read at character ${at + 1}`,
      );
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
