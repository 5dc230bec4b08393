/** Every `en.x.y` that a page tells its reader to import is a text. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { sandboxTexts } from "../../../backend/sandbox/texts.ts";
import { en as phone } from "../../../backend/websdk/texts/en.ts";
import { en as terminal } from "../../../renderer/locales/en.ts";

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
