/** The icons of the installers, rendered from the SVG: PNGs for Linux, an ICO for Windows, an ICNS for macOS. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright";

const root = path.resolve(import.meta.dirname, "../..");
const source = path.join(root, "renderer/icon.svg");
const resources = path.join(root, "resources");

/** Sizes of the PNGs in pixels, as Linux desktops expect them. */
export const pngSizes = [16, 24, 32, 48, 64, 128, 256, 512, 1024] as const;
const icoSizes = [16, 24, 32, 48, 64, 128, 256] as const;
/** Types of the ICNS entries that hold a PNG, with the PNG's size. */
const icnsTypes: Readonly<Record<string, number>> = { ic11: 32, ic12: 64, ic07: 128, ic08: 256, ic09: 512, ic10: 1024 };

/** SHA-256 of the SVG, to detect that the icons are outdated. */
export const sourceHash = (): string => createHash("sha256").update(readFileSync(source)).digest("hex");
/** File with the hash of the SVG that the icons were rendered from. */
export const hashFile = path.join(resources, "icons", "drawn-from.txt");
/** Path of the PNG of a size. */
export const pngFile = (size: number): string => path.join(resources, "icons", `${size}x${size}.png`);

/** ICONDIR and one ICONDIRENTRY for each PNG (https://learn.microsoft.com/en-us/previous-versions/ms997538). */
const icoOf = (pngs: readonly (readonly [size: number, png: Buffer])[]): Buffer => {
  const head = Buffer.alloc(6 + 16 * pngs.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pngs.length, 4);
  let offset = head.length;
  for (const [index, [size, png]] of pngs.entries()) {
    const at = 6 + 16 * index;
    // 0 stands for 256.
    head.writeUInt8(size % 256, at);
    head.writeUInt8(size % 256, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(png.length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += png.length;
  }
  return Buffer.concat([head, ...pngs.map(([, png]) => png)]);
};

const icnsBlock = (type: string, content: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.write(type, "latin1");
  head.writeUInt32BE(content.length + 8, 4);
  return Buffer.concat([head, content]);
};

/** Renders the icons into `resources` and closes the browser. */
export const drawIcons = async (browser: Browser): Promise<void> => {
  const svg = readFileSync(source, "utf8");
  mkdirSync(path.dirname(hashFile), { recursive: true });
  const drawn = new Map<number, Buffer>();
  try {
    for (const size of pngSizes) {
      const page = await browser.newPage({ viewport: { width: size, height: size } });
      await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`);
      drawn.set(size, await page.screenshot({ omitBackground: true }));
      await page.close();
    }
  } finally {
    await browser.close();
  }
  const png = (size: number): Buffer => drawn.get(size) ?? Buffer.alloc(0);
  for (const size of pngSizes) writeFileSync(pngFile(size), png(size));
  writeFileSync(path.join(resources, "icon.png"), png(1024));
  writeFileSync(path.join(resources, "icon.ico"), icoOf(icoSizes.map((size) => [size, png(size)] as const)));
  const blocks = Object.entries(icnsTypes).map(([type, size]) => icnsBlock(type, png(size)));
  writeFileSync(path.join(resources, "icon.icns"), icnsBlock("icns", Buffer.concat(blocks)));
  writeFileSync(hashFile, `${sourceHash()}\n`);
};
