/** A header of which two readers could take either is refused, whatever its case; one that may stand twice is not. */
import { expect, test } from "vitest";
import { hasDoubledHeader } from "../../../backend/contract/ambiguity.ts";

test.each([
  ...["Host", "Authorization", "Content-Length", "Content-Type", "Cookie", "Origin"].map(
    (name) => [name, true] as const,
  ),
  ["X-Forwarded-For", false],
  ["Accept", false],
] as const)("%s twice: %s", (name, isDoubled) => {
  expect(hasDoubledHeader([name, "a", "Via", "b", name.toLowerCase(), "a"])).toBe(isDoubled);
  expect(hasDoubledHeader([name, name.toLowerCase(), "Via", name])).toBe(false);
});
