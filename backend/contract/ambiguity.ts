/**
 * Refuses input that two parsers could read differently. In JSON (RFC 8259 §4, §8.2; RFC 7493): duplicate names in an
 * object, `__proto__`, NUL, lone surrogates, nesting beyond `depthMax`. In a request: a duplicate header.
 */

/** Levels of nesting that a body may have. */
export const depthMax = 32;

/** The value, or why the text is refused, as the rest of a sentence that begins with "The body". */
type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

/** Why a text was refused that is no JSON at all, as opposed to ambiguous JSON. */
export const notJson = "is not valid JSON";

const quote = 0x22;
const backslash = 0x5c;

const loneSurrogate = "contains a lone surrogate";

const refuse = (why: string): ParsedJson => ({ ok: false, why });

/** Parses unambiguous JSON (docs/api.md, "Reading what comes back"). */
export const parseStrictJson = (text: string): ParsedJson => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(notJson);
  }
  const why = findAmbiguity(text);
  return why === null ? { ok: true, value } : refuse(why);
};

/** Walks the text of a valid JSON document once; `null` when nothing in it is ambiguous. */
const findAmbiguity = (text: string): string | null => {
  if (!text.isWellFormed()) return loneSurrogate;
  /** The names seen in each open object; `null` stands for an open array. */
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x7b:
        open.push(new Set());
        break;
      case 0x5b:
        open.push(null);
        break;
      case 0x7d:
      case 0x5d:
        open.pop();
        break;
      case quote: {
        const end = endOfString(text, at);
        const why = ambiguityInString(text, at, end, open.at(-1) ?? null);
        if (why !== null) return why;
        at = end;
        break;
      }
    }
    if (open.length > depthMax) return `is nested deeper than ${depthMax} levels`;
  }
  return null;
};

/** Index of the closing quote of the string that opens at `start`. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1;
  for (let code = text.charCodeAt(at); code !== quote; code = text.charCodeAt(at)) at += code === backslash ? 2 : 1;
  return at;
};

const ambiguityInString = (text: string, start: number, end: number, names: Set<string> | null): string | null => {
  let string = text.slice(start + 1, end);
  // NUL and lone surrogates can only be written as escapes.
  if (string.includes("\\")) {
    string = JSON.parse(text.slice(start, end + 1)) as string;
    if (string.includes("\0")) return "contains a NUL character";
    if (!string.isWellFormed()) return loneSurrogate;
  }
  if (names === null || !isName(text, end + 1)) return null;
  if (string === "__proto__") return "contains the name __proto__";
  if (names.has(string)) return "contains a name twice in one object";
  names.add(string);
  return null;
};

/** In valid JSON a string is a name when a colon follows. */
const isName = (text: string, after: number): boolean => {
  let at = after;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === 0x3a;
};

/** Headers that may occur once: of duplicates Node keeps the first or joins them, a proxy may use the last. */
const onceOnly: readonly string[] = ["host", "authorization", "content-length", "content-type", "cookie", "origin"];

/** @param rawHeaders alternating names and values, as in `node:http`. */
export const hasDoubledHeader = (rawHeaders: readonly string[]): boolean => {
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? "";
    if (!onceOnly.includes(name)) continue;
    if (seen.includes(name)) return true;
    seen.push(name);
  }
  return false;
};
