/** Opens everything that lies over the screens, one after the other, in a language and scheme. */
import type { Page } from "playwright";
import type { Language } from "../../../preload/choices.ts";
import { guideOf } from "../../../renderer/help/guide.ts";
import { textsOf } from "../../../renderer/texts/index.ts";
import { answerManager } from "./answers.ts";
import type { FakeTill } from "./fake-till.ts";
import { answerOther, otherOverlaysIn } from "./other-overlays.ts";
import { overlaysIn, troubled } from "./overlays.ts";
import { dressed, screenOf } from "./snapshots.ts";

/** Dialogs and charts have come to rest by then. */
const restMs = 500;
let shown = 0;

/** Names of pictures: `over-day-close`. */
const pictureName = (name: string): string => `over-${name.replaceAll(/[^a-z]+/g, "-")}`;

/** @param look is called while one of them is open, with the name of its picture. */
export const eachOverlay = async (
  page: Page,
  till: FakeTill,
  [language, scheme]: readonly [Language, "light" | "dark"],
  isWanted: (name: string) => boolean,
  look: (name: string) => Promise<void>,
): Promise<void> => {
  const texts = await textsOf[language]();
  const usual = Object.entries(overlaysIn(texts, await guideOf[language]())).map(
    ([name, open]) => [name, { from: troubled, open, answer: answerManager }] as const,
  );
  const others = Object.entries(otherOverlaysIn(texts)).map(
    ([name, one]) => [name, { ...one, answer: answerOther(one) }] as const,
  );
  for (const [name, { from, open, answer }] of [...usual, ...others]) {
    const picture = pictureName(name);
    if (!isWanted(picture)) continue;
    shown += 1;
    till.answer(answer);
    // While money moves nothing stays open.
    await till.show(dressed(screenOf("confirming"), language, scheme), `${shown}.before`);
    await till.show(dressed(from, language, scheme), `${shown}.${picture}`);
    await page.waitForTimeout(restMs);
    await open(page);
    await page.waitForTimeout(restMs);
    await look(picture);
    // A question for a PIN outlives the screen that it was asked on, and a new PIN leads back to it.
    for (const _ of [1, 2])
      if (await page.getByRole("dialog").isVisible()) {
        await page.keyboard.press("Escape");
        await page.waitForTimeout(restMs);
      }
    // The practice phone stays open beside the screens that follow, in the next scheme too.
    const closePhone = page.getByRole("button", { name: texts.phone.close, exact: true });
    if (await closePhone.isVisible()) await closePhone.click();
  }
};
