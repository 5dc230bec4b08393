/** The drawer's forms by touch: what is counted, which way the cash goes, and that the drawer opened. */
import type { Page } from "@playwright/test";
import type { Header } from "../../preload/contract.ts";
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { answerManager, openDay } from "./gallery/answers.ts";
import { type FakeTill, openTill } from "./gallery/fake-till.ts";
import { layoutFaults } from "./gallery/layout-faults.ts";
import { button } from "./gallery/overlays.ts";
import { calmHeader, screenOf } from "./gallery/snapshots.ts";
import { expect, test } from "./stage/kept-page.ts";
import { test as testAlone } from "./stage/shop.ts";

const ready = screenOf("ready-cashier");
const inDay = (day: Partial<NonNullable<Header["day"]>>, currency = "EUR") => ({
  ...ready,
  header: { ...calmHeader, day: { kind: "open", number: 12, openForMs: 0, currency, ...day } as const },
});

const openDrawer = async (page: Page, currency = "EUR") => {
  const till = await openTill(page, inDay({}, currency));
  till.answer((command) =>
    command.type === "get_day" ? { ok: true, data: { ...openDay, currency } } : answerManager(command),
  );
  await button(page, en.day.title).click();
  return till;
};

test("what is left as a sum is typed by touch, with its cents", async ({ page }) => {
  await openDrawer(page);
  await button(page, en.day.cashIn).click();
  await page.getByLabel("€50.00").click();
  await expect(button(page, ".")).toBeDisabled();
  await page.getByLabel(en.day.otherSum).click();
  for (const key of "3.45") await button(page, key).click();
  await expect(page.getByLabel(en.day.otherSum)).toHaveValue("3.45");
  await expect(page.getByRole("status").getByText("€3.45")).toBeVisible();
  await page.setViewportSize({ width: 800, height: 600 });
  expect(await page.evaluate(layoutFaults)).toEqual([]);
});

test("a sum of a large drawer is in sight as a whole", async ({ page }) => {
  await openDrawer(page);
  await button(page, en.day.cashIn).click();
  const field = page.getByLabel(en.day.otherSum);
  await field.fill("1234567.89");
  for (const [width, height] of [
    [1024, 768],
    [800, 600],
  ] as const) {
    await page.setViewportSize({ width, height });
    expect(await field.evaluate((input) => input.scrollWidth - input.clientWidth)).toBeLessThanOrEqual(0);
  }
});

test("before the count no code can be typed, but for a withdrawal that is open", async ({ page }) => {
  const closed = inDay({ kind: "closed", openForMs: null });
  const till = await openTill(page, closed);
  await expect(button(page, en.day.readyButton)).toBeVisible();
  await expect(button(page, en.ready.type)).toHaveCount(0);
  const money = { amount: "50.00", currency: "EUR" };
  const open = [
    { withdrawalId: "w-2", transactionId: "7F3K9Q2M4XJ8A1WU", money, state: "payable", sinceMs: 5_000 } as const,
  ];
  await till.push({ ...closed, header: { ...closed.header, open } });
  await expect(button(page, en.ready.type)).toBeVisible();
});

test("a currency without cents has no key for them", async ({ page }) => {
  await openDrawer(page, "JPY");
  await button(page, en.day.cashIn).click();
  await page.getByLabel(en.day.otherSum).click();
  await expect(button(page, "0")).toBeEnabled();
  await expect(button(page, ".")).toHaveCount(0);
});

for (const [name, word] of [
  [en.day.cashIn, "Put in €20.00"],
  [en.day.cashOut, "Take out €20.00"],
] as const)
  test(`${name} says which way the cash goes before it counts`, async ({ page }) => {
    await openDrawer(page);
    await button(page, name).click();
    await page.getByLabel("€20.00").fill("1");
    await button(page, en.day.look).click();
    await expect(page.getByRole("heading", { name: word })).toBeVisible();
    await expect(button(page, word)).toBeVisible();
  });

test("the count before the close says that pieces are counted", async ({ page }) => {
  await openDrawer(page);
  await button(page, en.day.countAndClose).click();
  await expect(page.getByText(en.day.pieces)).toBeVisible();
  await page.setViewportSize({ width: 800, height: 600 });
  expect(await page.evaluate(layoutFaults)).toEqual([]);
});

