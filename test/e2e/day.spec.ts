/** A shop's day as its staff play it: opened with a counted float, withdrawals of all fates, a printer that dies, a blind count, the report. */
import type { Page } from "@playwright/test";
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { startVirtualPrinter, type VirtualPrinter } from "../printer/virtual-printer.ts";
import { sleepOverMidnight } from "./stage/midnight.ts";
import { managerPin } from "./stage/set-up.ts";
import { expect, test } from "./stage/shop.ts";
import { saved, setUp, signIn, typePin } from "./stage/shop-day.ts";

const shots = process.env.DAY_SHOTS;
const shot = async (page: Page, name: string): Promise<void> => {
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png` });
};

/** The figures next to their names on the drawer's page. */
const figure = (page: Page, name: string) =>
  page.locator("dl > div", { has: page.getByText(name, { exact: true }) }).locator("dd");

const paperOf = ({ interpreter }: VirtualPrinter): string => interpreter.lines.join("\n");

/** What a busy machine takes for all of it. */
const dayMaxMs = 8 * 60_000;

// The manager's figures and books are of today.
test.beforeAll(() => sleepOverMidnight(dayMaxMs));

test("a day: float, withdrawals of different fates, a printer that dies in the third, a cashier change, cash-in, search, reprint, blind close, report, figures, books", async ({
  openShop,
}) => {
  await using printer = await startVirtualPrinter();
  const shop = await openShop();
  const till = await shop.openTill();
  const { page } = till;
  // The page has its session by then.
  await till.shows("ready");
  expect(await setUp(page, printer)).toEqual([]);
  await test.step("a cashier signs in", () => signIn(page, "Bo"));

  await test.step("nothing is looked up before the float is counted", async () => {
    await expect(page.getByRole("heading", { name: en.day.ready })).toBeVisible();
    await shot(page, "1-no-day");
    await till.press(en.day.readyButton);
    await expect(page.getByLabel("€200.00")).toBeFocused();
    await page.getByLabel("€50.00").fill("4");
    await page.getByLabel("€20.00").fill("five");
    await expect(page.getByText(en.day.wrong)).toBeVisible();
    await expect(till.button(en.day.look)).toBeDisabled();
    await page.getByLabel("€20.00").fill("5");
    await page.getByLabel(en.day.otherSum).fill("12,40");
    await expect(page.getByText("€312.40")).toBeVisible();
    await shot(page, "2-float");
    // Enter leads from field to field, and opens nothing by itself.
    await page.getByLabel("€200.00").focus();
    for (const _ of Array.from({ length: 14 })) await page.keyboard.press("Enter");
    await expect(page.getByLabel(en.day.otherSum)).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(till.button(en.day.look)).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: en.day.lookTitle })).toBeVisible();
    await expect(figure(page, "4 × €50.00")).toHaveText("€200.00");
    await shot(page, "2-look");
    await till.press(en.day.begin);
    await till.shows("ready");
  });
  await test.step("what was typed wrong is mended while nothing was paid", async () => {
    await till.press(en.day.title);
    await till.press(en.day.mend);
    await expect(page.getByLabel("€50.00")).toHaveValue("4");
    await till.press(en.day.back);
    await till.press(en.day.serve);
    await till.shows("ready");
  });

  const serve = async (amount: string): Promise<string> => {
    const { transaction_id: id } = await shop.bank.request(amount);
    await till.scan(id);
    await till.shows("review");
    await till.press(en.review.confirm);
    await till.shows("approval");
    await shop.bank.decideSca(id, "approved");
    await till.offersCash();
    await till.handOver();
    await till.shows("done");
    // By itself after three seconds, which a busy machine may need for a press.
    await till.shows("ready");
    return id;
  };

  await test.step("1: handed out, with a receipt", async () => {
    const id = await serve("50.00");
    await expect.poll(() => printer.interpreter.codes).toContain(id);
    expect(paperOf(printer)).toContain("€50.00");
    expect(paperOf(printer)).toContain(`*** ${"TRAINING"} ***`);
  });
  await test.step("2: more than the drawer holds cannot be confirmed; rejected by the cashier", async () => {
    const { transaction_id: id } = await shop.bank.request("300.00");
    await till.scan(id);
    await expect(page.getByRole("heading", { name: en.day.shortTitle })).toBeVisible();
    await expect(page.getByText(`With €50.00 more in the drawer it is enough. ${en.day.short}`)).toBeVisible();
    await expect(till.button(en.review.confirm)).toBeDisabled();
    await shot(page, "2-short");
    await till.press(en.review.reject);
    await till.showsEnd("rejected");
    await till.press(en.ended.nextCustomer);
  });
  const ids = { third: "" };
  await test.step("3: the printer dies, the cash goes out, a line says so, and it prints when it lives again", async () => {
    await printer.switchOff();
    const id = await serve("70.00");
    ids.third = id;
    await expect(page.getByText(en.printing.why.unreachable)).toBeVisible();
    await shot(page, "3-printer-died");
    await printer.switchOn();
    // Where it has not come back by itself by now.
    const retry = page.getByRole("button", { name: en.printing.retry, exact: true });
    await retry.evaluateAll((buttons) => buttons.forEach((button) => void (button as HTMLElement).click()));
    await expect.poll(() => printer.interpreter.codes.filter((code) => code === id)).toHaveLength(1);
    await expect(page.getByText(en.printing.why.unreachable)).toBeHidden();
  });
  await test.step("4: refused by the customer", async () => {
    const { transaction_id: id } = await shop.bank.request("30.00");
    await till.scan(id);
    await till.press(en.review.confirm);
    await till.shows("approval");
    await shop.bank.decideSca(id, "denied");
    await till.showsEnd("sca_denied");
    await till.press(en.ended.nextCustomer);
  });
  await test.step("the next cashier takes over", async () => {
    await till.press(`${en.people.change}: Bo`);
    await signIn(page, "Jo");
    await till.shows("ready");
  });
  await test.step("5: the customer left, nothing was handed out", async () => {
    const { transaction_id: id } = await shop.bank.request("40.00");
    await till.scan(id);
    await till.press(en.review.confirm);
    await till.shows("approval");
    await shop.bank.decideSca(id, "approved");
    await till.offersCash();
    await till.press(en.payable.notHandedOut);
    await till.press(en.notHandedOut.customer_left);
    await till.showsEnd("not_handed_out");
    await till.press(en.ended.nextCustomer);
  });
  await test.step("6: canceled by the customer before it was scanned", async () => {
    const { transaction_id: id } = await shop.bank.request("10.00");
    await shop.bank.cancel(id);
    await till.scan(id);
    await till.showsEnd("user_canceled");
    await till.press(en.ended.nextCustomer);
  });

  const openDrawerPage = async (): Promise<void> => {
    await till.press(en.day.title);
    await expect(page.getByRole("heading", { name: en.day.title, level: 1 })).toBeVisible();
  };
  await test.step("cash in with a reason", async () => {
    await openDrawerPage();
    await till.press(en.day.cashIn);
    await page.getByLabel(en.day.otherSum).fill("200");
    await till.press(en.day.look);
    await page.getByLabel(en.day.reason).selectOption("change");
    await page.getByLabel(en.day.note).fill("from the safe");
    await shot(page, "5-cash-in");
    const putIn = en.day.putIn.replace("{{sum}}", "€200.00");
    await expect(page.getByRole("heading", { name: putIn })).toBeVisible();
    await till.press(putIn);
    await expect(page.getByRole("dialog")).toContainText(`${en.day.cashIn} · €200.00`);
    await typePin(page, managerPin);
    await expect(page.getByText("from the safe")).toBeVisible();
    await expect(figure(page, en.day.expected)).toHaveCount(0);
    await till.press(en.day.reveal);
    await typePin(page, managerPin);
    await expect(figure(page, en.day.expected)).toHaveText("€392.40");
    await shot(page, "6-open-day");
    await till.press(en.day.leave);
  });
  await test.step("what a manager may see goes with the manager", async () => {
    await till.press(en.header.manager);
    await typePin(page, managerPin);
    await till.press(en.day.title);
    await expect(page.getByRole("heading", { name: en.day.openTitle })).toBeVisible();
    await expect(figure(page, en.day.expected)).toHaveCount(0);
    await till.press(en.day.leave);
  });
  await test.step("7: handed out after the cash-in", async () => {
    await serve("60.00");
  });
  await test.step("a cashier finds a withdrawal by a part of its code, and its reprint is marked as a copy", async () => {
    await till.press(en.manager.history);
    await expect(page.getByRole("row")).toHaveCount(7);
    await page.getByLabel(en.history.cashier, { exact: true }).selectOption("C3");
    await expect(page.getByRole("row")).toHaveCount(3);
    await till.press(en.history.reset);
    await page.getByLabel(en.history.find).fill(ids.third.slice(5, 12).toLowerCase());
    await expect(page.getByRole("row")).toHaveCount(2);
    await shot(page, "7-search");
    await page.getByRole("button", { name: en.history.story }).click();
    for (const step of [
      "confirm_intended",
      "there_awaiting_sca",
      "there_settled",
      "handed_out",
      "there_linked",
    ] as const)
      await expect(page.getByText(en.story.steps[step], { exact: true })).toBeVisible();
    await shot(page, "7-story");
    await till.press(en.printing.customer);
    await expect.poll(() => paperOf(printer)).toContain("*** COPY ***");
    await page.keyboard.press("Escape");
    await till.shows("ready");
  });

  await test.step("a blind count, a difference with a reason, the report", async () => {
    await openDrawerPage();
    await till.press(en.day.countAndClose);
    await page.getByLabel("€50.00").fill("5");
    await page.getByLabel("€20.00").fill("4");
    await page.getByLabel(en.day.otherSum).fill("2.30");
    await expect(page.getByText("332.40")).toHaveCount(0);
    await shot(page, "8-blind-count");
    await till.press(en.day.look);
    await till.press(en.day.countDone);
    await expect(figure(page, en.day.counted)).toHaveText("€332.30");
    // Counted once more, nothing has to be typed again.
    await till.press(en.day.recount);
    await expect(page.getByLabel("€20.00")).toHaveValue("4");
    await till.press(en.day.look);
    await till.press(en.day.countDone);
    await expect(figure(page, en.day.counted)).toHaveText("€332.30");
    await expect(figure(page, en.day.difference)).toHaveCount(0);
    await till.press(en.day.reveal);
    await typePin(page, managerPin);
    await expect(figure(page, en.day.difference)).toHaveText("−€0.10");
    await page.getByLabel(en.day.differs).fill("a coin fell under the desk");
    await shot(page, "9-close");
    const before = printer.interpreter.cuts;
    await till.press(en.day.close);
    await expect(page.getByRole("heading", { name: en.day.closedTitle })).toBeVisible();
    await expect(page.getByText("Day report Z 1")).toBeVisible();
    await shot(page, "9-closed");
    await expect.poll(() => printer.interpreter.cuts).toBe(before + 1);
    await till.press(en.day.finished);
    await expect(page.getByRole("heading", { name: en.day.ready })).toBeVisible();
  });

  await test.step("all figures agree with the service's report to the cent", async () => {
    const paper = paperOf(printer).split("Day report Z 1").at(-1) ?? "";
    for (const figures of ["€312.40", "€200.00", "€332.30"]) expect(paper).toContain(figures);
    // The cashier has counted blind, and takes the paper from the printer.
    for (const figures of ["€180.00", "€332.40", "€0.10"]) expect(paper).not.toContain(figures);
    expect(paper).toContain("Short form");
    const lines = [...(await shop.bank.report()).values()];
    const linked = lines.filter(({ status }) => status === "linked");
    const cents = linked.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
    expect([linked.length, cents]).toEqual([3, 18_000]);
  });

  await test.step("the manager's figures and books say the same, and what was not handed out is explained", async () => {
    await till.press(en.header.manager);
    await typePin(page, managerPin);
    await till.press(en.figures.title);
    await expect(figure(page, en.figures.sum)).toHaveText("€180.00");
    await expect(figure(page, en.figures.count)).toHaveText("3");
    await expect(page.getByText(`${en.outcomes.handed_out}: 3`)).toBeAttached();
    // Counts are whole: three withdrawals have no quarter of one on the axis.
    const ticks = page
      .locator("figure", { hasText: en.figures.countByHour })
      .locator(".recharts-yAxis-tick-labels text");
    await expect(ticks.nth(1)).toBeAttached();
    for (const tick of await ticks.allTextContents()) expect(tick).toMatch(/^\d+$/);
    await shot(page, "10-figures");
    await till.press(en.books.title);
    await expect(page.getByRole("row", { name: /^EUR €180.00 \(3\) €180.00 \(3\) €0.00$/ })).toBeVisible();
    await expect(page.getByText(en.books.explain.undelivered)).toBeVisible();
    await shot(page, "11-books");
    const books = await saved(page, en.csv.saveWhat.replace("{{what}}", en.csv.sums));
    expect(books).toContain(",EUR,3,180.00,3,180.00,0.00\r\n");
    await till.press(en.history.list);
    const list = await saved(page, en.csv.save);
    const paid = list.split("\r\n").filter((line) => line.includes(",Handed out,Handed out,"));
    expect(paid.map((line) => line.split(",")[4])).toEqual(["60.00", "70.00", "50.00"]);
  });

  await test.step("the next day is opened with less than was left: the difference is named, and why", async () => {
    await page.keyboard.press("Escape");
    await till.press(en.day.readyButton);
    await page.getByLabel(en.day.otherSum).fill("300");
    await till.press(en.day.look);
    await expect(page.getByText(/−€[\d.]+ against what should be in it/)).toBeVisible();
    await till.press(en.day.begin);
    await expect(page.getByText(en.refusals.reason_needed)).toBeVisible();
    await page.getByLabel(en.day.why).fill("the safe was opened");
    await shot(page, "11-night");
    await till.press(en.day.begin);
    await till.shows("ready");
    await till.press(en.header.manager);
    await typePin(page, managerPin);
    await expect(page.getByText(/opened with another sum/)).toBeVisible();
    // The other one was shown under a manager's PIN, and explained.
    await expect(page.getByText(/closed with a difference/)).toHaveCount(0);
    await shot(page, "11-problems");
  });

  await test.step("the manager finds the day, and it can be saved", async () => {
    await till.press(en.day.reports);
    await expect(page.getByRole("cell", { name: "€332.40" })).toBeVisible();
    await shot(page, "12-reports");
    expect(await saved(page, en.csv.saveWhat.replace("{{what}}", en.csv.days))).toContain(
      "312.40,200.00,0.00,3,180.00,332.40,332.30,-0.10,a coin fell under the desk",
    );
    await till.press(en.day.read);
    await expect(page.getByRole("article")).toContainText("-€0.10");
    const before = printer.interpreter.cuts;
    await till.press(en.day.print);
    await expect.poll(() => printer.interpreter.cuts).toBe(before + 1);
    const copy = paperOf(printer).split("Day report Z 1").at(-1) ?? "";
    for (const figures of ["€312.40", "€200.00", "-€180.00", "€332.40", "€332.30", "-€0.10"])
      expect(copy).toContain(figures);
    expect(copy).not.toContain("Short form");
  });
});
