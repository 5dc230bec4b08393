/** A bank's colour is always legible. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { brandColors, brandSheet, contrast, parseColor, textContrastMin } from "../../../backend/partner/brand.ts";

const anyColor = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);

describe("a colour", () => {
  test.each([
    ["#0a5bd3", "#0a5bd3"],
    ["#ABC", "#aabbcc"],
    [" #ffffff ", "#ffffff"],
    ["0a5bd3", null],
    ["#0a5b", null],
    ["red", null],
    ["#123", "#112233"],
    ["#xyz", null],
    ["x#0a5bd3", null],
    ["#0a5bd3;}body{display:none", null],
  ])("%s is %s", (typed, color) => expect(parseColor(typed)).toBe(color));

  test("has the contrast that is published for known pairs", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
    expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
    expect(contrast("#0b6b4f", "#ffffff")).toBeGreaterThan(textContrastMin);
  });

  test("is drawn so that all text in it and on it can be read, whatever it is", () => {
    fc.assert(
      fc.property(anyColor, (color) => {
        const { light, dark } = brandColors(color);
        for (const [drawn, grounds] of [
          [light, ["#eef2f1", "#ffffff"]],
          [dark, ["#0c1412", "#15201d"]],
        ] as const) {
          for (const ground of [...grounds, drawn.accentSoft]) {
            expect(contrast(drawn.accent, ground)).toBeGreaterThanOrEqual(textContrastMin);
            expect(contrast(drawn.accentStrong, ground)).toBeGreaterThanOrEqual(textContrastMin);
          }
          expect(contrast(drawn.onAccent, drawn.accent)).toBeGreaterThanOrEqual(textContrastMin);
          expect(contrast(drawn.onAccent, drawn.accentStrong)).toBeGreaterThanOrEqual(textContrastMin);
        }
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["#ffcc00", "light", ["#806600", "#665200", "#ffffff", "#f0edd4"]],
    ["#0b2a6b", "dark", ["#7385aa", "#8f9dbb", "#000000", "#0c1822"]],
    ["#777777", "light", ["#656565", "#515151", "#ffffff", "#e0e3e2"]],
  ] as const)("%s on %s pages goes no further towards black or white than it must", (hex, scheme, colors) =>
    expect(Object.values(brandColors(hex)[scheme])).toEqual(colors),
  );

  test("that is legible is left as it is", () => expect(brandColors("#0b4fae").light.accent).toBe("#0b4fae"));
  test("becomes a sheet of four variables a scheme", () =>
    expect(brandSheet("#0b2a6b")).toBe(
      ":root{--accent:#0b2a6b;--accent-strong:#092256;--on-accent:#ffffff;--accent-soft:#d3dae1}\n" +
        "@media (prefers-color-scheme:dark){:root{--accent:#7385aa;--accent-strong:#8f9dbb;--on-accent:#000000;--accent-soft:#0c1822}}\n",
    ));
});
