/** The customer's display: a second, read-only window on a screen that is remembered across restarts. */
import path from "node:path";
import { BrowserWindow, type Display, type IpcMainEvent, ipcMain, type Rectangle, screen } from "electron";
import { z } from "zod";
import type { CustomerDisplayChoice } from "../../preload/choices.ts";
import type { Bridge } from "../../preload/contract.ts";
import { customerChannels } from "../../preload/customer-channels.ts";
import { watchAsCustomer } from "../customer-display/customer-view.ts";
import { openMemory } from "../host/json-file.ts";
import type { Log } from "../host/log-file.ts";
import { customerAddress, isCustomerPage } from "./app-scheme.ts";
import { keepAlive, lockedPreferences } from "./window.ts";

/** What identifies a screen; numbers change with the port, names with the model. */
const screenSchema = z.object({ id: z.number(), label: z.string(), width: z.number(), height: z.number() });
type ChosenScreen = z.infer<typeof screenSchema>;

type Screen = Pick<Display, "id" | "label" | "bounds">;

/** The form in which a screen is remembered. */
export const asChosen = ({ id, label, bounds: { width, height } }: Screen): ChosenScreen => ({
  id,
  label,
  width,
  height,
});

const isNamed = ({ label }: { readonly label: string }): boolean => label !== "";

/**
 * The customer's screen, never the terminal's own: the chosen one by number and name, else by name; the first if none
 * was chosen; if the chosen one is gone, the only other one. Null: ambiguous.
 */
export const screenFor = (screens: readonly Screen[], own: number, chosen: ChosenScreen | null): Screen | null => {
  const others = screens.filter(({ id }) => id !== own);
  if (chosen === null) return others[0] ?? null;
  const named = others.filter((one) => isNamed(one) && one.label === chosen.label);
  const same = others.find((one) => one.id === chosen.id && one.label === chosen.label);
  return same ?? (named.length === 1 ? named[0] : undefined) ?? (others.length === 1 ? others[0] : undefined) ?? null;
};

/** The next other screen in turn; null without one. */
export const nextScreen = (screens: readonly Screen[], own: number, shown: number | null): Screen | null => {
  const others = screens.filter(({ id }) => id !== own);
  const at = others.findIndex(({ id }) => id === shown);
  return others[(at + 1) % Math.max(others.length, 1)] ?? null;
};

/** The chosen screen, in `customer-screen.json` of a data folder. */
export const openScreenMemory = (folder: string) => openMemory(path.join(folder, "customer-screen.json"), screenSchema);

const ownScreen = (terminal: BrowserWindow): number => screen.getDisplayMatching(terminal.getBounds()).id;

const open = (preload: string, place: Rectangle | null): BrowserWindow => {
  const where = place === null ? { width: 800, height: 480 } : { ...place, fullscreen: true, frame: false };
  const window = new BrowserWindow({
    ...where,
    show: false,
    title: "Tillcash",
    autoHideMenuBar: true,
    // Keyboard and scanners always belong to the terminal's window.
    focusable: false,
    webPreferences: lockedPreferences(preload),
  });
  window.once("ready-to-show", () => window.showInactive());
  return window;
};

interface CustomerDisplayOptions {
  readonly bridge: Pick<Bridge, "subscribe">;
  readonly terminal: BrowserWindow;
  readonly preload: string;
  readonly log: Log;
  readonly memory: ReturnType<typeof openScreenMemory>;
  /** False: the system decides where windows are. */
  readonly canBePlaced: boolean;
}

/** The display while the terminal's window is open. */
export type CustomerDisplay = ReturnType<typeof keepCustomerDisplay>;

/** Keeps the display in line with settings and connected screens while the terminal's window is open. */
export function keepCustomerDisplay(options: CustomerDisplayOptions) {
  const { bridge, terminal, preload, log, memory, canBePlaced } = options;
  let window: BrowserWindow | null = null;
  let shownOn: number | null = null;
  /** The terminal's screen when the display got its place. */
  let arrangedFor: number | null = null;
  let wanted: CustomerDisplayChoice = "off";
  let stopViews = (): void => undefined;

  const close = (): void => {
    const old = window;
    window = null;
    shownOn = null;
    stopViews();
    old?.close();
  };
  const arrange = (): void => {
    close();
    if (terminal.isDestroyed()) return;
    if (wanted === "off") return;
    arrangedFor = ownScreen(terminal);
    const found = wanted === "second_screen" ? screenFor(screen.getAllDisplays(), arrangedFor, memory.load()) : null;
    if (wanted === "second_screen" && found === null) {
      log("info", "no second screen for the customer's display");
      return;
    }
    // In full screen at a place chosen by the system it could hide the terminal, so a person has to move it.
    if (found !== null && !canBePlaced) log("warn", "the customer's display cannot be put on a screen under Wayland");
    const place = canBePlaced ? (found?.bounds ?? null) : null;
    shownOn = place === null ? null : (found?.id ?? null);
    const opened = open(preload, place);
    window = opened;
    keepAlive(opened.webContents, log, close);
    opened.on("closed", () => {
      if (window === opened) close();
    });
    // `keepAlive` hears of it too.
    opened.loadURL(customerAddress).catch(() => undefined);
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
    // Deferred, as the core calls its listeners in the middle of its work.
    setImmediate(arrange);
  });
  /** Only when screens have moved: brightness changes trigger this event too. */
  const arrangeAnew = (_event: unknown, _screen: unknown, changed: readonly string[]): void => {
    if (changed.includes("bounds")) arrange();
  };
  /** A person moves the terminal, or the system once a screen is back: the display may lie over it then. */
  const followTerminal = (): void => {
    setImmediate(() => {
      if (!terminal.isDestroyed() && wanted === "second_screen" && ownScreen(terminal) !== arrangedFor) arrange();
    });
  };
  terminal.on("move", followTerminal);
  screen.on("display-added", arrange);
  screen.on("display-removed", arrange);
  screen.on("display-metrics-changed", arrangeAnew);
  terminal.once("closed", () => {
    stopSettings();
    screen.removeListener("display-added", arrange);
    screen.removeListener("display-removed", arrange);
    screen.removeListener("display-metrics-changed", arrangeAnew);
    wanted = "off";
    close();
  });

  return {
    /** Moves to the next screen and remembers it. False if it is not shown on a screen, or there is no other. */
    moveOn(): boolean {
      if (wanted !== "second_screen" || !canBePlaced || terminal.isDestroyed()) return false;
      const next = nextScreen(screen.getAllDisplays(), ownScreen(terminal), shownOn);
      if (next === null || next.id === shownOn) return false;
      memory.save(asChosen(next));
      setImmediate(arrange);
      return true;
    },
  };
}
