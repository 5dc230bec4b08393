/** Our stylesheets: above Mantine's in whatever order they are loaded. */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const sources = globSync("renderer/**/*.{css,ts,tsx}").map((file) => ({ file, source: readFileSync(file, "utf8") }));

test("Mantine's styles come in their cascade layer alone, so that ours outrank them in any order", () => {
  const imported = sources.flatMap(({ file, source }) =>
    [...source.matchAll(/["'](@mantine\/[^"']+\.css)["']/g)].map(([, sheet]) => `${file} ${sheet}`),
  );
  expect(imported.filter((one) => !one.endsWith(".layer.css"))).toEqual([]);
  expect(imported).not.toEqual([]);
});
