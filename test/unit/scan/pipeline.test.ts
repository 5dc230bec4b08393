/**
 * The pipeline with its real decoders on drawn camera frames. The bench measures how much it reads; here it must read what it should, and nothing else.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { type Symbology, symbologies } from "../../../preload/contract.ts";
import { cameraDecoders } from "../../../renderer/scan/decode/camera-decoders.ts";
import { type Decoder, FrameReader } from "../../../renderer/scan/decode/frame-reader.ts";
import type { Luma } from "../../../renderer/scan/decode/luma.ts";
import type { ScanRules } from "../../../renderer/scan/scan.ts";
import { nodeWasm } from "../../../tools/scan/node-wasm.ts";
import type { Condition } from "../../scan-frames/conditions.ts";
import { frameOf } from "../../scan-frames/frame.ts";
import { emptyFrames, sessionOf } from "../../scan-frames/sessions.ts";
import { viewOf } from "../../scan-frames/view-of.ts";

const usual: ScanRules = {
  symbologies: ["code128", "qr", "aztec", "datamatrix", "pdf417"],
  fixedLength: null,
  foreignIds: null,
};
const framesMax = 24;

let pair: readonly Decoder[] = [];
beforeAll(async () => {
  pair = cameraDecoders(await nodeWasm());
});

/** The first text that is accepted, and all others that were. */
const accepted = async (
  frames: Iterable<Luma>,
  decoders: readonly Decoder[],
  rules = usual,
): Promise<string | null> => {
  const reader = new FrameReader(decoders, rules);
  for (const frame of frames) {
    const outcome = await reader.read(frame);
    if (outcome.kind === "accepted") return outcome.read.text;
  }
  return null;
};

const small = { width: 640, height: 480 };
const large = { width: 1280, height: 720 };

describe("a code in a shaky hand is accepted", () => {
  const table: readonly (readonly [Symbology, Condition, number, typeof small])[] = [
    ["code128", "ordinary", 1, small],
    ["code128", "noise", 0.5, large],
    ["code128", "tilt", 0.9, large],
    ["code128", "moire", 0.6, small],
    ["qr", "noise", 0.4, large],
    ["qr", "low_contrast", 0.7, large],
    ["qr", "tilt", 1, small],
  ];
  it.each(table)("%s, %s %d, %o", async (symbology, condition, severity, size) => {
    const { text, frames } = sessionOf({ symbology, condition, severity, ...size, seed: 11 }, "held", framesMax);
    expect(await accepted(frames, pair)).toBe(text);
  });

  it.each(["code128", "qr", "aztec", "datamatrix"] as const)(
    "%s by @zxing/library alone, where there is no WebAssembly",
    async (symbology) => {
      const wish = { symbology, condition: "ordinary", severity: 0.5, ...small, seed: 12 } as const;
      const { text, frames } = sessionOf(wish, "held", framesMax);
      expect(await accepted(frames, cameraDecoders(null), { ...usual, symbologies: [symbology] })).toBe(text);
    },
  );

  /** One drawn frame, again and again: what the thorough pass does in its turns comes out. */
  const repeated = (frame: Luma, times: number): readonly Luma[] => Array.from({ length: times }, () => ({ ...frame }));

  it.each([
    ["code128", 60],
    ["qr", 180],
    ["aztec", 290],
    ["datamatrix", 60],
    ["pdf417", 290],
  ] as const)("%s, turned by %i°, within 15 frames", async (symbology, rotationDegrees) => {
    const seen = viewOf({ symbology, condition: "ordinary", severity: 0.3, ...small, seed: 13 });
    const modulePx = Math.min(seen.modulePx, 420 / (seen.symbol?.width ?? 1));
    expect(await accepted(repeated(frameOf({ ...seen, modulePx, rotationDegrees }), 15), pair)).toBe(seen.text);
  });

  it.each(["code128", "qr"] as const)("%s in dark mode", async (symbology) => {
    const seen = viewOf({ symbology, condition: "inverted", severity: 0.1, ...small, seed: 17 });
    expect(await accepted(repeated(frameOf(seen), 24), pair)).toBe(seen.text);
  });

  it("ours, beside a product and an advertisement", async () => {
    const seen = viewOf({ symbology: "code128", condition: "several", severity: 0.9, ...large, seed: 18 });
    expect(await accepted(repeated(frameOf(seen), 12), pair)).toBe(seen.text);
  });

  it("a code that fills the frame", async () => {
    const seen = viewOf({ symbology: "datamatrix", condition: "sized", severity: 0, ...small, seed: 19 });
    expect(await accepted(repeated(frameOf(seen), 24), pair)).toBe(seen.text);
  });

  it("says where in the frame the code is", async () => {
    for (const decoder of [...pair.slice(0, 1), ...cameraDecoders(null).slice(1)]) {
      const view = viewOf({ symbology: "qr", condition: "ordinary", severity: 0, ...large, seed: 14 });
      const [read] = await decoder.decode(frameOf(view), ["qr"], 0);
      const xs = read?.outline.map(({ x }) => x) ?? [];
      const half = ((view.symbol?.width ?? 0) * view.modulePx) / 2;
      expect(Math.min(...xs)).toBeGreaterThan(view.centerX - half - 20);
      expect(Math.max(...xs)).toBeLessThan(view.centerX + half + 20);
      expect(Math.max(...xs) - Math.min(...xs)).toBeGreaterThan(half);
    }
  });
});

describe("nothing else is", () => {
  it("on frames without a code, with every symbology on", async () => {
    const all: ScanRules = {
      symbologies: [...symbologies],
      fixedLength: 14,
      foreignIds: { lengthMin: 8, lengthMax: 20, alphabet: "digits", check: "luhn" },
    };
    expect(await accepted(emptyFrames(640, 480, 1, 12), pair, all)).toBeNull();
  });

  it("when a finger lies over the end of the bars", async () => {
    const wish = { symbology: "code128", condition: "covered", severity: 1, ...small, seed: 15 } as const;
    expect(await accepted(sessionOf(wish, "held", 5).frames, pair)).toBeNull();
  });

  it("when the code is a right one of a symbology that is off", async () => {
    const wish = { symbology: "qr", condition: "ordinary", severity: 0, ...small, seed: 16 } as const;
    const rules: ScanRules = { ...usual, symbologies: ["code128"] };
    expect(await accepted(sessionOf(wish, "held", 6).frames, pair, rules)).toBeNull();
  });
});
