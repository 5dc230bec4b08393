/** What a withdrawal that came back says and asks: never "give" by colour, sound or habit where the cash may be given already. */
import type { Page } from "@playwright/test";
import { printerSchema } from "../../preload/settings.ts";
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { answerManager } from "./gallery/answers.ts";
import { openTill } from "./gallery/fake-till.ts";
import { button, overlays } from "./gallery/overlays.ts";
import { busyHeader, failingHeader, gallery, screenOf } from "./gallery/snapshots.ts";
import { expect, test } from "./stage/kept-page.ts";
import { test as testAlone } from "./stage/shop.ts";

/** Notes the pitch of each tone that the page plays. */
const listen = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    const tones: number[] = [];
    Object.assign(window, { tones });
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (when) {
      tones.push(this.frequency.value);
      start.call(this, when);
    };
  });
};
const playedTones = (page: Page) => page.evaluate(() => (window as unknown as { tones: number[] }).tones);
/** What the gallery's drawer makes its 150 of. */
const cash = [{ valueMinor: 5_000, count: 3 }];
const neverTones = [330, 220];
const giveTones = [660, 990];
const promptTones = [520, 520];

for (const [name, tones] of [
  ["payable", giveTones],
  ["payable-recovered", promptTones],
  ["payable-begun", promptTones],
  ["payable-journal-failing", neverTones],
] as const)
  testAlone(`${name} is heard as what it is`, async ({ page }) => {
    await listen(page);
    const till = await openTill(page, screenOf("waiting-payment"));
    await page.mouse.click(500, 300);
    await page.waitForFunction(() => navigator.userActivation.hasBeenActive);
    await till.push(screenOf(name));
    await expect.poll(() => playedTones(page)).toEqual(tones);
  });

for (const [press, expected] of [
  [en.payable.hasCash, { type: "hand_out", step: "1.payable", alreadyGiven: true, cash }],
  [en.payable.openAndGive, { type: "hand_out", step: "1.payable", cash }],
] as const)
  test(`a hand-out that was begun asks first: "${press}"`, async ({ page }) => {
    const till = await openTill(page, screenOf("payable-begun"));
    await expect(button(page, press)).toBeEnabled();
    await expect(page.locator("main").getByText(en.cash.ask, { exact: true })).toBeVisible();
    await page.keyboard.press("Enter");
    await button(page, press).click();
    await expect(button(page, press)).toHaveAttribute("aria-busy", "true");
    expect(till.commands).toEqual([expected]);
  });

test("without a drawer a begun hand-out has one OK, which Enter does not press", async ({ page }) => {
  const till = await openTill(page, screenOf("payable-by-hand-begun"));
  await expect(button(page, en.payable.okByHand)).toBeEnabled();
  await expect(button(page, en.payable.hasCash)).toHaveCount(0);
  await page.keyboard.press("Enter");
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(till.commands).toEqual([]);
  await button(page, en.payable.okByHand).click();
  await expect(button(page, en.payable.okByHand)).toHaveAttribute("aria-busy", "true");
  expect(till.commands).toEqual([{ type: "hand_out", step: "1.payable", cash }]);
});

testAlone(
  "counting keeps the amount, takes no early press, and asks why before nothing is handed out",
  async ({ page }) => {
    await page.clock.install({ time: 0 });
    const till = await openTill(page, screenOf("opening-opening"));
    // From here on the page's time moves when the test says so, however slow the machine is.
    await page.clock.pauseAt(600_000);
    await till.push(screenOf("counting-sensed"));
    await page.clock.runFor(1_000);
    await page.keyboard.press("Enter");
    await button(page, en.opening.handedOut).click({ force: true });
    expect(till.commands).toEqual([]);
    await page.clock.runFor(60_000);
    await expect(page.locator("[data-amount]")).toHaveText("€150.00");
    await expect(page.getByText(en.counting.close)).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await page.keyboard.press("F8");
    await page.clock.runFor(1_000);
    await expect(page.getByRole("dialog")).toBeVisible();
    await button(page, en.notHandedOut.till_short).click();
    expect(till.commands).toEqual([{ type: "not_handed_out", step: "1.counting", reason: "till_short" }]);
  },
);

test("another combination is one press away, stays to the count, and goes along as what was handed out", async ({
  page,
}) => {
  const till = await openTill(page, screenOf("review"));
  const tiles = page.getByRole("list", { name: en.pieces.title }).getByRole("listitem");
  await expect(tiles).toHaveText(["3 × €50"]);
  await button(page, en.pieces.other).click();
  await expect(tiles).toHaveText(["2 × €50", "2 × €20", "1 × €10"]);
  await till.push(screenOf("counting-sensed"));
  await expect(tiles).toHaveText(["2 × €50", "2 × €20", "1 × €10"]);
  await expect(button(page, en.opening.handedOut)).toBeEnabled();
  await page.keyboard.press("Enter");
  const given = [
    { valueMinor: 5_000, count: 2 },
    { valueMinor: 2_000, count: 2 },
    { valueMinor: 1_000, count: 1 },
  ];
  await expect.poll(() => till.commands).toEqual([{ type: "hand_out", step: "1.counting", cash: given }]);
  // The next customer's cash is made up anew.
  const { screen, ...rest } = screenOf("review");
  await till.show({ ...rest, screen: { ...screen, withdrawalId: "w-9" } as typeof screen }, "9.review");
  await expect(tiles).toHaveText(["3 × €50"]);
});

