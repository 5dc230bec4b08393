import { expect, test } from "vitest";
import { undocumentedIn } from "../../tools/lint/doc-comments.ts";
import { parseSource } from "../../tools/lint/parse.ts";

/** [source, the names that the linter refuses in it] */
const table: readonly (readonly [string, readonly string[]])[] = [
  ["export const a = 1;", ["a"]],
  ["export const a = 1, b = 2;", ["a, b"]],
  ["export const { a, b: c } = d;", ["a, c"]],
  ["export function f() {}", ["f"]],
  ["export async function* f() {}", ["f"]],
  ["export class C {}", ["C"]],
  ["export abstract class C {}", ["C"]],
  ["export interface I { readonly a: 1 }", ["I"]],
  ["export type T = 1;", ["T"]],
  ["export default function f() {}", ["f"]],
  ["/* Not a doc comment. */\nexport const a = 1;", ["a"]],
  ["// Nor this.\nexport const a = 1;", ["a"]],
  ["/** About the file. */\n\nexport const a = 1;", ["a"]],
  ["/** About the file. */\nimport './b.ts';\nexport const a = 1;", ["a"]],
  ["/** Of the first alone. */\nexport const a = 1;\nexport const b = 2;", ["b"]],
  ["/** A sentence. */\nexport const a = 1;", []],
  ["/**\n * Two\n * lines.\n */\nexport type T = 1;", []],
  ["/** For all overloads. */\nexport function f(a: string): void;\nexport function f(a: number): void;", []],
  ["export default defineConfig({});", []],
  ["const a = 1;\ninterface I {}\nfunction f() {}", []],
  ["import { a } from './a.ts';\nexport { a };\nexport type { A } from './a.ts';", []],
  ["export { a } from './a.ts';\nexport * from './b.ts';\nconst c = 1;\nexport { c };", []],
];

const undocumented = (source: string) => undocumentedIn(source, parseSource("backend/a.ts", source));

test.each(table)("%s", (source, names) => {
  expect(undocumented(source).map(({ name }) => name)).toEqual(names);
});

test("names the line", () => {
  expect(undocumented("\n/** One. */\nexport const a = 1;\nexport const b = 2;\n")).toEqual([{ name: "b", line: 4 }]);
});
