/** The drawn frames show what they are said to show. */
import { describe, expect, it } from "vitest";
import { projectionOf } from "../../scan-frames/camera-math.ts";
import { type Condition, conditions } from "../../scan-frames/conditions.ts";
import { viewOf } from "../../scan-frames/view-of.ts";

/** These cut a code on purpose, or let it reach the edge. */
const cut: readonly Condition[] = ["sized", "at_edge"];

describe.each(conditions.filter((condition) => !cut.includes(condition)))("%s", (condition) => {
  it("shows the whole code, whichever way it is turned", () => {
    for (let index = 0; index < 24; index += 1) {
      const [width, height] = index % 2 === 0 ? [640, 480] : [1280, 720];
      const symbology = index % 4 < 2 ? "code128" : "qr";
      const view = viewOf({ condition, severity: (index + 0.5) / 24, symbology, width, height, seed: 3000 + index });
      const { toPixel } = projectionOf(view);
      const [halfWidth, halfHeight] = [(view.symbol?.width ?? 0) / 2, (view.symbol?.height ?? 0) / 2];
      for (const [u, v] of [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
      ] as const) {
        const [x, y] = toPixel(u * halfWidth, v * halfHeight);
        const where = `${symbology} ${index}: ${Math.round(x)}, ${Math.round(y)} of ${width}×${height}`;
        expect(x > 0 && x < width && y > 0 && y < height, where).toBe(true);
      }
    }
  });
});
