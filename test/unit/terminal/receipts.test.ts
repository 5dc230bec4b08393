/** Receipts from what happened to the drawn paper: encoded by the product, interpreted and drawn by a printer that knows nothing of it. */
import { BarcodeFormat, BinaryBitmap, HybridBinarizer, MultiFormatReader, RGBLuminanceSource } from "@zxing/library";
import fc from "fast-check";
import { PNG } from "pngjs";
import { expect, test } from "vitest";
import { currencyCodes } from "../../../backend/contract/money.ts";
import { encodePaper, type Paper, pairLines, spell, wrap } from "../../../main/terminal/printing/encode.ts";
import {
  dayReportLines,
  paperAmount,
  paperMinor,
  paperTexts,
  paperTime,
  printerTestLines,
  type Receipt,
  type ReceiptCopy,
  receiptLines,
} from "../../../main/terminal/printing/paper.ts";
import { codePages, languages, paperColumns, printerModels } from "../../../preload/choices.ts";
import type { DayReport } from "../../../preload/contract.ts";
import { dotsOff } from "../../printer/golden.ts";
import { Interpreter } from "../../printer/interpreter.ts";

const receipt: Receipt = {
  transactionId: "7Q2K9MX4TB3V1ZRW",
  terminalReference: "till-1.A7K2M.01K8XJ4Y7Q2ZB3",
  amount: "1250.00",
  currency: "EUR",
  atMs: Date.UTC(2026, 9, 25, 0, 30),
  shop: "Café Weiß & Łukasz",
  terminal: "till-1",
  cashier: "C2",
  training: false,
  isReprint: false,
};

const print = (bytes: Uint8Array, columns: number, pulses: unknown[] = []): Interpreter => {
  const interpreter = new Interpreter(columns * 12, {
    paperSensor: () => 0,
    automaticStatus: () => new Uint8Array(),
    send() {},
    onPulse: (pulse) => pulses.push(pulse),
  });
  interpreter.take(bytes);
  interpreter.run();
  return interpreter;
};

const printReceipt = (
  paper: Paper,
  copy: ReceiptCopy = "customer",
  changes: Partial<Receipt> = {},
  language: (typeof languages)[number] = "de",
  pulses: unknown[] = [],
): Interpreter =>
  print(
    encodePaper(receiptLines({ ...receipt, ...changes }, copy, { language, timeZone: "Europe/Berlin" }), paper),
    paper.columns,
    pulses,
  );

test.each([
  [32, "windows1252"],
  [32, "cp852"],
  [48, "windows1252"],
  [48, "cp852"],
] as const)("a receipt on %i columns in %s looks as it was looked at", (columns, codePage) => {
  const printed = printReceipt({ model: "generic", columns, codePage });
  expect(printed.unknown).toEqual([]);
  const text = `${printed.lines.join("\n")}\n`;
  const golden = dotsOff(`receipt-${columns}-${codePage}`, printed.paper.png(), text);
  expect(text).toBe(golden.text);
  expect(golden.dots).toBe(0);
});

test("what a code page lacks is spelled out: no ł in windows1252, no € in cp852", () => {
  const western = printReceipt({ model: "generic", columns: 48, codePage: "windows1252" }).lines.join("\n");
  const eastern = printReceipt({ model: "generic", columns: 48, codePage: "cp852" }).lines.join("\n");
  const both = printReceipt({ model: "epson-tm-t88vi", columns: 48, codePage: "auto" }).lines.join("\n");
  expect(western).toContain("Café Weiß & Lukasz");
  expect(western).toContain("1.250,00 €");
  expect(eastern).toContain("Café Weiß & Łukasz");
  expect(eastern).toContain("1.250,00 EUR");
  expect(both).toContain("Café Weiß & Łukasz");
  expect(both).toContain("1.250,00 €");
});

