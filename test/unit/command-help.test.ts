/** `GROUP --help` shows the commands of that group and no others, so that they are not looked for in a hundred lines. */
import { expect, test } from "vitest";
import { helpOf, helpText, shapes } from "../../backend/operate/arguments.ts";
import { commands } from "../../backend/operate/commands.ts";

const groups = [...new Set(Object.keys(shapes).map((name) => name.split(" ")[0] ?? ""))];

test.each(groups)("%s", (group) => {
  const text = helpOf(group);
  const begun = [...text.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, word]) => word);
  expect(new Set(begun)).toEqual(new Set([group]));
  const lines = text.split("\n\n")[0]?.split("\n") ?? [];
  expect(helpText).toContain(lines.join("\n"));
  // All of its commands, with the flags of each.
  for (const [name, { flags = [] }] of Object.entries(shapes))
    if (name.split(" ")[0] === group) {
      expect(text).toContain(name.split(" ")[1] ?? "");
      for (const flag of flags) expect(text).toContain(`--${flag}`);
    }
});

test.each(["nonsense", undefined, "help"])("%s: all there is", (group) => {
  expect(helpOf(group)).toBe(helpText);
});

test("every command says which words and flags it takes", () => {
  expect(new Set(Object.keys(shapes))).toEqual(new Set([...Object.keys(commands), "restore", "migrate"]));
});
