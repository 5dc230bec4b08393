/** What scanners in HID and serial mode send, as texts. */
import { describe, expect, it } from "vitest";
import { textsOf } from "../../../renderer/scan/usb/barcode-text.ts";

describe("a scanner's message", () => {
  const table: readonly (readonly [string, string, unknown, readonly unknown[]])[] = [
    ["plain", "ABC123", "code128", [{ text: "ABC123", symbology: "code128" }]],
    ["with CR and LF", "ABC123\r\n", undefined, [{ text: "ABC123", symbology: null }]],
    ["between STX and ETX", "\u0002ABC123\u0003", "qr-code", [{ text: "ABC123", symbology: "qr" }]],
    [
      "two that came within the package's 300 ms",
      "ABC123\r\nDEF456\r\n",
      undefined,
      [
        { text: "ABC123", symbology: null },
        { text: "DEF456", symbology: null },
      ],
    ],
    [
      "with AIM identifiers",
      "]C0ABC123\r]Q1DEF456",
      undefined,
      [
        { text: "ABC123", symbology: "code128" },
        { text: "DEF456", symbology: "qr" },
      ],
    ],
    [
      "whose symbology came as an object",
      "ABC123",
      { symbology: "aztec-code" },
      [{ text: "ABC123", symbology: "aztec" }],
    ],
    // What stands in the text itself is surer than what the package made of it.
    ["whose own word differs from the package's", "]Q1ABC123", "code128", [{ text: "ABC123", symbology: "qr" }]],
    ["with an identifier that ends in a letter", "]zCABC123", undefined, [{ text: "ABC123", symbology: "aztec" }]],
    ["of GS1-128", "ABC123", "gs1-128", [{ text: "ABC123", symbology: "code128" }]],
    ["of interleaved 2 of 5", "ABC123", "interleaved-2-of-5", [{ text: "ABC123", symbology: "itf" }]],
    ["of Data Matrix", "ABC123", "data-matrix", [{ text: "ABC123", symbology: "datamatrix" }]],
    ["of a symbology that the terminal does not know", "ABC123", "maxicode", [{ text: "ABC123", symbology: null }]],
    ["with a group separator, which is text", "01\u001d21", undefined, [{ text: "01\u001d21", symbology: null }]],
    ["empty", "\r\n", undefined, []],
  ];
  it.each(table)("%s", (_name, value, symbology, expected) => {
    expect(textsOf(value, symbology)).toEqual(expected);
  });
});