test("the drawer that opened without a withdrawal is said to have, and not before it did", async ({ page }) => {
  const till = await openDrawer(page);
  await button(page, en.day.noSale).click();
  await button(page, en.day.noSaleReasons.cash_count).click();
  await expect(page.getByRole("heading", { name: en.day.openTitle })).toBeVisible();
  await expect(page.getByText(en.day.opened)).toHaveCount(0);
  await till.push({ ...inDay({ drawer: "opened" }), revision: 2 });
  await expect(page.getByText(en.day.opened)).toBeVisible();
  await button(page, en.day.cashIn).click();
  await button(page, en.day.back).click();
  await expect(page.getByText(en.day.opened)).toHaveCount(0);
});

test("a drawer that opened for change leads back to the next customer; one that did not says so", async ({ page }) => {
  const till = await openDrawer(page);
  // It was open for somebody before: that says nothing of this press.
  await till.push({ ...inDay({ drawer: "opened" }), revision: 2 });
  const press = async () => {
    await button(page, en.day.noSale).click();
    await button(page, en.day.noSaleReasons.change).click();
  };
  await press();
  await expect(page.getByRole("heading", { name: en.day.openTitle })).toBeVisible();
  await till.push({ ...inDay({ drawer: "opening" }), revision: 3 });
  await till.push({ ...inDay({ drawer: "failed" }), revision: 4 });
  await expect(page.getByText(en.day.didNotOpen)).toBeVisible();
  await press();
  await till.push({ ...inDay({ drawer: "opening" }), revision: 5 });
  await till.push({ ...inDay({ drawer: "opened" }), revision: 6 });
  await expect(page.getByRole("heading", { name: en.ready.title })).toBeVisible();
});

test("a count opens the drawer once by itself, however often it is come back to, and again by the button alone", async ({
  page,
}) => {
  const till = await openDrawer(page);
  const opened = () => till.commands.filter(({ type }) => type === "no_sale");
  for (const _ of [1, 2]) {
    await button(page, en.day.countAndClose).click();
    await expect(page.getByText(en.day.opensForCount)).toBeVisible();
    await page.getByLabel("€20.00").fill("1");
    await button(page, en.day.look).click();
    await button(page, en.day.change).click();
    await expect(page.getByText(en.day.opensForCount)).toBeVisible();
    expect(opened()).toHaveLength(1);
    await button(page, en.day.back).click();
  }
  await button(page, en.day.countAndClose).click();
  await button(page, en.day.noSale).click();
  const order = { type: "no_sale", number: openDay.number, reason: "cash_count", note: "" };
  await expect.poll(opened).toEqual([order, order]);
  // With a key alone there is nothing to press.
  await till.push({ ...inDay({ drawer: "by_hand" }), revision: 2 });
  await expect(page.getByText(en.day.openByHand)).toBeVisible();
  await expect(page.getByText(en.day.opensForCount)).toHaveCount(0);
  await expect(button(page, en.day.noSale)).toHaveCount(0);
});

const movesOf = (till: FakeTill) =>
  till.commands.flatMap((command) => (command.type === "move_cash" ? [command.moveId] : []));

test("what was counted is forgotten once it is booked, and the next time has another id", async ({ page }) => {
  const till = await openDrawer(page);
  for (const _ of [1, 2]) {
    await button(page, en.day.cashIn).click();
    await expect(page.getByLabel("€20.00")).toHaveValue("");
    await page.getByLabel("€20.00").fill("1");
    await button(page, en.day.look).click();
    await page.getByLabel(en.day.reason).selectOption("takings");
    await button(page, "Put in €20.00").click();
    await expect(page.getByRole("heading", { name: en.day.openTitle })).toBeVisible();
  }
  expect(new Set(movesOf(till)).size).toBe(2);
});

const takeOut20 = async (page: Page) => {
  await button(page, en.day.cashOut).click();
  await page.getByLabel("€20.00").fill("1");
  await button(page, en.day.look).click();
  await page.getByLabel(en.day.reason).selectOption("takings");
  await button(page, "Take out €20.00").click();
};

test("cash that is sent once more after a silence is the same move", async ({ page }) => {
  const till = await openDrawer(page);
  await expect(button(page, en.day.cashOut)).toBeVisible();
  till.answer(() => ({ ok: false, code: "failed" }));
  await takeOut20(page);
  await expect(page.getByText(en.refusals.failed)).toBeVisible();
  await button(page, "Take out €20.00").click();
  await expect.poll(() => movesOf(till)).toHaveLength(2);
  expect(new Set(movesOf(till)).size).toBe(1);
});

test("cash whose form was left after a silence is the same move when it is sent once more", async ({ page }) => {
  const till = await openDrawer(page);
  await expect(button(page, en.day.cashOut)).toBeVisible();
  till.answer(() => ({ ok: false, code: "failed" }));
  await takeOut20(page);
  await expect(page.getByText(en.refusals.failed)).toBeVisible();
  await button(page, en.day.change).click();
  await button(page, en.day.back).click();
  await takeOut20(page);
  await expect.poll(() => movesOf(till)).toHaveLength(2);
  expect(new Set(movesOf(till)).size).toBe(1);
});

