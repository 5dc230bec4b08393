/** A bank's logo: PNG or SVG by what is in it, not by its name; what is kept is rewritten from what was parsed. */
import { checkPng } from "./png.ts";
import { checkSvg } from "./svg.ts";

/** Most bytes of a logo's file. */
export const logoBytesMax = 64 * 1024;

/** The kinds of logo, as they are served. */
export type LogoType = "image/png" | "image/svg+xml";

/** A logo that may be served, or a sentence that says what is wrong with it. */
export type CheckedLogo =
  | { readonly ok: true; readonly type: LogoType; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly problem: string };

const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Sniffs the type and checks all of it. */
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
