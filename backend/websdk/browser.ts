/** What runs in the browser. Each function uses nothing outside itself: its source text is served as the script (`assets.ts`). */

/** Sharp codes, the full-screen code, the wake lock, confirmation before cancelling. */
export function codes(): void {
  /** A module gets a whole number of device pixels, since scanners fail on uneven bars. */
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

/** Counts `data-left-ms` down on the monotonic clock, as the phone's clock may be wrong; below `data-soon-ms` it is highlighted. */
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

/** Why an amount cannot be asked for. */
export type AmountProblem = "missing" | "unreadable" | "too_small" | "too_large" | "over_balance" | "off_step";

/** By what an amount is checked, in minor units; `digits`: how many of these the currency has. */
export type AmountRules = Readonly<Record<"digits" | "min" | "max" | "step" | "balance", number>>;

/**
 * `50`, `50.5`, `50,50` in minor units, or why not. Thousands separators are refused, since `1.000` and `1,000` are ambiguous. The service
 * reads by it, too.
 */
export function readAmount(typed: string, { digits, min, max, step, balance }: AmountRules): number | AmountProblem {
  if (typed.trim() === "") return "missing";
  const parts = /^(\d{1,12})(?:[.,](\d{0,4}))?$/.exec(typed.trim());
  const fraction = parts?.[2] ?? "";
  if (!parts || fraction.length > digits) return "unreadable";
  const minor = Number((parts[1] ?? "") + fraction.padEnd(digits, "0"));
  if (minor < min) return "too_small";
  if (minor > max) return "too_large";
  if (minor > balance) return "over_balance";
  return minor % step === 0 ? minor : "off_step";
}

/** The keypad, and what is wrong with an amount as it is typed. */
export function keypad(read: typeof readAmount): void {
  const form = document.querySelector<HTMLFormElement>("form[data-amount-form]");
  const input = form?.querySelector<HTMLInputElement>("input[name=amount]");
  const line = form?.querySelector<HTMLElement>("#limits");
  const submit = form?.querySelector<HTMLButtonElement>("button[type=submit]");
  if (!form || !input || !line || !submit) return;

  type Rules = AmountRules & { readonly range: string; readonly problems: Readonly<Record<AmountProblem, string>> };
  const label = submit.textContent ?? "";
  const wholeDigitsMax = 7;

  const rules = (): Rules => {
    const holder = form.querySelector<HTMLElement>("option:checked, input[name=store]");
    return JSON.parse(holder?.dataset.rules ?? "{}") as Rules;
  };

  /** While typing, an amount that may still grow is not called too small. */
  const show = (strict: boolean): boolean => {
    const now = rules();
    const problem = read(input.value, now);
    const isShown = typeof problem === "string" && (strict || (problem !== "missing" && problem !== "too_small"));
    const text = isShown ? now.problems[problem] : now.range;
    if (line.textContent !== text) line.textContent = text;
    line.classList.toggle("problem", isShown);
    if (isShown) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    for (const chip of form.querySelectorAll<HTMLElement>("[data-amount]")) {
      chip.setAttribute("aria-pressed", String(chip.dataset.amount === input.value));
    }
    return typeof problem === "number";
  };

  const press = (key: string): void => {
    const typed = input.value;
    if (key === "erase") input.value = typed.slice(0, -1);
    else if (key === "." || key === ",") {
      if (!/[.,]/.test(typed)) input.value = `${typed === "" ? "0" : typed}${key}`;
    } else {
      const [whole = "", fraction] = typed.split(/[.,]/);
      if (fraction === undefined ? whole.length >= wholeDigitsMax : fraction.length >= rules().digits) return;
      input.value =
        typed === "0" ? key.replace(/^0+$/, "0") : `${typed}${typed === "" ? key.replace(/^0+$/, "0") : key}`;
    }
  };

  form.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-key], [data-amount]");
    if (button === null) return;
    if (button.dataset.key !== undefined) press(button.dataset.key);
    else input.value = button.dataset.amount ?? "";
    show(false);
  });
  input.addEventListener("input", () => show(false));
  form.addEventListener("change", () => show(false));

  const rest = (): void => {
    submit.removeAttribute("aria-disabled");
    submit.textContent = label;
  };
  form.addEventListener("submit", (event) => {
    if (submit.getAttribute("aria-disabled") === "true") return event.preventDefault();
    if (!show(true)) {
      event.preventDefault();
      input.focus();
      return;
    }
    submit.setAttribute("aria-disabled", "true");
    const spinner = document.createElement("span");
    spinner.className = "spinner";
    submit.replaceChildren(spinner, submit.dataset.busy ?? label);
  });
  addEventListener("pageshow", rest);

  for (const hidden of form.querySelectorAll<HTMLElement>("[data-script]")) hidden.hidden = false;
  if (matchMedia("(pointer: coarse)").matches) input.inputMode = "none";
  if (!line.classList.contains("problem")) show(false);
}

