/** Which JSON two readers could take differently, and which only looks so. */
import { expect, test } from "vitest";
import { depthMax, parseStrictJson } from "../../../backend/contract/ambiguity.ts";

const nested = (levels: number, open = "[", close = "]") => open.repeat(levels) + close.repeat(levels);

test.each([
  ["a name in an object and in one within it", '{"a":{"a":1},"b":{"a":2}}'],
  ["a name in each object of a list", '[{"a":1},{"a":2}]'],
  ["a text twice in a list", '{"a":["b","b"]}'],
  ["a name that is a value too", '{"a":"a","b":"a"}'],
  ["a text that reads as an object", '{"a":"{\\"a\\":1,\\"a\\":2}"}'],
  ["a text that ends in a backslash", '{"a":"\\\\","b":1}'],
  ["brackets in a text", `{"a":"${"[{".repeat(40)}"}`],
  ["a sign in two halves", '"\\ud83d\\ude00"'],
  ["a text that is a prototype's name", '{"a":"__proto__"}'],
  ["so many levels", nested(32)],
  ["many lists beside each other", `[${Array(40).fill("[]").join()}]`],
  ["many objects beside each other", `[${Array(40).fill("{}").join()}]`],
  ["a number", "1"],
])("%s is one thing to everybody", (_, text) => {
  expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
});

const twice = "contains a name twice in one object";
test.each([
  ["a name twice", '{"a":1,"a":2}', twice],
  ["a name twice, once with an escape", '{"a":1,"\\u0061":2}', twice],
  ["a name twice, with space before the colon", '{"a" :1,"a"\t\r\n:2}', twice],
  ["a name twice, behind an object that has it", '{"a":{"a":1},"a":2}', twice],
  ["a name twice, behind a list", '{"a":[1,["x"]],"a":2}', twice],
  ["a name twice, deep below", '[{"x":[{"a":1,"b":{},"a":2}]}]', twice],
  ["an empty name twice", '{"":1,"":2}', twice],
  ["a prototype", '{"x":{"__proto__":{}}}', "contains the name __proto__"],
  ["a prototype with an escape", '{"__pr\\u006fto__":{}}', "contains the name __proto__"],
  ["NUL in a text", '["\\u0000"]', "contains a NUL character"],
  ["NUL in a name", '{"a\\u0000":1}', "contains a NUL character"],
  ["half a sign", '["\\ud800"]', "contains a lone surrogate"],
  ["half a sign as it is", '["\ud800"]', "contains a lone surrogate"],
  ["a level more", nested(33), "is nested deeper than 32 levels"],
  ["a level more of objects", `${'{"a":'.repeat(33)}1${"}".repeat(33)}`, "is nested deeper than 32 levels"],
  ["half a text", '{"a":', "is not valid JSON"],
])("%s is refused", (_, text, why) => {
  expect(parseStrictJson(text)).toEqual({ ok: false, why });
  expect(depthMax).toBe(32);
});
