/** People at the terminal, as they meet it: the first PIN, the manager's area, cashiers who take turns, a second person's word. */
import path from "node:path";
import type { Page } from "@playwright/test";
import type { Command, PeopleView, Reply } from "../../preload/contract.ts";
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { answerManager } from "./gallery/answers.ts";
import { type FakeTill, openTill } from "./gallery/fake-till.ts";
import { layoutFaults } from "./gallery/layout-faults.ts";
import { button, openPart } from "./gallery/overlays.ts";
import { openToAll, staffed } from "./gallery/people-views.ts";
import { screenOf } from "./gallery/snapshots.ts";
import { accessibilityFaults } from "./stage/accessibility.ts";
import { expect, test } from "./stage/kept-page.ts";
import { test as testAlone } from "./stage/shop.ts";

const { people: texts } = en;
const here: PeopleView = { ...staffed, locked: false };
const [manager = null, bo = null] = here.list;
const ready = { ...screenOf("ready-cashier"), people: { ...here, cashier: null } };
const pin = (page: Page) => page.getByLabel(texts.pin, { exact: true });
const sent = (till: FakeTill, type: Command["type"]) => till.commands.filter((one) => one.type === type);
/** On the smallest screen. */
const expectSound = async (page: Page): Promise<void> => {
  await page.setViewportSize({ width: 800, height: 600 });
  expect(await page.evaluate(layoutFaults)).toEqual([]);
  expect(await accessibilityFaults(page)).toEqual([]);
};
/** Types a PIN, which signs this person in at the counter. */
const expectCashier = async (page: Page, till: FakeTill, person: string): Promise<void> => {
  await page.keyboard.type("4829");
  await page.keyboard.press("Enter");
  await expect.poll(() => sent(till, "sign_in")).toEqual([{ type: "sign_in", person, pin: "4829", as: "cashier" }]);
};
const refuse = (code: Extract<Reply, { ok: false }>["code"]): Reply => ({ ok: false, code });

/** Types the PIN that is asked for, opening the area if nothing asks yet; the host takes it. */
const signInManager = async (page: Page, till: FakeTill, revision: number): Promise<void> => {
  if ((await pin(page).count()) === 0) await button(page, en.header.manager).click();
  await pin(page).fill("482915");
  await button(page, texts.ok).click();
  await till.push({ ...ready, revision, people: { ...here, manager } });
  await expect(page.getByRole("heading", { level: 1, name: en.manager.title })).toBeVisible();
};