const report: DayReport = {
  number: 12,
  currency: "EUR",
  openedAtMs: Date.UTC(2026, 9, 24, 6, 0),
  openedBy: "C2",
  closedAtMs: Date.UTC(2026, 9, 25, 1, 30),
  closedBy: "M1",
  approvedBy: null,
  floatMinor: 30_000,
  night: null,
  inMinor: 4_000,
  outMinor: 1_550,
  handOuts: 3,
  handedOutMinor: 17_000,
  otherCurrency: 0,
  otherCurrencies: [],
  drawerTests: [],
  before: { handOuts: 1, handedOutMinor: 5_000 },
  moves: [
    {
      moveId: "a",
      direction: "in",
      amountMinor: 4_000,
      reason: "change",
      note: "",
      by: "M1",
      approvedBy: null,
      atMs: Date.UTC(2026, 9, 24, 8, 5),
    },
    {
      moveId: "b",
      direction: "out",
      amountMinor: 1_550,
      reason: "expense",
      note: "Café",
      by: "M1",
      approvedBy: null,
      atMs: Date.UTC(2026, 9, 24, 9, 0),
    },
  ],
  expectedMinor: 15_450,
  count: {
    pieces: [
      { valueMinor: 5_000, count: 2 },
      { valueMinor: 1_000, count: 5 },
    ],
    otherMinor: 440,
  },
  countedMinor: 15_440,
  differenceMinor: -10,
  reason: "Eine Münze fehlt",
  counts: 2,
  firstCountMinor: 15_400,
  toExplain: false,
  isBlind: false,
  everyFloat: [],
  shownTo: [],
  everyCount: [],
  clearedUp: [],
  takeOut: { pieces: [], otherMinor: 440 },
  takenOutMinor: 440,
  leftMinor: 15_000,
  over: [{ transactionId: "7Q2K9MX4TB3V1ZRW", amount: "50.00", currency: "EUR" }],
};

const printed = { report, shop: "Café Weiß", terminal: "till-1", training: false, isReprint: false, isBlind: false };

test("a float that was counted twice stands on paper twice, with who counted it and when", () => {
  const everyFloat = [
    { countedMinor: 20_000, by: "C2", atMs: Date.UTC(2026, 9, 24, 6, 1) },
    { countedMinor: 30_000, by: "M1", atMs: Date.UTC(2026, 9, 24, 6, 4) },
  ];
  const lines = dayReportLines({ ...printed, report: { ...report, everyFloat } }, { language: "en", timeZone: "UTC" });
  const text = JSON.stringify(lines);
  for (const part of ["Float 24 Oct 2026, 06:01 UTC (C2)", "200.00", "300.00"]) expect(text).toContain(part);
  expect(text).not.toContain("06:04");
});

test("a day's report looks as it was looked at, and in every language it names every figure", () => {
  const paper: Paper = { model: "generic", columns: 42, codePage: "cp858" };
  const draw = (language: (typeof languages)[number]) =>
    print(encodePaper(dayReportLines(printed, { language, timeZone: "Europe/Berlin" }), paper), 42);
  const text = `${draw("de").lines.join("\n")}\n`;
  const golden = dotsOff("report-42-cp858", draw("de").paper.png(), text);
  expect(text).toBe(golden.text);
  expect(golden.dots).toBe(0);
  for (const language of languages) {
    const said = draw(language).lines.join("\n");
    for (const figure of ["300", "40", "15", "170", "154", "150", "12"]) expect(said, language).toContain(figure);
    expect(draw(language).unknown).toEqual([]);
  }
  const agreed = { ...printed, report: { ...report, approvedBy: "M9" } };
  expect(JSON.stringify(dayReportLines(agreed, { language: "en", timeZone: "UTC" }))).toContain('"M1, M9"');
});

test("training and a copy are said at both ends of a day's report", () => {
  const lines = dayReportLines({ ...printed, training: true, isReprint: true }, { language: "en", timeZone: "UTC" });
  const { training, reprint } = paperTexts.en.report;
  const marks = lines.flatMap((line) => (line.kind === "text" && line.text.startsWith("***") ? [line.text] : []));
  expect(marks).toEqual([training, reprint, training, reprint].map((text) => `*** ${text} ***`));
});

