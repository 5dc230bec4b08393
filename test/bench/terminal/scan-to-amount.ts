/** From the last key of a USB scan to the amount painted, over loopback: page, host, core, service, database and back. */
import type { Page } from "@playwright/test";
import en from "../../../renderer/texts/en/screens.json" with { type: "json" };
import type { DemoBank } from "../../e2e/stage/bank-client.ts";
import { openTillPage } from "../../e2e/stage/till-page.ts";

declare global {
  interface Window {
    benchEndKeyMs?: number;
  }
}

/** Runs before the page's own scripts: the page's scanner lets no end key through to anybody after it. */
export const noteEndKeys = (): void => {
  window.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Enter") window.benchEndKeyMs = performance.now();
    },
    { capture: true },
  );
};

/** Starts before the scan; resolves with the milliseconds between the end key and the first frame with the amount. */
const watchAmount = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const observer = new MutationObserver(() => {
          if (!document.querySelector("[data-amount]")) return;
          observer.disconnect();
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - (window.benchEndKeyMs ?? 0))));
        });
        observer.observe(document.body, { childList: true, subtree: true });
      }),
  );

/** Milliseconds of `count` scans one after another on an open page. */
export const measureScans = async (page: Page, bank: DemoBank, count: number): Promise<readonly number[]> => {
  const till = openTillPage(page);
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const { transaction_id: id } = await bank.request("50.00");
    await till.shows("ready");
    const watched = watchAmount(page);
    await till.scanAnywhere(id, { msPerKey: 5, end: "Enter" });
    times.push(await watched);
    await till.press(en.review.reject);
    await till.press(en.ended.nextCustomer);
  }
  return times;
};
