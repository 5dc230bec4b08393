/** The till as a cashier reads and works it: by headings, buttons and keys, in the words of `renderer/texts/en/screens.json`. */
import { expect, type Locator, type Page } from "@playwright/test";
import { isTransactionId } from "../../../backend/contract/ids.ts";
import en from "../../../renderer/texts/en/screens.json" with { type: "json" };
import { scanWithUsb, type UsbScan } from "./usb-scanner.ts";

const scansMax = 3;

type EndedTitle = {
  [Key in keyof typeof en.ended]: (typeof en.ended)[Key] extends { title: string } ? Key : never;
}[keyof typeof en.ended];

/** The heading that says which screen is shown. */
export const screens = {
  starting: en.starting.title,
  ready: en.ready.title,
  entry: en.entry.title,
  lookingUp: en.lookingUp.title,
  review: en.review.title,
  confirming: en.confirming.title,
  approval: en.waiting.approvalTitle,
  payment: en.waiting.paymentTitle,
  payable: en.payable.title,
  recovered: en.payable.recoveredTitle,
  closing: en.closing.cashierTitle,
  opening: en.opening.openingTitle,
  counting: en.counting.title,
  drawerFailed: en.opening.failedTitle,
  done: en.done.title,
  unknown: en.unknown.title,
  setup: en.setup.appearanceTitle,
  connect: en.setup.title,
  disconnected: en.disconnected.title,
} as const;
/** A key of `screens`. */
export type ScreenName = keyof typeof screens;

/** What the band on top says about cash. */
export const tones = en.cash;

/** The main button of the hand-out screen: a terminal with a drawer opens it, one without takes the cashier's word. */
export const handOutButton = new RegExp(`^(${en.payable.ok}|${en.payable.okByHand})$`);

/** The terminal's page; every method waits for what it expects. */
export interface TillPage {
  readonly page: Page;
  shows(screen: ScreenName, timeoutMs?: number): Promise<void>;
  showsEnd(outcome: EndedTitle, timeoutMs?: number): Promise<void>;
  tone(tone: keyof typeof tones): Promise<void>;
  showsAmount(text: string): Promise<void>;
  button(name: string | RegExp): Locator;
  press(name: string | RegExp): Promise<void>;
  /** Scans on Ready, and again when a stalled machine cut the code short, as a cashier does. */
  scan(text: string, usb?: UsbScan): Promise<void>;
  /** Scans whatever the till shows. */
  scanAnywhere(text: string, usb?: UsbScan): Promise<void>;
  /** Presses a key of the whole screen once the button that it stands for takes presses. */
  pressKey(key: string, button: string): Promise<void>;
  /** Types the code on the entry screen, as a cashier who cannot scan. */
  typeCode(text: string): Promise<void>;
  /** Pastes into the field for typing, control characters and all. */
  paste(text: string): Promise<void>;
  /** Two clicks before the page can draw anything in between; the second on another button if one is named. */
  pressTwiceInOneFrame(name: string | RegExp, second?: string | RegExp): Promise<void>;
  /** The one screen that offers cash, whether reached at once or after a silence. */
  offersCash(timeoutMs?: number): Promise<void>;
  /** Whatever it shows, it is neither Confirm nor cash. */
  scansNoPayment(): Promise<void>;
  /** Opens the drawer, counts, and says that the cash was handed over. */
  handOver(): Promise<void>;
  toast(code: keyof typeof en.toasts): Promise<void>;
}

type Noting = typeof globalThis & { shown?: string[] };

/** Runs in the page: notes each title and each line of status that it shows, in order. */
const noteShown = (): void => {
  const noting = globalThis as Noting;
  if (noting.shown !== undefined) return;
  const shown: string[] = [];
  noting.shown = shown;
  let before = new Set<string>();
  const note = (): void => {
    const now = new Set(
      [...document.querySelectorAll("h1, [role=status]")].map(({ textContent }) => textContent ?? ""),
    );
    shown.push(...[...now].filter((text) => !before.has(text)));
    before = now;
  };
  new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
  note();
};

