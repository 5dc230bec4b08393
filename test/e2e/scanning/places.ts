/** Every screen and everything that can lie over one, with what a person has begun to type there. */
import { expect, type Page } from "@playwright/test";
import type { Settings, Snapshot } from "../../../preload/contract.ts";
import en from "../../../renderer/texts/en/screens.json" with { type: "json" };
import { answerManager } from "../gallery/answers.ts";
import type { FakeTill } from "../gallery/fake-till.ts";
import { button, findInHistory, openPart, overlays, troubled } from "../gallery/overlays.ts";
import { gallery, screenOf, settings } from "../gallery/snapshots.ts";
import { chooseWay } from "../stage/set-up.ts";
import { scanWithUsb } from "../stage/usb-scanner.ts";

/** A screen with something open over it. */
export interface Place {
  readonly name: string;
  readonly base: Snapshot;
  readonly open: (page: Page) => Promise<void>;
  /** What becomes of a scan: the core is asked, it is ignored with a hint, the test screen lists it, or the set-up keeps it to itself. */
  readonly scan: "sent" | "ignored" | "listed" | "kept";
}

const fillSetup = async (page: Page): Promise<void> => {
  if (await button(page, en.setup.go).isVisible()) await chooseWay(page, "byKey");
  else await button(page, en.setup.byKey).click();
  await page.getByLabel(en.setup.serviceUrl).fill("https://service.example");
  await page.getByLabel(en.setup.secret, { exact: true }).fill("s3cret");
  await page.getByLabel(en.setup.merchantId).fill("shop-1");
};

const whatIsTyped: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  setup: fillSetup,
  "setup-refused": fillSetup,
  // The first scan takes away the button that asks whether nothing shows.
  "setup-devices": (page) => scanWithUsb(page, "7F3K9Q2M4XJ8A1WC", { msPerKey: 5, end: "Enter" }),
};

/** In training the drawer is always the simulated one, and its address cannot be typed. */
const live: Snapshot = { ...troubled, header: { ...troubled.header, training: false } };

const ignored = [
  ...["overview", "people", "settings", "expert settings", "shop settings", "journal"],
  ...["history", "cashier's history", "figures", "open day", "blind count"],
];

/** The same dialog as help, the same area as the cashier's history, the same fields as the figures: no other places for the focus. */
const isLeftOut = (name: string): boolean => ["about", "story", "books"].includes(name);

const onTop: readonly Place[] = Object.entries(overlays)
  .filter(([name]) => !isLeftOut(name))
  .map(([name, open]) => ({
    name,
    base: name === "settings" ? live : troubled,
    open:
      name === "settings"
        ? async (page) => {
            await open(page);
            await openPart(page, "devices", en.settings.drawer);
            await page.getByLabel(en.settings.drawer).selectOption("network");
            await page.getByLabel(en.settings.host).fill("10.0.0.9");
            await page.getByLabel(en.settings.host).blur();
            await expect(page.getByText(en.settings.saved, { exact: true })).toBeVisible();
          }
        : name === "history"
          ? async (page) => {
              await open(page);
              await findInHistory(page);
            }
          : name === "scanner test"
            ? async (page) => {
                await open(page);
                await button(page, en.scan.test.clear).click();
              }
            : open,
    scan: name === "scanner test" ? "listed" : ignored.includes(name) ? "ignored" : "sent",
  }));

/** A part of the set-up looks for the provider's code in a scan, or shows what was read (`first-day.spec.ts`). */
const isSetUpPart = (name: string): boolean => /^setup-(connect|people|devices|practice)$/.test(name);

/** All places there are: a scan has to be right in each. */
export const places: readonly Place[] = [
  ...gallery.map(
    ({ name, snapshot }): Place => ({
      name,
      base: snapshot,
      open: whatIsTyped[name] ?? (() => Promise.resolve()),
      scan: isSetUpPart(name) ? "kept" : "sent",
    }),
  ),
  ...onTop,
  {
    name: "not handed out",
    base: screenOf("payable"),
    open: async (page) => {
      await button(page, en.payable.notHandedOut).click();
      await expect(page.getByRole("dialog")).toBeVisible();
    },
    scan: "sent",
  },
];

let steps = 0;

const show = (till: FakeTill, snapshot: Snapshot): Promise<void> => {
  steps += 1;
  return till.show({ ...snapshot, revision: steps }, `${steps}.${snapshot.screen.kind}`);
};

/** `tailMs` of `renderer/scan/keyboard/detector.ts`, and a little. */
const scanTailMs = 350;

/** Shows the place anew, with nothing left of what was open before. */
export const openPlace = async (
  page: Page,
  till: FakeTill,
  place: Place,
  keyboardScanner: Partial<Settings["keyboardScanner"]>,
): Promise<void> => {
  till.answer(answerManager);
  // Keys this soon behind a scan are taken for the scanner's own, F1 too.
  await page.waitForTimeout(scanTailMs);
  const base = place.base.settings;
  const own = settings({ ...base, keyboardScanner: { ...base.keyboardScanner, ...keyboardScanner } });
  // While money moves nothing stays open over the screen.
  await show(till, { ...screenOf("confirming"), settings: own });
  await show(till, { ...place.base, settings: own });
  await place.open(page);
  // A dialog takes the focus a moment after it has opened.
  const hasDialog = (await page.getByRole("dialog").count()) > 0;
  if (hasDialog) await expect(page.locator("[role=dialog] :focus")).toBeAttached();
};
