import type { Settings } from "../../preload/contract.ts";
import { listenToKeyboard } from "./keyboard/listen.ts";
import { listenToPaste } from "./keyboard/paste.ts";
import { type OnScan, scanTextLengthMax } from "./scan.ts";

/**
 * Listens to every scanner that is not the camera, for as long as the page is open, whatever has the focus: keyboard scanners and
 * pasted texts. `settings` gives the latest ones. The result stops all.
 */
export const startScanners = (onScan: OnScan, settings: () => Settings): (() => void) => {
  const stops = [
    listenToKeyboard(settings, ({ text, symbology }) =>
      onScan({ text: text.slice(0, scanTextLengthMax), source: "keyboard", ...(symbology && { symbology }) }),
    ),
    listenToPaste(settings, (text) => onScan({ text, source: "pasted" })),
  ];
  return () => {
    for (const stop of stops) stop();
  };
};
