/** The customer's display: a second window, opened and closed as the settings say, that shows and takes nothing. */
import { BrowserWindow, type IpcMainEvent, ipcMain, screen } from "electron";
import type { CustomerDisplayChoice } from "../../preload/choices.ts";
import type { Bridge } from "../../preload/contract.ts";
import { customerChannels } from "../../preload/customer-channels.ts";
import { watchAsCustomer } from "../customer-display/customer-view.ts";
import type { Log } from "../host/log-file.ts";
import { customerAddress, isCustomerPage } from "./app-scheme.ts";
import { keepAlive, lockedPreferences } from "./window.ts";

/** Where the window goes, in the system's coordinates. */
interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The screen that the terminal's window is not on; null where there is one alone. */
const secondScreen = (terminal: BrowserWindow): Place | null => {
  const own = screen.getDisplayMatching(terminal.getBounds()).id;
  return screen.getAllDisplays().find(({ id }) => id !== own)?.bounds ?? null;
};

const open = (preload: string, place: Place | null): BrowserWindow => {
  const where = place === null ? { width: 800, height: 480 } : { ...place, fullscreen: true, frame: false };
  const window = new BrowserWindow({
    ...where,
    show: false,
    title: "Tillcash",
    autoHideMenuBar: true,
    // The keyboard and its scanners belong to the terminal's window, always.
    focusable: false,
    webPreferences: lockedPreferences(preload),
  });
  window.once("ready-to-show", () => window.showInactive());
  return window;
};

/** What the display is opened with. */
export interface CustomerDisplayOptions {
  readonly bridge: Pick<Bridge, "subscribe">;
  readonly terminal: BrowserWindow;
  readonly preload: string;
  readonly log: Log;
}

/** Keeps the display as the settings and the screens of this machine have it, for as long as the terminal's window is open. */
export function keepCustomerDisplay({ bridge, terminal, preload, log }: CustomerDisplayOptions): void {
  let window: BrowserWindow | null = null;
  let wanted: CustomerDisplayChoice = "off";
  let stopViews = (): void => undefined;

  const close = (): void => {
    const old = window;
    window = null;
    stopViews();
    old?.close();
  };
  const arrange = (): void => {
    close();
    if (terminal.isDestroyed()) return;
    if (wanted === "off") return;
    const place = wanted === "second_screen" ? secondScreen(terminal) : null;
    if (wanted === "second_screen" && place === null) {
      log("info", "no second screen for the customer's display");
      return;
    }
    const opened = open(preload, place);
    window = opened;
    keepAlive(opened.webContents, log, close);
    opened.on("closed", () => {
      if (window === opened) close();
    });
    opened
      .loadURL(customerAddress)
      .catch((error: unknown) => log("error", "the customer's display did not load", { why: String(error) }));
  };

  const answer = ({ sender, senderFrame }: IpcMainEvent): void => {
    if (window === null || sender !== window.webContents || !isCustomerPage(senderFrame?.url)) {
      log("error", "a message from a stranger was refused", { channel: customerChannels.subscribe });
      return;
    }
    stopViews();
    stopViews = watchAsCustomer(bridge)((view) => {
      if (!sender.isDestroyed()) sender.send(customerChannels.view, view);
    });
  };
  ipcMain.on(customerChannels.subscribe, answer);
  const stopSettings = bridge.subscribe(({ settings }) => {
    if (settings.customerDisplay === wanted) return;
    wanted = settings.customerDisplay;
    // The core calls its listeners in the middle of its work: windows are opened after it.
    setImmediate(arrange);
  });
  screen.on("display-added", arrange);
  screen.on("display-removed", arrange);
  terminal.once("closed", () => {
    stopSettings();
    screen.removeListener("display-added", arrange);
    screen.removeListener("display-removed", arrange);
    wanted = "off";
    close();
  });
}
