/** The set-up as a manager goes through it, in the words of `renderer/locales/en.ts`. */
import { expect, type Page } from "@playwright/test";
import { en } from "../../../renderer/locales/en.ts";

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });

/** From the first step to the form of one way. */
export const chooseWay = async (page: Page, way: "byCode" | "byKey"): Promise<void> => {
  await button(page, en.setup.go).click();
  await button(page, new RegExp(`^${en.setup[way]}`)).click();
  await expect(page.getByRole("heading", { name: en.setup.title })).toBeVisible();
};

/** The PIN that tests give the first manager. */
export const managerPin = "482915";
/** Every terminal asks for it before anything that needs a manager. */
export const setManagerPin = async (page: Page): Promise<void> => {
  await page.getByLabel(en.people.name, { exact: true }).fill("Ida");
  await page.getByLabel(en.people.newPin, { exact: true }).fill(managerPin);
  await page.getByLabel(en.people.repeat).fill(managerPin);
  await button(page, en.people.save).click();
};

/** With an access key, up to the first part after the connection, which is left for later. */
export const setUpByKey = async (page: Page, serviceUrl: string): Promise<void> => {
  await chooseWay(page, "byKey");
  await page.getByLabel(en.setup.serviceUrl).fill(serviceUrl);
  await page.getByLabel(en.setup.merchantId).fill("demo-shop");
  await page.getByLabel(en.setup.deviceId).fill("till-1");
  await page.getByLabel(en.setup.secret, { exact: true }).fill("till-secret");
  await button(page, en.setup.enroll).click();
  await setManagerPin(page);
  await button(page, en.setup.later).click();
};
