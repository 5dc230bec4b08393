import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupId, makeTransactionId } from "../../../backend/contract/ids.ts";
import { cleanEntry, entryLengthMax, showEntry, validateEntry } from "../../../renderer/withdrawal/code-entry.tsx";

const id = makeTransactionId(new Uint8Array([7, 15, 3, 19, 9, 23, 2, 20, 4, 29, 18, 8, 10, 1, 28]));
const ids = fc.uint8Array({ minLength: 15, maxLength: 15 }).map(makeTransactionId);
const digits = { lengthMin: 12, lengthMax: 14, alphabet: "digits", check: "luhn" } as const;

describe("typed codes", () => {
  it("reads what people write for an id", () => {
    fc.assert(
      fc.property(ids, fc.boolean(), fc.boolean(), (right, isLower, isGrouped) => {
        const written = (isGrouped ? groupId(right).replaceAll(" ", "-") : right)
          .replaceAll("0", "o")
          .replaceAll("1", "l");
        const text = cleanEntry(isLower ? written.toLowerCase() : written, null);
        expect(text).toBe(right);
        expect(validateEntry(text, null)).toEqual({ state: "right" });
      }),
    );
  });

  it("drops control and format characters of a paste, and what is too long for any id", () => {
    expect(cleanEntry(`\u200b${id.slice(0, 8)}\r\n\t${id.slice(8)}\u0000\ufeff`, null)).toBe(id);
    expect(cleanEntry("7".repeat(5000), null)).toHaveLength(entryLengthMax);
    expect(cleanEntry("7 ".repeat(entryLengthMax), null)).toHaveLength(entryLengthMax);
  });

  it.each([
    ["", { state: "partial", missing: 16 }],
    [id.slice(0, 15), { state: "partial", missing: 1 }],
    [`${id.slice(0, 15)}${id.endsWith("7") ? "8" : "7"}`, { state: "wrong" }],
    [`${id}7`, { state: "wrong" }],
    ["7F3U", { state: "bad_character", character: "U" }],
    ["7F3*", { state: "bad_character", character: "*" }],
  ])("judges %j", (text, tone) => {
    expect(validateEntry(text, null)).toEqual(tone);
  });

  it("takes ids of another network by their own rules, and ours beside them", () => {
    expect(validateEntry("79927398713", { ...digits, lengthMin: 11 })).toEqual({ state: "foreign" });
    expect(validateEntry("79927398710", { ...digits, lengthMin: 11 })).toEqual({ state: "wrong" });
    expect(validateEntry("79927", digits)).toEqual({ state: "partial", missing: 7 });
    expect(validateEntry(id, digits)).toEqual({ state: "right" });
  });

  it("keeps the letters of another network's ids as they were typed", () => {
    const alphanumeric = { ...digits, alphabet: "alphanumeric", check: "none" } as const;
    expect(cleanEntry("OIL-u12 345678", alphanumeric)).toBe("OILu12345678");
    expect(showEntry("OILu12345678", alphanumeric)).toBe("OILu12345678");
    expect(showEntry(id, null)).toBe(groupId(id));
  });
});
