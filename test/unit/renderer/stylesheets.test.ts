/** Our stylesheets: above Mantine's in whatever order they are loaded, and on one scale. */
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const sources = globSync("renderer/**/*.{css,ts,tsx}").map((file) => ({ file, source: readFileSync(file, "utf8") }));

test("Mantine's styles come in their cascade layer alone, so that ours outrank them in any order", () => {
  const imported = sources.flatMap(({ file, source }) =>
    [...source.matchAll(/["'](@mantine\/[^"']+\.css)["']/g)].map(([, sheet]) => `${file} ${sheet}`),
  );
  expect(imported.filter((one) => !one.endsWith(".layer.css"))).toEqual([]);
  expect(imported).not.toEqual([]);
});

const mantine = "node_modules/@mantine/core";

/** The modules that draw what a source takes from Mantine by name. */
const modulesOf = (source: string): readonly string[] => {
  const index = readFileSync(`${mantine}/esm/index.mjs`, "utf8");
  const names = [...source.matchAll(/import \{([^}]*)\} from "@mantine\/core"/g)].flatMap(([, list = ""]) =>
    list.split(",").map((name) => name.trim()),
  );
  return names.flatMap((name) => {
    const module = new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from "([^"]+)"`).exec(index)?.[1];
    return name === "" || module === undefined ? [] : [path.join(mantine, "esm", module)];
  });
};

/** The stylesheets of these modules and of all that they import: a component's classes are in `<Component>.module.mjs`. */
const sheetsOf = (modules: readonly string[]): ReadonlySet<string> => {
  const seen = new Set(modules);
  // A Set grows while it is walked.
  for (const module of seen)
    for (const [, imported = ""] of readFileSync(module, "utf8").matchAll(/from "(\.[^"]+\.mjs)"/g))
      seen.add(path.join(path.dirname(module), imported));
  const names = [...seen].flatMap((module) => /(\w+)\.module\.mjs$/.exec(module)?.[1] ?? []);
  return new Set(names.filter((name) => existsSync(`${mantine}/styles/${name}.layer.css`)));
};

test("the sheet of each component that is used is there, and no other, in Mantine's own order", () => {
  const charts = globSync("node_modules/@mantine/charts/esm/{BarChart,ChartTooltip,ChartLegend}/*.mjs").map((file) => ({
    source: readFileSync(file, "utf8"),
  }));
  const used = sheetsOf([...sources, ...charts].flatMap(({ source }) => modulesOf(source)));
  const all = readFileSync(`${mantine}/styles.layer.css`, "utf8");
  const placeOf = (name: string): number =>
    all.indexOf(/\.m_\w+/.exec(readFileSync(`${mantine}/styles/${name}.layer.css`, "utf8"))?.[0] ?? "?");
  const wanted = [
    ...["baseline", "default-css-variables", "global"],
    ...[...used].sort((one, other) => placeOf(one) - placeOf(other)),
  ];
  const list = readFileSync("renderer/ui/mantine.css", "utf8");
  expect([...list.matchAll(/@import "@mantine\/core\/styles\/([\w-]+)\.layer\.css"/g)].map(([, name]) => name)).toEqual(
    wanted,
  );
});

/** Read from two metres, at any size of a second screen. */
const isFluid = /^renderer\/customer-display\//;

test("type, distances and corners are of the scale in theme.css", () => {
  const offScale = sources
    .filter(({ file }) => file.endsWith(".css") && !file.endsWith("ui/theme.css"))
    .filter(({ file }) => !isFluid.test(file))
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

test("what is pressed or typed into has one of the scale's heights", () => {
  // Below are lines and spinners, above are pictures and lists.
  const own = sources
    .filter(({ file }) => file.endsWith(".css") && !file.endsWith("ui/theme.css"))
    .flatMap(({ file, source }) =>
      [...source.matchAll(/^\s*(?:min-)?height: ([4-9]\d)px;/gm)].map(([rule]) => `${file}: ${rule.trim()}`),
    );
  expect(own).toEqual([]);
});

test("each class of a module is used by whoever imports it, and each that is used is there", () => {
  const wrong = sources
    .filter(({ file }) => file.endsWith(".module.css"))
    .flatMap(({ file, source }) => {
      const css = source.replaceAll(/\/\*[\s\S]*?\*\/|:global\([^)]*\)|\{[^{}]*\}/g, "");
      const there = new Set([...css.matchAll(/\.([a-zA-Z]\w*)/g)].map(([, name]) => name));
      const used = new Set(
        sources.flatMap((one) => {
          const name = new RegExp(`import (\\w+) from "[^"]*/${path.basename(file)}"`).exec(one.source)?.[1];
          if (name === undefined) return [];
          // Chosen by a name that is only known when it runs.
          if (one.source.includes(`${name}[`)) return [...there];
          return [...one.source.matchAll(new RegExp(`[ {]${name}\\.(\\w+)`, "g"))].map(([, part]) => part);
        }),
      );
      return [
        ...[...there].filter((name) => !used.has(name)).map((name) => `${file}: .${name} is used by nobody`),
        ...[...used].filter((name) => !there.has(name)).map((name) => `${file}: .${name} is not there`),
      ];
    });
  expect(wrong).toEqual([]);
});
