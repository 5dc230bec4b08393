/** Which texts count, as a table. Decoders do return cut-off and wrong texts: none of them may come through. */
import { describe, expect, it } from "vitest";
import { makeEnrolmentLink } from "../../../backend/contract/enrolment-link.ts";
import { makeEnrolmentCode } from "../../../backend/contract/ids.ts";
import type { Symbology } from "../../../preload/contract.ts";
import { type Fault, readFault, type ScanRules, symbologiesInUse } from "../../../renderer/scan/scan.ts";
import { seededId } from "../../scan-frames/symbol.ts";

const id = seededId(1);
const usual: ScanRules = {
  symbologies: ["code128", "qr", "aztec", "datamatrix", "pdf417"],
  fixedLength: null,
  foreignIds: null,
};
const network = (change: Partial<NonNullable<ScanRules["foreignIds"]>>): ScanRules => ({
  symbologies: ["code128", "qr", "ean13", "itf", "code39"],
  fixedLength: 14,
  foreignIds: { lengthMin: 8, lengthMax: 20, alphabet: "digits", check: "luhn", ...change },
});
const pair = [...id].findIndex((character, at) => character !== id[at + 1]);
const swapped = `${id.slice(0, pair)}${id[pair + 1]}${id[pair]}${id.slice(pair + 2)}`;
const code = makeEnrolmentCode(new Uint8Array(11).fill(7));
const link = makeEnrolmentLink({ serviceUrl: "https://cash.example", code });
const wrongCharacter = `${id.slice(0, 5)}${id[5] === "7" ? "8" : "7"}${id.slice(6)}`;

const table: readonly (readonly [string, string, Symbology, ScanRules, Fault | null])[] = [
  ["an id", id, "code128", usual, null],
  ["an id as QR", id, "qr", usual, null],
  ["the last character cut off", id.slice(0, -1), "code128", usual, "length"],
  ["the first half", id.slice(0, 8), "code128", usual, "length"],
  ["the tail", id.slice(4), "code128", usual, "length"],
  ["one character too many", `${id}0`, "code128", usual, "length"],
  ["one wrong character", wrongCharacter, "code128", usual, "check"],
  ["two neighbours swapped", swapped, "qr", usual, "check"],
  ["lower case", id.toLowerCase(), "qr", usual, "alphabet"],
  ["a control character inside", `${id.slice(0, 15)}\n`, "qr", usual, "alphabet"],
  ["nothing", "", "qr", usual, "length"],
  ["an address", "https://example.com/pay", "qr", usual, "length"],
  ["the provider's link", link, "qr", usual, null],
  ["the provider's link as bars", link, "code128", usual, "length"],
  ["a symbology that is off", id, "ean13", usual, "symbology_off"],
  ["Code 39 without a fixed length", id, "code39", { ...usual, symbologies: ["code39"] }, "symbology_off"],
  ["Code 39 with one", id, "code39", { ...usual, symbologies: ["code39"], fixedLength: 16 }, null],
  ["a foreign number", "4539578763621486", "code128", network({}), null],
  ["a foreign number with a wrong check", "4539578763621487", "code128", network({}), "check"],
  ["a foreign number cut off", "4539578763", "code128", network({}), "check"],
  ["a foreign number too short", "4539578", "code128", network({}), "length"],
  ["a foreign number with a letter", "453957876362148A", "code128", network({}), "alphabet"],
  ["our own id beside a foreign network", id, "code128", network({}), null],
  ["EAN-13", "4006381333931", "ean13", network({ check: "mod10_gs1" }), null],
  ["EAN-13 with a wrong check", "4006381333932", "ean13", network({ check: "mod10_gs1" }), "check"],
  ["ITF of the fixed length", "15400141288763", "itf", network({ check: "mod10_gs1" }), null],
  ["ITF two digits short", "154001412887", "itf", network({ check: "mod10_gs1" }), "length"],
  ["ITF two digits long", "1540014128876300", "itf", network({ check: "mod10_gs1" }), "length"],
  ["ITF without a check rule", "15400141288763", "itf", network({ check: "none" }), "symbology_off"],
  ["MOD 97-10", "NET1234567847", "qr", network({ alphabet: "alphanumeric", check: "mod97" }), null],
  ["MOD 97-10 wrong", "NET1234576847", "qr", network({ alphabet: "alphanumeric", check: "mod97" }), "check"],
  ["MOD 43", "TILLCASHNET018", "code39", network({ alphabet: "alphanumeric", check: "mod43" }), null],
  ["MOD 43 wrong", "TILLCASHNET028", "code39", network({ alphabet: "alphanumeric", check: "mod43" }), "check"],
];

describe("a text counts", () => {
  it.each(table)("%s", (_name, text, symbology, rules, fault) => {
    expect(readFault(text, symbology, rules)).toBe(fault);
  });

  it("looks for nothing that could not count", () => {
    expect(symbologiesInUse({ symbologies: ["itf", "code39", "qr"], fixedLength: null, foreignIds: null })).toEqual([
      "qr",
    ]);
  });
});
