/** French sets a space before its high signs and within its quotes: a line must not break there. */
import { expect, test } from "vitest";
import { fr as sandbox } from "../../../backend/sandbox/texts/fr.ts";
import { fr as phone } from "../../../backend/websdk/texts/fr.ts";
import display from "../../../renderer/texts/fr/customer-display.json" with { type: "json" };
import guide from "../../../renderer/texts/fr/guide.json" with { type: "json" };
import terminal from "../../../renderer/texts/fr/screens.json" with { type: "json" };

/** Every text below; one that is made is made of names. */
const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === "string") return [value];
  if (typeof value === "function") return textsIn(value("7", "8"));
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
};

test.each([
  ["the terminal", terminal],
  ["the guide", guide],
  ["the customer's display", display],
  ["the phone", phone],
  ["the sandbox", sandbox],
])("%s keeps signs and words on one line", (_, texts) => {
  const all = textsIn({ ...texts });
  expect(all.length).toBeGreaterThan(10);
  expect(all.filter((text) => / [;:?!»](?=[\s)]|$)|« /.test(text))).toEqual([]);
});
