import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupId, isTransactionId, makeTransactionId, normalizeTypedId } from "../../../backend/contract/ids.ts";

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ids = fc.uint8Array({ minLength: 15, maxLength: 15 }).map(makeTransactionId);

describe("the check character of a transaction id", () => {
  it("holds for every id that is made", () => {
    fc.assert(fc.property(ids, (id) => isTransactionId(id)));
  });

  it("catches every single wrong character", () => {
    fc.assert(
      fc.property(ids, (id) => {
        for (let at = 0; at < id.length; at += 1) {
          for (const other of alphabet) {
            if (other !== id[at] && isTransactionId(id.slice(0, at) + other + id.slice(at + 1))) return false;
          }
        }
        return true;
      }),
      { numRuns: 50 },
    );
  });

  it("catches every swap of two characters, neighbours or not", () => {
    fc.assert(
      fc.property(ids, fc.nat(15), fc.nat(15), (id, a, b) => {
        const characters = [...id];
        const [left, right] = [characters[a] ?? "", characters[b] ?? ""];
        characters[a] = right;
        characters[b] = left;
        return left === right || !isTransactionId(characters.join(""));
      }),
      { numRuns: 2000 },
    );
  });

  it("refuses what a cut-off or foreign barcode gives", () => {
    const id = makeTransactionId(randomBytes(15));
    const bad = [
      id.slice(0, 15),
      `${id}0`,
      id.toLowerCase(),
      ` ${id.slice(1)}`,
      `${id.slice(0, 15)}\u0000`,
      "",
      "4006381333931",
    ];
    for (const text of bad.filter((text) => text !== id))
      expect(isTransactionId(text), JSON.stringify(text)).toBe(false);
  });

  it("refuses to make an id from too little randomness", () => {
    expect(() => makeTransactionId(randomBytes(14))).toThrow(RangeError);
  });
});

it.each([
  ["7f3k 9q2m-x4t8 wz0a", "7F3K9Q2MX4T8WZ0A"],
  ["oO0 iIlL1", "00011111"],
  ["\t7F3K\u00a09Q2M\r\n", "7F3K9Q2M"],
])("reads %j as Crockford does", (typed, read) => {
  expect(normalizeTypedId(typed)).toBe(read);
});

it("groups an id in fours", () => {
  expect(groupId("7F3K9Q2MX4T8WZ0A")).toBe("7F3K 9Q2M X4T8 WZ0A");
});
