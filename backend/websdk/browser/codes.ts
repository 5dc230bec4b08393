/** Runs in the browser. Sharp codes, the full-screen code, the screen kept awake, a question before cancelling.
 * Uses nothing outside itself: its own text is served as the script (see theme/assets.ts). */
export function codes(): void {
  /** A module gets a whole number of device pixels: an uneven bar is what scanners fail on. */
  const scale = (code: SVGSVGElement, roomWidth: number, roomHeight: number): void => {
    const modules = Number(code.dataset.modules);
    const box = code.viewBox.baseVal;
    if (!(modules > 0) || roomWidth <= 0) return;
    const square = box.width === box.height;
    const room = square ? Math.min(roomWidth, roomHeight) : roomWidth;
    const pixels = Math.max(1, Math.floor((room * devicePixelRatio) / modules));
    const width = (pixels * modules) / devicePixelRatio;
    const height = square ? width : Math.min(roomHeight, width * 0.42);
    code.style.width = `${width}px`;
    code.style.height = `${height}px`;
    if (!square) code.setAttribute("preserveAspectRatio", "none");
  };

  const fitAll = (): void => {
    for (const code of document.querySelectorAll<SVGSVGElement>(".codes .code")) {
      const linear = code.closest(".linear");
      scale(code, (linear ?? code.parentElement)?.clientWidth ?? 0, linear ? 84 : 180);
    }
    const open = document.querySelector<HTMLDialogElement>("dialog.big[open]");
    if (open) fitBig(open);
  };

  const fitBig = (dialog: HTMLDialogElement): void => {
    const stage = dialog.querySelector<HTMLElement>(".big-codes");
    if (!stage) return;
    const { clientWidth: width, clientHeight: height } = stage;
    const upright = height > width;
    for (const code of stage.querySelectorAll<SVGSVGElement>(".code")) {
      if (code.closest(".turned") === null) scale(code, width, height);
      else {
        scale(code, Math.max(width, height), Math.min(width, height) * 0.8);
        code.style.rotate = upright ? "90deg" : "none";
      }
    }
  };

  const showOnly = (dialog: HTMLElement, kind: string): void => {
    for (const part of dialog.querySelectorAll<HTMLElement>("[data-kind]")) part.hidden = part.dataset.kind !== kind;
    for (const button of dialog.querySelectorAll<HTMLElement>("[data-show]")) {
      button.setAttribute("aria-pressed", String(button.dataset.show === kind));
    }
  };

  let awake: WakeLockSentinel | null = null;
  const stayAwake = async (): Promise<void> => {
    const wanted = document.querySelector("[data-awake]") !== null && document.visibilityState === "visible";
    if (!wanted) {
      await awake?.release().catch(() => undefined);
      awake = null;
    } else if (awake === null || awake.released) {
      awake = (await navigator.wakeLock?.request("screen").catch(() => null)) ?? null;
    }
  };

  document.addEventListener("click", (event) => {
    const target = event.target as Element;
    const opener = target.closest<HTMLElement>("[data-open]");
    const dialog = opener && document.querySelector<HTMLDialogElement>(`#${opener.dataset.open}`);
    if (dialog) {
      event.preventDefault();
      dialog.showModal();
      if (dialog.classList.contains("big")) fitBig(dialog);
    }
    const kind = target.closest<HTMLElement>("[data-show]")?.dataset.show;
    const around = target.closest<HTMLDialogElement>("dialog");
    if (kind && around) {
      showOnly(around, kind);
      fitBig(around);
    }
    if (target.closest("[data-close]")) around?.close();
  });
  const renew = (): void => {
    for (const hidden of document.querySelectorAll<HTMLElement>("main [data-script]")) hidden.hidden = false;
    fitAll();
    void stayAwake();
  };
  addEventListener("resize", fitAll);
  document.addEventListener("visibilitychange", () => void stayAwake());
  document.addEventListener("tillcash:page", renew);
  renew();
}
