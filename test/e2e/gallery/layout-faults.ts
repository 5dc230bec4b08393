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

  /** The part of an element that its scrolling ancestors let through. */
  const seenBox = (element: Element): { left: number; right: number; top: number; bottom: number } => {
    let { left, right, top, bottom } = element.getBoundingClientRect();
    for (let outer = element.parentElement; outer; outer = outer.parentElement) {
      if (getComputedStyle(outer).overflowY === "visible") continue;
      const box = outer.getBoundingClientRect();
      left = Math.max(left, box.left);
      right = Math.min(right, box.right);
      top = Math.max(top, box.top);
      bottom = Math.min(bottom, box.bottom);
    }
    return { left, right, top, bottom };
  };

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
      const { overflowX, textOverflow } = getComputedStyle(element);
      const mayBeCut =
        !element.textContent?.trim() ||
        textOverflow === "ellipsis" ||
        element instanceof SVGElement ||
        overflowX === "auto";
      if (!mayBeCut && element.scrollWidth > element.clientWidth + slackPx && element.clientWidth > 0)
        faults.push(`${name(element)} is wider than its box`);
    }
  }

  const targetPx = 44;
  // A checkbox or a switch is pressed by its label as well.
  const withLabel = "label, .mantine-Checkbox-body, .mantine-Switch-body";
  const reach = (element: Element): DOMRect => (element.closest(withLabel) ?? element).getBoundingClientRect();
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
  for (const [index, one] of targets.entries())
    for (const other of targets.slice(index + 1)) {
      // A control within another's field (a password's eye) is part of it, as is all of one label.
      const field = one.closest(`${withLabel}, .mantine-Input-wrapper`);
      if (one.contains(other) || other.contains(one) || field?.contains(other)) continue;
      const a = seenBox(one);
      const b = seenBox(other);
      const isOver =
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > slackPx &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > slackPx;
      if (isOver) faults.push(`${name(one)} can be pressed where ${name(other)} is`);
    }

  const withText = [...document.querySelectorAll("header *, main *")].filter(
    (element) =>
      isDrawn(element) && [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim()),
  );
  for (const [index, one] of withText.entries())
    for (const other of withText.slice(index + 1)) {
      if (one.contains(other) || other.contains(one)) continue;
      const a = seenBox(one);
      const b = seenBox(other);
      const overlapX = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const overlapY = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (overlapX > slackPx && overlapY > slackPx + 2) faults.push(`${name(one)} lies over ${name(other)}`);
    }
  return faults;
};
