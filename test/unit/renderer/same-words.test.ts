/** Where cashier and customer compare what terminal and phone say, both use the same words. */
import { expect, test } from "vitest";
import { sandboxTexts } from "../../../backend/sandbox/texts.ts";
import { chooseTexts } from "../../../backend/websdk/texts/language.ts";
import { languages } from "../../../preload/choices.ts";
import { textsOf } from "../../../renderer/texts/index.ts";

test.each(languages)("amount, shop and code have one name on both: %s", async (language) => {
  const { facts } = await textsOf[language]();
  const { amount, payee } = sandboxTexts[language];
  expect({ amount, shop: payee, code: chooseTexts(language, undefined).code }).toEqual({
    amount: facts.amount,
    shop: facts.shop,
    code: facts.code,
  });
});
