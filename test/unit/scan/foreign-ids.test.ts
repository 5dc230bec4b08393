/** The terminal's core and the camera answer alike about an id of a foreign network: what one lets through, the other does not refuse. */
import { describe, expect, it } from "vitest";
import { foreignIdFault } from "../../../backend/contract/foreign-ids.ts";
import { type ForeignIds, idFault } from "../../../renderer/scan/scan.ts";

const pattern = (check: ForeignIds["check"]): ForeignIds => ({
  lengthMin: 4,
  lengthMax: 20,
  alphabet: "alphanumeric",
  check,
});

const table: readonly (readonly [string, ForeignIds["check"], boolean])[] = [
  ["ab12cd34ef27", "mod97", true],
  ["AB12CD34EF27", "mod97", true],
  ["AB12CD34EF28", "mod97", false],
  ["NET1234567847", "mod97", true],
  ["tillcashnet018", "mod43", true],
  ["TILLCASHNET028", "mod43", false],
  ["4539578763621486", "luhn", true],
  ["453957876362148A", "luhn", false],
  ["4006381333931", "mod10_gs1", true],
  ["4006381333932", "mod10_gs1", false],
  ["anything", "none", true],
  ["abcd", "none", true],
  ["abc", "none", false],
  ["x".repeat(20), "none", true],
  ["x".repeat(21), "none", false],
];

describe("an id of a foreign network", () => {
  it.each(table)("%s under %s", (text, check, isRight) => {
    expect(foreignIdFault(text, pattern(check)) === null).toBe(isRight);
    expect(idFault(text, { foreignIds: pattern(check) }) === null).toBe(isRight);
  });
});
