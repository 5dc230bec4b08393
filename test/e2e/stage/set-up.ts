/** The set-up as a manager goes through it, in the words of `renderer/texts/en/screens.json`. */
import { expect, type Page } from "@playwright/test";
import type { Command } from "../../../preload/contract.ts";
import en from "../../../renderer/texts/en/screens.json" with { type: "json" };

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });

const accessKey = { merchantId: "demo-shop", deviceId: "till-1", secret: "till-secret" } as const;
const manager = "Ida";
/** The PIN that tests give the first manager. */
export const managerPin = "482915";
/** The step before the connection, which asks for it. */
export const setManagerPin = async (page: Page): Promise<void> => {
  await page.getByLabel(en.people.name, { exact: true }).fill(manager);
  await page.getByLabel(en.people.newPin, { exact: true }).fill(managerPin);
  await page.getByLabel(en.people.repeat).fill(managerPin);
  await button(page, en.setup.go).click();
};

/** From the first step to the form of one way. */
export const chooseWay = async (page: Page, way: "byCode" | "byKey"): Promise<void> => {
  await button(page, en.setup.go).click();
  await setManagerPin(page);
  await expect(page.getByRole("heading", { name: en.setup.title })).toBeVisible();
  if (way === "byKey") await button(page, en.setup.byKey).click();
};

/** What the set-up sends for a manager who types the demo shop's access key. */
export const enrolment = (serviceUrl: string): readonly Command[] => [
  { type: "set_manager_pin", name: manager, pin: managerPin },
  { type: "enroll", serviceUrl, ...accessKey },
];

/** With an access key, up to the first part after the connection, which is left for later. */
export const setUpByKey = async (page: Page, serviceUrl: string): Promise<void> => {
  await chooseWay(page, "byKey");
  await page.getByLabel(en.setup.serviceUrl).fill(serviceUrl);
  await page.getByLabel(en.setup.merchantId).fill(accessKey.merchantId);
  await page.getByLabel(en.setup.deviceId).fill(accessKey.deviceId);
  await page.getByLabel(en.setup.secret, { exact: true }).fill(accessKey.secret);
  await button(page, en.setup.enroll).click();
  await button(page, en.setup.later).click();
};
