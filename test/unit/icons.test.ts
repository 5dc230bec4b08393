/** The installers' icons: drawn from the SVG as it is, each in the size that its name says, in containers that their systems read. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { PNG } from "pngjs";
import { describe, expect, test } from "vitest";
import { hashFile, pngFile, pngSizes, sourceHash } from "../../tools/release/icons.ts";

const resources = path.resolve(import.meta.dirname, "../../resources");
const sizeOf = (png: Buffer) => {
  const { width, height } = PNG.sync.read(png);
  return { width, height };
};

test("they are of the SVG as it is; after a change run: npm run icons", () => {
  expect(readFileSync(hashFile, "utf8").trim()).toBe(sourceHash());
});

test.each(pngSizes)("the PNG of %d pixels is that large, and clear at its corners", (size) => {
  const { width, height, data } = PNG.sync.read(readFileSync(pngFile(size)));
  expect({ width, height }).toEqual({ width: size, height: size });
  expect(data[3]).toBeLessThan(128);
  expect(data[(Math.floor(size / 2) * size + Math.floor(size / 2)) * 4 + 3]).toBe(255);
});

describe("in containers", () => {
  test("icon.ico holds each of its sizes once", () => {
    const ico = readFileSync(path.join(resources, "icon.ico"));
    expect([ico.readUInt16LE(0), ico.readUInt16LE(2)]).toEqual([0, 1]);
    const entries = Array.from({ length: ico.readUInt16LE(4) }, (_, index) => {
      const at = 6 + 16 * index;
      const [length, offset] = [ico.readUInt32LE(at + 8), ico.readUInt32LE(at + 12)];
      const named = ico.readUInt8(at) || 256;
      expect(sizeOf(ico.subarray(offset, offset + length))).toEqual({ width: named, height: named });
      return named;
    });
    expect(entries).toEqual([16, 24, 32, 48, 64, 128, 256]);
  });

  test("icon.icns holds what macOS shows, up to 1024 pixels", () => {
    const icns = readFileSync(path.join(resources, "icon.icns"));
    expect(icns.toString("latin1", 0, 4)).toBe("icns");
    expect(icns.readUInt32BE(4)).toBe(icns.length);
    const widths: number[] = [];
    for (let at = 8; at < icns.length; at += icns.readUInt32BE(at + 4))
      widths.push(sizeOf(icns.subarray(at + 8, at + icns.readUInt32BE(at + 4))).width);
    expect(widths).toEqual([32, 64, 128, 256, 512, 1024]);
  });
});
