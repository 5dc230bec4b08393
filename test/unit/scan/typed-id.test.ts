import { describe, expect, it } from "vitest";
import { groupId } from "../../../backend/contract/ids.ts";
import { readTypedId } from "../../../renderer/scan/scan.ts";
import { seededId } from "../../scan-frames/symbol.ts";

const own = { foreignIds: null };
const foreign = { foreignIds: { lengthMin: 8, lengthMax: 12, alphabet: "digits", check: "luhn" } } as const;
const withZeroAndOne =
  Array.from({ length: 500 }, (_, seed) => seededId(seed)).find((id) => /0/.test(id) && /1/.test(id)) ?? "";

describe("a typed or pasted id", () => {
  const table: readonly (readonly [string, string, string | null])[] = [
    ["as printed", withZeroAndOne, withZeroAndOne],
    ["in groups of four", groupId(withZeroAndOne), withZeroAndOne],
    ["in lower case with hyphens", groupId(withZeroAndOne).replaceAll(" ", "-").toLowerCase(), withZeroAndOne],
    ["with O for 0 and l for 1", withZeroAndOne.replaceAll("0", "O").replaceAll("1", "l"), withZeroAndOne],
    ["with I for 1 and blanks around", `  ${withZeroAndOne.replaceAll("1", "I")}\n`, withZeroAndOne],
    ["one character short", withZeroAndOne.slice(1), null],
    ["with a control character inside", `${withZeroAndOne.slice(0, 8)}\u0007${withZeroAndOne.slice(8)}`, null],
    ["nothing", "   ", null],
    ["an address", "https://example.com", null],
  ];
  it.each(table)("%s", (_name, text, expected) => {
    expect(readTypedId(text, own)).toBe(expected);
  });

  it("of a foreign network follows its pattern", () => {
    expect(readTypedId(" 7992739 8713", foreign)).toBe("79927398713");
    expect(readTypedId("79927398714", foreign)).toBeNull();
    expect(readTypedId("79927398713", own)).toBeNull();
  });

  it("of a foreign network keeps letters that ours has not", () => {
    const letters = { lengthMin: 8, lengthMax: 20, alphabet: "alphanumeric", check: "mod43" } as const;
    expect(readTypedId(" TILLCASHNET018", { foreignIds: letters })).toBe("TILLCASHNET018");
    expect(readTypedId("OILFREE8", { foreignIds: { ...letters, check: "none" } })).toBe("OILFREE8");
  });
});