test("cash that was booked without an answer is listed, and its form is empty again", async ({ page }) => {
  const till = await openDrawer(page);
  till.answer((command) => {
    if (command.type === "move_cash") return { ok: false, code: "failed" };
    if (command.type !== "get_day") return answerManager(command);
    const booked = movesOf(till).map((moveId) => ({
      ...{ moveId, direction: "out", amountMinor: 2_000, reason: "takings", note: "" },
      ...{ by: "C1", approvedBy: null, atMs: 0 },
    }));
    return { ok: true, data: { ...openDay, moves: [...openDay.moves, ...booked] } };
  });
  await takeOut20(page);
  await expect(page.getByRole("row")).toHaveText([/€200\.00$/, /light bulbs−€45\.50$/, /−€20\.00$/]);
  await button(page, en.day.cashOut).click();
  await expect(page.getByLabel("€20.00")).toHaveValue("");
});

test("a form that is open while another day begins elsewhere is left, and the next one is that day's", async ({
  page,
}) => {
  const till = await openDrawer(page);
  await button(page, en.day.cashOut).click();
  const number = openDay.number + 1;
  till.answer((command) =>
    command.type === "get_day" ? { ok: true, data: { ...openDay, number } } : answerManager(command),
  );
  await till.push({ ...inDay({ number }), revision: 3 });
  await expect(page.getByRole("heading", { name: en.day.openTitle })).toBeVisible();
  await takeOut20(page);
  await expect.poll(() => movesOf(till)).toHaveLength(1);
});

test("a sum that nobody is shown leaves the day in sight", async ({ page }) => {
  const till = await openTill(page, inDay({}));
  till.answer((command) => {
    if (command.type !== "get_day") return answerManager(command);
    return command.reveal ? { ok: false, code: "manager_needed" } : { ok: true, data: { ...openDay, expected: null } };
  });
  await button(page, en.day.title).click();
  await button(page, en.day.reveal).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("heading", { name: en.day.openTitle })).toBeVisible();
  await expect(button(page, en.day.reveal)).toBeVisible();
});

test("the open day lists its cash with the way that it went", async ({ page }) => {
  await openDrawer(page);
  await expect(page.getByRole("row")).toHaveText([/(?<!−)€200\.00$/, /light bulbs−€45\.50$/]);
  const sums = page.locator("dl > div", { hasText: "€" });
  await expect(sums).toHaveText([/€300\.00$/, /(?<!−)€200\.00$/, /−€45\.50$/, /−€180\.00$/, /(?<!−)€274\.50$/]);
});

test("no reason for cash in is chosen beforehand, and none is booked without", async ({ page }) => {
  await openDrawer(page);
  await button(page, en.day.cashIn).click();
  await page.getByLabel("€20.00").fill("1");
  await button(page, en.day.look).click();
  await expect(page.getByLabel(en.day.reason)).toHaveValue("");
  await expect(button(page, "Put in €20.00")).toBeDisabled();
  await page.getByLabel(en.day.reason).selectOption("takings");
  await expect(button(page, "Put in €20.00")).toBeEnabled();
  await expect(button(page, "Edit")).toBeVisible();
});

const count = { pieces: [{ valueMinor: 5_000, count: 1 }], otherMinor: 4_500 };
const counted = { counts: 1, countedMinor: 9_500, count, proposal: { pieces: [], otherMinor: 0 } };

test("more than was counted cannot be taken out, and the field says so", async ({ page }) => {
  const till = await openDrawer(page);
  till.answer((command) =>
    command.type === "get_day"
      ? { ok: true, data: { ...openDay, kind: "counted", expected: null, counted } }
      : answerManager(command),
  );
  await till.push({ ...inDay({ kind: "counted", number: 13 }), revision: 2 });
  const close = button(page, en.day.close);
  for (const [label, fits, tooMuch] of [
    ["€200.00", "", "1"],
    ["€50.00", "1", "2"],
    [en.day.otherSum, "45", "45.01"],
  ] as const) {
    await page.getByLabel(label).fill(tooMuch);
    await expect(page.getByText("More than is in the drawer.")).toBeVisible();
    await expect(close).toBeDisabled();
    await expect(page.getByText(/^Take out: /)).toHaveCount(0);
    await page.getByLabel(label).fill(fits);
    await expect(page.getByText("More than is in the drawer.")).toHaveCount(0);
    await expect(close).toBeEnabled();
  }
  await expect(page.getByText("€0.00 stay in the drawer")).toBeVisible();
});

