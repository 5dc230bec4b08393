/** QR codes that no decoder reads, over several frames. */

import { beforeAll, describe, expect, it } from "vitest";
import type { Luma } from "../../../renderer/scan/decode/luma.ts";
import { matrixRegions } from "../../../renderer/scan/decode/regions.ts";
import { WeakQr } from "../../../renderer/scan/decode/weak-qr.ts";
import type { WasmReader } from "../../../renderer/scan/decode/zxing-wasm.ts";
import { nodeWasm } from "../../../tools/scan/node-wasm.ts";
import { thoroughOptions } from "../../../tools/scan/read-picture.ts";
import { sessionOf } from "../../scan-frames/sessions.ts";
import { seededId } from "../../scan-frames/symbol.ts";

const size = { width: 640, height: 480 };
/** Noise, and a reflection that moves with the hand: no decoder reads any of its frames. */
const weak = { condition: "mixed", severity: 0.73, symbology: "qr", ...size, seed: 500_026 } as const;
const framesMax = 12;

let wasm: WasmReader;
beforeAll(async () => {
  wasm = await nodeWasm();
});

/** The first text that comes out, and after how many frames. */
const readBy = (reader: WeakQr, frames: Iterable<Luma>): { text: string; frames: number } | null => {
  let count = 0;
  for (const luma of frames) {
    count += 1;
    const [read] = reader.read(luma);
    if (read) return { text: read.text, frames: count };
  }
  return null;
};

describe("a weak QR code", () => {
  const { text, frames } = sessionOf(weak, "held", framesMax);
  const all = [...frames];

  it("is read from several frames together, where zxing-wasm with all it has reads none of them", () => {
    expect(all.flatMap((luma) => wasm.read(luma, ["qr"], thoroughOptions))).toEqual([]);
    expect(readBy(new WeakQr(wasm), all)).toMatchObject({ text });
  });

  it("lies where the parts of the frame are that have edges both ways", () => {
    const inside = matrixRegions(all[0] as Luma).some(
      ({ left, top, width, height }) => left < 320 && left + width > 320 && top < 240 && top + height > 240,
    );
    expect(inside).toBe(true);
  });

  it("is forgotten where it is told to", () => {
    const reader = new WeakQr(wasm);
    const needed = readBy(reader, all)?.frames ?? 0;
    expect(needed).toBeGreaterThan(1);
    readBy(reader, all.slice(0, needed - 1));
    reader.forget();
    expect(readBy(reader, all.slice(needed - 1, needed))).toBeNull();
  });

  it("is never mixed with another one into a third text", () => {
    const otherText = seededId(3);
    const other = [...sessionOf({ ...weak, text: otherText }, "held", 6).frames];
    const mixed = other.flatMap((luma, at) => [luma, all[at] as Luma]);
    expect([text, otherText, undefined]).toContain(readBy(new WeakQr(wasm), mixed)?.text);
  });
});
