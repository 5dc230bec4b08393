/** The bridge's host side: checks each message's sender and shape before passing it to the core. */
import { type IpcMainEvent, type IpcMainInvokeEvent, ipcMain, type WebContents } from "electron";
import { channels } from "../../preload/channels.ts";
import { type Bridge, commandSchema, type Reply } from "../../preload/contract.ts";
import type { Log } from "../host/log-file.ts";
import { isOwnPage } from "./app-scheme.ts";

/** Connects the one window's page with the core. `contents` is null while there is no window. */
export function connectBridge(bridge: Bridge, contents: () => WebContents | null, log: Log): void {
  let stop = (): void => undefined;

  const isOurs = ({ sender, senderFrame }: IpcMainEvent | IpcMainInvokeEvent): boolean => {
    const own = contents();
    // A frame that is gone is null; an embedded frame is not the main frame.
    return own !== null && sender === own && senderFrame === own.mainFrame && isOwnPage(senderFrame?.url);
  };

  ipcMain.handle(channels.dispatch, async (event, payload: unknown): Promise<Reply> => {
    if (!isOurs(event)) {
      log("error", "a message from a stranger was refused", { channel: channels.dispatch });
      return { ok: false, code: "denied" };
    }
    const command = commandSchema.safeParse(payload);
    return command.success ? bridge.dispatch(command.data) : { ok: false, code: "invalid" };
  });

  ipcMain.on(channels.subscribe, (event) => {
    if (!isOurs(event)) {
      log("error", "a message from a stranger was refused", { channel: channels.subscribe });
      return;
    }
    stop();
    const { sender } = event;
    stop = bridge.subscribe((snapshot) => {
      if (sender.isDestroyed()) stop();
      else sender.send(channels.snapshot, snapshot);
    });
  });
}
