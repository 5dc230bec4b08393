/** Keyboard shortcuts of the whole page. */
import { useWindowEvent } from "@mantine/hooks";
import { isShortcut, type Shortcut } from "./shortcuts.ts";
import { settleMs } from "./step-guard.ts";

/** Enter this soon after a character ends a scan or typing, and never answers a screen. */
const burstMs = 300;

let lastCharacterAtMs = Number.NEGATIVE_INFINITY;
let lastForDialogAtMs = Number.NEGATIVE_INFINITY;
if (typeof window !== "undefined") {
  // Registered before any component: a dialog that closes on this key is still open here, and closed for later listeners.
  window.addEventListener(
    "keydown",
    (event) => {
      if (event.key.length === 1) lastCharacterAtMs = event.timeStamp;
      if (document.querySelector("[role=dialog]") !== null) lastForDialogAtMs = event.timeStamp;
    },
    { capture: true },
  );
  // Whoever touches or clicks something has seen that the dialog is gone.
  const seen = () => {
    lastForDialogAtMs = Number.NEGATIVE_INFINITY;
  };
  window.addEventListener("pointerdown", seen, { capture: true });
}

/** Whether a dialog was open at this key or just before it: closing a dialog must not answer the screen behind it. */
export const isForDialog = (event: KeyboardEvent): boolean => event.timeStamp - lastForDialogAtMs < settleMs;

const actsByItself = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("button, a, input, select, textarea, summary, [role=tab]") !== null;

/** Calls `run` on a shortcut, unless a dialog is open, the key repeats, or the focused control handles it itself. */
export const useKeys = (shortcut: Shortcut, run: (event: KeyboardEvent) => void): void => {
  useWindowEvent("keydown", (event) => {
    if (event.defaultPrevented || event.repeat || event.isComposing) return;
    if (event.ctrlKey || event.altKey || event.metaKey || !isShortcut(shortcut, event.key)) return;
    if (isForDialog(event)) return;
    if (isShortcut("submit", event.key)) {
      if (actsByItself(event.target) || event.timeStamp - lastCharacterAtMs < burstMs) return;
    }
    event.preventDefault();
    run(event);
  });
};
