/** The window as a manager wants it: movable, full screen, or a kiosk that nobody leaves without a manager. */
import type { BrowserWindow } from "electron";
import type { Bridge, Settings } from "../../preload/contract.ts";

/** The part of a window that is used. */
type Window = Pick<BrowserWindow, "setKiosk" | "setFullScreen" | "isDestroyed" | "once">;

/** Whether the window may be left, and the way out that the host has checked. */
export interface WindowMode {
  /** False in a kiosk that no manager has opened. */
  isClosable(): boolean;
  /** A manager, or the system that shuts down, ends the program. */
  letOut(): void;
  /** The way out was not taken after all. */
  shut(): void;
}

/** Follows the settings for as long as the window is open. */
export const keepWindowMode = (window: Window, bridge: Pick<Bridge, "subscribe">): WindowMode => {
  let mode: Settings["windowMode"] = "window";
  let isOut = false;
  const arrange = (): void => {
    if (window.isDestroyed()) return;
    // A kiosk has to be left before the window can be anything else.
    if (mode !== "kiosk") window.setKiosk(false);
    window.setFullScreen(mode === "full_screen");
    if (mode === "kiosk") window.setKiosk(true);
  };
  const stop = bridge.subscribe(({ settings }) => {
    if (settings.windowMode === mode) return;
    mode = settings.windowMode;
    // The core calls its listeners in the middle of its work: windows are changed after it.
    setImmediate(arrange);
  });
  window.once("closed", stop);
  return {
    isClosable: () => mode !== "kiosk" || isOut,
    letOut() {
      isOut = true;
    },
    shut() {
      isOut = false;
    },
  };
};
