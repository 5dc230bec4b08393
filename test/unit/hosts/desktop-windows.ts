/** The part of desktop-play.ts that is about the program's windows: the customer's display, and the kiosk. */
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { channels } from "../../../preload/channels.ts";
import { settingsSchema } from "../../../preload/contract.ts";
import { customerChannels } from "../../../preload/customer-channels.ts";
import { app, type BrowserWindow, calls, conditions, ipcMain, powerMonitor, screen, windows } from "./fake-electron.ts";

/** What the play hands over. */
export interface Stage {
  readonly window: BrowserWindow;
  /** Runs a handler that the program registered. */
  readonly handler: (name: string) => (...args: unknown[]) => unknown;
  /** What the test reads. */
  readonly seen: Record<string, unknown>;
}

/** The settings reach the windows after the reply. */
const until = async (what: string, isSo: () => boolean): Promise<void> => {
  const endMs = performance.now() + 30_000;
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error(`did not happen: ${what}`);
    await delay(5);
  }
};

/** A manager has the customer's display on the second screen; the screen is taken away, and comes back. */
export async function playCustomerDisplay(stage: Stage): Promise<void> {
  const { window, handler, seen } = stage;
  const contents = window.webContents;
  const own = { sender: contents, senderFrame: contents.mainFrame };
  const till = (payload: unknown, event: object = own) => handler(`invoke ${channels.dispatch}`)(event, payload);
  await till({ type: "sign_in", person: "M1", pin: "482915", as: "manager" });
  const settings = settingsSchema.parse({ customerDisplay: "second_screen" });
  await till({ type: "change_settings", settings });
  await until("a window on the second screen", () => windows.at(-1) !== window);
  const display = windows.at(-1) ?? window;
  display.webContents.mainFrame.url = "app://customer/";
  const asDisplay = { sender: display.webContents, senderFrame: display.webContents.mainFrame };
  ipcMain.emit(customerChannels.subscribe, own);
  ipcMain.emit(customerChannels.subscribe, asDisplay);
  const placeAfterMove = async (x: number): Promise<number | undefined> => {
    window.moveTo(x);
    await setImmediate();
    return windows.findLast((one) => one !== window && !one.isClosed)?.options.x;
  };
  const [second] = screen.displays.splice(1, 1);
  const answer = (await handler("scheme app")(new Request("app://customer/"))) as Response;
  seen.customerDisplay = {
    options: display.options,
    sent: display.webContents.sent,
    command: await till({ type: "check_journal" }, asDisplay),
    camera: handler("permission check")({}, "media", "app://customer/", { isMainFrame: true, mediaType: "video" }),
    policy: answer.headers.get("content-security-policy"),
    permissions: answer.headers.get("permissions-policy"),
    isPage: (await answer.text()).includes('id="root"'),
    openBefore: !display.isClosed,
    afterRemoval: screen.emit("display-removed") && windows.filter((one) => !one.isClosed).length,
    afterReturn:
      second &&
      screen.displays.push(second) &&
      screen.emit("display-added") &&
      windows.filter((one) => !one.isClosed).length,
    // The system moves the terminal to a screen that is back, or a person does; and back again.
    afterMoves: [await placeAfterMove(1280 - conditions.windowX), await placeAfterMove(1280 - conditions.windowX)],
  };
}

/** The window is a kiosk: nobody closes it, and the machine's sleep takes the manager's session with it. */
export async function playKiosk({ window, handler, seen }: Stage): Promise<void> {
  const contents = window.webContents;
  const own = { sender: contents, senderFrame: contents.mainFrame };
  const till = (payload: unknown) => handler(`invoke ${channels.dispatch}`)(own, payload);
  calls.length = 0;
  await till({ type: "change_settings", settings: settingsSchema.parse({ windowMode: "full_screen" }) });
  await until("full screen", () => calls.includes("fullScreen true"));
  await till({ type: "change_settings", settings: settingsSchema.parse({ windowMode: "kiosk" }) });
  await until("the kiosk", () => calls.includes("kiosk true"));
  const shown = [...calls];
  window.close();
  app.quit();
  powerMonitor.emit("suspend");
  seen.kiosk = { shown, isClosed: window.isClosed, leaving: await till({ type: "close_program" }) };
}