const noNight = { before: { handOuts: 0, handedOutMinor: 0 } };
const night = (differenceMinor: number) => ({
  night: { leftMinor: 29_000, differenceMinor, reason: "", toExplain: false },
});
test.each<[string, Partial<DayReport>, Readonly<Record<string, string | undefined>>]>([
  ["a sum that is short", {}, { Difference: "-€0.10", Expected: "€154.50", Counted: "€154.40" }],
  ["one that is over", { countedMinor: 15_460, differenceMinor: 10 }, { Difference: "+€0.10", Counted: "€154.60" }],
  ["one that is right", { differenceMinor: 0 }, { Difference: "€0.00" }],
  [
    "cash on its way in other money",
    { over: [{ transactionId: "7Q2K9MX4TB3V1ZRW", amount: "50.00", currency: "CHF" }] },
    { "7Q2K 9MX4 TB3V 1ZRW": "CHF\u00a050.00" },
  ],
  ["an earlier version's count of other currencies", { otherCurrency: 2 }, { "In another currency": "2" }],
  [
    "the sum in each other currency",
    { otherCurrency: 3, otherCurrencies: [{ currency: "CHF", handOuts: 3, handedOutMinor: 900 }] },
    { "In another currency (3)": "CHF\u00a09.00", "In another currency": undefined },
  ],
  [
    "what was left and what it was more by",
    night(1_000),
    { "Left at the last close": "€290.00", "Difference overnight": "+€10.00" },
  ],
  ["what it was less by", night(-1_000), { "Difference overnight": "-€10.00" }],
  [
    "nothing of a calm night",
    { ...night(0), ...noNight },
    { "Left at the last close": undefined, "Difference overnight": undefined },
  ],
  [
    "the night where cash went out in it",
    night(0),
    { "Left at the last close": "€290.00", "Difference overnight": "€0.00" },
  ],
  ["what goes out and what stays", {}, { "Taken out": "€4.40", "Left in the drawer": "€150.00" }],
  ["in and out with their signs", {}, { "Cash in": "€40.00", "Cash out": "-€15.50" }],
])("a day's report names %s", (_, changes, expected) => {
  const lines = dayReportLines({ ...printed, report: { ...report, ...changes } }, { language: "en", timeZone: "UTC" });
  const pairs = Object.fromEntries(lines.flatMap((line) => (line.kind === "pair" ? [[line.label, line.value]] : [])));
  expect(Object.fromEntries(Object.keys(expected).map((label) => [label, pairs[label]]))).toEqual(expected);
});

/** Lines as they would be read aloud. */
const aloud = (lines: ReturnType<typeof dayReportLines>): readonly string[] =>
  lines.map((line) =>
    line.kind === "text" ? line.text : line.kind === "pair" ? `${line.label} = ${line.value}` : `(${line.kind})`,
  );
const inEnglish = { language: "en", timeZone: "UTC" } as const;
const readOf = (changes: Partial<DayReport>, isBlind = false): readonly string[] =>
  aloud(dayReportLines({ ...printed, isBlind, report: { ...report, ...changes } }, inEnglish));

test("a receipt where nobody signs in names nobody, one of training says so at both ends, and money that is none stays as it is", () => {
  const training = { ...receipt, cashier: null, training: true, amount: "5.00", currency: "XX1" };
  const [shop, rule] = ["Café Weiß & Łukasz", "(rule)"];
  expect(aloud(receiptLines(training, "customer", inEnglish))).toEqual([
    ...["*** TRAINING ***", "No real money was moved", shop, paperTexts.en.receipt.title],
    ...[paperTexts.en.receipt.customerCopy, rule, "5.00 XX1", rule, "Time = 25 Oct 2026, 00:30 UTC"],
    ...["Terminal = till-1", "(space)", paperTexts.en.receipt.withdrawal, "7Q2K 9MX4 TB3V 1ZRW", "(code)", "(space)"],
    ...[paperTexts.en.receipt.keep, "*** TRAINING ***", "(cut)"],
  ]);
});

