/** Each person's own language on the terminal. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { customerViewOf } from "../../../main/customer-display/customer-view.ts";
import { settingsSchema } from "../../../preload/contract.ts";
import { languageOf } from "../../../renderer/ui/terminal.tsx";
import { type Counter, openShop } from "./stage.ts";

const saveCashier = (shop: Counter, more: object) =>
  shop.press({ type: "save_person", person: "C2", name: "Bo", role: "cashier", pin: null, ...more });
const shown = (shop: Counter) => languageOf(shop.till.snapshot());
const german = settingsSchema.parse({ language: "de" });

test("the screens speak the language of whoever is signed in, the manager first, and the terminal's afterwards", async () => {
  const shop = await openShop({ settings: german }, 1);
  await shop.signIn("M1");
  expect(await saveCashier(shop, { language: "it" })).toEqual({ ok: true, data: "C2" });
  await shop.press({
    type: "save_person",
    person: "M1",
    name: "Ida",
    role: "manager",
    pin: null,
    language: "fr",
  });
  expect(shown(shop)).toBe("fr");
  await shop.signIn("C2");
  await shop.press({ type: "sign_out", as: "manager" });
  expect(shown(shop)).toBe("it");
  // What the customer reads, and what is printed, stays in the shop's language.
  expect(customerViewOf(shop.till.snapshot()).language).toBe("de");
  await shop.press({ type: "sign_out", as: "cashier" });
  expect(shown(shop)).toBe("de");
});

test("it outlives a restart, a new PIN and a change that does not name it; null takes it away", async () => {
  const shop = await openShop({ settings: german }, 1);
  await shop.signIn("M1");
  await saveCashier(shop, { language: "it" });
  await saveCashier(shop, {});
  await shop.press({ type: "change_pin", person: "C2", pin: "4829", newPin: "9157" });
  const again = await shop.restart();
  expect(again.people().list).toContainEqual(expect.objectContaining({ code: "C2", language: "it" }));
  await again.signIn("M1");
  await saveCashier(again, { language: null });
  expect(again.people().list).toContainEqual(expect.objectContaining({ code: "C2", language: null }));
});

test.each([
  ["a program that had none", {}],
  ["a newer program's", { language: "xx" }],
])("a person of %s is let in all the same", async (_, more) => {
  const shop = await openShop({ settings: german }, 1);
  const file = path.join(shop.folder, "people.json");
  const kept = JSON.parse(readFileSync(file, "utf8"));
  for (const person of kept.people) {
    delete person.language;
    Object.assign(person, more);
  }
  writeFileSync(file, JSON.stringify(kept));
  const again = await shop.restart();
  expect(await again.signIn("M1")).toEqual({ ok: true });
  expect(shown(again)).toBe("de");
});