/** Puts the terminal on a page that is loaded already. */
export const openTillPage = (page: Page): TillPage => {
  const heading = (name: string): Locator => page.getByRole("heading", { level: 1, name, exact: true });
  // What stays for some seconds alone may be over before a busy machine looks.
  const noting = page
    .addInitScript(noteShown)
    .then(() => page.evaluate(noteShown))
    // A page that is just on its way to another one notes there.
    .catch(() => undefined);
  const shown = async (): Promise<readonly string[]> => {
    await noting;
    return page.evaluate(() => (globalThis as Noting).shown ?? []);
  };
  /** Since its cash was offered. */
  const wasDone = async (): Promise<boolean> => {
    const titles = await shown();
    const offered = [screens.payable, screens.recovered].map((title) => titles.lastIndexOf(title));
    return titles.lastIndexOf(screens.done) > Math.max(...offered);
  };
  /** Now, or since the last scan. */
  const isOrWasSaid = async (text: string): Promise<boolean> =>
    (await page.getByRole("status").filter({ hasText: text }).isVisible()) ||
    (await shown()).some((line) => line.includes(text));
  const button = (name: string | RegExp): Locator => page.getByRole("button", { name, exact: true });
  const till: TillPage = {
    page,
    button,
    shows: (screen, timeoutMs) =>
      screen === "done"
        ? expect.poll(wasDone, timeoutOf(timeoutMs)).toBe(true)
        : expect(heading(screens[screen])).toBeVisible(timeoutOf(timeoutMs)),
    showsEnd: (outcome, timeoutMs) => expect(heading(en.ended[outcome].title)).toBeVisible(timeoutOf(timeoutMs)),
    tone: (tone) => expect(page.locator("main").getByText(tones[tone], { exact: true })).toBeVisible(),
    showsAmount: (text) => expect(page.locator("[data-amount]")).toHaveText(text),
    press: (name) => button(name).click(),
    scan: async (text, usb) => {
      await till.shows("ready");
      for (let attempt = 1; attempt <= scansMax; attempt++) {
        await till.scanAnywhere(text, usb);
        if (!isTransactionId(text)) return;
        await expect(async () => {
          const isReady = await heading(screens.ready).isVisible();
          expect(!isReady || (await isOrWasSaid(en.toasts.not_an_id))).toBe(true);
        }).toPass();
        if (!(await heading(screens.ready).isVisible())) return;
      }
    },
    scanAnywhere: async (text, usb = { msPerKey: 5, end: "Enter" }) => {
      await noting;
      await page.evaluate(() => (globalThis as Noting).shown?.splice(0));
      await scanWithUsb(page, text, usb);
    },
    pressKey: async (key, name) => {
      await expect(button(name)).toBeEnabled();
      await page.keyboard.press(key);
    },
    typeCode: async (text) => {
      await till.press(en.ready.type);
      await page.getByLabel(en.entry.field).fill(text);
      await till.press(en.entry.lookUp);
    },
    paste: async (text) => {
      const field = page.getByLabel(en.entry.field);
      await field.evaluate((element, value) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text", value);
        element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
      }, text);
    },
    pressTwiceInOneFrame: async (name, second = name) => {
      await expect(button(name)).toBeEnabled();
      const other = await button(second).elementHandle();
      await button(name).evaluate((first, last) => {
        (first as HTMLElement).click();
        (last as HTMLElement | null)?.click();
      }, other);
    },
    offersCash: (timeoutMs) => expect(button(handOutButton)).toBeVisible(timeoutOf(timeoutMs)),
    scansNoPayment: async () => {
      await expect(button(en.review.confirm)).toBeHidden();
      await expect(button(handOutButton)).toBeHidden();
    },
    handOver: async () => {
      await till.press(handOutButton);
      const counting = page.locator("[data-step$=counting]");
      await expect.poll(async () => (await counting.isVisible()) || (await wasDone())).toBe(true);
      if (await counting.isVisible()) await till.press(en.opening.handedOut);
    },
    toast: (code) => expect.poll(() => isOrWasSaid(en.toasts[code])).toBe(true),
  };
  return till;
};

const timeoutOf = (timeoutMs: number | undefined): { timeout?: number } =>
  timeoutMs === undefined ? {} : { timeout: timeoutMs };
