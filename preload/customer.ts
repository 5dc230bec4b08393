/** Puts `window.customer` on the display's page: subscribe, nothing else. Runs sandboxed. */
import { contextBridge, ipcRenderer } from "electron";
import { customerChannels } from "./customer-channels.ts";
import type { CustomerBridge, CustomerView } from "./customer-view.ts";

const listeners = new Set<(view: CustomerView) => void>();

ipcRenderer.on(customerChannels.view, (_event, view: CustomerView) => {
  for (const listener of listeners) listener(view);
});

const bridge: CustomerBridge = {
  subscribe(listener) {
    listeners.add(listener);
    ipcRenderer.send(customerChannels.subscribe);
    return () => {
      listeners.delete(listener);
    };
  },
};

contextBridge.exposeInMainWorld("customer", bridge);
