/** A dialog over a screen takes its keys with it: closing it answers nothing of what lies behind, and Enter is the main action again. */
import type { Page } from "@playwright/test";
import type { Snapshot } from "../../preload/contract.ts";
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { answerManager } from "./gallery/answers.ts";
import { type FakeTill, openTill } from "./gallery/fake-till.ts";
import { answerOther, otherOverlaysIn } from "./gallery/other-overlays.ts";
import { button, overlays, troubled } from "./gallery/overlays.ts";
import { busyHeader, gallery, screenOf } from "./gallery/snapshots.ts";
import { expect, test } from "./stage/kept-page.ts";

const dialog = (page: Page) => page.getByRole("dialog");

/** Every screen that takes Esc for itself. */
const escapable = ["looking-up", "review", "waiting-approval"];
const shown = (name: string): Snapshot => {
  const one = gallery.find((it) => it.name === name);
  if (!one) throw new Error(`no such screen: ${name}`);
  return { ...one.snapshot, header: busyHeader };
};

/** Until the screen takes presses: before that nothing could be sent anyway. */
const isArmed = (page: Page) => expect(page.locator('main [aria-disabled="true"]:not([data-off])')).toHaveCount(0);
const openArmed = async (page: Page, first: Snapshot): Promise<FakeTill> => {
  const till = await openTill(page, first);
  await isArmed(page);
  return till;
};

/** As quickly as a key bounces, by the times of the presses, however busy the machine is: the second comes when the first has closed the dialog. */
const pressEscapeTwice = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const press = () => new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true });
    for (const key of [press(), press()]) {
      (document.activeElement ?? document.body).dispatchEvent(key);
      await new Promise((resolve) => setTimeout(resolve));
    }
  });

test("Esc on the warnings or the open list closes the dialog alone, over each screen that takes Esc for itself", async ({
  page,
}) => {
  const till = await openTill(page, screenOf("starting"));
  for (const name of escapable)
    for (const overlay of ["warnings", "open list"] as const)
      await test.step(`${overlay} over ${name}`, async () => {
        const sentBefore = till.commands.length;
        await till.show(shown(name), `${name}.${overlay}`);
        await isArmed(page);
        await overlays[overlay]?.(page);
        await expect(dialog(page)).toBeVisible();
        await pressEscapeTwice(page);
        await expect(dialog(page)).toHaveCount(0);
        expect(till.commands).toHaveLength(sentBefore);
        // The screen has its keys back once the dialog's are over.
        await expect(async () => {
          // F8, which rejects on each of these screens: while the customer approves Esc does nothing.
          await page.keyboard.press("F8");
          expect(till.commands).toHaveLength(sentBefore + 1);
        }).toPass();
      });
});

test("a dialog has its name from the moment it is there, before the focus goes into it", async ({ page }) => {
  await openArmed(page, screenOf("payable"));
  const named = page.evaluate(
    () =>
      new Promise<string | null>((resolve) => {
        new MutationObserver(() => {
          const opened = document.querySelector("[role=dialog]");
          if (opened) resolve(opened.getAttribute("aria-label"));
        }).observe(document.body, { childList: true, subtree: true });
      }),
  );
  await button(page, en.payable.notHandedOut).click();
  const title = await dialog(page).getByRole("heading").first().textContent();
  expect(await named).toBe(title);
});