test("what is counted once more begins with what was counted", async ({ page }) => {
  const till = await openDrawer(page);
  let isCounted = true;
  till.answer((command) => {
    if (command.type === "recount_day") isCounted = false;
    if (command.type !== "get_day") return answerManager(command);
    return { ok: true, data: isCounted ? { ...openDay, kind: "counted", expected: null, counted } : openDay };
  });
  await till.push({ ...inDay({ kind: "counted", number: 13 }), revision: 2 });
  await button(page, en.day.recount).click();
  await expect(page.getByRole("heading", { name: en.day.countTitle })).toBeVisible();
  await expect(page.getByLabel("€50.00")).toHaveValue("1");
  await expect(page.getByLabel(en.day.otherSum)).toHaveValue("45.00");
});

test("a day with cash on its way closes once that was named, with what was typed to take out", async ({ page }) => {
  const till = await openDrawer(page);
  const over = [{ withdrawalId: "w-2", transactionId: "7F3K9Q2M4XJ8A1WU", money: { amount: "5000", currency: "JPY" } }];
  till.answer((command) =>
    command.type === "get_day"
      ? { ok: true, data: { ...openDay, kind: "counted", expected: null, counted, over } }
      : answerManager(command),
  );
  await till.push({ ...inDay({ kind: "counted", number: 13 }), revision: 2 });
  const close = button(page, en.day.close);
  // Begun before the shop had another currency.
  await expect(page.getByText("¥5,000")).toBeVisible();
  await page.getByLabel("€50.00").fill("1");
  await expect(close).toBeDisabled();
  await page.getByLabel(en.day.overNamed).check();
  await page.getByLabel("€50.00").fill("2");
  await expect(close).toBeDisabled();
  await page.getByLabel("€50.00").fill("1");
  await close.click();
  const takeOut = { pieces: [{ valueMinor: 5_000, count: 1 }], otherMinor: 0 };
  const order = { type: "close_day", number: openDay.number, counts: 1, takeOut, reason: "", over: ["w-2"] };
  await expect.poll(() => till.commands.filter(({ type }) => type === "close_day")).toEqual([order]);
});

const closedDay = { kind: "closed", next: 13, leftMinor: 30_000, handedOutMinor: 5_000, currency: "EUR" } as const;
for (const [name, day, typed, differs] of [
  ["what was left without what was handed out since", closedDay, "250", null],
  ["what was left, though some of it was handed out since", closedDay, "300", "+€50.00"],
  ["a cent less", closedDay, "249.99", "−€0.01"],
  ["any sum where it is not known what was left", { ...closedDay, leftMinor: null }, "123", null],
] as const)
  test(`the first count of a day: ${name} ${differs === null ? "asks nothing" : "asks why"}`, async ({ page }) => {
    const till = await openTill(page, inDay({ kind: "closed", openForMs: null }));
    till.answer((command) => (command.type === "get_day" ? { ok: true, data: day } : answerManager(command)));
    await button(page, en.day.readyButton).click();
    await page.getByLabel(en.day.otherSum).fill(typed);
    await button(page, en.day.look).click();
    const question = en.day.nightDiffers.replace("{{difference}}", differs ?? "");
    await expect(button(page, en.day.begin)).toBeEnabled();
    await expect(page.getByText(/against what should be in it/)).toHaveText(differs === null ? [] : [question]);
    await expect(page.getByLabel(en.day.why)).toHaveCount(differs === null ? 0 : 1);
  });

testAlone("the closed day's report stays until it was read", async ({ page }) => {
  await page.clock.install();
  const till = await openDrawer(page);
  till.answer((command) =>
    command.type === "get_day"
      ? { ok: true, data: { ...openDay, kind: "counted", expected: null, counted } }
      : answerManager(command),
  );
  await till.push({ ...inDay({ kind: "counted", number: 13 }), revision: 2 });
  await page.getByLabel("€50.00").fill("1");
  await button(page, en.day.close).click();
  await expect(page.getByRole("heading", { name: en.day.closedTitle })).toBeVisible();
  await expect(page.locator("dl > div", { hasText: en.day.leftIn })).toHaveText(`${en.day.leftIn}€45.00`);
  await page.clock.runFor(120_000);
  await expect(page.getByRole("heading", { name: en.day.closedTitle })).toBeVisible();
  await button(page, en.day.finished).click();
  await expect(page.getByRole("heading", { name: en.ready.title })).toBeVisible();
});
