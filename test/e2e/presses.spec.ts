/** What presses, keys and typed codes become: one command for the screen that was seen, and none for any other. */
import type { Page } from "@playwright/test";
import { groupId, makeTransactionId } from "../../backend/contract/ids.ts";
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { openTill } from "./gallery/fake-till.ts";
import { screenOf, settings } from "./gallery/snapshots.ts";
import { expect, test } from "./stage/kept-page.ts";
import { test as testAlone } from "./stage/shop.ts";

const id = makeTransactionId(new Uint8Array([7, 15, 3, 19, 9, 23, 2, 20, 4, 29, 18, 8, 10, 1, 28]));
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Many presses of the same button within one frame, as a shaking finger or a script gives them. */
const mash = (page: Page, name: string, times: number) =>
  button(page, name).evaluate((element: HTMLElement, count) => {
    for (let press = 0; press < count; press += 1) element.click();
  }, times);

test("confirm pressed many times in one frame is sent once", async ({ page }) => {
  const till = await openTill(page, screenOf("review"));
  await expect(button(page, en.review.confirm)).toBeEnabled();
  await mash(page, en.review.confirm, 5);
  await page.keyboard.press("Enter");
  await expect(button(page, en.review.confirm)).toHaveAttribute("aria-busy", "true");
  expect(till.commands).toEqual([{ type: "confirm", step: "1.review" }]);
});

test("confirm and reject in the same frame: the first one counts", async ({ page }) => {
  const till = await openTill(page, screenOf("review"));
  await expect(button(page, en.review.confirm)).toBeEnabled();
  await page.evaluate(
    ([reject, confirm]) => {
      const press = (label: string) =>
        [...document.querySelectorAll("button")].find((one) => one.textContent?.includes(label))?.click();
      press(reject ?? "");
      press(confirm ?? "");
    },
    [en.review.reject, en.review.confirm],
  );
  await expect(button(page, en.review.reject)).toHaveAttribute("aria-busy", "true");
  expect(till.commands.map(({ type }) => type)).toEqual(["reject"]);
});

test("a screen that holds its presses back looks so, for as long as it does", async ({ page }) => {
  const till = await openTill(page, screenOf("payable"));
  const faces = await page.evaluate(async (counting) => {
    window.pushSnapshot(counting);
    const painted = () => new Promise(requestAnimationFrame);
    await painted();
    await painted();
    return [...document.querySelectorAll("[data-region=actions] button")].map((one) => getComputedStyle(one).opacity);
  }, screenOf("counting"));
  expect(new Set(faces)).toEqual(new Set(["0.55"]));
  await expect(button(page, en.opening.handedOut)).toHaveCSS("opacity", "1");
  await page.keyboard.press("Enter");
  await expect.poll(() => till.commands.map(({ type }) => type)).toEqual(["hand_out"]);
});

test("a press meant for the screen before does nothing on the next", async ({ page }) => {
  const till = await openTill(page, screenOf("waiting-payment"));
  // In one turn of the page: the screen changes and the finger comes down where Confirm was.
  await page.evaluate(async (payable) => {
    window.pushSnapshot(payable);
    const painted = () => new Promise(requestAnimationFrame);
    await painted();
    await painted();
    document.querySelector<HTMLElement>("[data-main]")?.click();
    window.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
  }, screenOf("payable"));
  await expect(button(page, en.payable.ok)).toBeEnabled();
  expect(till.commands).toEqual([]);
  await button(page, en.payable.ok).click();
  await expect.poll(() => till.commands).toMatchObject([{ type: "hand_out", step: "1.payable" }]);
});