const at = (minute: number) => Date.UTC(2026, 9, 24, 9, minute);
const fifty = { valueMinor: 5_000, count: 1 };
const busy: Partial<DayReport> = {
  night: { leftMinor: 29_000, differenceMinor: 1_000, reason: "found in the safe", toExplain: false },
  noSales: [
    { reason: "change", note: "", by: "C2", approvedBy: "M1", atMs: at(1) },
    { reason: "cash_move", note: "", by: "C2", approvedBy: null, atMs: at(2) },
    { reason: "cash_count", note: "for the safe", by: "counter", approvedBy: null, atMs: at(3) },
  ],
  drawerTests: [{ by: "M1", atMs: at(4), place: "10.0.0.9" }],
  moves: [
    {
      ...{ moveId: "a", direction: "in", amountMinor: 4_000, reason: "bank", note: "" },
      ...{ by: "C2", approvedBy: null, atMs: at(5) },
    },
    {
      ...{ moveId: "b", direction: "out", amountMinor: 1_550, reason: "bank", note: "Bag 7" },
      ...{ by: "counter", approvedBy: "M1", atMs: at(6) },
    },
  ],
  count: { pieces: [fifty, { valueMinor: 2_000, count: 0 }], otherMinor: 0 },
  takeOut: { pieces: [{ valueMinor: 1_000, count: 2 }], otherMinor: 5 },
  everyCount: [
    { countedMinor: 15_400, by: "C2", atMs: at(7) },
    { countedMinor: 15_440, by: "counter", atMs: at(8) },
  ],
  shownTo: [{ by: "M1", atMs: at(9), counts: 1 }],
  clearedUp: [{ about: "count", by: "M1", note: "under the mat", atMs: at(10) }],
  reason: "",
  over: [],
};

const whole = [
  "Café Weiß",
  "Day report Z 12",
  "(rule)",
  "Terminal = till-1",
  "Opened = 24 Oct 2026, 06:00 UTC",
  "by = C2",
  "Closed = 25 Oct 2026, 01:30 UTC",
  "by = M1",
  "(rule)",
  "Left at the last close = €290.00",
  "Difference overnight = +€10.00",
  "Reason: found in the safe",
  "Float = €300.00",
  "Cash in = €40.00",
  "Cash out = -€15.50",
  "Withdrawals (3) = -€170.00",
  "Expected = €154.50",
  "Counted = €154.40",
  "Difference = -€0.10",
  "Expected sum shown 24 Oct 2026, 09:09 UTC (M1)",
  "Count 1 24 Oct 2026, 09:07 UTC (C2) = €154.00",
  "Count 2 24 Oct 2026, 09:08 UTC = €154.40",
  "Cleared up (M1): under the mat",
  "Before the opening (1) = €50.00",
  "(rule)",
  "24 Oct 2026, 09:05 UTC Bank (C2) = +€40.00",
  "24 Oct 2026, 09:06 UTC Bank: Bag 7 (M1) = -€15.50",
  "(rule)",
  "Opened without a withdrawal (3)",
  "24 Oct 2026, 09:01 UTC Change (C2, M1)",
  "24 Oct 2026, 09:03 UTC Count: for the safe",
  "24 Oct 2026, 09:04 UTC Test of the drawer: 10.0.0.9 (M1)",
  "(rule)",
  "Counted",
  "1 x €50.00 = €50.00",
  "(rule)",
  "Taken out = €4.40",
  "2 x €10.00 = €20.00",
  "Not by pieces = €0.05",
  "Left in the drawer = €150.00",
  "(space)",
  "Signature",
  "(space)",
  "............................",
  "(cut)",
];
test("what a day may have is on its report line by line, and of what reveals the expected sum nothing on the short form", () => {
  expect(readOf(busy)).toEqual(whole);
  const [shop, title, ...rest] = whole;
  const hidden = /^(?:Withdrawals|Expected =|Difference =|Cleared up)/;
  expect(readOf(busy, true)).toEqual([
    ...[shop, title, paperTexts.en.report.short],
    ...rest.filter((line) => !hidden.test(line)),
  ]);
});

