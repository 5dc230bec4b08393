/** Still pictures: every symbology, every direction, from edge to edge, white on black. */
import { beforeAll, describe, expect, it } from "vitest";
import { type Symbology, symbologies } from "../../../preload/contract.ts";
import type { Luma } from "../../../renderer/scan/decode/luma.ts";
import type { WasmReader } from "../../../renderer/scan/decode/zxing-wasm.ts";
import { nodeWasm } from "../../../tools/scan/node-wasm.ts";
import { type PictureRead, readPicture } from "../../../tools/scan/read-picture.ts";
import type { Condition } from "../../scan-frames/conditions.ts";
import { frameOf } from "../../scan-frames/frame.ts";
import { viewOf } from "../../scan-frames/view-of.ts";

let wasm: WasmReader | null = null;
beforeAll(async () => {
  wasm = await nodeWasm();
});

const read = (luma: Luma, right = "", by: WasmReader | null = wasm): PictureRead =>
  readPicture(luma, { wasm: by, symbologies, isRight: ({ text }) => text === right });

const texts: Partial<Record<Symbology, string>> = { ean13: "4006381333931", itf: "15400141288763" };
const view = (symbology: Symbology, condition: Condition, severity: number, seed = 41) => {
  const text = texts[symbology];
  return viewOf({ condition, severity, symbology, width: 640, height: 480, seed, ...(text ? { text } : {}) });
};

describe("a still picture is read", () => {
  const directions = [37, 130, 285] as const;
  it.each(symbologies.map((symbology, at) => [symbology, directions[at % 3] ?? 0] as const))(
    "%s, turned by %i°",
    (symbology, degrees) => {
      const seen = view(symbology, "ordinary", 0.2);
      const modulePx = Math.min(seen.modulePx, 420 / (seen.symbol?.width ?? 1));
      const { text, doubtful } = read(frameOf({ ...seen, rotationDegrees: degrees, modulePx }));
      expect({ text, doubtful }).toEqual({ text: seen.text, doubtful: false });
    },
  );

  it.each(["code128", "qr", "aztec", "datamatrix"] as const)("%s in dark mode", (symbology) => {
    const seen = view(symbology, "inverted", 0.1);
    expect(read(frameOf(seen)).text).toBe(seen.text);
  });

  it.each(["qr", "aztec", "datamatrix", "pdf417"] as const)("%s that fills the picture", (symbology) => {
    const seen = view(symbology, "sized", 0);
    expect(read(frameOf(seen)).text).toBe(seen.text);
  });

  it("our own code among others", () => {
    const seen = view("code128", "several", 0.8);
    expect(read(frameOf(seen), seen.text)).toMatchObject({ text: seen.text, doubtful: false });
  });

  it("without WebAssembly too", () => {
    const seen = view("code128", "ordinary", 0.2);
    expect(read(frameOf({ ...seen, rotationDegrees: 60, modulePx: 2 }), "", null).text).toBe(seen.text);
  });
});