test("at 800×600, 1024×768 and 1366×768 the notes have the right half, and the amount is half as large again as beside none", async ({
  page,
}) => {
  const till = await openTill(page, screenOf("unknown"));
  const sizeOf = () =>
    page.locator("[data-amount]").evaluate((amount) => Number.parseFloat(getComputedStyle(amount).fontSize));
  for (const { width, height, times } of [
    { width: 800, height: 600, times: 1.4 },
    { width: 1024, height: 768, times: 1.48 },
    { width: 1366, height: 768, times: 1.48 },
  ]) {
    await page.setViewportSize({ width, height });
    await till.show(screenOf("done"), `${width}.done`);
    const usual = await sizeOf();
    for (const name of ["review", "waiting-approval", "payable", "counting"]) {
      await till.show(screenOf(name), `${width}.${name}`);
      expect((await sizeOf()) / usual, `${name} at ${width}`).toBeGreaterThan(times);
      const tiles = await page.getByRole("list", { name: en.pieces.title }).boundingBox();
      expect(tiles?.x, `${name} at ${width}`).toBeGreaterThan(width / 2);
      expect(tiles?.width, `${name} at ${width}`).toBeGreaterThan(width * 0.38);
    }
  }
});

test("where the drawer's notes are not known, the tiles' place says so and what to do", async ({ page }) => {
  const till = await openTill(page, screenOf("review-notes-unknown"));
  const hint = page.locator("main", { hasText: en.pieces.unknown });
  await expect(hint).toContainText(en.pieces.unknownNext);
  await till.show(screenOf("payable-notes-unknown"), "2.payable");
  await expect(hint).toBeVisible();
  // Counted elsewhere, or too little in the drawer: nothing about its notes.
  for (const name of ["review-uncounted", "payable-uncounted", "review-short"]) {
    await till.show(screenOf(name), `without.${name}`);
    await expect(page.getByText(en.pieces.unknown)).toHaveCount(0);
  }
  const { header, ...rest } = screenOf("review-notes-unknown");
  const day = header.day && { ...header.day, currency: "CHF" };
  await till.show({ ...rest, header: { ...header, day } }, "without.its-currency");
  await expect(page.getByText(en.pieces.unknown)).toHaveCount(0);
});

test("what is being ended or is not known has the tone of no cash, what has ended that of nothing; its amount is large where somebody may expect it", async ({
  page,
}) => {
  const till = await openTill(page, screenOf("starting"));
  for (const [name, tone, amounts] of [
    ["closing-cashier", "never", 1],
    ["closing-time-out", "never", 1],
    ["unknown", "never", 1],
    ["unknown-manager", "never", 1],
    ["waiting-payment", "notYet", 1],
    ["ended-not_handed_out", "nothing", 1],
    ["ended-rejected", "nothing", 0],
  ] as const) {
    const shown = gallery.find((one) => one.name === name);
    if (!shown) throw new Error(`no such screen: ${name}`);
    await till.show(shown.snapshot, name);
    await expect(page.locator(`[data-step="${name}"]`)).toHaveAttribute("data-tone", tone);
    await expect(page.locator("[data-amount]"), name).toHaveCount(amounts);
  }
});

test("what the drawer cannot pay is not asked about; what it has no notes and coins for is, with a warning", async ({
  page,
}) => {
  const till = await openTill(page, screenOf("review-short"));
  await expect(page.getByRole("heading", { name: en.day.shortTitle })).toBeVisible();
  await expect(page.getByText(en.review.title)).toHaveCount(0);
  await till.push(screenOf("review-no-notes"));
  await expect(page.getByRole("heading", { name: en.review.title })).toBeVisible();
  const warning = page.locator("[data-warning]", { hasText: en.day.noNotesTitle });
  await expect(warning).toContainText(en.day.noNotes);
  await expect(warning).not.toHaveCSS("background-color", "rgba(0, 0, 0, 0)");
  const { screen, ...rest } = screenOf("review-no-notes");
  await till.show({ ...rest, screen: { ...screen, drawer: "no_day" } as typeof screen }, "no-day");
  await expect(button(page, en.review.confirm)).toHaveAttribute("data-off");
});

test("a code says that it expires from two minutes before", async ({ page }) => {
  const till = await openTill(page, screenOf("starting"));
  const { screen, ...rest } = screenOf("review");
  for (const [remainingMs, next] of [
    [150_000, en.review.next],
    [119_000, en.review.expires.replace("{{time}}", "1 minute")],
  ] as const) {
    const expires = { totalMs: 900_000, remainingMs };
    await till.show({ ...rest, screen: { ...screen, expires } as typeof screen }, `expires.${remainingMs}`);
    await expect(page.locator("main").getByText(next, { exact: true })).toBeVisible();
  }
});