const counted = (everyCount: DayReport["everyCount"], counts: number, more: Partial<DayReport> = {}) =>
  readOf({ ...busy, everyCount, counts, shownTo: [], ...more }).filter((line) => /^(?:Count \d|Counts,)/.test(line));
const [first, second] = [
  { countedMinor: 15_400, by: "C2", atMs: at(7) },
  { countedMinor: 15_440, by: "C2", atMs: at(8) },
];
test.each<[string, readonly string[], readonly string[]]>([
  ["the only count of a day", counted([first], 1), []],
  [
    "the only one, where somebody was shown the sum",
    counted([first], 1, { shownTo: busy.shownTo ?? [] }),
    ["Count 1 24 Oct 2026, 09:07 UTC (C2) = €154.00"],
  ],
  [
    "each of two",
    counted([first, second], 2),
    ["Count 1 24 Oct 2026, 09:07 UTC (C2) = €154.00", "Count 2 24 Oct 2026, 09:08 UTC (C2) = €154.40"],
  ],
  ["the first alone, as an earlier version kept it", counted([], 2), ["Counts, the first of 2 = €154.00"]],
])("of a day's counts its report has %s", (_, lines, expected) => {
  expect(lines).toEqual(expected);
});

test.each(languages)(
  "a report without the expected sum says that it is the short form, the full one does not: %s",
  (language) => {
    const text = (isBlind: boolean) =>
      JSON.stringify(dayReportLines({ ...printed, isBlind }, { language, timeZone: "UTC" }));
    expect(text(true)).toContain(paperTexts[language].report.short);
    expect(text(false)).not.toContain(paperTexts[language].report.short);
    // It reveals nothing: the sum and the difference are on the full one alone.
    for (const figure of [/154[.,]50/, /\b0[.,]10\b/]) {
      expect(text(false)).toMatch(figure);
      expect(text(true)).not.toMatch(figure);
    }
  },
);

const codeIn = (png: Buffer): string => {
  const { width, height, data } = PNG.sync.read(png);
  const luma = new Uint8ClampedArray(width * height);
  for (let at = 0; at < luma.length; at++) luma[at] = data[at * 4] ?? 255;
  const reader = new MultiFormatReader();
  reader.setHints(new Map([[2, [BarcodeFormat.CODE_128, BarcodeFormat.QR_CODE]]]) as never);
  return reader.decode(new BinaryBitmap(new HybridBinarizer(new RGBLuminanceSource(luma, width, height)))).getText();
};

test.each([
  [32, "QR code"],
  [48, "Code 128"],
] as const)("on %i columns both ids can be read off the paper, the code of the withdrawal as %s", (columns, kind) => {
  const printed = printReceipt({ model: "generic", columns, codePage: "auto" }, "shop");
  expect(printed.codes).toEqual([receipt.transactionId, receipt.terminalReference]);
  expect(printed.lines).toContain(`[${kind} ${receipt.transactionId}]`);
  for (const value of [receipt.transactionId, receipt.terminalReference]) {
    const alone = print(
      encodePaper([{ kind: "space" }, { kind: "code", value }, { kind: "space" }], {
        model: "generic",
        columns,
        codePage: "auto",
      }),
      columns,
    );
    expect(codeIn(alone.paper.png())).toBe(value);
  }
});

test.each(["customer", "shop"] as const)(
  "the %s's copy says amount, code, time, shop, terminal and cashier",
  (copy) => {
    const text = printReceipt({ model: "generic", columns: 42, codePage: "auto" }, copy).lines.join("\n");
    for (const part of ["1.250,00 €", "7Q2K 9MX4 TB3V 1ZRW", "till-1", "C2", "25.10.2026, 02:30 MESZ"])
      expect(text).toContain(part);
    expect(text).toContain(copy === "customer" ? "Beleg für die Kundschaft" : "Beleg für das Geschäft");
    expect(text).not.toContain("KOPIE");
    expect(text).not.toContain("ÜBUNG");
  },
);

