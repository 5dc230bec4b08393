/** The terminal's one window: sandboxed, locked to its page, reloaded after a crash or hang; its mode, and its end. */
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
/** What keeps a file from being read, such as a virus scanner, may be over then. */
const reloadPauseMs = 1_000;

/** Blocks navigation and new windows of all pages; addresses accepted by `isOffered` (the phone page) open in the system's browser. */
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
    // Blocks UDP to servers named by a page, as the content policy does not cover WebRTC.
    contents.setWebRTCIPHandlingPolicy("disable_non_proxied_udp");
    contents.setWindowOpenHandler(({ url }) => {
      // Where a computer has no browser this must not end the program.
      if (isOffered(url))
        shell.openExternal(url).catch((error: unknown) => log("warn", "no browser", { why: String(error) }));
      return { action: "deny" };
    });
  });
}

/** Reloads a page that crashes, hangs or does not load, as all state is in the core. Gives up when it happens too often. */
export function keepAlive(contents: WebContents, log: Log, gaveUp: () => void): void {
  let reloadedMs: number[] = [];
  let hanging: NodeJS.Timeout | undefined;
  let failed: NodeJS.Timeout | undefined;
  const reload = (): void => {
    const nowMs = performance.now();
    reloadedMs = [...reloadedMs.filter((atMs) => nowMs - atMs < reloadWindowMs), nowMs];
    if (reloadedMs.length > reloadsMax) gaveUp();
    else contents.reload();
  };
  contents.on("render-process-gone", (_event, { reason, exitCode }) => {
    clearTimeout(hanging);
    log("error", "the page's process ended", { reason, exitCode });
    if (reason !== "clean-exit") reload();
  });
  // Nothing is painted then, and a window that was not shown yet stays hidden.
  contents.on("did-fail-load", (_event, code, why, _address, isMainFrame) => {
    if (!isMainFrame) return;
    log("error", "the page did not load", { code, why });
    clearTimeout(failed);
    failed = setTimeout(reload, reloadPauseMs);
  });
  contents.on("unresponsive", () => {
    clearTimeout(hanging);
    hanging = setTimeout(() => contents.forcefullyCrashRenderer(), hangPatienceMs);
  });
  contents.on("responsive", () => clearTimeout(hanging));
  // Closed meanwhile: a call to a page that is gone throws.
  contents.once("destroyed", () => {
    clearTimeout(hanging);
    clearTimeout(failed);
  });
}

/** Preferences of all pages: sandboxed, isolated, without Node. */
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
  // Countdowns must end on time, also behind other windows.
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
  // `keepAlive` hears of it too.
  window.loadURL(pageAddress).catch(() => undefined);
  return window;
}

type Window = Pick<BrowserWindow, "setKiosk" | "setFullScreen" | "isDestroyed" | "once">;

/** See `keepWindowMode`. */
export type WindowMode = ReturnType<typeof keepWindowMode>;

/** Applies the window mode setting while the window is open. */
export const keepWindowMode = (window: Window, bridge: Pick<Bridge, "subscribe">) => {
  let mode: Settings["windowMode"] = "window";
  let isOut = false;
  const arrange = (): void => {
    if (window.isDestroyed()) return;
    // Kiosk mode must be left before any other mode is set.
    if (mode !== "kiosk") window.setKiosk(false);
    window.setFullScreen(mode === "full_screen");
    if (mode === "kiosk") window.setKiosk(true);
  };
  const stop = bridge.subscribe(({ settings }) => {
    if (settings.windowMode === mode) return;
    mode = settings.windowMode;
    // Deferred, as the core calls its listeners in the middle of its work.
    setImmediate(arrange);
  });
  window.once("closed", stop);
  return {
    /** False in kiosk mode, unless a manager has allowed to close it. */
    isClosable: (): boolean => mode !== "kiosk" || isOut,
    /** Allows closing: a manager or a system shutdown ends the program. */
    allowExit(): void {
      isOut = true;
    },
    cancelExit(): void {
      isOut = false;
    },
  };
};

/** Keeps the display awake while the drawer's day is open; without days, as long as the program runs. @returns ends it. */
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

/** Asks before closing with open withdrawals, in a system dialog in the terminal's language. Once confirmed it does not ask again. */
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

/** Commands for the windows. */
export interface Windows {
  /** False without another screen. */
  moveCustomerDisplay(): boolean;
  /** Closes the window and the program; asks first while a withdrawal is open. */
  close(): void;
}

/** Adds `move_customer_display` and `close_program` to the terminal. */
export const withWindowCommands = <T extends Pick<Terminal, "dispatch">>(terminal: T, windows: Windows): T =>
  withAnswers<"windows", T>(terminal, {
    move_customer_display: () => (windows.moveCustomerDisplay() ? { ok: true } : { ok: false, code: "no_screen" }),
    close_program() {
      // Lets the answer go out first.
      setImmediate(windows.close);
      return { ok: true };
    },
  });
