/** Whose names a report has in place of codes: everybody's who did something, and nobody's where nobody signs in. */
import { expect, test } from "vitest";
import { dayReportSchema } from "../../../preload/contract.ts";
import { namesOf, withNames } from "../../../preload/names.ts";

const count = { countedMinor: 1, by: "C1", atMs: 0 };
const move = { moveId: "a", direction: "in", amountMinor: 1, reason: "bank", note: "", by: "C1", atMs: 0 } as const;
const report = dayReportSchema.parse({
  number: 1,
  currency: "EUR",
  openedAtMs: 0,
  openedBy: "C1",
  closedAtMs: 1,
  closedBy: "counter",
  approvedBy: "M1",
  floatMinor: 1,
  inMinor: 1,
  outMinor: 0,
  handOuts: 0,
  handedOutMinor: 0,
  otherCurrency: 0,
  before: { handOuts: 0, handedOutMinor: 0 },
  moves: [
    { ...move, approvedBy: "M1" },
    { ...move, by: "counter" },
  ],
  drawerTests: [{ by: "C1", atMs: 0, place: "" }],
  noSales: [{ reason: "change", note: "", by: "C1", approvedBy: "M1", atMs: 0 }],
  expectedMinor: 1,
  count: { pieces: [], otherMinor: 1 },
  countedMinor: 1,
  differenceMinor: 0,
  reason: "",
  counts: 1,
  firstCountMinor: 1,
  everyCount: [count],
  everyFloat: [count],
  shownTo: [{ by: "M1", atMs: 0, counts: 1 }],
  takeOut: { pieces: [], otherMinor: 0 },
  takenOutMinor: 0,
  leftMinor: 1,
  clearedUp: [{ about: "count", by: "M1", note: "found", atMs: 0 }],
  over: [],
});

test("everybody in a day's report has a name, and the counter none", () => {
  const named = withNames(report, (code) => `<${code}>`);
  expect(named).toMatchObject({
    openedBy: "<C1>",
    closedBy: "counter",
    approvedBy: "<M1>",
    moves: [
      { by: "<C1>", approvedBy: "<M1>" },
      { by: "counter", approvedBy: null },
    ],
    noSales: [{ by: "<C1>", approvedBy: "<M1>" }],
    drawerTests: [{ by: "<C1>" }],
    everyCount: [{ by: "<C1>" }],
    everyFloat: [{ by: "<C1>" }],
    shownTo: [{ by: "<M1>" }],
    clearedUp: [{ by: "<M1>" }],
  });
  expect(JSON.stringify(named)).not.toMatch(/"[CM]1"/);
});

test.each([
  ["C1", "Ida"],
  ["C2", "Max (C2)"],
  ["C3", "Max (C3)"],
  ["M9", "M9"],
])(
  "%s is called %s: by the code too where two have one name, by the code alone where nobody is known",
  (code, name) => {
    const people = [
      { code: "C1", name: "Ida" },
      { code: "C2", name: "Max" },
      { code: "C3", name: "Max" },
    ];
    expect(namesOf(people)(code)).toBe(name);
  },
);