/** Long-polls for another status than the one shown, then replaces the page. */
export function live(): void {
  const pauseMs = { first: 500, max: 10_000 };
  const failuresBeforeOffline = 2;
  let failures = 0;
  let wake: AbortController | null = null;

  const main = () => document.querySelector<HTMLElement>("main[data-live]");
  let endPause = (): void => {};
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      endPause = resolve;
      setTimeout(resolve, ms);
    });

  const showOffline = (offline: boolean): void => {
    const banner = document.querySelector<HTMLElement>("#offline");
    if (!banner || banner.hidden !== offline) return;
    banner.hidden = !offline;
    banner.textContent = offline ? (banner.dataset.text ?? "") : "";
  };

  const swap = async (): Promise<void> => {
    const reply = await fetch(location.pathname + location.search, {
      headers: { accept: "text/html" },
      cache: "no-store",
    });
    // A page about a failure is followed by nothing: what is shown stays until the withdrawal's own can be read.
    if (!reply.ok) throw new Error(`status ${reply.status}`);
    const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
    const before = document.querySelector("main");
    const after = fresh.querySelector("main");
    if (!before || !after) throw new Error("not a page of ours");
    const hadFocus = before.contains(document.activeElement);
    before.replaceWith(after);
    document.title = fresh.title;
    const heading = after.querySelector<HTMLElement>("h1");
    if (hadFocus) heading?.focus();
    const announcement = document.querySelector("#announcement");
    if (announcement) announcement.textContent = after.dataset.say ?? heading?.textContent ?? "";
    if (after.dataset.urgent !== undefined) navigator.vibrate?.([200, 100, 200]);
    document.dispatchEvent(new Event("tillcash:page"));
  };

  const poll = async (element: HTMLElement): Promise<void> => {
    wake = new AbortController();
    const reply = await fetch(element.dataset.live ?? "", {
      headers: { accept: "application/json" },
      cache: "no-store",
      signal: wake.signal,
    });
    if (reply.status === 404) return location.reload();
    if (!reply.ok) throw new Error(`status ${reply.status}`);
    const { status } = (await reply.json()) as { status: string };
    if (status !== element.dataset.status) return swap();
    await pause(pauseMs.first);
  };

  const follow = async (): Promise<void> => {
    for (let element = main(); element !== null; element = main()) {
      try {
        await poll(element);
        failures = 0;
        showOffline(false);
      } catch (error) {
        if (error instanceof DOMException && error.name === "AbortError") continue;
        failures += 1;
        showOffline(!navigator.onLine || failures >= failuresBeforeOffline);
        await pause(Math.min(pauseMs.max, pauseMs.first * 2 ** failures));
      }
    }
  };
  /** After waking up or going back in history, a phone may have a dead request and an old page. */
  const again = (): void => {
    wake?.abort();
    endPause();
  };
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") again();
  });
  addEventListener("online", again);
  addEventListener("offline", () => {
    if (main() !== null) showOffline(true);
    again();
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  void follow();
}

/** Shares the receipt with the phone's share sheet, or saves it as a file. */
export function receipt(): void {
  const save = (text: string, file: string): void => {
    const url = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-receipt]");
    if (button === null) return;
    const { receipt: words = "", at = "", file = "receipt.txt", title = "" } = button.dataset;
    const time = new Date(at).toLocaleString(document.documentElement.lang, { timeZoneName: "short" });
    const text = words.replace("{time}", time);
    if (typeof navigator.share !== "function") return save(text, file);
    navigator.share({ title, text }).catch((error: unknown) => {
      // The customer closed the share sheet, so do nothing.
      if (!(error instanceof DOMException && error.name === "AbortError")) save(text, file);
    });
  });
}

/** Passes the typed amount along when the search for a shop reloads the page. */
export function shopSearch(): void {
  const input = document.querySelector<HTMLInputElement>("form[data-amount-form] input[name=amount]");
  document.querySelector("#shop-search")?.addEventListener("submit", () => {
    const typed = document.querySelector<HTMLInputElement>("[data-typed]");
    if (typed && input) typed.value = input.value;
  });
}
