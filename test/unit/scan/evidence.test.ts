/** When the text of a still picture counts as read, as a table. */
import { describe, expect, it } from "vitest";
import type { Symbology } from "../../../preload/contract.ts";
import { Evidence } from "../../../tools/scan/read-picture.ts";

type Given = readonly [way: string, symbology: Symbology, text: string];

const finding = (given: readonly Given[], right = ""): string | null => {
  const evidence = new Evidence(({ text }) => text === right);
  for (const [way, symbology, text] of given) {
    evidence.add(way, [{ text, symbology, engine: "zxing-wasm", outline: [] }], way === "as it is");
  }
  const found = evidence.finding();
  return found && `${found.isDoubtful ? "doubtful: " : ""}${found.read.text}`;
};

const table: readonly (readonly [string, readonly Given[], string | null])[] = [
  ["nothing", [], null],
  ["bars read in one way", [["a", "code128", "123456"]], "doubtful: 123456"],
  [
    "bars read twice in the same way",
    [
      ["a", "itf", "123456"],
      ["a", "itf", "123456"],
    ],
    "doubtful: 123456",
  ],
  [
    "bars read in two ways",
    [
      ["a", "itf", "123456"],
      ["b", "itf", "123456"],
    ],
    "123456",
  ],
  ["a matrix code read in one way", [["a", "qr", "hello"]], "hello"],
  ["PDF417 in an altered picture", [["softened", "pdf417", "hello"]], "doubtful: hello"],
  ["PDF417 in the picture as it is", [["as it is", "pdf417", "hello"]], "hello"],
  [
    "a cut-off text is given as often as the whole one",
    [
      ["a", "code39", "4-8/16"],
      ["b", "code39", "4-8/16"],
      ["a", "code39", "2/4-8/16-32"],
      ["b", "code39", "2/4-8/16-32"],
    ],
    "2/4-8/16-32",
  ],
  [
    "two texts of bars are given as often",
    [
      ["a", "itf", "123456"],
      ["b", "itf", "123456"],
      ["a", "itf", "987654"],
      ["b", "itf", "987654"],
    ],
    "doubtful: 123456",
  ],
  [
    "one of two texts is given more often",
    [
      ["a", "itf", "987654"],
      ["a", "itf", "123456"],
      ["b", "itf", "123456"],
      ["c", "itf", "123456"],
    ],
    "123456",
  ],
  [
    "a decoder leaves GS1's separators out",
    [
      ["a", "code128", "42095747949"],
      ["b", "code128", "42095747\u001d949"],
    ],
    "42095747\u001d949",
  ],
];

describe("a still picture", () => {
  it.each(table)("%s", (_name, given, expected) => {
    expect(finding(given)).toBe(expected);
  });

  it("gives what is looked for before an advertisement", () => {
    const given: readonly Given[] = [
      ["a", "qr", "https://example.com"],
      ["a", "code128", "ours"],
      ["b", "code128", "ours"],
    ];
    expect(finding(given, "ours")).toBe("ours");
  });
});
