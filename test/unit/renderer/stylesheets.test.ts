/** Our stylesheets: above Mantine's in whatever order they are loaded, and on one scale. */
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

/** These folders' own sizes are still to be put on the scale. */
const notYet = /^renderer\/(?:drawer|history|manager|setup|withdrawal)\//;
/** Read from two metres, at any size of a second screen. */
const isFluid = /^renderer\/customer-display\//;

test("type, distances and corners are of the scale in tokens.css", () => {
  const offScale = sources
    .filter(({ file }) => file.endsWith(".css") && !file.endsWith("ui/tokens.css"))
    .filter(({ file }) => !notYet.test(file) && !isFluid.test(file))
    .flatMap(({ file, source }) =>
      [
        ...source.matchAll(
          /^\s*((?:row-|column-)?gap|padding[a-z-]*|margin[a-z-]*|font-size|border-radius): ([^;]+);/gm,
        ),
      ]
        .filter(([, name = "", value = ""]) => {
          if (name === "font-size") return /^[\d.]+(?:px|rem)$|calc\(var\(--text/.test(value);
          return /(?<![\w.])[\d.]+(?:px|rem)/.test(value.replaceAll(/calc\([^;]*\)|clamp\([^;]*\)/g, ""));
        })
        .map(([rule]) => `${file}: ${rule.trim()}`),
    );
  expect(offScale).toEqual([]);
});
