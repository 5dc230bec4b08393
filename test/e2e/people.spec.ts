/** People at the terminal, as they meet it: the first PIN, the manager's area, cashiers who take turns, a second person's word. */
import { expect, type Page, test } from "@playwright/test";
import type { Command, PeopleView, Reply } from "../../preload/contract.ts";
import { en } from "../../renderer/locales/en.ts";
import { type FakeTill, openTill } from "./gallery/fake-till.ts";
import { button } from "./gallery/overlays.ts";
import { openToAll, screenOf, staffed } from "./gallery/snapshots.ts";

const { people: texts } = en;
const here: PeopleView = { ...staffed, locked: false };
const [manager = null, bo = null] = here.list;
const ready = { ...screenOf("ready-cashier"), people: { ...here, cashier: null } };
const pin = (page: Page) => page.getByLabel(texts.pin, { exact: true });
const sent = (till: FakeTill, type: Command["type"]) => till.commands.filter((one) => one.type === type);
const refuse = (code: Extract<Reply, { ok: false }>["code"]): Reply => ({ ok: false, code });

test("the manager's area opens by PIN, and closing it ends the session", async ({ page }) => {
  const till = await openTill(page, ready);
  till.answer((command) =>
    command.type === "sign_in" && command.pin !== "482915" ? refuse("wrong_pin") : { ok: true, data: [] },
  );
  await button(page, en.header.manager).click();
  await expect(pin(page)).toBeFocused();
  // As fast as a scanner types: it is a PIN all the same, and no barcode.
  await page.keyboard.type("771133");
  await expect(pin(page)).toHaveValue("771133");
  await button(page, texts.ok).click();
  await expect(page.getByRole("alert").filter({ hasText: en.refusals.wrong_pin })).toBeVisible();
  await expect(pin(page)).toHaveValue("");
  for (const digit of "482915") await page.getByRole("button", { name: digit, exact: true }).click();
  await button(page, texts.ok).click();
  await till.push({ ...ready, revision: 2, people: { ...here, manager } });
  await expect(page.getByRole("heading", { level: 1, name: en.manager.title })).toBeVisible();
  expect(sent(till, "scan")).toEqual([]);
  expect(sent(till, "sign_out")).toEqual([]);
  await button(page, en.manager.close).click();
  await expect.poll(() => sent(till, "sign_out")).toEqual([{ type: "sign_out", as: "manager" }]);
});

test("the area closes when the host ends the session", async ({ page }) => {
  const till = await openTill(page, { ...ready, people: { ...here, manager } });
  await button(page, en.header.manager).click();
  await expect(page.getByRole("heading", { level: 1, name: en.manager.title })).toBeVisible();
  await till.push({ ...ready, revision: 3 });
  await expect(page.getByRole("heading", { level: 1, name: en.manager.title })).toHaveCount(0);
});

test("an installation without a PIN says so, and asks for the first one", async ({ page }) => {
  const till = await openTill(page, screenOf("ready-no-manager"));
  await expect(page.getByText(en.header.noManager)).toBeVisible();
  await button(page, en.header.manager).click();
  await page.getByLabel(texts.name).fill("Ida");
  await page.getByLabel(texts.newPin, { exact: true }).fill("482915");
  await page.getByLabel(texts.repeat).fill("482916");
  await button(page, texts.save).click();
  await expect(page.getByText(texts.mismatch)).toBeVisible();
  await page.getByLabel(texts.repeat).fill("482915");
  await button(page, texts.save).click();
  await expect
    .poll(() => sent(till, "set_manager_pin"))
    .toEqual([{ type: "set_manager_pin", name: "Ida", pin: "482915" }]);
});

test("cashiers take turns by name and PIN, with keys alone", async ({ page }) => {
  const till = await openTill(page, { ...ready, people: { ...here, cashier: bo } });
  await button(page, `${texts.change}: Bo`).click();
  expect(sent(till, "sign_out")).toEqual([{ type: "sign_out", as: "cashier" }]);
  await till.push({ ...ready, revision: 2, people: staffed });
  await expect(page.getByRole("heading", { level: 1, name: texts.lockTitle })).toBeVisible();
  await page.getByRole("radio", { name: "Jo" }).click();
  await expect(pin(page)).toBeFocused();
  // A barcode that is scanned here is no try.
  await page.keyboard.type("7F3K9Q2M4XJ8A1WC");
  await page.keyboard.press("Enter");
  await expect(pin(page)).toHaveValue("");
  await page.keyboard.type("4829");
  await page.keyboard.press("Enter");
  await expect
    .poll(() => sent(till, "sign_in"))
    .toEqual([{ type: "sign_in", person: "C4", pin: "4829", as: "cashier" }]);
});

test("too many wrong PINs show the time that is left, and take no more", async ({ page }) => {
  await openTill(page, screenOf("locked-waiting"));
  await expect(page.getByRole("alert").filter({ hasText: /Wait (29|30) seconds/ })).toBeVisible();
  await expect(pin(page)).toBeDisabled();
});

test("'not handed out' after the drawer was open asks a second person, and says it again with that PIN", async ({
  page,
}) => {
  const counting = screenOf("counting");
  const till = await openTill(page, {
    ...counting,
    people: { ...here, cashier: bo },
    settings: {
      ...counting.settings,
      people: { cashiersSignIn: true, lockAfterMinutes: 5, notHandedOutBy: "second_person" },
    },
  });
  till.answer((command) => ("approval" in command ? { ok: true } : refuse("approval_needed")));
  await page.waitForTimeout(600);
  await button(page, new RegExp(`^${en.opening.notHandedOut}`)).click();
  await page.waitForTimeout(600);
  await page.getByRole("button", { name: en.notHandedOut.customer_left }).click();
  await expect(page.getByRole("heading", { name: texts.approvalTitle })).toBeVisible();
  // Whoever asks is no second person.
  await expect(page.getByRole("radio", { name: "Bo" })).toHaveCount(0);
  await page.getByRole("radio", { name: "Jo" }).click();
  await page.keyboard.type("4829", { delay: 120 });
  await page.keyboard.press("Enter");
  await expect
    .poll(() => sent(till, "not_handed_out").at(-1))
    .toMatchObject({ reason: "customer_left", approval: { person: "C4", pin: "4829" } });
});

test("in training nobody is asked", async ({ page }) => {
  const till = await openTill(page, { ...ready, people: openToAll });
  till.answer(() => ({ ok: true, data: [] }));
  await button(page, en.header.manager).click();
  await expect(page.getByRole("heading", { level: 1, name: en.manager.title })).toBeVisible();
});
