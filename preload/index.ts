/** Puts `window.till` on the page: dispatch and subscribe, nothing else of Electron. Runs sandboxed. */
import { contextBridge, ipcRenderer } from "electron";
import { channels } from "./channels.ts";
import type { Bridge, Reply, Snapshot } from "./contract.ts";

const listeners = new Set<(snapshot: Snapshot) => void>();

ipcRenderer.on(channels.snapshot, (_event, snapshot: Snapshot) => {
  for (const listener of listeners) listener(snapshot);
});

const bridge: Bridge = {
  dispatch: (command) => ipcRenderer.invoke(channels.dispatch, command) as Promise<Reply>,
  subscribe(listener) {
    listeners.add(listener);
    // A snapshot cached here would show an old countdown, so the core is asked for a fresh one.
    ipcRenderer.send(channels.subscribe);
    return () => {
      listeners.delete(listener);
    };
  },
};

contextBridge.exposeInMainWorld("till", bridge);