test("Enter and F9 on the review mean confirm, Enter on a finished withdrawal means dismiss", async ({ page }) => {
  const till = await openTill(page, screenOf("starting"));
  for (const [key, screen, label, command] of [
    ["Enter", "review", en.review.confirm, "confirm"],
    ["F9", "review", en.review.confirm, "confirm"],
    ["Enter", "done", en.done.nextCustomer, "dismiss"],
  ] as const) {
    const [step, sentBefore] = [`${key}.${screen}`, till.commands.length];
    await till.show(screenOf(screen), step);
    await expect(button(page, label)).toBeEnabled();
    await page.keyboard.press(key);
    await expect.poll(() => till.commands.slice(sentBefore), step).toEqual([{ type: command, step }]);
  }
});

test("Esc decides nothing on the review, while the customer approves or on the question of another shop's journal; F8 does", async ({
  page,
}) => {
  const till = await openTill(page, screenOf("starting"));
  for (const [screen, label, command] of [
    ["review", en.review.reject, "reject"],
    ["waiting-approval", en.waiting.reject, "reject"],
    ["blocked-other", en.blocked.adopt, "answer_journal_question"],
  ] as const) {
    const sentBefore = till.commands.length;
    const sent = () => till.commands.slice(sentBefore).map(({ type }) => type);
    await till.show(screenOf(screen), `1.${screen}`);
    await expect(button(page, label)).toBeEnabled();
    await page.keyboard.press("Escape");
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(sent(), screen).toEqual([]);
    await page.keyboard.press("F8");
    await expect.poll(sent, screen).toEqual([command]);
    await expect(button(page, label)).not.toContainText("Esc");
  }
});

for (const [key, choice] of [
  ["F8", "adopt"],
  ["F9", "set_aside"],
] as const)
  test(`${key} answers a journal that may be another shop's with ${choice}`, async ({ page }) => {
    const till = await openTill(page, screenOf("blocked-other"));
    await expect(button(page, en.blocked.adopt)).toBeEnabled();
    await page.keyboard.press(key);
    await expect.poll(() => till.commands).toEqual([{ type: "answer_journal_question", choice }]);
  });

for (const [what, shown, label, command] of [
  ["notes that cannot make the amount are not confirmed", "review-no-notes", en.review.confirm, "confirm"],
  ["an unclear payment is not left for nobody else while offline", "unknown", en.unknown.nextCustomer, "dismiss"],
] as const)
  test(`${what} by a reflex Enter; the button still does it when it is meant`, async ({ page }) => {
    const till = await openTill(page, screenOf(shown));
    await expect(button(page, label)).toBeEnabled();
    await page.keyboard.press("Enter");
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(till.commands).toEqual([]);
    await expect(page.locator("[data-main]")).toHaveCount(0);
    await expect(button(page, label)).not.toContainText("Enter");
    await button(page, label).focus();
    await page.keyboard.press("Space");
    await expect.poll(() => till.commands.map(({ type }) => type)).toEqual([command]);
  });

test("an unclear payment is left by Enter while others can be served", async ({ page }) => {
  const { header, ...rest } = screenOf("unknown");
  const till = await openTill(page, { ...rest, header: { ...header, connection: "online" } });
  await expect(button(page, en.unknown.nextCustomer)).toBeEnabled();
  await page.keyboard.press("Enter");
  await expect.poll(() => till.commands.map(({ type }) => type)).toEqual(["dismiss"]);
});

test("while the customer approves, a lost connection is said once, and gone when it is back", async ({ page }) => {
  const calm = screenOf("waiting-approval");
  const till = await openTill(page, calm);
  const line = page.getByRole("status").filter({ hasText: en.waiting.offlineNext });
  await till.push({ ...calm, revision: 2, header: { ...calm.header, connection: "offline" } });
  await expect(line).toHaveCount(1);
  await expect(page.getByText(en.waiting.offlineNext)).toHaveCount(2);
  await expect(button(page, en.waiting.reject)).toBeEnabled();
  await till.push({ ...calm, revision: 3 });
  await expect(page.getByText(en.waiting.offlineNext)).toHaveCount(0);
  await expect(page.getByText(en.waiting.approvalNext)).toBeVisible();
});

