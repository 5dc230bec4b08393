/** Texts that name a button or a page name it as it stands there. */
import { expect, test } from "vitest";
import { languages } from "../../../preload/choices.ts";
import { guideOf } from "../../../renderer/help/guide.ts";
import { textsOf } from "../../../renderer/texts/index.ts";

test.each(languages)("problems are cleared up where the tabs say: %s", async (language) => {
  const { warnings, refusals, manager, header, books } = await textsOf[language]();
  const place = `${manager.tabs.today}, ${manager.overview}`;
  for (const text of [warnings.problemsNext, refusals.undecided]) expect(text).toContain(`${header.manager}, ${place}`);
  for (const text of [books.explain.cash_not_said, books.explain.unclear_here, books.explain.noted_here])
    expect(text).toContain(place);
  expect(JSON.stringify(await guideOf[language]())).toContain("{{manager.tabs.today}}, {{manager.overview}}");
});

test.each(languages)("what is changed in the shop's settings is looked for there: %s", async (language) => {
  const { warnings, phone, devices, manager, header } = await textsOf[language]();
  for (const text of [warnings.settingsNext, phone.tour.step6, devices.soundPlayed])
    expect(text).toContain(`${header.manager}, ${manager.tabs.shop}`);
});

test.each(languages)(
  "the word that the cash went over is a statement, and named as its button: %s",
  async (language) => {
    const { opening, counting, settings } = await textsOf[language]();
    for (const text of [counting.next, settings.confirmHandOver, settings.openOnSettledHint])
      expect(text).toContain(opening.handedOut);
    // German has one word for "handed over" and the order to do it.
    if (language === "de") expect(opening.handedOut).not.toMatch(/übergeben$/);
  },
);

test.each(languages)(
  "after “Not handed out” the bank is told to pay, for the report may still wait: %s",
  async (language) => {
    const { ended, notHandedOut, books } = await textsOf[language]();
    const words = {
      en: ["The bank is told to pay it back to the customer.", "the bank pays it back to the customer."],
      de: ["Die Bank wird beauftragt, dem Kunden das Geld zurückzuzahlen.", "Die Bank zahlt sie dem Kunden zurück."],
      fr: ["La banque est chargée de rembourser le client.", "la banque rembourse le client."],
      it: ["Alla banca viene detto di rendere il denaro al cliente.", "la banca lo rende al cliente."],
    } as const;
    const [order, statement] = words[language];
    for (const { next } of [ended.not_handed_out, notHandedOut]) expect(next.startsWith(order)).toBe(true);
    expect(books.explain.undelivered).toContain(statement);
  },
);
