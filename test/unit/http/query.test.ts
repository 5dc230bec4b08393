/** The parameters of an address are what URLSearchParams finds in it; one that is there twice is refused. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { queryOf } from "../../../backend/http/serve-operation.ts";

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("id", "wait", "status", "=", "&", "", "7F3K9Q2MX4T8WZ0G", "?", "#", ";") },
  { weight: 1, arbitrary: fc.constantFrom("%41", "+", "%", "%zz", "é", "__proto__", "constructor") },
);
const address = fc.array(piece, { maxLength: 12 }).map((pieces) => `http://localhost/transaction?${pieces.join("")}`);

test("whatever is in it", () => {
  fc.assert(
    fc.property(address, (url) => {
      const expected = [...new URLSearchParams(url.slice(url.indexOf("?")))];
      const isDoubled = new Set(expected.map(([name]) => name)).size < expected.length;
      if (isDoubled && !expected.some(([name]) => name === "__proto__"))
        return void expect(() => queryOf(url)).toThrow();
      if (!isDoubled) expect(Object.entries(queryOf(url))).toEqual(expected.filter(([name]) => name !== "__proto__"));
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["http://localhost/transaction", {}],
  ["http://localhost/transaction?", {}],
  ["http://localhost/transaction?id=A&wait=5&status=ready", { id: "A", wait: "5", status: "ready" }],
  ["http://localhost/transaction?id=A=B&&wait", { id: "A=B", wait: "" }],
  ["http://localhost/transaction?i%64=a+b%20c", { id: "a b c" }],
])("%s", (url, expected) => {
  expect(queryOf(url)).toEqual(expected);
});

test("of a parameter that is there twice as much is named as fits", () => {
  const name = "a".repeat(65);
  const errors = [{ path: "a".repeat(64), message: "must be given once" }];
  expect(() => queryOf(`http://localhost/?${name}&${name}`)).toThrow(expect.objectContaining({ extra: { errors } }));
});
