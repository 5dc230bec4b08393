/** Bars are found and read wherever they are in a picture and whichever way they run. */

import { beforeAll, describe, expect, it } from "vitest";
import { readBars } from "../../../renderer/scan/decode/bars.ts";
import type { Luma } from "../../../renderer/scan/decode/luma.ts";
import { barRegions } from "../../../renderer/scan/decode/regions.ts";
import type { WasmReader } from "../../../renderer/scan/decode/zxing-wasm.ts";
import { nodeWasm } from "../../../tools/scan/node-wasm.ts";
import { usualBarPasses } from "../../../tools/scan/read-picture.ts";
import { frameOf } from "../../scan-frames/frame.ts";
import { viewOf } from "../../scan-frames/view-of.ts";

let wasm: WasmReader;
beforeAll(async () => {
  wasm = await nodeWasm();
});

const view = viewOf({ condition: "ordinary", severity: 0, symbology: "code128", width: 640, height: 480, seed: 21 });
const turned = (rotationDegrees: number): Luma =>
  frameOf({ ...view, rotationDegrees, modulePx: 1.9, tiltDegrees: 4, centerX: 330, centerY: 250 });

/** The smaller angle between two directions without a sense. */
const between = (a: number, b: number): number => {
  const angle = (((a - b) % 180) + 180) % 180;
  return Math.min(angle, 180 - angle);
};

describe("bars", () => {
  it.each([0, 50, 90, 125, 205, 330])("turned by %i° are the strongest region", (degrees) => {
    const [region] = barRegions(turned(degrees));
    expect(between(region?.degrees ?? 0, degrees)).toBeLessThan(4);
    expect(Math.hypot((region?.center.x ?? 0) - 330, (region?.center.y ?? 0) - 250)).toBeLessThan(40);
    expect(region?.length).toBeGreaterThan(350);
    expect(region?.length).toBeLessThan(560);
  });

  it.each([35, 145, 290])("turned by %i° are read by both decoders", (degrees) => {
    const luma = turned(degrees);
    const [region] = barRegions(luma);
    // Sharpened lines are for zxing-wasm: @zxing/library reads them in some directions only.
    const looks = [...usualBarPasses.map((look) => ({ look, by: wasm })), { look: usualBarPasses[0], by: null }];
    for (const { look, by } of looks) {
      const reads = region && look ? readBars(luma, region, ["code128"], look, by) : [];
      expect(reads.map(({ text }) => text)).toContain(view.text);
      for (const { x, y } of reads[0]?.outline ?? []) expect(Math.hypot(x - 330, y - 250)).toBeLessThan(260);
    }
  });

  it("that are seen from the side are followed along the code, not across the bars", () => {
    const luma = frameOf({ ...view, modulePx: 1.9, tiltDegrees: 0, rotationDegrees: 20, shearPxPerRow: 0.35 });
    const [region] = barRegions(luma);
    expect(Math.abs(region?.slope ?? 0)).toBeGreaterThan(0.15);
    const reads = region && usualBarPasses.flatMap((look) => readBars(luma, region, ["code128"], look, wasm));
    expect(reads?.map(({ text }) => text)).toContain(view.text);
  });

  it("nowhere: an empty wall has no region", () => {
    const data = new Uint8ClampedArray(640 * 480).fill(120);
    expect(barRegions({ data, width: 640, height: 480 })).toEqual([]);
  });
});
