/**
 * Runs in the browser. Counts `data-left-ms` down on the monotonic clock: the phone's own clock may be wrong. From
 * `data-soon-ms` on it looks different.
 * Uses nothing outside itself: its own text is served as the script (see theme/assets.ts).
 */
export function countdown(): void {
  const startedMs = new WeakMap<Element, number>();

  const text = (leftMs: number, style: string | undefined): string => {
    const seconds = Math.ceil(leftMs / 1000);
    if (style === "seconds") return String(seconds);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  };

  const tick = (): void => {
    for (const element of document.querySelectorAll<HTMLElement>("[data-left-ms]")) {
      const started = startedMs.get(element) ?? performance.now();
      startedMs.set(element, started);
      const wholeMs = Number(element.dataset.wholeMs ?? element.dataset.leftMs);
      const leftMs = Math.max(0, Number(element.dataset.leftMs) - (performance.now() - started));
      const digits = element.querySelector("b");
      const shown = text(leftMs, element.dataset.style);
      if (digits && digits.textContent !== shown) digits.textContent = shown;
      element.classList.toggle("soon", leftMs <= Number(element.dataset.soonMs));
      const run = element.querySelector<SVGElement>(".run");
      if (run) run.style.strokeDashoffset = String(100 - (100 * leftMs) / wholeMs);
    }
  };
  document.addEventListener("tillcash:page", tick);
  setInterval(tick, 250);
  tick();
}
