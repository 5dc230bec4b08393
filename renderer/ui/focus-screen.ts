/**
 * Puts the focus on the screen itself, where Enter means its main action. A button that kept the focus from before (a chip of
 * the header, the last screen's Reject) would take Enter for itself.
 */
export const focusScreen = (): void => {
  document.querySelector<HTMLElement>("main[tabindex], main h1[tabindex]")?.focus({ preventScroll: true });
};
