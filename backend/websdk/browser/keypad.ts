/** Runs in the browser. Uses nothing outside itself: its own text is served as the script (see theme/assets.ts). */
export function keypad(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-amount-form]");
  const input = form?.querySelector<HTMLInputElement>("input[name=amount]");
  const line = form?.querySelector<HTMLElement>("#limits");
  const submit = form?.querySelector<HTMLButtonElement>("button[type=submit]");
  if (!form || !input || !line || !submit) return;

  interface Rules {
    readonly digits: number;
    readonly min: number;
    readonly max: number;
    readonly step: number;
    readonly balance: number;
    readonly range: string;
    readonly problems: Readonly<Record<string, string>>;
  }
  const label = submit.textContent ?? "";
  const wholeDigitsMax = 7;

  const rules = (): Rules => {
    const holder = form.querySelector<HTMLElement>("option:checked, input[name=store]");
    return JSON.parse(holder?.dataset.rules ?? "{}") as Rules;
  };

  const problemOf = (typed: string, { digits, min, max, step, balance }: Rules): string | null => {
    if (typed.trim() === "") return "missing";
    const parts = /^(\d{1,12})(?:[.,](\d{0,4}))?$/.exec(typed.trim());
    const fraction = parts?.[2] ?? "";
    if (!parts || fraction.length > digits) return "unreadable";
    const minor = Number((parts[1] ?? "") + fraction.padEnd(digits, "0"));
    if (minor < min) return "too_small";
    if (minor > max) return "too_large";
    if (minor > balance) return "over_balance";
    return minor % step === 0 ? null : "off_step";
  };

  /** While typing, an amount that may still grow is not called too small. */
  const show = (strict: boolean): boolean => {
    const now = rules();
    const problem = problemOf(input.value, now);
    const isShown = problem !== null && (strict || (problem !== "missing" && problem !== "too_small"));
    const text = isShown ? (now.problems[problem] ?? "") : now.range;
    if (line.textContent !== text) line.textContent = text;
    line.classList.toggle("problem", isShown);
    if (isShown) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    for (const chip of form.querySelectorAll<HTMLElement>("[data-amount]")) {
      chip.setAttribute("aria-pressed", String(chip.dataset.amount === input.value));
    }
    return problem === null;
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