test("the manager's area opens by PIN, and closing it ends the session", async ({ page }) => {
  const till = await openTill(page, ready);
  till.answer((command) =>
    command.type === "sign_in" && command.pin !== "482915" ? refuse("wrong_pin") : answerManager(command),
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

test("what the manager's area had asked when it was left asks for no PIN", async ({ page }) => {
  const till = await openTill(page, ready);
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  till.answer((command) =>
    command.type === "list_problems" ? isOver.then(() => refuse("manager_needed")) : answerManager(command),
  );
  await signInManager(page, till, 2);
  await expect.poll(() => sent(till, "list_problems").length).toBeGreaterThan(0);
  await button(page, en.manager.close).click();
  await expect.poll(() => sent(till, "sign_out")).toHaveLength(1);
  await till.push({ ...ready, revision: 3 });
  end();
  for (let frames = 0; frames < 10; frames += 1) await page.evaluate(() => new Promise(requestAnimationFrame));
  await expect(pin(page)).toHaveCount(0);
});

testAlone("a press while the session before is being ended asks for the PIN, and opens the area", async ({ page }) => {
  // As after the set-up: the manager is here, and no area of theirs is open.
  const till = await openTill(page, { ...ready, people: { ...here, manager } });
  await expect.poll(() => sent(till, "sign_out")).toEqual([{ type: "sign_out", as: "manager" }]);
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(path.basename(request.url())));
  const areas = () => loaded.filter((name) => name.startsWith("manager-") && name.endsWith(".js"));
  await button(page, en.header.manager).click();
  await expect(pin(page)).toBeFocused();
  // An area that opened behind the question would take the focus from it, whenever its code has come.
  expect(areas()).toEqual([]);
  await till.push({ ...ready, revision: 2 });
  await signInManager(page, till, 3);
  expect(areas()).toHaveLength(1);
  expect(sent(till, "sign_out")).toHaveLength(1);
});

for (const role of ["manager", "cashier"] as const)
  testAlone(`a ${role} who works here is said to be, every quarter of a minute at most`, async ({ page }) => {
    await page.clock.install({ time: 0 });
    const till = await openTill(page, ready);
    // From here on the page's time moves when the test says so, however slow the machine is.
    await page.clock.pauseAt(600_000);
    await till.show({ ...ready, people: { ...here, [role]: role === "manager" ? manager : bo } }, "1.signed-in");
    const said = () => sent(till, "still_here").length;
    for (const [afterMs, count] of [
      [14_000, 0],
      [2_000, 1],
      [14_000, 1],
      [2_000, 2],
    ] as const) {
      await page.clock.runFor(afterMs);
      await page.keyboard.press("Shift");
      await expect.poll(said).toBe(count);
    }
  });

test("the area closes when the host ends the session", async ({ page }) => {
  const till = await openTill(page, ready);
  await signInManager(page, till, 2);
  await till.push({ ...ready, revision: 3 });
  await expect(page.getByRole("heading", { level: 1, name: en.manager.title })).toHaveCount(0);
  // Another session opens nothing by itself.
  await till.show({ ...ready, people: { ...here, manager } }, "again");
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

test("cashiers take turns by name and PIN", async ({ page }) => {
  const till = await openTill(page, { ...ready, people: { ...here, cashier: bo } });
  await button(page, `${texts.change}: Bo`).click();
  await expect.poll(() => sent(till, "sign_out")).toEqual([{ type: "sign_out", as: "cashier" }]);
  await till.push({ ...ready, revision: 2, people: staffed });
  await expect(page.getByRole("heading", { level: 1, name: texts.lockTitle })).toBeVisible();
  await page.getByRole("radio", { name: "Jo" }).click();
  await expect(pin(page)).toBeFocused();
  // A barcode that is scanned here is no try.
  await page.keyboard.type("7F3K9Q2M4XJ8A1WC");
  await page.keyboard.press("Enter");
  await expect(pin(page)).toHaveValue("");
  await expectCashier(page, till, "C4");
});

test("after loading nobody is chosen, and the PIN takes the digits at once", async ({ page }) => {
  const till = await openTill(page, { ...ready, people: staffed });
  await expect(pin(page)).toBeFocused();
  await expect(page.getByRole("radio", { checked: true })).toHaveCount(0);
  await page.keyboard.type("4829");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert").filter({ hasText: texts.lockNext })).toBeVisible();
  // Whoever presses a name after that may be somebody else.
  await expect(pin(page)).toHaveValue("");
  await page.getByRole("radio", { name: "Jo" }).click();
  await expectCashier(page, till, "C4");
});

test("whoever was here last is chosen when the terminal locks", async ({ page }) => {
  const till = await openTill(page, { ...ready, people: { ...here, cashier: bo } });
  await till.push({ ...ready, revision: 2, people: staffed });
  await expect(page.getByRole("radio", { checked: true })).toHaveText("Bo");
  await expect(pin(page)).toBeFocused();
  // What was typed for one is not sent for another.
  await page.keyboard.type("4829");
  await page.getByRole("radio", { name: "Jo" }).click();
  await expect(pin(page)).toHaveValue("");
});

test("while the terminal is locked neither history nor drawer opens, then or later", async ({ page }) => {
  const header = { ...ready.header, day: { kind: "open", number: 12, openForMs: 3_600_000 } } as const;
  const [drawer, history] = [button(page, en.day.title), button(page, en.manager.history)];
  const till = await openTill(page, { ...ready, header, people: staffed });
  till.answer(answerManager);
  await expect(drawer).toBeDisabled();
  await expect(history).toBeDisabled();
  await till.push({ ...ready, header, revision: 2, people: { ...here, cashier: bo } });
  for (const [area, title] of [
    [drawer, en.day.title],
    [history, en.manager.history],
  ] as const) {
    await area.click();
    await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
    await till.push({ ...ready, header, revision: 3, people: staffed });
    await expect(page.getByRole("heading", { level: 1, name: texts.lockTitle })).toBeVisible();
    await till.push({ ...ready, header, revision: 4, people: { ...here, cashier: bo } });
    await expect(page.getByRole("heading", { level: 1, name: en.ready.title })).toBeVisible();
  }
});

testAlone("too many wrong PINs show the time that is left, and take no more", async ({ page }) => {
  await page.clock.install({ time: 0 });
  const waiting = screenOf("locked-waiting");
  const list = waiting.people.list.map((one) => ({ ...one, waitMs: 0 }));
  const till = await openTill(page, { ...waiting, people: { ...waiting.people, list } });
  await expect(pin(page)).toBeFocused();
  // From here on the page's time moves when the test says so, however slow the machine is.
  await page.clock.pauseAt(600_000);
  await till.push({ ...waiting, revision: 2 });
  const [before = "", after = ""] = texts.waitFor.split("{{time}}");
  const sentence = page.getByRole("alert").filter({ hasText: before });
  const wait = (seconds: number) => expect(sentence).toHaveText(`${before}${seconds} seconds${after}`);
  await wait(30);
  await page.clock.runFor(5_000);
  await wait(25);
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
  await button(page, new RegExp(`^${en.opening.notHandedOut}`)).click();
  await page.getByRole("button", { name: en.notHandedOut.customer_left }).click();
  await expect(page.getByRole("heading", { name: texts.approvalTitle })).toBeVisible();
  await expect(page.getByRole("dialog").getByText(`${en.payable.notHandedOut} · `)).toBeVisible();
  // Whoever asks is no second person.
  await expect(page.getByRole("radio", { name: "Bo" })).toHaveCount(0);
  await page.getByRole("radio", { name: "Jo" }).click();
  await page.keyboard.type("4829", { delay: 120 });
  await page.keyboard.press("Enter");
  await expect
    .poll(() => sent(till, "not_handed_out").at(-1))
    .toMatchObject({ reason: "customer_left", approval: { person: "C4", pin: "4829" } });
});

test("where nobody is signed in a manager alone is asked for 'not handed out'", async ({ page }) => {
  const counting = screenOf("counting");
  const people = { cashiersSignIn: false, lockAfterMinutes: 5, notHandedOutBy: "second_person" } as const;
  const settings = { ...counting.settings, people };
  const till = await openTill(page, { ...counting, people: { ...here, cashier: null }, settings });
  till.answer(() => refuse("approval_needed"));
  await button(page, new RegExp(`^${en.opening.notHandedOut}`)).click();
  await page.getByRole("button", { name: en.notHandedOut.customer_left }).click();
  await expect(page.getByRole("heading", { name: texts.approvalTitle })).toBeVisible();
  for (const name of ["Bo", "Jo"]) await expect(page.getByRole("radio", { name })).toHaveCount(0);
  till.answer(() => ({ ok: true }));
  await page.keyboard.type("482915", { delay: 120 });
  await page.keyboard.press("Enter");
  await expect
    .poll(() => sent(till, "not_handed_out").at(-1))
    .toMatchObject({ reason: "customer_left", approval: { person: "M1", pin: "482915" } });
});

test("settings that were changed outside of the program are named, and kept as they hold", async ({ page }) => {
  const header = { ...ready.header, changedSettings: ["people", "drawerMoney"] };
  const till = await openTill(page, { ...ready, header });
  await expect(page.getByText(en.header.settings)).toBeVisible();
  await button(page, en.header.manager).click();
  await pin(page).fill("482915");
  await button(page, texts.ok).click();
  await till.push({ ...ready, header, revision: 2, people: { ...here, manager } });
  await openPart(page, "shop");
  await expect(page.getByText("people, drawerMoney")).toBeVisible();
  await expectSound(page);
  await page.getByRole("button", { name: en.settings.wrongKeep }).click();
  await expect
    .poll(() => sent(till, "change_settings"))
    .toEqual([{ type: "change_settings", settings: ready.settings }]);
});

test("a forgotten PIN is set by the operator's code, and the area opens with it", async ({ page }) => {
  const till = await openTill(page, ready);
  till.answer((command) =>
    command.type === "reset_manager" && command.code !== "7F3K-9Q2M-4XTZ" ? refuse("denied") : answerManager(command),
  );
  await button(page, en.header.manager).click();
  await expectSound(page);
  await button(page, texts.forgotten).click();
  await expectSound(page);
  await expect(page.getByLabel(texts.who)).toHaveCount(0);
  await page.getByLabel(texts.code, { exact: true }).fill("7F3K-9Q2M-4XTY");
  await page.getByLabel(texts.newPin, { exact: true }).fill("730514");
  await page.getByLabel(texts.repeat).fill("730514");
  await button(page, texts.save).click();
  await expect(page.getByRole("alert").filter({ hasText: texts.codeDenied })).toBeVisible();
  await page.getByLabel(texts.code, { exact: true }).fill("7F3K-9Q2M-4XTZ");
  await button(page, texts.save).click();
  const who = { kind: "known", person: manager?.code };
  await expect
    .poll(() => sent(till, "reset_manager").at(-1))
    .toEqual({ type: "reset_manager", code: "7F3K-9Q2M-4XTZ", who, pin: "730514" });
  await till.push({ ...ready, revision: 2, people: { ...here, manager } });
  await expect(page.getByRole("heading", { level: 1, name: en.manager.title })).toBeVisible();
});

for (const managers of ["lost", "unreadable"] as const)
  test(`where cashiers sign in and the people are ${managers}, no scan is asked for: the screen says what to do`, async ({
    page,
  }) => {
    const people = { ...here, managers, list: [] } as const;
    const settingsOf = (cashiersSignIn: boolean) => ({
      ...ready.settings,
      people: { ...ready.settings.people, cashiersSignIn },
    });
    const till = await openTill(page, { ...ready, people, settings: settingsOf(true) });
    await expect(page.getByRole("heading", { level: 1, name: en.peopleLost.title })).toBeVisible();
    await expect(page.getByText(en.peopleLost.next)).toBeVisible();
    await expect(page.locator("[data-region=banner]")).toHaveText(en.cash.locked);
    const announcer = page.locator("[aria-live=assertive]");
    await expect(announcer).toHaveText(`${en.cash.locked}. ${en.peopleLost.title}`);
    // What can be looked at without a PIN elsewhere says why it cannot here, and what to do.
    till.answer((command) => (command.type === "list_history" ? refuse("people_lost") : { ok: true }));
    await button(page, en.manager.history).click();
    await expect(page.getByRole("status").filter({ hasText: en.peopleLost.next })).toBeVisible();
    await page.keyboard.press("Escape");
    await till.push({ ...ready, revision: 2, people, settings: settingsOf(false) });
    await expect(page.getByRole("heading", { level: 1, name: en.ready.title })).toBeVisible();
    await expect(announcer).toHaveText(`${en.cash.none}. ${en.ready.title}`);
  });

test("where nobody can sign in before the service has answered, the screen asks for no scan and says so", async ({
  page,
}) => {
  const people = { ...here, managers: "none", list: [], isAwaitingService: true } as const;
  const till = await openTill(page, { ...ready, people });
  await expect(page.getByRole("heading", { level: 1, name: en.awaitingService.title })).toBeVisible();
  await expect(page.getByText(en.awaitingService.next)).toBeVisible();
  await expect(button(page, en.ready.type)).toHaveCount(0);
  await expect(page.locator("[data-region=banner]")).toHaveText(en.cash.locked);
  await till.push({ ...ready, revision: 2, people: { ...people, isAwaitingService: false } });
  await expect(page.getByRole("heading", { level: 1, name: en.ready.title })).toBeVisible();
});

test("where the people are gone, the code and a name are asked for at once", async ({ page }) => {
  const till = await openTill(page, { ...ready, people: { ...here, managers: "lost", list: [] } });
  till.answer((command) => (command.type === "reset_manager" ? refuse("unreachable") : { ok: true }));
  await expect(page.getByRole("button", { name: en.header.peopleLost })).toBeVisible();
  await button(page, en.header.manager).click();
  await expect(page.getByText(texts.lost)).toBeVisible();
  await expectSound(page);
  await page.getByLabel(texts.code, { exact: true }).fill("7F3K9Q2M4XTZ");
  await page.getByLabel(texts.name).fill("Ida");
  await page.getByLabel(texts.newPin, { exact: true }).fill("730514");
  await page.getByLabel(texts.repeat).fill("730514");
  await button(page, texts.save).click();
  await expect(page.getByRole("alert").filter({ hasText: texts.codeUnchecked })).toBeVisible();
});

test("a cashier changes the own PIN at the lock screen, by the old one", async ({ page }) => {
  const till = await openTill(page, { ...ready, people: staffed });
  await expectSound(page);
  await button(page, texts.changePin).click();
  await expectSound(page);
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel(texts.oldPin)).toBeFocused();
  await dialog.getByLabel(texts.who).selectOption({ label: "Jo" });
  await dialog.getByLabel(texts.oldPin).fill("4829");
  await dialog.getByLabel(texts.newPin, { exact: true }).fill("7305");
  await dialog.getByLabel(texts.repeat).fill("7306");
  await button(page, texts.save).click();
  await expect(page.getByRole("alert").filter({ hasText: texts.mismatch })).toBeVisible();
  await dialog.getByLabel(texts.repeat).fill("7305");
  await button(page, texts.save).click();
  await expect
    .poll(() => sent(till, "change_pin"))
    .toEqual([{ type: "change_pin", person: "C4", pin: "4829", newPin: "7305" }]);
  await expect(dialog).toHaveCount(0);
});

test("in training no operator is named who could set a forgotten PIN", async ({ page }) => {
  await openTill(page, { ...ready, header: { ...ready.header, training: true } });
  await button(page, en.header.manager).click();
  await expect(button(page, texts.changePin)).toBeVisible();
  await expect(button(page, texts.forgotten)).toHaveCount(0);
});

test("in training nobody is asked", async ({ page }) => {
  const till = await openTill(page, { ...ready, people: openToAll });
  till.answer(answerManager);
  await expect(page.getByText(en.header.noManager)).toHaveCount(0);
  await button(page, en.header.manager).click();
  await expect(page.getByRole("heading", { level: 1, name: en.manager.title })).toBeVisible();
});

test("what is wrong with somebody's name or PIN stands at its own field", async ({ page }) => {
  const till = await openTill(page, ready);
  till.answer(answerManager);
  await signInManager(page, till, 2);
  await openPart(page, "people", undefined, en);
  await button(page, texts.add).click();
  const [name, first] = [page.getByLabel(texts.name, { exact: true }), pin(page)];
  await first.fill("7");
  await button(page, texts.save).click();
  await expect(name).toHaveAccessibleDescription(texts.nameMissing);
  await expect(first).not.toHaveAccessibleDescription(new RegExp(texts.nameMissing));
  await name.fill("Eva Lang");
  await button(page, texts.save).click();
  await expect(name).toHaveAccessibleDescription("");
  await expect(first).toHaveAccessibleDescription(new RegExp(texts.pinShort.replace("{{min}}", "4")));
});

test("a cashier keeps the PIN under another name, and as a manager needs a longer one", async ({ page }) => {
  const till = await openTill(page, ready);
  till.answer(answerManager);
  await signInManager(page, till, 2);
  await openPart(page, "people", undefined, en);
  const edit = page.getByRole("listitem").filter({ hasText: "Jo" }).getByRole("button", { name: texts.edit });
  await edit.click();
  await page.getByLabel(texts.role).selectOption({ label: texts.manager });
  await button(page, texts.save).click();
  const newPin = page.getByLabel(texts.newPin, { exact: true });
  await expect(newPin).toHaveAccessibleDescription(new RegExp(texts.pinShort.replace("{{min}}", "6")));
  expect(sent(till, "save_person")).toEqual([]);
  await page.getByLabel(texts.role).selectOption({ label: texts.cashier });
  await page.getByLabel(texts.name, { exact: true }).fill("Joe");
  await button(page, texts.save).click();
  const saved = { type: "save_person", person: "C4", name: "Joe", role: "cashier", pin: null, language: null };
  await expect.poll(() => sent(till, "save_person")).toEqual([saved]);
});
