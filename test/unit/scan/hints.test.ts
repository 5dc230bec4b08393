/** What the terminal says about a picture that it reads nothing from. */
import { describe, expect, it } from "vitest";
import type { FrameOutcome } from "../../../renderer/scan/decode/frame-reader.ts";
import { Hints } from "../../../renderer/scan/decode/hints.ts";
import type { Luma } from "../../../renderer/scan/decode/luma.ts";
import { frameOf } from "../../scan-frames/frame.ts";
import type { View } from "../../scan-frames/view.ts";
import { emptyView, viewOf } from "../../scan-frames/view-of.ts";

const usual = viewOf({
  condition: "ordinary",
  severity: 0.2,
  symbology: "code128",
  width: 1280,
  height: 720,
  seed: 51,
});
const straight: View = { ...usual, rotationDegrees: 1, tiltDegrees: 0, phone: false, centerX: 640, centerY: 360 };
const good = frameOf(straight);
const dark = frameOf({ ...straight, contrast: 0.1, ambient: 0.01 });
const glaring = frameOf({ ...straight, ambient: 0.9 });
const frames = 13;

const lastHint = (luma: Luma, kind: FrameOutcome["kind"] = "nothing"): string | null => {
  const hints = new Hints();
  let hint: string | null = null;
  for (let frame = 0; frame < frames; frame += 1) hint = hints.next(luma, { kind } as FrameOutcome);
  return hint;
};

describe("a picture", () => {
  const table: readonly (readonly [string, Luma, string | null])[] = [
    ["in good light, at the right distance", good, null],
    ["in the dark", dark, "dark"],
    ["burnt out", glaring, "glaring"],
    ["out of focus", frameOf({ ...straight, blurPx: 9, noise: 1.5 }), "blurred"],
    ["with bars too near to fit", frameOf({ ...straight, modulePx: 7 }), "near"],
    ["with bars too far to tell apart", frameOf({ ...straight, modulePx: 1.4, blurPx: 0.3, noise: 2 }), "far"],
    ["of an empty counter", frameOf({ ...emptyView(1280, 720, 52), noise: 3 }), null],
  ];
  it.each(table)("%s", (_name, luma, expected) => {
    expect(lastHint(luma)).toBe(expected);
  });

  it.each(["accepted", "once_more", "foreign"] as const)("in which a code is %s needs no hint", (kind) => {
    expect(lastHint(dark, kind)).toBeNull();
  });

  it("has to be bad in the same way for twelve frames", () => {
    const hints = new Hints();
    const said = [...Array(8).fill(dark), ...Array(13).fill(glaring)].map((luma) =>
      hints.next(luma, { kind: "nothing" }),
    );
    expect(said).toEqual([...Array(19).fill(null), "glaring", "glaring"]);
  });

  it("that is bad for a moment gets none: it would flicker", () => {
    const hints = new Hints();
    const given = [dark, dark, dark, good, dark, dark].map((luma) => hints.next(luma, { kind: "nothing" }));
    expect(given.every((hint) => hint === null)).toBe(true);
  });
});
