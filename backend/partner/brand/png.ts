/** A PNG's chunks (W3C PNG, 5): each with its checksum, in their order; only those that draw are kept. */
import { crc32 } from "node:zlib";

const sidePx = { min: 16, max: 1024 } as const;
const kept: ReadonlySet<string> = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]);
const signatureLength = 8;
/** Length, type and checksum around the data. */
const frameLength = 12;

/** The picture without anything but itself, or what is wrong with it. @param file begins with PNG's signature */
export const checkPng = (file: Uint8Array): Uint8Array | string => {
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
