/** Every `en.x.y` that a page tells its reader to import is a text, and every key of the keyboard that a text names does something. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { sandboxTexts } from "../../../backend/sandbox/texts.ts";
import { en as phone } from "../../../backend/websdk/texts/en.ts";
import { languages } from "../../../preload/choices.ts";
import { guideOf } from "../../../renderer/help/guide.ts";
import terminal from "../../../renderer/texts/en/screens.json" with { type: "json" };
import { textsOf } from "../../../renderer/texts/index.ts";
import { type Shortcut, shortcuts, shortcutText } from "../../../renderer/ui/shortcuts.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const named = globSync(["*.md", "docs/*.md"], { cwd: root }).flatMap((page) =>
  [...readFileSync(path.join(root, page), "utf8").matchAll(/(?<!\/)\ben\.(?!ts\b)(\w+(?:\.\w+)*)/g)].map(
    ([, key = ""]) => [page, key] as const,
  ),
);

/** What stands under a key of dots. */
const at = (texts: unknown, key: string): unknown =>
  key.split(".").reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], texts);

test("pages name texts", () => expect(named.length).toBeGreaterThan(10));
test.each(named)("%s: en.%s", (_, key) =>
  expect([terminal, phone, sandboxTexts.en].some((texts) => at(texts, key) !== undefined)).toBe(true),
);

/** F11 is the browser's. */
const keys: readonly string[] = [...Object.values(shortcuts).flat(), "F11"];
/** The function keys in a text. */
const keysIn = (text: string): readonly string[] => text.match(/\bF(?:[1-9]|1[0-2])\b/g) ?? [];

test.each(["README.md", "docs/install.md", "docs/qa.md"])("%s names keys that are shortcuts", (page) => {
  const found = keysIn(readFileSync(path.join(root, page), "utf8"));
  expect(found).not.toEqual([]);
  expect(keys).toEqual(expect.arrayContaining([...found]));
});

test.each(languages)("the texts and the guide in %s name keys that are shortcuts", async (language) => {
  const found = keysIn(JSON.stringify([await textsOf[language](), await guideOf[language]()]));
  expect(found).not.toEqual([]);
  expect(keys).toEqual(expect.arrayContaining([...found]));
});

test("docs/qa.md names each key for what it does", () => {
  const qa = readFileSync(path.join(root, "docs/qa.md"), "utf8");
  const by = (shortcut: Shortcut): string => shortcutText(shortcut).replace(" · ", " or ");
  const said = [
    `${by("main")} its right button`,
    `${by("third")} the middle one`,
    `${by("second")} the left one`,
    `${by("typeCode")} opens the keypad`,
    `${by("help")} opens help`,
  ];
  expect(said.filter((text) => !qa.includes(text))).toEqual([]);
});
