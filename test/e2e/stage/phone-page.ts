/** The customer's phone: the web-SDK page and the bank's SCA page, worked by their roles and words. */
import { expect, type Page } from "@playwright/test";
import { PNG } from "pngjs";
import type { Status } from "../../../backend/contract/transaction.ts";
import { sandboxTexts } from "../../../backend/sandbox/texts.ts";
import { en } from "../../../backend/websdk/texts/en.ts";
import type { Luma } from "./camera-stream.ts";

const sandbox = sandboxTexts.en;

/** An ordinary phone in CSS pixels. */
export const phoneScreen = { width: 390, height: 844 } as const;

/** The customer's phone on one page of the browser. */
export interface PhonePage {
  readonly page: Page;
  /** Asks for a withdrawal as after a check-in; resolves with the code that the page shows to the cashier. */
  request(sandboxUrl: string, amount: string): Promise<string>;
  shows(status: Status, timeoutMs?: number): Promise<void>;
  approve(): Promise<void>;
  deny(): Promise<void>;
  /** The picture of the code as this phone shows it. */
  picture(symbology: "code128" | "qr"): Promise<Luma>;
}

/** Puts the phone on a page; nothing is loaded before the first call. */
export const openPhonePage = (page: Page): PhonePage => ({
  page,
  request: async (sandboxUrl, amount) => {
    await page.goto(sandboxUrl);
    await page.getByRole("button", { name: sandbox.free }).click();
    await page.getByRole("textbox", { name: en.amountLabel }).fill(amount);
    await page.getByRole("button", { name: en.getCode }).click();
    const code = page.locator("[data-code]").first();
    await expect(code).toBeVisible();
    return (await code.getAttribute("data-code")) ?? "";
  },
  shows: async (status, timeoutMs) => {
    const options = timeoutMs === undefined ? {} : { timeout: timeoutMs };
    await expect(page.locator("main")).toHaveAttribute("data-status", status, options);
  },
  approve: async () => {
    await page.getByRole("link", { name: en.approve }).click();
    await page.getByRole("button", { name: sandbox.approve }).click();
    await page.getByRole("link", { name: sandbox.backToWithdrawal }).click();
  },
  deny: async () => {
    await page.getByRole("link", { name: en.approve }).click();
    await page.getByRole("button", { name: sandbox.deny }).click();
    await page.getByRole("link", { name: sandbox.backToWithdrawal }).click();
  },
  picture: async (symbology) => {
    const name = symbology === "qr" ? en.qrAlt : en.barcodeAlt;
    const image = PNG.sync.read(await page.getByRole("img", { name }).first().screenshot({ scale: "device" }));
    return luma(image);
  },
});

/** On a white margin: the phone's own screen around the symbol. */
const luma = ({ width, height, data }: PNG): Luma => {
  const margin = Math.ceil(Math.max(width, height) * 0.06);
  const [outerWidth, outerHeight] = [width + 2 * margin, height + 2 * margin];
  const levels = new Uint8Array(outerWidth * outerHeight).fill(245);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = 4 * (y * width + x);
      const level = 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
      levels[(y + margin) * outerWidth + x + margin] = 20 + (level * 225) / 255;
    }
  return { width: outerWidth, height: outerHeight, levels };
};
