/** The terminal's one window: sandboxed, locked to its page, loaded again when its process crashes or hangs. */
import { app, BrowserWindow, shell, type WebContents, type WebPreferences } from "electron";
import type { Log } from "../host/log-file.ts";
import { isCustomerPage, isOwnPage, pageAddress } from "./app-scheme.ts";

const reloadsMax = 5;
const reloadWindowMs = 60_000;
const hangPatienceMs = 10_000;

/**
 * No page of this program goes anywhere, opens anything or holds another page. `isOffered` names the addresses that it may
 * ask to see in the system's browser instead: the customer's phone, in training.
 */
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

/** What the window is opened with. */
export interface WindowOptions {
  readonly preload: string;
  readonly log: Log;
  /** Runs when the page cannot be kept alive. */
  readonly gaveUp: () => void;
}

/** Opens the window and shows it once its page is painted. */
export function openWindow({ preload, log, gaveUp }: WindowOptions): BrowserWindow {
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