test("cash that a reject came too late for is named so", async ({ page }) => {
  const till = await openTill(page, screenOf("payable-rejected"));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(en.payable.rejectedTitle);
  await till.show(screenOf("payable-recovered"), "1.payable");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(en.payable.recoveredTitle);
});

test("the first screen has no main button: typing is what is done where nothing can be scanned", async ({ page }) => {
  await openTill(page, screenOf("ready"));
  await expect(button(page, en.ready.type)).toBeEnabled();
  await expect(page.locator("[data-main]")).toHaveCount(0);
});

test("an Enter that ends a scan confirms nothing, nor does a held one", async ({ page }) => {
  const till = await openTill(page, screenOf("review"));
  await expect(button(page, en.review.confirm)).toBeEnabled();
  await page.keyboard.type(id.slice(0, 8), { delay: 40 });
  // The last character and what follows it in one turn of the page, so that no machine is too slow for it.
  await page.evaluate((last) => {
    for (const key of [{ key: last }, { key: "Enter" }, { key: "Enter", repeat: true }])
      window.dispatchEvent(new KeyboardEvent("keydown", key));
  }, id.charAt(8));
  // Keys this soon behind a scan are taken for the scanner's own, F8 too.
  await expect(async () => {
    await page.keyboard.press("F8");
    expect(till.commands.at(-1)?.type).toBe("reject");
  }).toPass();
  expect(till.commands.filter(({ type }) => type === "confirm")).toEqual([]);
});

