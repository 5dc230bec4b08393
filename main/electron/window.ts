/** The terminal's one window: sandboxed, locked to its page, loaded again when it crashes or hangs; as a manager wants it, and what is asked before it closes. */
import { app, BrowserWindow, dialog, powerSaveBlocker, shell, type WebContents, type WebPreferences } from "electron";
import type { Bridge, Settings } from "../../preload/contract.ts";
import { withAnswers } from "../host/host-answers.ts";
import type { Log } from "../host/log-file.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { isCustomerPage, isOwnPage, pageAddress } from "./app-scheme.ts";
import { dialogTexts } from "./texts.ts";

const reloadsMax = 5;
const reloadWindowMs = 60_000;
const hangPatienceMs = 10_000;

/** No page goes anywhere or opens anything; what `isOffered` names, the phone's page, opens in the system's browser. */
export function lockNavigation(log: Log, isOffered: (address: string) => boolean): void {
  app.on("web-contents-created", (_event, contents) => {
    const refuse = (event: { preventDefault(): void }, address: string): void => {
      if ((isOwnPage(address) || isCustomerPage(address)) && address === contents.getURL()) return;
      event.preventDefault();
      log("warn", "navigation was refused", { address: address.slice(0, 200) });
    };
    contents.on("will-navigate", (event) => refuse(event, event.url));
    contents.on("will-redirect", (event) => refuse(event, event.url));
    contents.on("will-frame-navigate", (event) => refuse(event, event.url));
    contents.on("will-attach-webview", (event) => event.preventDefault());
    // No datagram leaves for a server that a page names: the content policy does not cover WebRTC.
    contents.setWebRTCIPHandlingPolicy("disable_non_proxied_udp");
    contents.setWindowOpenHandler(({ url }) => {
      if (isOffered(url)) void shell.openExternal(url);
      return { action: "deny" };
    });
  });
}

/** A page that crashes or hangs is loaded again: all that counts is in the core. It gives up when that happens too often. */
export function keepAlive(contents: WebContents, log: Log, gaveUp: () => void): void {
  let reloadedMs: number[] = [];
  let hanging: NodeJS.Timeout | undefined;
  contents.on("render-process-gone", (_event, { reason, exitCode }) => {
    clearTimeout(hanging);
    log("error", "the page's process ended", { reason, exitCode });
    if (reason === "clean-exit") return;
    const nowMs = performance.now();
    reloadedMs = [...reloadedMs.filter((atMs) => nowMs - atMs < reloadWindowMs), nowMs];
    if (reloadedMs.length > reloadsMax) gaveUp();
    else contents.reload();
  });
  contents.on("unresponsive", () => {
    clearTimeout(hanging);
    hanging = setTimeout(() => contents.forcefullyCrashRenderer(), hangPatienceMs);
  });
  contents.on("responsive", () => clearTimeout(hanging));
}

/** A page of this program: sandboxed, isolated, without Node. */
export const lockedPreferences = (preload: string): WebPreferences => ({
  preload,
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  navigateOnDragDrop: false,
  spellcheck: false,
  devTools: !app.isPackaged,
  // A countdown behind another window still has to end on time.
  backgroundThrottling: false,
});

/** Opens the window and shows it once its page is painted. @param gaveUp runs when the page cannot be kept alive. */
export function openWindow(preload: string, log: Log, gaveUp: () => void): BrowserWindow {
  const window = new BrowserWindow({
    width: 1280,
    height: 800,
    minWidth: 800,
    minHeight: 600,
    show: false,
    title: "Tillcash",
    autoHideMenuBar: true,
    webPreferences: lockedPreferences(preload),
  });
  keepAlive(window.webContents, log, gaveUp);
  window.once("ready-to-show", () => window.show());
  window.loadURL(pageAddress).catch((error: unknown) => log("error", "the page did not load", { why: String(error) }));
  return window;
}

type Window = Pick<BrowserWindow, "setKiosk" | "setFullScreen" | "isDestroyed" | "once">;

/** Whether the window may be left, and the way out that the host has checked. */
export type WindowMode = ReturnType<typeof keepWindowMode>;

/** Follows the settings for as long as the window is open. */
export const keepWindowMode = (window: Window, bridge: Pick<Bridge, "subscribe">) => {
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
    /** False in a kiosk that no manager has opened. */
    isClosable: (): boolean => mode !== "kiosk" || isOut,
    /** A manager, or the system that shuts down, ends the program. */
    allowExit(): void {
      isOut = true;
    },
    /** The way out was not taken after all. */
    cancelExit(): void {
      isOut = false;
    },
  };
};

/** Where the drawer's day is not counted here the shop is open for as long as the program is. @returns ends it. */
export const keepAwake = (bridge: Pick<Bridge, "subscribe">): (() => void) => {
  let blocker: number | null = null;
  const release = (): void => {
    if (blocker !== null) powerSaveBlocker.stop(blocker);
    blocker = null;
  };
  const stop = bridge.subscribe(({ header }) => {
    if (header.day?.kind === "closed") release();
    else blocker ??= powerSaveBlocker.start("prevent-display-sleep");
  });
  return () => {
    stop();
    release();
  };
};

/** Asks in a dialog of the system, in the terminal's language. It is asked once: whoever agreed is not asked again. */
export function createCloseConfirmation(bridge: Bridge, window: BrowserWindow) {
  let unfinished = 0;
  let language: Settings["language"] = "en";
  let agreed = false;
  let asking: Promise<boolean> | null = null;
  bridge.subscribe(({ header, settings }) => {
    unfinished = header.unfinished;
    language = settings.language;
  });
  async function showQuestion(): Promise<boolean> {
    const { messageOne, message, detail, stay, close } = dialogTexts[language].close;
    const { response } = await dialog.showMessageBox(window, {
      type: "warning",
      message: unfinished === 1 ? messageOne : message.replace("{{count}}", String(unfinished)),
      detail,
      buttons: [stay, close],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
    });
    agreed = response === 1;
    asking = null;
    return agreed;
  }
  return {
    /** Whether the window may close without asking (again). */
    isAnswered: (): boolean => agreed || unfinished === 0,
    /** Resolves true when the terminal may be left. */
    confirmClose(): Promise<boolean> {
      asking ??= showQuestion();
      return asking;
    },
  };
}

/** What the windows can do. */
export interface Windows {
  /** False where there is no other screen. */
  moveCustomerDisplay(): boolean;
  /** Closes the window, and the program with it; it asks first while a withdrawal is unfinished. */
  close(): void;
}

/** The terminal with `move_customer_display` and `close_program` answered. */
export const withWindowCommands = <T extends Pick<Terminal, "dispatch">>(terminal: T, windows: Windows): T =>
  withAnswers<"windows", T>(terminal, {
    move_customer_display: () => (windows.moveCustomerDisplay() ? { ok: true } : { ok: false, code: "no_screen" }),
    close_program() {
      // The answer goes out first.
      setImmediate(windows.close);
      return { ok: true };
    },
  });