test("an amount stands on paper with all its decimals, also in a currency that is counted whole", () => {
  const locale = { language: "en", timeZone: "UTC" } as const;
  expect([paperAmount("10.50", "HUF", locale), paperMinor(1_050, "HUF", locale)]).toEqual(
    Array.from({ length: 2 }, () => "HUF\u00a010.50"),
  );
});

test("where nobody signs in, no paper names a code that is nobody's", () => {
  const [move] = report.moves;
  const moves = move === undefined ? [] : [{ ...move, by: "counter", approvedBy: "M1" }];
  const alone = { ...printed, report: { ...report, openedBy: "counter", closedBy: "counter", moves } };
  const text = JSON.stringify(dayReportLines(alone, { language: "de", timeZone: "UTC" }));
  expect(text).not.toContain("counter");
  expect(text).toContain("(M1)");
});

test("no reader takes the month for the day, in any language", () => {
  const at = Date.UTC(2026, 10, 5, 14, 30);
  const text = (language: (typeof languages)[number]) => paperTime(at, { language, timeZone: "Europe/Berlin" });
  expect(text("en")).toBe("05 Nov 2026, 15:30 CET");
  for (const language of ["de", "fr", "it"] as const) expect(text(language)).toMatch(/^05[./]11[./]2026\D+15:30 /);
});

test("the hour that comes twice is told apart by its zone", () => {
  const at = (atMs: number): string =>
    printReceipt({ model: "generic", columns: 42, codePage: "auto" }, "customer", { atMs }).lines.join("\n");
  expect(at(Date.UTC(2026, 9, 25, 0, 30))).toContain("02:30 MESZ");
  expect(at(Date.UTC(2026, 9, 25, 1, 30))).toContain("02:30 MEZ");
});

test.each(languages)("in %s a reprint is marked as a copy, training as training, above and below", (language) => {
  const paper: Paper = { model: "generic", columns: 42, codePage: "auto" };
  const first = printReceipt(paper, "customer", {}, language).lines;
  const marked = printReceipt(paper, "customer", { isReprint: true, training: true }, language).lines;
  const added = marked.filter((line) => line.includes("***"));
  const { reprint, training, keep } = paperTexts[language].receipt;
  expect(added.map((line) => line.trim())).toEqual(
    [training, reprint, reprint, training].map((word) => `*** ${word} ***`),
  );
  const at = (text: string) => marked.findIndex((line) => line.includes(text));
  expect(added.map((line) => marked.indexOf(line) < at("250"))).toEqual([true, true, true, true]);
  expect(marked.findLastIndex((line) => line.includes(reprint))).toBeGreaterThan(at(keep));
  expect(first.some((line) => line.includes("***"))).toBe(false);
});

test("no model, width or code page leaves a receipt unprintable, and no line is wider than the paper", () => {
  // Every code page comes with a third of the models; every width with every model, and with every code page.
  for (const [index, model] of printerModels.entries()) {
    const pages = codePages.filter((_, at) => (at + index) % 3 === 0);
    for (const [turn, columns] of paperColumns.entries()) {
      const codePage = pages[(turn + Math.floor(index / 3)) % pages.length] ?? "auto";
      const printed = printReceipt({ model, columns, codePage });
      expect(printed.unknown, `${model} ${columns} ${codePage}`).toEqual([]);
      const wide = printed.lines.filter((line) => !line.startsWith("[") && [...line].length > columns);
      expect(wide, `${model} ${columns} ${codePage}`).toEqual([]);
      expect(printed.cuts).toBe(1);
    }
  }
});

test("a shop's name cannot give the printer commands, nor open the drawer", () => {
  const pulses: unknown[] = [];
  const shop = "Shop\u001bp\u0000\u0019\u00fa\u001dV\u0000";
  const printed = printReceipt({ model: "generic", columns: 42, codePage: "auto" }, "customer", { shop }, "de", pulses);
  expect(pulses).toEqual([]);
  expect(printed.unknown).toEqual([]);
  expect(printed.cuts).toBe(1);
});

