/** The paper of the virtual printer: dots, drawn from the top, as tall as what was printed. */
import bwipjs from "bwip-js";
import { PNG } from "pngjs";
import { glyph } from "./font.ts";

const cellWidth = 12;
const cellHeight = 24;
const dotWidth = 2;
const dotHeight = 3;
const lineHeight = 30;
const black = 0;
const white = 255;

/** How characters are printed; the factors are 1 to 8. */
export interface Style {
  readonly bold: boolean;
  readonly timesWide: number;
  readonly timesHigh: number;
}

/** A run of characters in one style. */
export interface Printed {
  readonly text: string;
  readonly style: Style;
}

/** How bwip-js gives a symbol: bar and space widths, or dots. */
interface Symbol {
  readonly sbs?: readonly number[];
  readonly pixs?: readonly number[];
  readonly pixx?: number;
}

/** Dots row by row, 0 black and 255 white, as wide as the head. */
export class Paper {
  readonly width: number;
  private rows: Uint8Array[] = [];
  constructor(widthDots: number) {
    this.width = widthDots;
  }

  feed(dots: number): void {
    for (let row = 0; row < dots; row++) this.rows.push(new Uint8Array(this.width).fill(white));
  }

  private blacken(top: number, left: number, width: number, height: number): void {
    for (let row = top; row < top + height; row++)
      this.rows[row]?.fill(black, Math.max(0, left), Math.min(this.width, left + width));
  }

  private leftOf(width: number, align: number): number {
    return align === 1 ? Math.floor((this.width - width) / 2) : align === 2 ? this.width - width : 0;
  }

  line(parts: readonly Printed[], align: number): void {
    const width = parts.reduce((sum, { text, style }) => sum + [...text].length * cellWidth * style.timesWide, 0);
    const high = Math.max(1, ...parts.map(({ style }) => style.timesHigh));
    const top = this.rows.length;
    this.feed(cellHeight * high + (lineHeight - cellHeight));
    let left = this.leftOf(width, align);
    for (const { text, style } of parts)
      for (const character of text) {
        this.character(character, top, left, style);
        left += cellWidth * style.timesWide;
      }
  }

  private character(character: string, top: number, left: number, { bold, timesWide, timesHigh }: Style): void {
    for (const [x, column] of glyph(character).entries())
      for (let y = 0; y < 7; y++)
        if ((column & (1 << y)) !== 0)
          this.blacken(
            top + y * dotHeight * timesHigh,
            left + x * dotWidth * timesWide,
            dotWidth * timesWide + (bold ? 1 : 0),
            dotHeight * timesHigh,
          );
  }

  /** Nothing is drawn when the symbol is wider than the paper, as printers do. */
  barcode(text: string, moduleDots: number, height: number, align: number): boolean {
    const [symbol] = bwipjs.raw({ bcid: "code128", text }) as unknown as Symbol[];
    const widths = symbol?.sbs ?? [];
    const width = widths.reduce((sum, one) => sum + one, 0) * moduleDots;
    if (width > this.width) return false;
    const top = this.rows.length;
    this.feed(height);
    let left = this.leftOf(width, align);
    for (const [index, modules] of widths.entries()) {
      if (index % 2 === 0) this.blacken(top, left, modules * moduleDots, height);
      left += modules * moduleDots;
    }
    this.feed(lineHeight - cellHeight);
    return true;
  }

  qrCode(text: string, moduleDots: number, align: number): void {
    const [symbol] = bwipjs.raw({ bcid: "qrcode", text }) as unknown as Symbol[];
    const size = symbol?.pixx ?? 0;
    const top = this.rows.length;
    this.feed(size * moduleDots);
    const left = this.leftOf(size * moduleDots, align);
    for (const [index, dot] of (symbol?.pixs ?? []).entries())
      if (dot === 1)
        this.blacken(
          top + Math.floor(index / size) * moduleDots,
          left + (index % size) * moduleDots,
          moduleDots,
          moduleDots,
        );
  }

  cut(): void {
    this.feed(4);
    const top = this.rows.length;
    this.feed(2);
    for (let left = 0; left < this.width; left += 8) this.blacken(top, left, 4, 2);
    this.feed(4);
  }

  /** With a margin, as the paper is wider than the print head. */
  png(): Buffer {
    const margin = 24;
    const picture = new PNG({ width: this.width + 2 * margin, height: this.rows.length + 2 * margin });
    picture.data.fill(white);
    for (const [y, row] of this.rows.entries())
      for (const [x, dot] of row.entries())
        if (dot === black)
          picture.data.fill(
            black,
            ((y + margin) * picture.width + x + margin) * 4,
            ((y + margin) * picture.width + x + margin) * 4 + 3,
          );
    return PNG.sync.write(picture, { colorType: 0 });
  }
}
