/** Reads ESC/POS as a printer does, byte by byte, and puts it on paper. A command it does not know is noted, not skipped in silence. */
import { characterOf } from "./code-tables.ts";
import { Paper, type Printed, type Style } from "./paper.ts";

const plain: Style = { bold: false, timesWide: 1, timesHigh: 1 };

/** `ESC p`: the pin of the drawer connector and its times. */
export interface Pulse {
  readonly pin: 2 | 5;
  readonly onMs: number;
  readonly offMs: number;
}

/** What a command needs to know of the printer around it. */
export interface Answers {
  /** The byte that `GS r 1` answers. */
  paperSensor(): number;
  automaticStatus(on: boolean): Uint8Array;
  send(bytes: Uint8Array): void;
  onPulse(pulse: Pulse): void;
}

/** One printer from switching on; `take` is given the stream in pieces of any size. */
export class Interpreter {
  readonly paper: Paper;
  /** Lines of text as they stand on paper. */
  readonly lines: string[] = [];
  readonly codes: string[] = [];
  readonly unknown: string[] = [];
  cuts = 0;
  private buffer: number[] = [];
  private parts: Printed[] = [];
  private style = plain;
  private align = 0;
  private table = 0;
  private barHeight = 162;
  private barWidth = 3;
  private qrSize = 3;
  private qrText = "";
  private readonly answers: Answers;

  constructor(widthDots: number, answers: Answers) {
    this.paper = new Paper(widthDots);
    this.answers = answers;
  }

  /** What is in the buffer and not yet worked off. */
  get pending(): number {
    return this.buffer.length;
  }

  take(bytes: Uint8Array): void {
    this.buffer.push(...bytes);
  }

  /** Works off the buffer until so many lines are printed; what is incomplete waits for more. */
  run(linesMax = Number.POSITIVE_INFINITY): void {
    const until = this.lines.length + linesMax;
    while (this.lines.length < until) {
      const used = this.step(this.buffer);
      if (used === 0) return;
      this.buffer.splice(0, used);
    }
  }

  /** The half line that has not been printed yet. */
  get halfLine(): string {
    return this.parts.map(({ text }) => text).join("");
  }

  private newline(): void {
    this.lines.push(this.halfLine);
    this.paper.line(this.parts.length === 0 ? [{ text: " ", style: plain }] : this.parts, this.align);
    this.parts = [];
  }

  private reset(): void {
    this.parts = [];
    this.style = plain;
    this.align = 0;
    this.table = 0;
  }

  /** How many bytes the first command took; 0 while it is not complete. */
  private step(b: readonly number[]): number {
    const [first, second, n = -1] = b;
    if (first === undefined) return 0;
    if (first === 0x0a) {
      this.newline();
      return 1;
    }
    if (first === 0x0d || first === 0x00) return 1;
    if (first === 0x1b) return second === undefined ? 0 : this.escape(second, n, b);
    if (first === 0x1d) return second === undefined ? 0 : this.group(second, n, b);
    if (first === 0x1c) return second === undefined ? 0 : 2;
    if (first < 0x20) return this.note(first, 1);
    this.parts.push({ text: characterOf(first, this.table), style: this.style });
    return 1;
  }

  private note(command: number, length: number): number {
    this.unknown.push(command.toString(16));
    return length;
  }

  private escape(command: number, n: number, b: readonly number[]): number {
    if (command === 0x40) {
      this.reset();
      return 2;
    }
    if (n < 0) return 0;
    switch (command) {
      case 0x45:
        this.style = { ...this.style, bold: n === 1 };
        return 3;
      case 0x61:
        this.align = n;
        return 3;
      case 0x74:
        this.table = n;
        return 3;
      case 0x4d:
        return 3;
      case 0x64:
        for (let line = 0; line < n; line++) this.newline();
        return 3;
      case 0x70: {
        const [, , pin, on, off] = b;
        if (on === undefined || off === undefined) return 0;
        this.answers.onPulse({ pin: pin === 0 ? 2 : 5, onMs: on * 2, offMs: off * 2 });
        return 5;
      }
      default:
        return this.note(0x1b00 + command, 3);
    }
  }

  private group(command: number, n: number, b: readonly number[]): number {
    if (n < 0) return 0;
    switch (command) {
      case 0x21:
        this.style = { ...this.style, timesWide: (n >> 4) + 1, timesHigh: (n & 7) + 1 };
        return 3;
      case 0x68:
        this.barHeight = n;
        return 3;
      case 0x77:
        this.barWidth = n;
        return 3;
      case 0x48:
        return 3;
      case 0x72:
        this.answers.send(Uint8Array.of(this.answers.paperSensor()));
        return 3;
      case 0x61:
        this.answers.send(this.answers.automaticStatus(n !== 0));
        return 3;
      case 0x56:
        this.paper.cut();
        this.lines.push("- - - cut");
        this.cuts += 1;
        return n >= 65 ? 4 : 3;
      case 0x6b:
        return this.barcode(b);
      case 0x28:
        return this.symbol(b);
      case 0x76: {
        const [, , , , xl, xh, yl, yh] = b;
        if (yh === undefined) return 0;
        const length = 8 + ((xl ?? 0) + (xh ?? 0) * 256) * ((yl ?? 0) + yh * 256);
        return b.length < length ? 0 : length;
      }
      default:
        return this.note(0x1d00 + command, 3);
    }
  }

  private barcode(b: readonly number[]): number {
    const [, , kind, length] = b;
    if (length === undefined || b.length < 4 + length) return 0;
    const text = String.fromCharCode(...b.slice(4, 4 + length)).replace(/^\{B/, "");
    if (kind !== 73) return this.note(0x1d6b, 4 + length);
    if (this.halfLine.trim() !== "") this.newline();
    this.parts = [];
    if (this.paper.barcode(text, this.barWidth, this.barHeight, this.align)) this.codes.push(text);
    this.lines.push(`[Code 128 ${text}]`);
    return 4 + length;
  }

  private symbol(b: readonly number[]): number {
    const [, , , low, high, , fn, third] = b;
    if (high === undefined) return 0;
    const length = 5 + (low ?? 0) + high * 256;
    if (b.length < length) return 0;
    if (fn === 0x43) this.qrSize = third ?? 3;
    if (fn === 0x50) this.qrText = String.fromCharCode(...b.slice(8, length));
    if (fn === 0x51) {
      if (this.halfLine.trim() !== "") this.newline();
      this.parts = [];
      this.paper.qrCode(this.qrText, this.qrSize, this.align);
      this.codes.push(this.qrText);
      this.lines.push(`[QR code ${this.qrText}]`);
    }
    return length;
  }
}