test("an amount of any currency, in any language, has its ISO code where the printer has no sign for it", () => {
  const ascii = (character: string): boolean => character >= " " && character <= "~";
  const unread = languages.flatMap((language) =>
    currencyCodes.flatMap((code) => {
      const spelled = spell(paperMinor(123_456, code, { language, timeZone: "UTC" }), ascii);
      return spelled.includes("?") ? [`${language} ${code}: ${spelled}`] : [];
    }),
  );
  expect(unread).toEqual([]);
  expect(spell("₫1,250 CN¥5 5,00 £GB", ascii)).toBe("VND 1,250 CNY 5 5,00 GBP");
  expect(spell("5,00 £GB", (character) => ascii(character) || character === "£")).toBe("5,00 £GB");
});

test("the printer's test shows every letter that a language has on paper", () => {
  const written = JSON.stringify(paperTexts).toLowerCase();
  const shown = JSON.stringify(printerTestLines("en"));
  const letters = [...new Set(written.match(/[^ -~]/gu))].filter((letter) => /\p{L}/u.test(letter));
  expect(letters.length).toBeGreaterThan(3);
  expect(letters.filter((letter) => !shown.includes(letter))).toEqual([]);
});

const inAscii = (text: string): string => spell(text, (character) => character >= " " && character <= "~");

test.each([
  ["Straße, GROẞE", "Strasse, GROSSE"],
  ["Łódź, ślub", "Lodz, slub"],
  ["Øre, smørrebrød", "Ore, smorrebrod"],
  ["Đoković, đak", "Dokovic, dak"],
  ["Ærø, læge, œuf, Œuvre", "AEro, laege, oeuf, OEuvre"],
  ["‘a’ “b” „c“ «d»", `'a' "b" "c" "d"`],
  ["1–2—3−4", "1-2-3-4"],
  ["2 × 5 … a·b", "2 x 5 ... a.b"],
  ["a\u00a0b\u2007c\u202fd\te", "a b c d e"],
  ["\u0063\u0327a", "ca"],
  ["a\u009bb\u0085c", "abc"],
  ["漢", "?"],
])("without the letters of others %j is written %j", (text, written) => expect(inAscii(text)).toBe(written));

test("a letter that comes in two parts is printed as the one that the printer has", () => {
  expect(spell("Cafe\u0301", (character) => character === "é" || (character >= " " && character <= "~"))).toBe("Café");
});

test.each([
  ["with a space between them on one line", "ab", "cd", 5, ["ab cd"]],
  ["on two lines where no space is left", "ab", "cd", 4, ["ab", "  cd"]],
  ["the value in parts, at the right", "ab", "cd efg", 5, ["ab", "   cd", "  efg"]],
])("a label and its value stand %s", (_, label, value, columns, lines) =>
  expect(pairLines(label, value, columns)).toEqual(lines),
);

test.each([
  ["a word that fills the line", "abcd ef", 4, ["abcd", "ef"]],
  ["two words that fill it", "ab cd", 5, ["ab cd"]],
  ["a word of twice its length", "abcdefgh", 4, ["abcd", "efgh"]],
  ["a longer word behind another", "a bcdefg", 4, ["a", "bcde", "fg"]],
])("a line breaks before what does not fit: %s", (_, text, columns, lines) =>
  expect(wrap(text, columns)).toEqual(lines),
);

test("spelling gives only what the printer has, and wrapping loses nothing", () => {
  const ascii = (character: string): boolean => character >= " " && character <= "~";
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => [...spell(text, ascii)].every(ascii)),
    { numRuns: 300 },
  );
  const letters = (text: string): string => text.replace(/ /g, "");
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.integer({ min: 8, max: 48 }), (label, value, columns) => {
      const lines = pairLines(label, value, columns);
      expect(lines.every((line) => line.length <= columns)).toBe(true);
      expect(letters(lines.join(""))).toBe(letters(label + value));
      expect(letters(wrap(label, columns).join(""))).toBe(letters(label));
    }),
    { numRuns: 300 },
  );
});
