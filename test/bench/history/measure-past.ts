/** From the press to the painted page: the newest withdrawals, one of them by its code, and the charts of the year. */
import type { Page } from "@playwright/test";
import en from "../../../renderer/texts/en/screens.json" with { type: "json" };

/** What was measured, in milliseconds: `times` by what, `firstMs` the one before them. */
interface PastTimes {
  readonly indexMs: number;
  readonly firstMs: Readonly<Record<string, number>>;
  readonly times: Readonly<Record<string, readonly number[]>>;
}

/** Does `act` in the page and waits for so many of a selector, drawn. An empty `text` presses, else it is typed. */
const timed = (page: Page, press: string, text: string, selector: string, count: number): Promise<number> =>
  page.evaluate(
    ([name, typed, wanted, least]) =>
      new Promise<number>((resolve) => {
        const target = [...document.querySelectorAll<HTMLElement>("button, input[type=search]")].find(
          (one) =>
            (one.getAttribute("aria-label") ?? one.textContent) === name || (one as HTMLInputElement).type === name,
        );
        if (target === undefined) throw new Error(`nothing to press: ${name}`);
        const startMs = performance.now();
        const done = (): boolean =>
          document.querySelectorAll(wanted).length === least ||
          (least < 0 && document.querySelectorAll(wanted).length >= -least);
        const look = (): void => {
          if (!done()) return;
          observer.disconnect();
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - startMs)));
        };
        const observer = new MutationObserver(look);
        observer.observe(document.body, { childList: true, subtree: true });
        if (typed === "") target.click();
        else {
          const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
          set?.call(target, typed);
          target.dispatchEvent(new Event("input", { bubbles: true }));
        }
      }),
    [press, text, selector, count] as const,
  );

const rows = "table tbody tr";
const bars = ".recharts-bar-rectangle";
/** By month, by hour and by end, sums and counts: more bars than any part of them. */
const barsLeast = 40;

/** On a page that is open on a terminal whose journal has this year's withdrawals. */
export const measurePast = async (page: Page, withdrawals: number, runs: number): Promise<PastTimes> => {
  await page.getByRole("button", { name: en.manager.history }).waitFor();
  const beganMs = performance.now();
  await page.evaluate(() =>
    fetch("/bridge/dispatch", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${localStorage.getItem("till-session")}`,
      },
      body: JSON.stringify({ type: "list_history", before: null, limit: 1 }),
    }).then((answer) => answer.json()),
  );
  const indexMs = performance.now() - beganMs;
  const firstMs: Record<string, number> = {};
  const times: Record<string, number[]> = {};
  const note = (what: string, ms: number): void => {
    if (firstMs[what] === undefined) firstMs[what] = ms;
    else times[what] = [...(times[what] ?? []), ms];
  };
  for (let run = 0; run <= runs; run++) {
    note(`History, the newest 50 of ${withdrawals}`, await timed(page, en.manager.history, "", rows, 50));
    // The second withdrawal of the year; the pause behind the last key is in it.
    note("History, one of the oldest by its code", await timed(page, "search", "7F3K000000000001", rows, 1));
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: en.header.manager }).click();
    await page.getByRole("button", { name: en.figures.title, exact: true }).click();
    await page.getByRole("button", { name: en.figures.year, exact: true }).waitFor();
    note("Figures of the year with all charts", await timed(page, en.figures.year, "", bars, -barsLeast));
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { level: 1, name: en.manager.title }).waitFor({ state: "detached" });
  }
  return { indexMs, firstMs, times };
};
