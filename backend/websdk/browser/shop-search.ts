/** Runs in the browser. Uses nothing outside itself: its own text is served as the script (see theme/assets.ts). */
export function shopSearch(): void {
  const input = document.querySelector<HTMLInputElement>("form[data-amount-form] input[name=amount]");
  // A search for a shop loads the page again: what was typed goes with it.
  document.querySelector("#shop-search")?.addEventListener("submit", () => {
    const typed = document.querySelector<HTMLInputElement>("[data-typed]");
    if (typed && input) typed.value = input.value;
  });
}
