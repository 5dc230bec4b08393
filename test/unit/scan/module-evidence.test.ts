/** What several frames say together about the modules of a QR code, without drawing any. */
import { describe, expect, it } from "vitest";
import { type Grid, knownPattern } from "../../../renderer/scan/decode/qr-grid.ts";
import { ModuleEvidence } from "../../../renderer/scan/decode/weak-qr.ts";
import { seededRandom } from "../../random.ts";

const side = 21;
const [dark, light, burnt] = [60, 180, 250];
const upright: Grid = { side, corners: Float64Array.of(10, 10, 80, 10, 10, 80, 80, 80), fit: 0.9 };
const turned: Grid = { ...upright, corners: Float64Array.of(80, 10, 80, 80, 10, 10, 10, 80) };

/** A code's modules, those that every code has among them: 1 is dark. */
const modules = ((): Uint8Array => {
  const random = seededRandom(5);
  return knownPattern(side).map((known) => (known === 2 ? Math.round(random()) : known));
})();

/** How a frame shows them: with noise, and burnt out from one row to another. */
const seen = (seed: number, noise = 0, burntRows: readonly [number, number] = [0, 0]): Float32Array => {
  const random = seededRandom(seed);
  return Float32Array.from(modules, (module, at) => {
    const row = Math.floor(at / side);
    if (row >= burntRows[0] && row < burntRows[1]) return burnt;
    return (module === 1 ? dark : light) + noise * (random() + random() + random() - 1.5);
  });
};

const errors = (sums: Float32Array | null): number =>
  modules.reduce((count, module, at) => count + ((sums?.[at] ?? 0) > 0 === (module === 1) ? 0 : 1), 0);

describe("evidence of modules", () => {
  it("grows with each frame until noise is gone", () => {
    const evidence = new ModuleEvidence();
    const after = Array.from({ length: 16 }, (_, at) => errors(evidence.add(upright, seen(at + 1, 150))));
    expect(after[0]).toBeGreaterThan(30);
    expect(after.at(-1)).toBeLessThan(5);
  });

  it("takes nothing from under a reflection, and waits for it to move", () => {
    const evidence = new ModuleEvidence();
    const sums = evidence.add(upright, seen(1, 5, [9, 12]));
    expect([...(sums ?? [])].slice(9 * side, 12 * side)).toEqual(Array(3 * side).fill(0));
    expect(errors(evidence.add(upright, seen(2, 5, [14, 16])))).toBe(0);
  });

  it("counts a grid that lies the other way round for itself", () => {
    const evidence = new ModuleEvidence();
    const inverse = seen(1).map((grey) => dark + light - grey);
    for (let look = 0; look < 5; look += 1) evidence.add(turned, inverse);
    expect(errors(evidence.add(upright, seen(2)))).toBe(0);
  });

  it("takes nothing from a grid that hardly fits, or from one without contrast", () => {
    const evidence = new ModuleEvidence();
    expect(evidence.add({ ...upright, fit: 0.3 }, seen(1))).toBeNull();
    expect(evidence.add(upright, new Float32Array(side * side).fill(100))).toBeNull();
  });

  it("forgets a code that is not seen any more", () => {
    const evidence = new ModuleEvidence();
    evidence.add(upright, seen(1, 190));
    for (let look = 0; look < 25; look += 1) evidence.decayAll();
    expect(evidence.add(upright, seen(2, 190))).toEqual(new ModuleEvidence().add(upright, seen(2, 190)));
  });
});
