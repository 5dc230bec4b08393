/**
 * Runs in the browser: shows the entries that hold all words of the search, and says how many. `/` leads to the field.
 * Uses nothing outside itself: its own text is served as the script.
 */
export function search(): void {
  const field = document.querySelector<HTMLInputElement>("#search");
  const form = document.querySelector<HTMLElement>("[role=search]");
  const status = document.querySelector<HTMLElement>("#found");
  if (!field || !form || !status) return;
  const entries = [...document.querySelectorAll<HTMLElement>("article")].map((entry) => ({
    entry,
    link: document.querySelector<HTMLElement>(`nav a[href="#${entry.id}"]`)?.parentElement,
    text: (entry.textContent ?? "").toLowerCase(),
  }));
  const show = (): void => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const { entry, link, text } of entries) {
      const matches = words.every((word) => text.includes(word));
      entry.hidden = !matches;
      if (link) link.hidden = !matches;
      if (matches) found += 1;
    }
    for (const chapter of document.querySelectorAll<HTMLElement>("main > section, nav > section"))
      chapter.hidden = words.length > 0 && !chapter.querySelector("article:not([hidden]), li:not([hidden])");
    status.textContent = words.length === 0 ? "" : `${found} of ${entries.length}`;
  };
  form.hidden = false;
  field.addEventListener("input", show);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || document.activeElement === field) return;
    event.preventDefault();
    field.focus();
  });
}
