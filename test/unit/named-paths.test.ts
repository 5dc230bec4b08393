/** The map and the recipes are true: every file and folder that README, CONTRIBUTING, the recipes and THREATS name is there. */
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const folders = "{backend,deploy,docs,main,preload,renderer,test,tools}";
const files = [`${folders}/**/*.*`, "*.*"]
  .flatMap((pattern) => globSync(pattern, { cwd: root, exclude: ["**/node_modules"] }))
  .map((file) => file.replaceAll(path.sep, "/"));

/** What is named in backticks or linked, and looks like a file of ours or a folder; `xx.ts` stands for a language. */
const namedIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:`|\]\()([\w*./-]+)(?:`|\))/g)]
    .map(([, name = ""]) => name.replace(/^\.\.\//, ""))
    .filter(
      (name) =>
        /\.(?:tsx?|json|md|grit|yml)$|^[\w-]+(?:\/[\w*-]+)*\/$/.test(name) &&
        !/^(?:\/|(?:xx|out|data|dist)\b)/.test(name),
    )
    .filter((name) => !/^[\w-]+\.json$/.test(name) || existsSync(path.join(root, name)));

/** The files whose paths end as the name does: `effects/due.ts` is short for the one in `main/terminal`, `areas/xx.ts` for any language. */
const filesOf = (name: string): readonly string[] => {
  const pattern = name.replace(/[.]/g, "\\.").replace(/[*]|\bxx\b/g, "[^/]*");
  const end = new RegExp(name.endsWith("/") ? `(?:^|/)${pattern}` : `(?:^|/)${pattern}$`);
  return files.filter((file) => end.test(file));
};

describe.each(["README.md", "CONTRIBUTING.md", "docs/recipes.md", "THREATS.md"])("%s", (document) => {
  const named = namedIn(readFileSync(path.join(root, document), "utf8"));

  test("names files and folders", () => expect(named.length).toBeGreaterThan(5));
  test.each([...new Set(named)])("%s is there", (name) => expect(filesOf(name), name).not.toEqual([]));
});

/** Of the repository's root, the one that is meant; a name with a wildcard means many. */
const meansOne = (name: string): boolean =>
  /^[\w./-]+\.\w+$/.test(name) && !/\bxx\b/.test(name) && !existsSync(path.join(root, name));

test.each(["CONTRIBUTING.md", "docs/recipes.md"])("a short name in %s means one file", (document) => {
  const named = [...new Set(namedIn(readFileSync(path.join(root, document), "utf8")))].filter(meansOne);
  const unclear = named.map((name) => [name, ...filesOf(name)]).filter(({ length }) => length > 2);
  expect(unclear).toEqual([]);
});

test("every recipe that CONTRIBUTING links to is there", () => {
  const anchors = [...readFileSync(path.join(root, "docs/recipes.md"), "utf8").matchAll(/^## (.*)$/gm)].map(
    ([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
  );
  const linked = [...readFileSync(path.join(root, "CONTRIBUTING.md"), "utf8").matchAll(/recipes\.md#([\w-]+)/g)];
  expect(linked.length).toBeGreaterThan(5);
  expect(linked.flatMap(([, anchor = ""]) => (anchors.includes(anchor) ? [] : [anchor]))).toEqual([]);
});

const threats = readFileSync(path.join(root, "THREATS.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| (?!who |---)/.test(line));

test("THREATS.md has threats", () => expect(threats.length).toBeGreaterThan(20));
test.each(threats.map((row) => [row.split("|").slice(1, 3).join(" –").trim(), row]))(
  "the threat %s names a test, or says why there is none",
  (_, row) => {
    const [, , , , shownBy = ""] = row.split("|");
    expect(shownBy).toMatch(/`[\w./-]+\.(?:test|spec)\.ts`|\bNo test\b/);
  },
);