test("the customer's receipt is offered where none is printed by itself", async ({ page }) => {
  const till = await openTill(page, screenOf("starting"));
  const done = screenOf("done");
  for (const [receipts, times] of [
    ["none", 1],
    ["customer", 0],
    ["shop", 1],
    ["both", 0],
  ] as const) {
    const printer = printerSchema.parse({ kind: "network", host: "10.0.0.9", receipts });
    await till.show({ ...done, settings: { ...done.settings, printer } }, `done.${receipts}`);
    await expect(button(page, en.printing.customer), receipts).toHaveCount(times);
  }
});

test("what ended before the present customer says so in its banner", async ({ page }) => {
  await openTill(page, screenOf("ended-earlier"));
  await expect(page.locator("[data-region=banner]")).toHaveText(en.ended.earlier);
});

test("while the payment is unclear, serving the next is offered with a connection alone", async ({ page }) => {
  const offline = screenOf("unknown");
  const till = await openTill(page, offline);
  await expect(page.getByText(en.unknown.offlineNext)).toBeVisible();
  await expect(page.getByText(en.unknown.next)).toHaveCount(0);
  await till.push({ ...offline, revision: 2, header: { ...offline.header, connection: "online" } });
  await expect(page.getByText(en.unknown.next)).toBeVisible();
});

test("a till that opens for a withdrawal that came back does not simply say to hand out", async ({ page }) => {
  const till = await openTill(page, screenOf("starting"));
  const banner = page.locator("[data-region=banner]");
  for (const [name, next, says] of [
    ["opening-again", en.opening.openingAgainNext, en.cash.opening],
    ["opening-again-failed", en.opening.failedAgainNext, en.cash.drawer],
    ["opening-again-unknown", en.opening.unknownAgainNext, en.cash.drawerUnknown],
  ] as const) {
    await till.show(screenOf(name), `again.${name}`);
    await expect(page.getByText(next)).toBeVisible();
    await expect(banner).toHaveText(says);
    for (const plain of [en.opening.openingNext, en.opening.failedNext, en.opening.unknownNext])
      await expect(page.getByText(plain)).toHaveCount(0);
  }
});

test("a till that cannot write its journal says on every screen that no cash may be given", async ({ page }) => {
  const till = await openTill(page, screenOf("starting"));
  const band = page.locator("[data-region=banner]");
  for (const [index, { name, snapshot }] of gallery.entries()) {
    const step = `${index}.${name}`;
    await till.push({ ...snapshot, header: failingHeader, screen: { ...snapshot.screen, step } });
    await expect(page.locator(`[data-step="${step}"]`)).toHaveAttribute("data-tone", "never");
    await expect(band).toContainText(en.cash.never);
    await expect(band).toContainText(en.journalFailing.banner);
    await expect(page.locator("[data-gives]"), name).toHaveCount(0);
  }
});

test("counted cash is not said to be with the customer while no entry of that can be written", async ({ page }) => {
  const till = await openTill(page, screenOf("counting-journal-failing"));
  await expect(button(page, en.opening.again)).toBeEnabled();
  await expect(button(page, en.opening.handedOut)).toHaveAttribute("data-off");
  await page.keyboard.press("Enter");
  await button(page, en.opening.handedOut).click({ force: true });
  expect(till.commands).toEqual([]);
});

test("a journal that fails is announced, covers the manager's area too, and goes when it works again", async ({
  page,
}) => {
  const payable = screenOf("payable");
  const till = await openTill(page, payable);
  const announcer = page.locator("[aria-live=assertive]");
  await expect(announcer).toContainText(en.cash.give);
  // The screen is up long enough for a press to count: only the journal is in its way from here on.
  await expect(button(page, en.payable.ok)).toBeEnabled();
  await till.push({ ...payable, header: failingHeader });
  await expect(announcer).toContainText(en.journalFailing.banner);
  await expect(page.getByRole("heading", { name: en.journalFailing.title })).toBeVisible();
  await expect(page.getByRole("list", { name: en.pieces.title })).toHaveCount(0);
  await page.keyboard.press("F9");
  await button(page, en.payable.ok).click({ force: true });
  expect(till.commands).toEqual([]);
  await till.push(payable);
  await expect(page.getByText(en.journalFailing.banner)).toHaveCount(0);

  till.answer(answerManager);
  await till.push(screenOf("ready-journal-failing"));
  await overlays.history?.(page);
  await expect(page.locator("[data-region=banner]")).toContainText(en.journalFailing.banner);
  // With all the rest that the header may warn of, the journal comes first and the way back stays in sight.
  await till.push({ ...screenOf("ready-journal-failing"), header: { ...busyHeader, journalFailing: true } });
  await page.getByRole("button", { name: en.header.warnings.replace("{{count}}", "4") }).click();
  await expect(page.getByRole("dialog").getByRole("listitem").first()).toContainText(en.warnings.journalNext);
  await expect(page.getByRole("dialog").getByRole("button")).toBeInViewport({ ratio: 1 });
});