test("Esc on the question why no cash was handed out answers nothing", async ({ page }) => {
  const till = await openArmed(page, screenOf("payable"));
  await button(page, en.payable.notHandedOut).click();
  await expect(dialog(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toHaveCount(0);
  expect(till.commands).toEqual([]);
});

test("Esc on a dialog over the manager's area closes the dialog, the next Esc the area", async ({ page }) => {
  const till = await openArmed(page, troubled);
  till.answer(answerManager);
  await overlays.history?.(page);
  await overlays.warnings?.(page);
  await expect(dialog(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toHaveCount(0);
  const area = page.getByRole("heading", { name: en.manager.title });
  await expect(area).toBeVisible();
  await expect(async () => {
    await page.keyboard.press("Escape");
    await expect(area).toHaveCount(0, { timeout: 100 });
  }).toPass();
});

test("Esc closes the area at once for whoever has pressed on something since the dialog closed", async ({ page }) => {
  const till = await openArmed(page, troubled);
  till.answer(answerManager);
  await overlays.history?.(page);
  await overlays.warnings?.(page);
  await expect(dialog(page)).toBeVisible();
  // In the page, as quick as only a quick hand is.
  await page.evaluate(async () => {
    const press = () =>
      document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    press();
    while (document.querySelector("[role=dialog]") !== null) await new Promise(requestAnimationFrame);
    document.body.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    press();
  });
  await expect(page.getByRole("heading", { name: en.manager.title })).toHaveCount(0);
});

const review = { ...screenOf("review"), header: busyHeader };
const confirmsOnEnter = async (page: Page, till: FakeTill): Promise<void> => {
  await expect(button(page, en.review.confirm)).toBeEnabled();
  // Again after a pause, as a person does: a press that comes too soon keeps the screen closed a little longer.
  await expect(async () => {
    await page.keyboard.press("Enter");
    await expect(button(page, en.review.confirm)).toHaveAttribute("aria-busy", "true", { timeout: 100 });
  }).toPass({ intervals: [400] });
  expect(till.commands).toEqual([{ type: "confirm", step: "1.review" }]);
};

test("Enter confirms after a scan came while a list of the header was open", async ({ page }) => {
  const till = await openArmed(page, troubled);
  await overlays["open list"]?.(page);
  await expect(dialog(page)).toBeVisible();
  await till.push(review);
  await confirmsOnEnter(page, till);
});

test("Enter confirms after a look at the header's warnings", async ({ page }) => {
  const till = await openArmed(page, review);
  await overlays.warnings?.(page);
  await page.keyboard.press("Escape");
  await expect(page.locator("main")).toBeFocused();
  await confirmsOnEnter(page, till);
});

test("Enter confirms after a press on Reject that came too soon", async ({ page }) => {
  const till = await openTill(page, screenOf("looking-up"));
  // In the turn of the page that draws the button: sooner than the screen takes presses, however busy the machine is.
  await page.evaluate(
    ([next, label]) =>
      new Promise<void>((resolve) => {
        const press = () => {
          const reject = [...document.querySelectorAll("button")].find((one) => one.textContent?.includes(label));
          if (!reject) return;
          observer.disconnect();
          // As a browser does it: the button has the focus unless it does not want it.
          if (reject.dispatchEvent(new MouseEvent("mousedown", { bubbles: true, cancelable: true }))) reject.focus();
          reject.click();
          resolve();
        };
        const observer = new MutationObserver(press);
        observer.observe(document, { subtree: true, childList: true, characterData: true });
        window.pushSnapshot(next);
      }),
    [review, en.review.reject] as const,
  );
  expect(till.commands).toEqual([]);
  await confirmsOnEnter(page, till);
});

test("closing a dialog over the manager's area leaves the focus in it", async ({ page }) => {
  const till = await openArmed(page, troubled);
  till.answer(answerManager);
  await overlays.history?.(page);
  await overlays.warnings?.(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { name: en.manager.title })).toBeFocused();
});

/** By their names in the gallery. */
const dialogs = [
  "warnings",
  "help",
  "about",
  "machine",
  "licences",
  "open list",
  "first pin",
  "manager pin",
  "not handed out",
  "approval",
];

/** Runs in the page: what a dialog's title, its buttons and its main button look like, whatever order the stylesheets came in. */
const measureDialog = () => {
  const dialog = document.querySelector("[role=dialog]");
  const sizeOf = (element: Element | null | undefined): number =>
    element ? Number.parseFloat(getComputedStyle(element).fontSize) : 0;
  const token = (name: string): string => {
    const probe = document.createElement("i");
    probe.style.setProperty("background-color", `var(${name})`);
    document.body.append(probe);
    const { backgroundColor } = getComputedStyle(probe);
    probe.remove();
    return backgroundColor;
  };
  const main = dialog?.querySelector("[type=submit]");
  return {
    isTitled: sizeOf(dialog?.querySelector("h2")) > sizeOf(dialog?.querySelector("p, li, dd")),
    padding: Number.parseFloat(
      getComputedStyle(dialog?.querySelector("h2")?.parentElement ?? document.body).paddingLeft,
    ),
    clipped: [...(dialog?.querySelectorAll("button") ?? [])]
      .filter((button) => {
        const line = Number.parseFloat(getComputedStyle(button).lineHeight) || 1.2 * sizeOf(button);
        return button.scrollHeight > button.clientHeight + 1 || button.clientHeight < Math.max(44, line);
      })
      .map((button) => `${button.textContent} ${button.clientHeight}`),
    mainColour: main && !main.matches(":disabled") ? getComputedStyle(main).backgroundColor : token("--accent"),
    accent: token("--accent"),
  };
};

test("every dialog has a title, buttons and a main button of their own sizes and colours", async ({ page }) => {
  const till = await openTill(page, screenOf("starting"));
  const others = Object.entries(otherOverlaysIn(en)).map(
    ([name, one]) => [name, { ...one, answer: answerOther(one) }] as const,
  );
  const usual = Object.entries(overlays).map(
    ([name, open]) => [name, { from: troubled, open, answer: answerManager }] as const,
  );
  const measured: string[] = [];
  for (const [name, { from, open, answer }] of [...usual, ...others]) {
    if (!dialogs.includes(name)) continue;
    till.answer(answer);
    await till.show(screenOf("confirming"), `${name}.before`);
    await till.show(from, name.replaceAll(" ", "-"));
    await open(page);
    await expect(dialog(page)).toBeVisible();
    measured.push(name);
    const { isTitled, padding, clipped, mainColour, accent } = await page.evaluate(measureDialog);
    expect
      .soft({ name, isTitled, clipped, mainColour })
      .toEqual({ name, isTitled: true, clipped: [], mainColour: accent });
    expect.soft(padding, name).toBeGreaterThanOrEqual(24);
    await page.keyboard.press("Escape");
  }
  expect(measured.toSorted()).toEqual(dialogs.toSorted());
});
