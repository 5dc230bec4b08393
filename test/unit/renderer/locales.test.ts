import { describe, expect, it } from "vitest";
import { refusals } from "../../../preload/contract.ts";
import { de } from "../../../renderer/locales/de.ts";
import { en } from "../../../renderer/locales/en.ts";
import { gallery, outcomes } from "../../e2e/gallery/snapshots.ts";

type Node = string | { readonly [key: string]: Node };

const leaves = (node: Node, path = ""): readonly (readonly [string, string])[] =>
  typeof node === "string"
    ? [[path, node]]
    : Object.entries(node).flatMap(([key, child]) => leaves(child, path === "" ? key : `${path}.${key}`));

const places = (text: string): readonly string[] =>
  [...text.matchAll(/{{(\w+)}}/g)].map(([, name]) => name ?? "").sort();

const english = new Map(leaves(en));
const german = new Map(leaves(de));

describe("texts", () => {
  it("have the same keys in each language", () => {
    expect([...german.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it("are nowhere empty, and fill in the same values", () => {
    for (const [key, text] of english) {
      expect(text.trim(), key).not.toBe("");
      expect(german.get(key)?.trim(), key).not.toBe("");
      expect(places(german.get(key) ?? ""), key).toEqual(places(text));
    }
  });

  it("have both plural forms wherever they count", () => {
    for (const key of english.keys())
      if (key.endsWith("_one")) expect(english.has(key.replace(/_one$/, "_other")), key).toBe(true);
  });

  it.each([...outcomes])("say what the outcome %s means, what to do next, and its name in the history", (outcome) => {
    for (const part of [`ended.${outcome}.title`, `ended.${outcome}.next`, `outcomes.${outcome}`])
      for (const language of [english, german]) expect(language.has(part), part).toBe(true);
  });

  it.each([...refusals])("explain the refusal %s", (refusal) => {
    expect(english.has(`refusals.${refusal}`)).toBe(true);
  });

  it("say of each end without cash that none may be given, and of nothing else that it may", () => {
    expect(en.cash.never).toBe("Do not give cash");
    expect([...english].filter(([, text]) => /^give cash/i.test(text)).map(([key]) => key)).toEqual(["cash.give"]);
  });

  it("are asked for by screens that the gallery shows", () => {
    const kinds = new Set(gallery.map(({ snapshot }) => snapshot.screen.kind));
    expect(kinds.size).toBe(15);
  });
});