test("a held Enter answers no screen", async ({ page }) => {
  const till = await openTill(page, screenOf("review"));
  await expect(button(page, en.review.confirm)).toBeEnabled();
  await page.evaluate(() => window.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", repeat: true })));
  await page.keyboard.press("F8");
  await expect.poll(() => till.commands.map(({ type }) => type)).toEqual(["reject"]);
});

test("a customer whose bank still pays is not left by a reflex Enter", async ({ page }) => {
  const till = await openTill(page, screenOf("waiting-payment"));
  await expect(button(page, en.waiting.nextCustomer)).toBeEnabled();
  await page.keyboard.press("Enter");
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(till.commands).toEqual([]);
  await page.keyboard.press("F9");
  await expect.poll(() => till.commands.map(({ type }) => type)).toEqual(["dismiss"]);
});

test("an Enter right after a typed character confirms nothing; one a moment later does", async ({ page }) => {
  const till = await openTill(page, screenOf("review"));
  await expect(page.locator('main [aria-disabled="true"]')).toHaveCount(0);
  // In one turn of the page, so that no machine is too slow for it; too short for a scan, so that no scanner's rules take the Enter.
  const isTaken = await page.evaluate(() => {
    const press = (key: string) => !window.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
    press("x");
    return press("Enter");
  });
  expect(isTaken).toBe(false);
  await expect(async () => {
    await page.keyboard.press("Enter");
    expect(till.commands).toEqual([{ type: "confirm", step: "1.review" }]);
  }).toPass();
});

test("a refused command says why and may be given again", async ({ page }) => {
  const till = await openTill(page, screenOf("review"));
  till.answer(() => ({ ok: false, code: "failed" }));
  await button(page, en.review.confirm).click();
  await expect(page.getByRole("status").filter({ hasText: en.refusals.failed })).toBeVisible();
  till.answer(() => ({ ok: true }));
  await button(page, en.review.confirm).click();
  await expect(button(page, en.review.confirm)).toHaveAttribute("aria-busy", "true");
  // Looked at once: it would go by itself, too.
  expect(await page.locator("[data-region=toast]").innerText(), "no word about the press before").toBe("");
  expect(till.commands).toHaveLength(2);
});

for (const [what, screen, press, between] of [
  ["cash, once the service was asked about it", "payable", en.payable.ok, "opening-checking"],
  ["a reject that an approval was faster than", "waiting-approval", en.waiting.reject, "closing-cashier"],
] as const)
  test(`a screen that comes back waits for no earlier press: ${what}`, async ({ page }) => {
    const till = await openTill(page, screenOf(screen));
    await button(page, press).click();
    await expect.poll(() => till.commands).toHaveLength(1);
    await till.show(screenOf(between), screenOf(between).screen.step);
    await till.show(screenOf(screen), screenOf(screen).screen.step);
    await expect(button(page, press)).toBeEnabled();
    await expect(button(page, press)).toHaveAttribute("aria-busy", "false");
    await button(page, press).click();
    await expect.poll(() => till.commands).toHaveLength(2);
  });

test("asking again about the unknown may be pressed as often as one likes", async ({ page }) => {
  const till = await openTill(page, screenOf("unknown"));
  await button(page, en.unknown.retry).click();
  await button(page, en.unknown.retry).click();
  await expect.poll(() => till.commands.map(({ type }) => type)).toEqual(["retry", "retry"]);
});

test("not handed out needs a reason and is no slip of the finger", async ({ page }) => {
  const till = await openTill(page, screenOf("payable"));
  await expect(button(page, en.payable.notHandedOut)).toBeEnabled();
  // The second of two quick taps, in the turn of the page that draws the reasons: no machine is too slow for it.
  await page.evaluate(
    ([ask, reason]) =>
      new Promise<void>((resolve) => {
        const named = (label: string) =>
          [...document.querySelectorAll("button")].find((one) => one.textContent?.includes(label));
        const observer = new MutationObserver(() => {
          const choice = named(reason);
          if (!choice) return;
          observer.disconnect();
          choice.click();
          resolve();
        });
        observer.observe(document, { subtree: true, childList: true });
        named(ask)?.click();
      }),
    [en.payable.notHandedOut, en.notHandedOut.till_short] as const,
  );
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("F9");
  expect(till.commands).toEqual([]);
  await expect(async () => {
    if (till.commands.length === 0) await button(page, en.notHandedOut.till_short).click({ timeout: 1000 });
    await expect
      .poll(() => till.commands, { timeout: 1000 })
      .toEqual([{ type: "not_handed_out", step: "1.payable", reason: "till_short" }]);
  }).toPass();
});

test("a code is typed on the screen's keys or by hand, look-alikes and all, and tested before it is sent", async ({
  page,
}) => {
  const till = await openTill(page, screenOf("ready"));
  await button(page, en.ready.type).click();
  const field = page.getByLabel(en.entry.field);
  await expect(field).toBeFocused();
  for (const character of id.slice(0, 4)) await button(page, character).click();
  await expect(field).toHaveValue(id.slice(0, 4));
  const wrong = `${id.slice(0, 15)}${id.endsWith("7") ? "8" : "7"}`;
  await field.fill(wrong);
  await expect(page.getByText(en.entry.wrong)).toBeVisible();
  await field.press("Enter");
  await page.keyboard.press("F9");
  expect(till.commands).toEqual([]);

  await field.fill(`  ${groupId(id).toLowerCase().replaceAll("0", "o").replaceAll("1", "l")}\t`);
  await expect(field).toHaveValue(groupId(id));
  await button(page, en.entry.lookUp).click();
  await expect.poll(() => till.commands).toEqual([{ type: "scan", text: id, source: "typed" }]);
});

test("a paste with control characters is cleaned and marked as a paste", async ({ page }) => {
  const till = await openTill(page, screenOf("ready"));
  await button(page, en.ready.type).click();
  await page.getByLabel(en.entry.field).evaluate(
    (field, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    },
    `\u200b${id.slice(0, 8)}\r\n\u0007${id.slice(8)}\u0000`,
  );
  await expect(page.getByLabel(en.entry.field)).toHaveValue(groupId(id));
  await button(page, en.entry.lookUp).click();
  await expect.poll(() => till.commands).toEqual([{ type: "scan", text: id, source: "pasted" }]);
});

test("a toast that was there before the page is not shown, one that comes is", async ({ page }) => {
  const review = screenOf("review");
  const till = await openTill(page, { ...review, toast: { id: 3, code: "busy_review" } });
  const shown = page.getByText(en.toasts.busy_review);
  await expect(button(page, en.review.confirm)).toBeEnabled();
  await expect(shown).toHaveCount(0);
  await till.push({ ...review, revision: 2, toast: { id: 4, code: "busy_review" } });
  await expect(shown).toBeVisible();
});

test("a toast that came while the page was busy is shown on the screen that came with it, and goes on into the review", async ({
  page,
}) => {
  const till = await openTill(page, screenOf("ready"));
  const toast = { id: 4, code: "busy_lookup" } as const;
  const line = page.locator("[data-region=toast]");
  // Both in one turn: the page draws the second of them alone.
  await page.evaluate(
    (both) => {
      for (const one of both) window.pushSnapshot(one);
    },
    [screenOf("looking-up"), { ...screenOf("looking-up"), toast }],
  );
  await expect(line).toHaveText(en.toasts.busy_lookup);
  await till.push({ ...screenOf("review"), toast });
  await expect(line).toHaveText(en.toasts.busy_review);
  await till.push({ ...screenOf("confirming"), toast });
  await expect(page.getByRole("heading", { name: en.confirming.title })).toBeVisible();
  await expect(line).toHaveText("");
});

testAlone("the last ten seconds are heard, and the words follow the clock", async ({ page }) => {
  await page.clock.install({ time: 0 });
  await page.addInitScript(() => {
    const ticks: number[] = [];
    Object.assign(window, { ticks });
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (when) {
      ticks.push(performance.now());
      start.call(this, when);
    };
  });
  const ticks = () => page.evaluate(() => (window as unknown as { ticks: number[] }).ticks.length);
  const waiting = screenOf("waiting-approval");
  const till = await openTill(page, screenOf("starting"));
  await page.mouse.click(500, 300);
  await page.clock.pauseAt(600_000);
  await till.push(waiting);
  await page.clock.runFor(200);
  await expect(page.getByText("28 seconds left").first()).toBeVisible();
  await page.clock.runFor(16_500);
  await expect(page.getByText("12 seconds left").first()).toBeVisible();
  expect(await ticks()).toBe(0);
  await page.clock.runFor(5_000);
  await expect(page.getByText("7 seconds left").first()).toBeVisible();
  expect(await ticks()).toBeGreaterThan(0);
  await page.clock.runFor(20_000);
  await expect(page.getByText(en.waiting.over)).toBeVisible();

  const before = await ticks();
  await till.push({ ...waiting, screen: { ...waiting.screen, step: "2.quiet" }, settings: settings({ sound: false }) });
  await page.clock.runFor(25_000);
  expect(await ticks()).toBe(before);
});

testAlone("green comes in with a movement, and without one for who wants none", async ({ page }) => {
  const till = await openTill(page, screenOf("waiting-payment"));
  // In the turn of the page that draws it: a movement that a slow machine looks at later may be over.
  const longestMs = () =>
    page.evaluate(
      (green) =>
        new Promise<number>((resolve) => {
          const observer = new MutationObserver(() => {
            if (!document.querySelector(`[data-step="${green.screen.step}"]`)) return;
            observer.disconnect();
            const moving = document
              .getAnimations()
              .filter((animation) => (animation.effect as KeyframeEffect).target?.closest("[data-region=banner]"))
              .map((animation) => Number(animation.effect?.getComputedTiming().duration));
            resolve(Math.max(0, ...moving));
          });
          observer.observe(document, { subtree: true, childList: true, attributes: true });
          window.pushSnapshot(green);
        }),
      screenOf("payable"),
    );
  expect(await longestMs()).toBeGreaterThan(100);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await till.show(screenOf("waiting-payment"), "2.before");
  expect(await longestMs()).toBeLessThanOrEqual(1);
  await expect(page.locator("[data-region=banner]")).toContainText(en.cash.give);
});
