/** Shows the customer's pages in a browser without a service: the test itself answers with them. */
import type { Page } from "playwright";
import type { Language } from "../../../backend/websdk/texts/languages.ts";
import { type PhonePicture, phoneAssets, phonePages } from "./phone-pages.ts";

const origin = "http://localhost:9";

/** Goes through every page of one language; resolves when `look` has seen the last one. */
export const showPhonePages = async (
  page: Page,
  language: Language,
  look: (picture: PhonePicture) => Promise<void>,
): Promise<void> => {
  let shown = "";
  await page.unrouteAll();
  await page.route(`${origin}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    const asset = phoneAssets.find(({ path }) => path === pathname);
    if (asset) return route.fulfill({ body: asset.body, contentType: asset.type });
    if (pathname === "/") return route.fulfill({ body: shown, contentType: "text/html; charset=utf-8" });
    return route.abort();
  });
  for (const picture of await phonePages(language)) {
    shown = picture.html;
    await page.goto(`${origin}/`);
    await look(picture);
  }
};
