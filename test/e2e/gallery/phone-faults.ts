/** Runs in a page of the customer's phone. What is cut off, sticks out, lies over another target or is too small for a finger. */
export const phoneFaults = (): string[] => {
  const faults: string[] = [];
  const slackPx = 1.5;
  const targetPx = 44;
  const name = (element: Element): string =>
    `${element.tagName.toLowerCase()} "${(element.getAttribute("aria-label") ?? element.textContent ?? "").trim().slice(0, 40)}"`;
  const isDrawn = (element: Element): boolean =>
    !element.closest(".visually-hidden, dialog:not([open]), [hidden]") && element.getClientRects().length > 0;
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
  for (const element of document.querySelectorAll("body *")) {
    if (!isDrawn(element) || element instanceof SVGElement) continue;
    const box = element.getBoundingClientRect();
    if (box.left < -slackPx || box.right > innerWidth + slackPx) faults.push(`${name(element)} sticks out of the page`);
    const { overflowX, textOverflow } = getComputedStyle(element);
    const isCut = overflowX !== "visible" && overflowX !== "auto" && textOverflow !== "ellipsis";
    if (isCut && element.scrollWidth > element.clientWidth + slackPx) faults.push(`${name(element)} is cut off`);
  }
  const targets = [...document.querySelectorAll("button, a, select, input:not([type=hidden])")].filter(isDrawn);
  const boxes = targets.map((target) => target.getBoundingClientRect());
  for (const [index, box] of boxes.entries()) {
    const target = targets[index];
    if (!target) continue;
    // A link within a sentence is as high as its line.
    const isInline = target.matches("li > a, .strip a");
    if (!isInline && (box.width < targetPx - 0.5 || box.height < targetPx - 0.5))
      faults.push(`${name(target)} is only ${Math.round(box.width)}×${Math.round(box.height)} px`);
    for (const [later, other] of boxes.slice(index + 1).entries()) {
      const isOver =
        Math.min(box.right, other.right) - Math.max(box.left, other.left) > slackPx &&
        Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top) > slackPx;
      const there = targets[index + 1 + later];
      if (isOver && there) faults.push(`${name(target)} can be pressed where ${name(there)} is`);
    }
  }
  return faults;
};
