import { expect, test } from "vitest";
import { csvLine, readCsv } from "../../../backend/contract/csv.ts";

test.each([
  ["plain", "plain"],
  ["a,b", '"a,b"'],
  ['say "no"', '"say ""no"""'],
  ["two\nlines", '"two\nlines"'],
  ["two\r\nlines", '"two\r\nlines"'],
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["\t=1", "'\t'=1"],
  ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
  ["@cmd", "'@cmd"],
  ["＝1", "'＝1"],
  ["x;=HYPERLINK(1);y", "x;'=HYPERLINK(1);y"],
  ["x;  -2", "x;'  -2"],
  ["x\t+3", "x\t'+3"],
  ["\tx", "'\tx"],
  ["a\n=1", '"a\n\'=1"'],
  ["a\r\n  -1", '"a\r\n\'  -1"'],
  ['a;"=1+1;b', '"a;\'""=1+1;b"'],
  ['a\t "+1', '"a\t\' ""+1"'],
  ["a-b = c", "a-b = c"],
  ["two\nlines; three", '"two\nlines; three"'],
])("%j is written as %j", (value, written) => {
  expect(csvLine([value])).toBe(`${written}\r\n`);
});

test("a decimal keeps its digits and sign; what is none is a text", () => {
  expect(csvLine([{ decimal: "-0.10" }, { decimal: "12.00" }, { decimal: "=1+1" }])).toBe("-0.10,12.00,'=1+1\r\n");
  expect(csvLine([{ decimal: "500" }, { decimal: "-7" }])).toBe("500,-7\r\n");
  expect(csvLine([{ decimal: "1,=1+1" }, { decimal: "-1+1" }, { decimal: "-x1" }])).toBe("\"1,=1+1\",'-1+1,'-x1\r\n");
});

test("numbers and nothing are written as they are, a line ends with CRLF", () => {
  expect(csvLine([-5, null, "x"])).toBe("-5,,x\r\n");
});

test.each([
  [
    "a,b\r\nc,d\r\n",
    [
      ["a", "b"],
      ["c", "d"],
    ],
  ],
  [
    "a;b\nc,d;e",
    [
      ["a", "b"],
      ["c,d", "e"],
    ],
  ],
  [
    "a,b;c\n1,2;3",
    [
      ["a", "b;c"],
      ["1", "2;3"],
    ],
  ],
  ['a,"b ""c"", d\ne",f', [["a", 'b "c", d\ne', "f"]]],
  [
    "a,\n,b",
    [
      ["a", ""],
      ["", "b"],
    ],
  ],
  ["a,b,", [["a", "b", ""]]],
  ["a\n\nb", [["a"], [""], ["b"]]],
  ["", [[""]]],
])("the rows of %j", (text, rows) => {
  expect(readCsv(text)).toEqual(rows);
});

test.each(['a,b\nc,"d', 'a,b\n"c"d,e', 'a,b\nc,d"e'])("a quote that is wrong is refused with its line: %j", (text) => {
  expect(() => readCsv(text)).toThrow("line 2 has a quote");
});

test("what was written is read again", () => {
  const row = ['say "no"', "two\r\nlines", "", "a,b;c"];
  expect(readCsv(csvLine(row) + csvLine(row))).toEqual([row, row]);
});
