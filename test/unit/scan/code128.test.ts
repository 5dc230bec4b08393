/** Code 128 read symbol by symbol, where decoders that go bar by bar read nothing. */

import { beforeAll, describe, expect, it } from "vitest";
import { furtherBarPasses, readBars } from "../../../renderer/scan/decode/bars.ts";
import { readCode128, textOf } from "../../../renderer/scan/decode/code128.ts";
import { invert, type Luma } from "../../../renderer/scan/decode/luma.ts";
import { barRegions } from "../../../renderer/scan/decode/regions.ts";
import type { WasmReader } from "../../../renderer/scan/decode/zxing-wasm.ts";
import { nodeWasm } from "../../../tools/scan/node-wasm.ts";
import { halvesOf, thoroughOptions, usualBarPasses } from "../../../tools/scan/read-picture.ts";
import { frameOf } from "../../scan-frames/frame.ts";
import { emptyFrames } from "../../scan-frames/sessions.ts";
import type { View } from "../../scan-frames/view.ts";
import { viewOf } from "../../scan-frames/view-of.ts";

let wasm: WasmReader;
beforeAll(async () => {
  wasm = await nodeWasm();
});

const view = viewOf({ condition: "ordinary", severity: 0, symbology: "code128", width: 640, height: 480, seed: 21 });
const seen = (changes: Partial<View>): Luma =>
  frameOf({ ...view, modulePx: 1.9, centerX: 330, centerY: 250, ...changes });
const textsIn = (luma: Luma, isInverted = false): readonly string[] =>
  barRegions(luma).flatMap((region) => readCode128({ luma, region, isInverted }).map(({ text }) => text));

describe("the values of symbols", () => {
  const values = [104, 52, 16, 99, 12, 34, 100, 33];
  const check = values.reduce((sum, value, at) => sum + value * Math.max(1, at), 0) % 103;

  it("say characters and pairs of digits", () => {
    expect(textOf([...values, check])).toBe("T01234A");
    expect(textOf([105, 12, 34, (105 + 12 + 2 * 34) % 103])).toBe("1234");
  });

  it("say nothing with a wrong check, without a start, or with what no id has", () => {
    expect(textOf([...values, (check + 1) % 103])).toBeNull();
    expect(textOf([52, 16, (52 + 16) % 103])).toBeNull();
    expect(textOf([104, 102, (104 + 102) % 103])).toBeNull();
  });
});

describe("the likeliest text", () => {
  it.each([0, 145, 290])("is read from bars that are turned by %i°", (rotationDegrees) => {
    const luma = seen({ rotationDegrees });
    expect(textsIn(luma)).toEqual([view.text]);
    expect(textsIn(invert(luma), true)).toEqual([view.text]);
  });

  it("is read from bars that are too weak for both decoders, and from either half of them", () => {
    const weak = {
      modulePx: 1.7,
      blurPx: 0.95,
      noise: 16,
      contrast: 0.36,
      tiltDegrees: 8,
      rotationDegrees: 6,
    } as const;
    const luma = seen({ ...weak, phone: false, jpegQuality: 80 });
    const [region] = barRegions(luma);
    if (!region) throw new Error("no bars were found");
    const looks = [...usualBarPasses, ...furtherBarPasses];
    expect(wasm.read(luma, ["code128"], thoroughOptions)).toEqual([]);
    for (const decoder of [wasm, null])
      expect(looks.flatMap((look) => readBars(luma, region, ["code128"], look, decoder))).toEqual([]);
    expect(textsIn(luma)).toEqual([view.text]);
    for (const half of halvesOf(region)) expect(readCode128({ luma, region: half })[0]?.text).toBe(view.text);
  });

  it("comes with the place of the bars", () => {
    const luma = seen({ rotationDegrees: 15, tiltDegrees: 0 });
    const [region] = barRegions(luma);
    const [first, last] = (region ? readCode128({ luma, region }) : [])[0]?.outline ?? [];
    const away = (x: number, y: number): number => Math.hypot((first?.x ?? 0) - x, (first?.y ?? 0) - y);
    const half = (view.symbol?.width ?? 0) * 0.95;
    const [cos, sin] = [Math.cos(Math.PI / 12), Math.sin(Math.PI / 12)];
    expect(away(330 - half * cos, 250 - half * sin)).toBeLessThan(25);
    expect(Math.hypot((last?.x ?? 0) - (first?.x ?? 0), (last?.y ?? 0) - (first?.y ?? 0))).toBeCloseTo(2 * half, -1);
  });

  it("is none where there is another code, a covered one, or none", () => {
    expect(textsIn(seen({ covered: 0.12 }))).toEqual([]);
    const qr = viewOf({ condition: "ordinary", severity: 0.5, symbology: "qr", width: 640, height: 480, seed: 22 });
    expect(textsIn(frameOf(qr))).toEqual([]);
    for (const luma of emptyFrames(640, 480, 23, 6)) expect(textsIn(luma)).toEqual([]);
  });
});
