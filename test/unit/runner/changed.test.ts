/** Which lines of a change `npm run mutate -- --changed` tries. */
import { expect, test } from "vitest";
import { type Lines, linesIn } from "../../mutation/changed.ts";

const head = (file: string) => `diff --git a/${file} b/${file}\nindex 1..2 100644\n--- a/${file}\n+++ b/${file}\n`;

test.each<[string, string, readonly (readonly [string, readonly Lines[]])[]]>([
  ["nothing", "", []],
  ["one line", `${head("a.ts")}@@ -3 +3 @@ const x\n-a\n+b\n`, [["a.ts", [[3, 3]]]]],
  ["several lines", `${head("a.ts")}@@ -3,2 +4,3 @@\n-a\n-b\n+c\n+d\n+e\n`, [["a.ts", [[4, 6]]]]],
  ["lines taken away", `${head("a.ts")}@@ -3,2 +2,0 @@\n-a\n-b\n`, []],
  [
    "two places",
    `${head("a.ts")}@@ -1 +1 @@\n-a\n+b\n@@ -9,0 +10,2 @@\n+c\n+d\n`,
    [
      [
        "a.ts",
        [
          [1, 1],
          [10, 11],
        ],
      ],
    ],
  ],
  [
    "two files",
    `${head("a.ts")}@@ -1 +1 @@\n-a\n+b\n${head("b/c.ts")}@@ -2 +2 @@\n-a\n+b\n`,
    [
      ["a.ts", [[1, 1]]],
      ["b/c.ts", [[2, 2]]],
    ],
  ],
  ["a new file", "--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1,2 @@\n+a\n+b\n", [["new.ts", [[1, 2]]]]],
  ["a file that is gone", "--- a/old.ts\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", []],
])("%s", (_, diff, lines) => {
  expect([...linesIn(diff)]).toEqual(lines);
});
