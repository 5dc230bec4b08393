/** docs/install.md speaks of the terminal in the terminal's own words, and shows its own screens. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { PNG } from "pngjs";
import { expect, test } from "vitest";
import { en } from "../../../renderer/locales/en.ts";
import { gallery } from "../../e2e/gallery/snapshots.ts";

const docs = resolve(import.meta.dirname, "../../../docs");
const guide = readFileSync(join(docs, "install.md"), "utf8");

const textsIn = (node: unknown): readonly string[] =>
  typeof node === "string" ? [node] : Object.values(node as object).flatMap(textsIn);
const texts = new Set(textsIn(en));
/** Words of the installers and of macOS. */
const foreign = ["Setup", "Applications"];

test("every button, page and message that it names is there", () => {
  const labels = [...guide.matchAll(/(?<!\*)\*(?!\*)([^*\n]+)\*(?!\*)/g)].map(([, label]) => label ?? "");
  expect(labels.length).toBeGreaterThan(10);
  expect(labels.filter((label) => !texts.has(label) && !foreign.includes(label))).toEqual([]);
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
