/** Runs in the page. What sticks out of its region, is cut off, lies over other text, or is too small for a finger; empty when all is well. */
export const layoutFaults = (): string[] => {
  const faults: string[] = [];
  const slackPx = 1.5;
  const name = (element: Element): string =>
    `${element.tagName.toLowerCase()} "${(element.textContent ?? "").trim().slice(0, 40)}"`;
  const isDrawn = (element: Element): boolean =>
    !element.closest(".visually-hidden, video, .scan-camera") &&
    getComputedStyle(element).clipPath !== "inset(50%)" &&
    element.getClientRects().length > 0;

  interface Box {
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly bottom: number;
  }
  const overlapOf = (a: Box, b: Box): Box => ({
    left: Math.max(a.left, b.left),
    right: Math.min(a.right, b.right),
    top: Math.max(a.top, b.top),
    bottom: Math.min(a.bottom, b.bottom),
  });
  /** What an element lets through of what is within it; measured once, as pages have hundreds of elements within the same ones. */
  const windows = new Map<Element, Box | null>();
  const windowOf = (element: Element): Box | null => {
    const known = windows.get(element);
    if (known !== undefined) return known;
    const outer = element.parentElement && windowOf(element.parentElement);
    const own = getComputedStyle(element).overflowY === "visible" ? null : element.getBoundingClientRect();
    const all = outer && own ? overlapOf(outer, own) : (outer ?? own);
    windows.set(element, all);
    return all;
  };
  /** The part of an element that its scrolling ancestors let through. */
  const seenBox = (element: Element): Box => {
    const window = element.parentElement && windowOf(element.parentElement);
    const box = element.getBoundingClientRect();
    return window ? overlapOf(window, box) : box;
  };
  const seen = (elements: readonly Element[]) => elements.map((element) => ({ element, box: seenBox(element) }));

  if (document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight)
    faults.push("the page scrolls");

  for (const region of document.querySelectorAll("header, [data-region]")) {
    const outer = region.getBoundingClientRect();
    for (const element of region.querySelectorAll("*")) {
      if (!isDrawn(element)) continue;
      const box = element.getBoundingClientRect();
      const isOut =
        box.left < outer.left - slackPx ||
        box.right > outer.right + slackPx ||
        box.top < outer.top - slackPx ||
        box.bottom > outer.bottom + slackPx;
      if (isOut) faults.push(`${name(element)} sticks out of ${region.getAttribute("data-region") ?? "the header"}`);
    }
  }
  const everywhere = [...document.querySelectorAll(":is(header, main, aside, [role=dialog]) *")].filter(isDrawn);
  for (const element of everywhere) {
    const { overflowX, textOverflow } = getComputedStyle(element);
    const mayBeCut =
      !element.textContent?.trim() ||
      textOverflow === "ellipsis" ||
      element instanceof SVGElement ||
      overflowX === "auto";
    if (!mayBeCut && element.scrollWidth > element.clientWidth + slackPx && element.clientWidth > 0)
      faults.push(`${name(element)} is wider than its box`);
    if (element.matches("button, h2") && element.scrollHeight > element.clientHeight + slackPx)
      faults.push(`${name(element)} is cut off`);
  }

  // What a field says while it is empty is read whole.
  for (const field of document.querySelectorAll<HTMLInputElement>("input[placeholder]")) {
    const style = getComputedStyle(field);
    const words = document.body.appendChild(document.createElement("span"));
    words.style.cssText = `position:absolute;font:${style.font}`;
    words.textContent = field.placeholder;
    const roomPx = field.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
    if (isDrawn(field) && words.offsetWidth > roomPx + slackPx) faults.push(`"${field.placeholder}" is cut off`);
    words.remove();
  }

  // A page's parts begin where its title does, or clearly within: a few pixels beside it look wrong.
  const title = document.querySelector("main h1");
  for (const element of document.querySelectorAll("main :is(h2, h3, p, input, button, table)")) {
    const besidePx = title ? element.getBoundingClientRect().left - title.getBoundingClientRect().left : 0;
    const isCentred = getComputedStyle(element).textAlign === "center" && element.matches("p, h2, h3");
    if (isDrawn(element) && !isCentred && Math.abs(besidePx) > slackPx && Math.abs(besidePx) < 8)
      faults.push(`${name(element)} begins ${Math.round(besidePx)} px beside the title`);
  }

  // Text is of one of the scale's sizes, and none is drawn smaller than its smallest.
  const probe = document.body.appendChild(document.createElement("i"));
  const scale = ["xs", "s", "m", "l", "next", "title", "banner"].map((step) => {
    probe.style.fontSize = `var(--text-${step})`;
    return getComputedStyle(probe).fontSize;
  });
  probe.remove();
  const smallestPx = 15;
  for (const element of everywhere) {
    if (element instanceof SVGElement) continue;
    const { fontSize } = getComputedStyle(element);
    const zoom = element.currentCSSZoom;
    const words = [...element.childNodes].map((node) => (node.nodeType === 3 ? node.nodeValue?.trim() : "")).join("");
    // Amounts, tiles and countdowns are as large as fits.
    const isOff =
      zoom === 1 && !scale.includes(fontSize) && !element.closest("[data-amount], [data-kinds], [data-ring]");
    if (words && (isOff || Number.parseFloat(fontSize) * zoom < smallestPx - 0.1))
      faults.push(`${name(element)} is drawn with ${fontSize} × ${zoom}, which is not on the scale`);
  }

  // The line about the printer has a margin that two lines of text stay within.
  for (const words of document.querySelectorAll("[data-region=toast] p")) {
    const room = words.closest("[data-region]")?.getBoundingClientRect();
    if (room && words.getBoundingClientRect().top < room.top + 4) faults.push(`${name(words)} runs through its margin`);
  }

  // What a tile says lies within its border.
  for (const tile of document.querySelectorAll("[data-kinds] > li")) {
    const inner = tile.getBoundingClientRect();
    const borderPx = Number.parseFloat(getComputedStyle(tile).borderTopWidth);
    for (const words of tile.querySelectorAll("span")) {
      const { left, right, top, bottom } = words.getBoundingClientRect();
      const roomPx = [left - inner.left, inner.right - right, top - inner.top, inner.bottom - bottom];
      if (Math.min(...roomPx) < borderPx - slackPx) faults.push(`${name(words)} runs through the border of its tile`);
    }
  }

  const targetPx = 44;
  // A checkbox or a switch is pressed by its label as well, a password by its field's edge.
  const withLabel = "label, .mantine-Checkbox-body, .mantine-Switch-body";
  const reach = (element: Element): DOMRect =>
    (element.closest(`${withLabel}, .mantine-PasswordInput-input`) ?? element).getBoundingClientRect();
  // Behind a dialog nothing can be pressed.
  const room = document.querySelector("[role=dialog]") ?? document;
  const targets = [...room.querySelectorAll("button, a, input, select, [role=tab]")].filter(
    (element) => isDrawn(element) && element.getAttribute("aria-hidden") === null,
  );
  for (const target of targets) {
    const { width, height } = reach(target);
    if (width < targetPx - 0.5 || height < targetPx - 0.5)
      faults.push(`${name(target)} is only ${Math.round(width)}×${Math.round(height)} px`);
  }
  const seenTargets = seen(targets);
  for (const [index, { element: one, box }] of seenTargets.entries())
    for (const { element: other, box: otherBox } of seenTargets.slice(index + 1)) {
      const { left, right, top, bottom } = overlapOf(box, otherBox);
      if (right - left <= slackPx || bottom - top <= slackPx) continue;
      // A control within another's field (a password's eye) is part of it, as is all of one label.
      const field = one.closest(`${withLabel}, .mantine-Input-wrapper`);
      if (one.contains(other) || other.contains(one) || field?.contains(other)) continue;
      faults.push(`${name(one)} can be pressed where ${name(other)} is`);
    }

  const withText = [...document.querySelectorAll("header *, main *")].filter(
    (element) =>
      isDrawn(element) && [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim()),
  );
  const seenTexts = seen(withText);
  for (const [index, { element: one, box }] of seenTexts.entries())
    for (const { element: other, box: otherBox } of seenTexts.slice(index + 1)) {
      const { left, right, top, bottom } = overlapOf(box, otherBox);
      if (right - left <= slackPx || bottom - top <= slackPx + 2) continue;
      if (one.contains(other) || other.contains(one)) continue;
      faults.push(`${name(one)} lies over ${name(other)}`);
    }
  return faults;
};
