/** The guide in each language: whole, short, and in the terminal's own words. */
import { describe, expect, test } from "vitest";
import { scaTimeoutSeconds } from "../../../backend/contract/sca.ts";
import { languages } from "../../../preload/choices.ts";
import { guideOf, pieces } from "../../../renderer/help/guide.ts";
import { cashierSections, managerSections, sectionAt } from "../../../renderer/help/sections.ts";
import { textsOf } from "../../../renderer/texts/index.ts";

const all = [...cashierSections, ...managerSections];

const textAt = (texts: object, key: string): unknown =>
  key.split(".").reduce<unknown>((node, part) => (node as Record<string, unknown> | undefined)?.[part], texts);

describe.each(languages)("the guide in %s", async (language) => {
  const [guide, texts] = [await guideOf[language](), await textsOf[language]()];

  test("has each section once, in order, with something to do", () => {
    expect(Object.keys(guide)).toEqual(all);
    for (const section of all) expect(guide[section].steps.length, section).toBeGreaterThan(1);
    expect(new Set(all.map((section) => guide[section].title)).size).toBe(all.length);
  });

  test("says how long a customer has to approve", () => {
    expect(guide.approval.steps.join(" ")).toMatch(new RegExp(`\\b${scaTimeoutSeconds}\\b`));
  });

  test("names buttons and pages as this terminal has them", () => {
    const labels = all
      .flatMap((section) => guide[section].steps)
      .flatMap(pieces)
      .filter(({ isLabel }) => isLabel);
    expect(labels.length).toBeGreaterThan(30);
    for (const { text } of labels) expect(typeof textAt(texts, text), text).toBe("string");
  });

  test("says the same steps as the English one", async () => {
    const english = await guideOf.en();
    const keys = (one: typeof guide) =>
      all.map((section) =>
        one[section].steps.map((step) => pieces(step).flatMap((piece) => (piece.isLabel ? piece.text : []))),
      );
    expect(keys(guide)).toEqual(keys(english));
  });
});

test("every section can be reached by F1 somewhere, or is in the list alone", () => {
  const reached = new Set(Object.values(sectionAt));
  expect(all.filter((section) => !reached.has(section))).toEqual(["offline", "practice"]);
});

test("F1 on a withdrawal's screens opens what is to be done there", () => {
  const { looking_up, review, confirming, waiting, closing, payable, opening, counting, done, ended, unknown } =
    sectionAt;
  expect([looking_up, review, confirming, waiting, closing]).toEqual([
    "scan",
    "amount",
    "approval",
    "approval",
    "ends",
  ]);
  expect([payable, opening, counting, done]).toEqual(["hand_out", "drawer", "hand_out", "hand_out"]);
  expect([ended, unknown, sectionAt.disconnected, sectionAt.drawer_day]).toEqual(["ends", "unclear", "trouble", "day"]);
});
