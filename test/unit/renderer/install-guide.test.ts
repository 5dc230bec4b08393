/** The pages speak of the terminal in the terminal's own words, and docs/install.md shows its own screens. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { PNG } from "pngjs";
import { expect, test } from "vitest";
import { scaShownMarginMs } from "../../../backend/contract/sca.ts";
import en from "../../../renderer/texts/en/screens.json" with { type: "json" };
import { gallery } from "../../e2e/gallery/snapshots.ts";

const docs = resolve(import.meta.dirname, "../../../docs");
const guide = readFileSync(join(docs, "install.md"), "utf8");
const qa = readFileSync(join(docs, "qa.md"), "utf8");

const textsIn = (node: unknown): readonly string[] =>
  typeof node === "string" ? [node] : Object.values(node as object).flatMap(textsIn);
const texts = new Set(textsIn(en));
/** Words of the installers and of macOS. */
const foreign = ["Setup", "Applications", "Install", "Anyone who uses this computer"];

test.each(["README.md", "docs/install.md", "docs/qa.md"])("%s: every text in italics is there", (page) => {
  const text = readFileSync(join(docs, "..", page), "utf8");
  const labels = [...text.matchAll(/(?<!\*)\*(?!\*)([^*\n]+)\*(?!\*)/g)].map(([, label]) => label ?? "");
  expect(labels.length).toBeGreaterThan(1);
  expect(labels.filter((label) => !texts.has(label) && !foreign.includes(label))).toEqual([]);
});

test("docs/qa.md: the ends by amount are quoted, and the countdown's margin is the service's", () => {
  const rows = [...qa.matchAll(/^\| `\.0\d` \|.*\| ([^|]+) \|$/gm)].map(([, end]) => end ?? "");
  expect(rows).toHaveLength(9);
  expect(rows.filter((end) => !/^\*[^*]+\*/.test(end) && !end.startsWith("the same, "))).toEqual([]);
  expect(qa).toContain(`count to ${scaShownMarginMs / 1000} s before`);
});

test("every message that it lists is there", () => {
  const messages = guide.slice(guide.indexOf("| it says"), guide.indexOf("**The devices.**"));
  const said = [...messages.matchAll(/^\| ([A-Z][^|]+) \|/gm)].map(([, message]) => message ?? "");
  expect(said.length).toBeGreaterThan(4);
  expect(said.filter((message) => !texts.has(message))).toEqual([]);
});

test("every picture is one of a screen that there is", () => {
  const pictures = [...guide.matchAll(/\(pictures\/(.+?)\)/g)].map(([, file]) => file ?? "");
  expect(pictures.length).toBeGreaterThan(5);
  for (const file of pictures) {
    expect(gallery.map(({ name }) => `${name}-1024x768-en-light.png`)).toContain(file);
    const { width, height } = PNG.sync.read(readFileSync(join(docs, "pictures", file)));
    expect([file, width, height]).toEqual([file, 1024, 768]);
  }
});
