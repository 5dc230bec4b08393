import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxTexts } from "../../../backend/sandbox/texts.ts";
import { paperTexts } from "../../../main/terminal/printing/paper.ts";
import { languages, setUpParts } from "../../../preload/choices.ts";
import { refusals } from "../../../preload/contract.ts";
import { outcomes } from "../../../preload/enums.ts";
import { customerTexts } from "../../../renderer/customer-display/texts.ts";
import { guideOf } from "../../../renderer/help/guide.ts";
import { otherPlaces, sectionAt } from "../../../renderer/help/sections.ts";
import en from "../../../renderer/texts/en/screens.json" with { type: "json" };
import { textsOf } from "../../../renderer/texts/index.ts";
import { gallery } from "../../e2e/gallery/snapshots.ts";

/** The strings among the values, each under its key; what is a function is left out. */
const leaves = (node: unknown, at = ""): readonly (readonly [string, string])[] => {
  if (typeof node === "string") return [[at, node]];
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, child]) => leaves(child, at === "" ? key : `${at}.${key}`));
};

const places = (text: string): readonly string[] =>
  [...text.matchAll(/{{(\w+)}}/g)].map(([, name]) => name ?? "").sort();

/** Words of a text, without the values that are filled in. */
const words = (text: string): number => text.replace(/{{\w+}}/g, "").match(/\p{L}{3,}/gu)?.length ?? 0;

const english = new Map(leaves(en));
const others = await Promise.all(
  languages
    .filter((language) => language !== "en")
    .map(async (language) => [language, new Map(leaves(await textsOf[language]()))] as const),
);

/** Every string and template literal of the screens, with `${…}` as a gap that any word may fill. */
const asked = globSync("renderer/**/*.{ts,tsx}", { cwd: path.resolve(import.meta.dirname, "../../..") })
  .filter((file) => !file.startsWith("renderer/texts/"))
  .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/["`]([\w.]*(?:\$\{[^}]*\}[\w.]*)*)["`]/g)])
  .map(([, text = ""]) => text)
  // A literal without words of its own would stand for every key.
  .filter((text) => /[a-z]{3}/.test(text.replace(/\$\{[^}]*\}/g, "")) && (text.includes(".") || text === "product"));
const patterns = [...new Set(asked)].map(
  (text) => new RegExp(`^${text.replaceAll(".", "\\.").replace(/\$\{[^}]*\}/g, "[\\w.]+")}(_one|_other)?$`),
);

describe("texts", () => {
  it.each(others)("of %s have the same keys, are nowhere empty, and fill in the same values", (_, texts) => {
    expect([...texts.keys()].sort()).toEqual([...english.keys()].sort());
    for (const [key, text] of english) {
      expect(text.trim(), key).not.toBe("");
      expect(texts.get(key)?.trim(), key).not.toBe("");
      expect(places(texts.get(key) ?? ""), key).toEqual(places(text));
    }
  });

  it.each(others)("of %s are translated, but for names and signs", (_, texts) => {
    const same = [...english].filter(([key, text]) => texts.get(key) === text && words(text) > 2);
    expect(same.map(([key]) => key)).toEqual([]);
  });

  it.each(languages.filter((language) => language !== "en"))(
    "of guide, customer's display, paper and practice in %s are translated, too",
    async (language) => {
      const sets: readonly (readonly [object, object])[] = [
        [await guideOf.en(), await guideOf[language]()],
        [customerTexts.en, customerTexts[language]],
        [paperTexts.en.receipt, paperTexts[language].receipt],
        [paperTexts.en.report, paperTexts[language].report],
        [sandboxTexts.en, sandboxTexts[language]],
      ];
      for (const [original, translated] of sets) {
        const texts = new Map(leaves(translated));
        const same = leaves(original).filter(([key, text]) => texts.get(key) === text && words(text) > 2);
        expect(texts.size).toBeGreaterThan(5);
        expect([...texts.keys()].sort()).toEqual([...new Map(leaves(original)).keys()].sort());
        expect(same).toEqual([]);
      }
    },
  );

  it("of a page that did not start are in every language", () => {
    const page = readFileSync(path.resolve(import.meta.dirname, "../../../renderer/index.html"), "utf8");
    expect([...page.matchAll(/<p lang="(\w+)">\S/g)].map(([, language]) => language)).toEqual([...languages]);
  });

  it("are all used on some screen", () => {
    const unused = [...english.keys()].filter((key) => !patterns.some((pattern) => pattern.test(key)));
    expect(unused).toEqual([]);
  });

  it("have both plural forms wherever they count", () => {
    for (const key of english.keys())
      if (/_(?:one|other)$/.test(key))
        for (const form of ["_one", "_other"])
          expect(english.has(key.replace(/_(?:one|other)$/, form)), key).toBe(true);
  });

  it.each([...outcomes])("say what the outcome %s means, what to do next, and its name in the history", (outcome) => {
    for (const part of [`ended.${outcome}.title`, `ended.${outcome}.next`, `outcomes.${outcome}`])
      expect(english.has(part), part).toBe(true);
  });

  it.each([...refusals])("explain the refusal %s", (refusal) => {
    expect(english.has(`refusals.${refusal}`)).toBe(true);
  });

  it("tell to give cash under one key alone, and have the words that forbid it", () => {
    expect(en.cash.never).toBe("Do not give cash");
    expect([...english].filter(([, text]) => /^give cash/i.test(text)).map(([key]) => key)).toEqual(["cash.give"]);
  });

  it("are asked for on kinds of screens and in parts of the set-up that the gallery all shows", () => {
    const kinds = new Set(gallery.map(({ snapshot }) => snapshot.screen.kind));
    const places = Object.keys(sectionAt).filter((place) => !place.startsWith("manager_"));
    expect([...kinds, ...otherPlaces].sort()).toEqual(places.sort());
    expect(new Set(gallery.map(({ snapshot }) => snapshot.settings.setUp))).toEqual(new Set(setUpParts));
  });
});
