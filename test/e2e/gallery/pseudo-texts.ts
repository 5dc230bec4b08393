/** A language that is longer than any real one and marks each text: what is cut off, or comes from no text file, shows. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright";
import { builtRenderer } from "./fake-till.ts";

/** Around each text; in no real one. */
export const marks = { begin: "⟦", end: "⟧" } as const;

const accented: Readonly<Record<string, string>> = {
  a: "á",
  e: "ë",
  i: "ï",
  o: "ö",
  u: "ü",
  A: "Å",
  E: "É",
  O: "Ø",
  c: "ç",
  n: "ñ",
};

/** About a quarter longer, by doubled vowels; what is filled in stays. */
export const pseudo = (text: string): string => {
  const body = text.replace(/{{\w+}}|[a-zA-Z]/g, (part) => (part.length > 1 ? part : (accented[part] ?? part)));
  let wanted = Math.ceil(text.replace(/{{\w+}}/g, "").length * 0.25);
  const longer = body.replace(/{{\w+}}|[áëïöü]/g, (part) => (part.length > 1 || wanted-- <= 0 ? part : part + part));
  return `${marks.begin}${longer}${marks.end}`;
};

type Texts = string | { readonly [key: string]: Texts };
const deep = (texts: Texts): Texts =>
  typeof texts === "string"
    ? pseudo(texts)
    : Object.fromEntries(Object.entries(texts).map(([key, inner]) => [key, deep(inner)]));

/** From now on the page gets these in place of the English texts. */
export const servePseudoTexts = async (page: Page): Promise<void> => {
  const assets = path.join(builtRenderer, "assets");
  const file = readdirSync(assets).find((name) => /^en-[\w-]+\.js$/.test(name));
  if (file === undefined) throw new Error("the English texts are no file of their own");
  const { default: texts } = (await import(pathToFileURL(path.join(assets, file)).href)) as { default: Texts };
  const body = `export default ${JSON.stringify(deep(texts))};`;
  await page.route(`**/assets/${file}`, (route) => route.fulfill({ body, contentType: "text/javascript" }));
};
