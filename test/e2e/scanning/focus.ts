/** What can have the focus on a page, and how everything on it stands; the functions run in the page. */
import type { Page } from "@playwright/test";

/** Enough to tell that nothing was typed, ticked, chosen, pressed or left. */
interface FocusState {
  readonly title: string | null;
  readonly values: readonly (string | boolean)[];
  /** The number of the stop; another one, or none, when the focus has moved. */
  readonly focused: string | null;
}

/** How often the manager was told of a scan that does not count; the last of those that are still shown. */
export const ignoredScans = (page: Page): Promise<string | null> =>
  page.evaluate(() => document.querySelector("main [role=status][data-shown]")?.getAttribute("data-shown") ?? null);

declare global {
  interface Window {
    focusStops(): HTMLElement[];
    focusState(): FocusState;
    keyPauses: { lastAtMs: number; longestMs: number };
  }
}

/** How long the page waited for a key since the focus was put there, whatever the keys' own times say. */
export const longestKeyPauseMs = (page: Page): Promise<number> => page.evaluate(() => window.keyPauses.longestMs);

/** Adds `focusStops`, `focusState` and `keyPauses` to the page; to be called before it is opened. */
export const installFocus = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    const notePause = (): void => {
      const atMs = performance.now();
      const { lastAtMs, longestMs } = window.keyPauses;
      window.keyPauses = { lastAtMs: atMs, longestMs: Math.max(longestMs, atMs - lastAtMs) };
    };
    window.keyPauses = { lastAtMs: Number.POSITIVE_INFINITY, longestMs: 0 };
    window.addEventListener("keydown", notePause, { capture: true });
    window.focusStops = () =>
      // An open dialog keeps the focus to itself.
      [
        ...(document.querySelector("[role=dialog]") ?? document).querySelectorAll<HTMLElement>(
          "a[href], button, input, select, textarea, [tabindex]",
        ),
      ].filter(
        (element) =>
          element.checkVisibility({ visibilityProperty: true }) &&
          !element.closest("[inert], [aria-hidden=true]") &&
          // What is typed quickly into a PIN is a PIN.
          !element.matches(":disabled, [data-focus-guard], [data-pin]"),
      );
    window.focusState = () => ({
      title: document.querySelector("h1, h2")?.textContent ?? null,
      values: [...document.querySelectorAll<HTMLInputElement | HTMLSelectElement>("input, select, textarea")].map(
        (field) => (field.type === "checkbox" && "checked" in field ? field.checked : field.value),
      ),
      focused: document.activeElement?.getAttribute("data-stop") ?? null,
    });
  });
};

/** An element that can have the focus, by its place in the order of Tab. */
export interface Stop {
  readonly index: number;
  /** The rest are ticks, choices, buttons, tabs and links. */
  readonly takesText: boolean;
  readonly what: string;
}

/** Marks every stop with `data-stop` and its index, so that it is found again. */
export const stopsOn = (page: Page): Promise<readonly Stop[]> =>
  page.evaluate(() => {
    for (const marked of document.querySelectorAll("[data-stop]")) marked.removeAttribute("data-stop");
    return window.focusStops().map((element, index) => {
      // Marked, as others may come before it: the camera has a button once it has a trouble.
      element.setAttribute("data-stop", `${index}`);
      return {
        index,
        takesText: element.matches("input:not([type=checkbox], [type=range]), textarea"),
        what: `${element.tagName.toLowerCase()} ${element.getAttribute("aria-label") ?? (element.textContent || element.id)}`,
      };
    });
  });

/** Puts the focus there, as Tab does, with a text marked where `marked`; tells how all stands. */
export const focusOn = (page: Page, stop: Stop, marked: boolean): Promise<FocusState> =>
  page.evaluate(
    ([index, isMarked]) => {
      window.keyPauses = { lastAtMs: Number.POSITIVE_INFINITY, longestMs: 0 };
      const element = document.querySelector<HTMLElement>(`[data-stop="${index}"]`);
      // The keys for digits are hidden while a name has the focus: Tab comes to them from a PIN.
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      element?.focus();
      if (element instanceof HTMLInputElement && isMarked) element.select();
      return window.focusState();
    },
    [stop.index, marked] as const,
  );

/** What has the focus and what every field and choice stands at. */
export const focusState = (page: Page): Promise<FocusState> => page.evaluate(() => window.focusState());
