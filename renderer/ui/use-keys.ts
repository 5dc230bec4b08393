/** Keys of the whole screen, such as Enter and F9 for the main action. */
import { useEffect, useRef } from "react";
import { isShortcut, type Shortcut } from "./shortcuts.ts";
import { settleMs } from "./step-guard.ts";

/** Enter this soon after another character is the end of a scan or of typing, never an answer to a question. */
const burstMs = 300;

let lastCharacterAtMs = Number.NEGATIVE_INFINITY;
let lastForDialogAtMs = Number.NEGATIVE_INFINITY;
if (typeof window !== "undefined") {
  // Registered before any component: a dialog that closes on this key is still open here, and gone for all who listen later.
  window.addEventListener(
    "keydown",
    (event) => {
      if (event.key.length === 1) lastCharacterAtMs = event.timeStamp;
      if (document.querySelector("[role=dialog]") !== null) lastForDialogAtMs = event.timeStamp;
    },
    { capture: true },
  );
}

/** Whether a dialog had this key, or one just before it: closing a question must not answer what lies behind it. */
export const isForDialog = (event: KeyboardEvent): boolean => event.timeStamp - lastForDialogAtMs < settleMs;

const actsByItself = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("button, a, input, select, textarea, summary, [role=tab]") !== null;

/** Calls `run` on any key of a shortcut, unless a dialog has the key, the key is held, or the focused control acts on it itself. */
export const useKeys = (shortcut: Shortcut, run: (event: KeyboardEvent) => void): void => {
  const latest = useRef({ shortcut, run });
  latest.current = { shortcut, run };
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.repeat || event.isComposing) return;
      if (event.ctrlKey || event.altKey || event.metaKey || !isShortcut(latest.current.shortcut, event.key)) return;
      if (isForDialog(event)) return;
      if (isShortcut("submit", event.key)) {
        if (actsByItself(event.target) || event.timeStamp - lastCharacterAtMs < burstMs) return;
      }
      event.preventDefault();
      latest.current.run(event);
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
};
